"""What is read of mnemon's stores, of every version."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from service.cli.foreign.model import ForeignStore
from service.cli.foreign.moving import read
from service.domain.errors import IncompatibleStore, InvalidInput
from tests.mnemon_store import Edge, Insight, Version, both_ways, make


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mnemon.db"


def of(path: Path, *args: Any, **more: Any) -> ForeignStore:
    return read("mnemon", make(path, *args, **more))


def losses(store: ForeignStore) -> dict[tuple[str, str], int]:
    return {(loss.kind, loss.why): loss.count for loss in store.losses.all()}


@pytest.mark.parametrize("version", Version)
def test_insights_of_every_version(path: Path, version: Version) -> None:
    insight = Insight(
        "i1", "The cache runs on birch.", "2025-03-01T10:00:00+02:00", "decision", 4,
        tags='["ops", "cache"]', entities='["cache", "birch", "cache", ""]', source="agent",
    )  # fmt: skip
    store = of(path, [insight], version=version)
    (row,) = store.rows
    assert row.id == "i1"
    assert row.at == datetime(2025, 3, 1, 8, tzinfo=UTC)
    assert row.body == {
        "content": "The cache runs on birch.",
        "type": "decision",
        "created_at": "2025-03-01T08:00:00Z",
        "importance": 0.75,
        "source": "agent",
        "entities": [{"name": "cache"}, {"name": "birch"}],
        "metadata": {
            "mnemon": {
                "id": "i1",
                "category": "decision",
                "importance": 4,
                "tags": ["ops", "cache"],
                "updated_at": "2025-03-01T10:00:00+02:00",
                "access_count": 0,
            }
        },
    }
    assert losses(store) == {}


@pytest.mark.parametrize(
    ("importance", "share"), [(1, 0.0), (3, 0.5), (5, 1.0), (9, 1.0), (None, 0.5), ("high", 0.5)]
)
def test_importance_is_scaled(path: Path, importance: object, share: float) -> None:
    store = of(path, [Insight("i1", "It rains.", importance=importance)])
    assert store.rows[0].body["importance"] == share


def test_rows_come_in_the_order_of_their_times(path: Path) -> None:
    store = of(path, [
        Insight("c", "three", "2025-03-03 00:00:00"),
        Insight("a", "one", "2025-03-01T00:00:00.5Z"),
        Insight("b", "two", 1_740_873_600),
    ])  # fmt: skip
    assert [row.id for row in store.rows] == ["a", "b", "c"]


def test_what_cannot_be_kept_is_told_with_its_reason(path: Path) -> None:
    store = of(path, [
        Insight("gone", "It rained.", deleted_at="2025-04-01T00:00:00Z"),
        Insight("blank", " \n"),
        Insight("long", "x" * 100_001),
        Insight("when", "It rains.", "yesterday"),
        Insight("names", "It snows.", entities=f'["{"n" * 600}", "snow", 7]'),
        Insight("bytes", b"It \xff hails.", entities="not json, at all"),
    ])  # fmt: skip
    assert [row.id for row in store.rows] == ["bytes", "names"]
    assert store.rows[0].body["content"] == "It \N{REPLACEMENT CHARACTER} hails."
    assert store.rows[0].body["entities"] == [{"name": "not json"}, {"name": "at all"}]
    assert store.rows[1].body["entities"] == [{"name": "snow"}]
    found = losses(store)
    assert found["insight", "was deleted in mnemon"] == 1
    assert found["insight", "the text is empty"] == 1
    assert found["insight", "has no readable time"] == 1
    assert found["insight", "the text has 100001 characters; at most 100000 are allowed"] == 1
    assert sum(count for (kind, _), count in found.items() if kind == "entity") == 1


def test_an_edge_of_one_direction_is_taken_as_it_stands(path: Path) -> None:
    insights = [Insight("old", "alder", "2025-01-01"), Insight("new", "birch", "2025-02-01")]
    store = of(path, insights, [Edge("new", "old", metadata='{"reason": "moved"}')])
    (edge,) = store.replacements
    assert (edge.source, edge.target, edge.reason) == ("new", "old", "moved")
    assert store.notes == []


def test_edges_in_both_directions_are_recognised_decided_and_told(path: Path) -> None:
    insights = [Insight("old", "alder", "2025-01-01"), Insight("new", "birch", "2025-02-01")]
    store = of(path, insights, both_ways("old", "new"))
    assert [(edge.source, edge.target) for edge in store.replacements] == [("new", "old")]
    assert losses(store) == {("reverse edge", "was written by mnemon beside the true one"): 1}
    assert store.losses.all()[0].examples == ["old → new"]
    assert "the newer insight replaces the older" in store.notes[0]


def test_the_log_of_operations_tells_what_was_asked_for(path: Path) -> None:
    insights = [
        Insight("aaaaaaaa-1", "alder", "2025-01-01"),
        Insight("bbbbbbbb-2", "birch", "2025-02-01"),
    ]
    edges = both_ways("aaaaaaaa-1", "bbbbbbbb-2", "back again")
    store = of(path, insights, edges, links_logged=[("aaaaaaaa-1", "bbbbbbbb-2")])
    (edge,) = store.replacements
    assert (edge.source, edge.target, edge.reason) == ("aaaaaaaa-1", "bbbbbbbb-2", "back again")


def test_a_shortened_id_of_two_insights_tells_nothing(path: Path) -> None:
    insights = [
        Insight("aaaaaaaa-1", "alder", "2025-01-01"),
        Insight("bbbbbbbb-2", "birch", "2025-02-01"),
        Insight("bbbbbbbb-3", "cedar", "2025-02-02"),
    ]
    edges = both_ways("aaaaaaaa-1", "bbbbbbbb-2")
    store = of(path, insights, edges, links_logged=[("aaaaaaaa-1", "bbbbbbbb-2")])
    assert [edge.source for edge in store.replacements] == ["bbbbbbbb-2"]


def test_edges_without_a_counterpart_are_told(path: Path) -> None:
    insights = [
        Insight("a", "one"), Insight("b", "two"), Insight("d", "three", deleted_at="2025-01-01"),
    ]  # fmt: skip
    store = of(path, insights, [
        Edge("a", "b", "semantic"), Edge("b", "a", "semantic"), Edge("a", "b", "causal"),
        Edge("a", "d"), Edge("nobody", "a"), Edge("__probe_01", "__probe_02"),
    ])  # fmt: skip
    found = losses(store)
    assert store.replacements == []
    assert {kind: n for (kind, _), n in found.items()} == {
        "insight": 1, "edge semantic": 2, "edge causal": 1, "replacement": 2, "edge": 1,
    }  # fmt: skip


def test_another_file_is_refused_with_what_was_found(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE memories (id TEXT)")
    with pytest.raises(InvalidInput, match=r"no store of mnemon: it lacks insights.*memories"):
        read("mnemon", path)


def test_a_newer_version_is_refused(path: Path) -> None:
    make(path, [])
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 7")
    with pytest.raises(IncompatibleStore, match="user_version 7; known are 0 to 1"):
        read("mnemon", path)
