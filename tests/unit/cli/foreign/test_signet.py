"""What is read of Signet's stores, of several versions."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from service.cli.foreign.model import ForeignStore
from service.cli.foreign.moving import read
from service.domain.errors import IncompatibleStore, InvalidInput
from tests import mnemon_store
from tests.signet_store import make

CACHE = {"id": "e-cache", "name": "Build Cache"}
BIRCH = {"id": "e-birch", "name": "birch", "entity_type": "host"}
DEPLOYMENT = {"id": "a-1", "entity_id": "e-cache", "name": "deployment"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memories.db"


def of(path: Path, *, version: int = 147, agent: str = "default", **rows: Any) -> ForeignStore:
    return read("signet", make(path, rows, version=version), agent)


def bodies(store: ForeignStore) -> dict[str, dict[str, Any]]:
    return {row.id: row.body for row in store.rows}


def losses(store: ForeignStore) -> dict[tuple[str, str], list[str]]:
    return {(loss.kind, loss.why): loss.examples for loss in store.losses.all()}


@pytest.mark.parametrize("version", [1, 2, 5, 19, 38, 60, 83, 147])
def test_memories_of_every_version(path: Path, version: int) -> None:
    store = of(path, version=version, memories=[
        {"id": "m1", "content": "The cache runs on birch.", "type": "decision", "importance": 0.8,
         "tags": "ops, cache", "who": "ines", "project": "/src/app", "source_type": "manual",
         "pinned": 1},
    ])  # fmt: skip
    (row,) = store.rows
    assert row.body["content"] == "The cache runs on birch."
    assert row.body["type"] == "decision"
    assert row.body["importance"] == 0.8
    assert row.body["pinned"] is True
    assert row.body["source"] == "manual"
    assert row.body["created_at"] == "2025-03-01T10:00:00Z"
    origin = row.body["metadata"]["signet"]
    assert origin["id"] == "m1"
    assert (origin["who"], origin["project"], origin["tags"]) == (
        "ines",
        "/src/app",
        ["ops", "cache"],
    )
    assert losses(store) == {}


def test_what_stays_behind_is_told(path: Path) -> None:
    store = of(path, memories=[
        {"id": "gone", "content": "x", "is_deleted": 1},
        {"id": "old", "content": "x", "visibility": "archived"},
        {"id": "bench", "content": "x", "scope": "bench-1"},
        {"id": "theirs", "content": "x", "agent_id": "scout"},
        {"id": "blank", "content": "  "},
        {"id": "when", "content": "x", "created_at": "soon"},
    ], memories_cold=[{"archive_id": "c1", "content": "x"}],
        epistemic_assertions=[{"id": "p1"}, {"id": "p2"}])  # fmt: skip
    assert store.rows == []
    found = losses(store)
    assert found["memory", "was deleted in Signet"] == ["gone"]
    assert found["memory", "was archived in Signet"] == ["old"]
    assert found["memory", "belongs to Signet's scope 'bench-1', which is kept apart"] == ["bench"]
    assert found["memory", "belongs to the agent 'scout': --agent chooses"] == ["theirs"]
    assert found["memory", "the text is empty"] == ["blank"]
    assert found["memory", "has no readable time"] == ["when"]
    counts = {loss.kind: loss.count for loss in store.losses.all()}
    assert (counts["archived memory"], counts["assertion"]) == (1, 2)


def test_another_agent_is_chosen_or_refused(path: Path) -> None:
    memories = [
        {"id": "m1", "content": "mine"},
        {"id": "m2", "content": "its", "agent_id": "scout"},
    ]
    assert list(bodies(of(path, agent="scout", memories=memories))) == ["m2"]
    with pytest.raises(InvalidInput, match=r"'nobody' is not in the file; .*'default', 'scout'"):
        read("signet", path, "nobody")


def test_the_graph_goes_to_the_memories_that_tell_it(path: Path) -> None:
    store = of(
        path,
        memories=[{"id": "m1", "content": "The cache runs on birch."}],
        entities=[CACHE, BIRCH],
        memory_entity_mentions=[
            {"memory_id": "m1", "entity_id": "e-cache", "mention_text": "the cache",
             "confidence": 0.9},
            {"memory_id": "m1", "entity_id": "e-birch"},
        ],
        entity_dependencies=[
            {"id": "d1", "source_entity_id": "e-cache", "target_entity_id": "e-birch",
             "dependency_type": "runs_on", "confidence": 0.7},
        ],
        relations=[
            {"id": "r1", "source_entity_id": "e-cache", "target_entity_id": "e-birch",
             "relation_type": "runs_on"},
        ],
        entity_aspects=[DEPLOYMENT],
        entity_attributes=[
            {"id": "t1", "aspect_id": "a-1", "memory_id": "m1", "content": "birch",
             "claim_key": "host", "group_key": "location", "confidence": 0.8},
        ],
        memory_hints=[{"id": "h1", "memory_id": "m1", "hint": "Where does the cache run?"}],
    )  # fmt: skip
    body = bodies(store)["m1"]
    assert body["entities"] == [
        {"name": "Build Cache", "type": "system", "confidence": 0.9, "mention_text": "the cache"},
        {"name": "birch", "type": "host", "confidence": 1.0},
    ]
    assert body["relations"] == [
        {"source": "Build Cache", "target": "birch", "type": "runs_on", "confidence": 0.7}
    ]
    assert body["attributes"] == [
        {"entity": "Build Cache", "aspect": "deployment", "value": "birch", "kind": "attribute",
         "confidence": 0.8, "importance": 0.5, "valid_from": "2025-03-01T10:00:00Z",
         "group_key": "location", "claim_key": "host"}
    ]  # fmt: skip
    assert body["hints"] == ["Where does the cache run?"]
    assert losses(store) == {}


def test_what_nothing_tells_is_told_as_left(path: Path) -> None:
    store = of(
        path,
        memories=[{"id": "m1", "content": "The cache is slow."}],
        entities=[CACHE, BIRCH | {"description": "a host"}, {"id": "e-x", "name": " "},
                  {"id": "e-old", "name": "alder", "status": "archived"}],
        memory_entity_mentions=[{"memory_id": "m1", "entity_id": "e-cache"},
                                {"memory_id": "m1", "entity_id": "e-old"}],
        entity_dependencies=[
            {"id": "d1", "source_entity_id": "e-cache", "target_entity_id": "e-birch",
             "dependency_type": "runs_on"},
            {"id": "d2", "source_entity_id": "e-cache", "target_entity_id": "e-old",
             "dependency_type": "ran_on"},
            {"id": "d3", "source_entity_id": "e-cache", "target_entity_id": "e-birch",
             "dependency_type": "?!"},
        ],
        entity_aspects=[DEPLOYMENT | {"weight": 0.9}],
        memory_hints=[{"id": "h1", "memory_id": "gone", "hint": "What?"}],
    )  # fmt: skip
    found = losses(store)
    assert found["entity", "nothing that is carried over tells of it"] == ["e-birch"]
    assert found["entity", "its name is empty or too long"] == ["e-x"]
    assert found["entity", "was archived in Signet"] == ["e-old"]
    assert found["relation", "no memory that is carried over mentions both of its ends"] == ["d1"]
    assert found["relation", "an entity of it is not carried over"] == ["d2"]
    assert found["relation", "its type '?!' is none"] == ["d3"]
    assert found["hint", "its memory is not carried over"] == ["gone"]
    assert found["aspect", "nothing that is carried over is claimed under it"] == ["a-1"]
    assert {kind for kind, _ in found} == {
        "entity", "relation", "hint", "aspect", "mention", "weight of an aspect",
        "description of an entity",
    }  # fmt: skip


def attribute(id: str, value: str, day: int, **more: Any) -> dict[str, Any]:
    return {"id": id, "aspect_id": "a-1", "content": value, "claim_key": "host",
            "created_at": f"2025-03-{day:02} 08:00:00", **more}  # fmt: skip


def test_an_attribute_without_a_memory_is_told_by_one_of_its_own(path: Path) -> None:
    store = of(path, entities=[CACHE], entity_aspects=[DEPLOYMENT],
               memories=[{"id": "t2", "content": "alder", "is_deleted": 1}],
               entity_attributes=[
                   attribute("t1", "Runs on birch", 2),
                   attribute("t2", "alder", 1, memory_id="t2", status="superseded"),
                   attribute("t3", "cedar", 3, memory_id="t2", kind="constraint"),
               ])  # fmt: skip
    found = bodies(store)
    assert list(found) == ["attribute:t2", "attribute:t1"]
    assert found["attribute:t1"]["content"] == "Runs on birch"
    assert found["attribute:t1"]["created_at"] == "2025-03-02T08:00:00Z"
    assert losses(store)["attribute", "the memory that says it is not carried over"] == ["t3"]


def test_what_was_replaced_stays_so(path: Path) -> None:
    store = of(path, entities=[CACHE], entity_aspects=[DEPLOYMENT], entity_attributes=[
        attribute("t1", "alder", 1, status="superseded"),
        attribute("t2", "birch", 2),
        attribute("t3", "cedar", 3, status="superseded"),
        attribute("t4", "loose", 1, status="superseded", claim_key=None),
        attribute("t5", "gone", 1, status="deleted"),
    ])  # fmt: skip
    assert sorted(bodies(store)) == ["attribute:t1", "attribute:t2"]
    found = losses(store)
    assert found["attribute", "was replaced, by nothing newer in its slot"] == ["t3"]
    assert found["attribute", "was replaced, and has no key that would say it"] == ["t4"]
    assert found["attribute", "was deleted or archived in Signet"] == ["t5"]


def test_several_active_values_of_a_slot_all_stand(path: Path) -> None:
    store = of(path, entities=[CACHE], entity_aspects=[DEPLOYMENT], entity_attributes=[
        attribute("t1", "alder", 1), attribute("t2", "birch", 2),
    ])  # fmt: skip
    found = [body["attributes"][0]["cardinality"] for body in bodies(store).values()]
    assert found == ["many", "many"]


def test_memories_replace_each_other_past_what_stays_behind(path: Path) -> None:
    store = of(path, memories=[
        {"id": "a", "content": "one", "superseded_by": "b", "superseded_reason": "corrected"},
        {"id": "b", "content": "two", "superseded_by": "c", "is_deleted": 1},
        {"id": "c", "content": "three"},
        {"id": "d", "content": "four", "superseded_by": "e"},
        {"id": "e", "content": "five", "superseded_by": "f"},
        {"id": "f", "content": "six", "is_deleted": 1},
    ])  # fmt: skip
    assert [(each.source, each.target, each.reason) for each in store.replacements] == [
        ("c", "a", "corrected")
    ]
    assert sorted(bodies(store)) == ["a", "c"]
    found = losses(store)
    assert sorted(found["memory", "was replaced by one that is not carried over"]) == ["d", "e"]


def test_a_circle_of_replacements_is_left(path: Path) -> None:
    store = of(path, memories=[
        {"id": "a", "content": "one", "superseded_by": "b"},
        {"id": "b", "content": "two", "superseded_by": "a"},
    ])  # fmt: skip
    assert store.replacements == []
    assert {kind for kind, _ in losses(store)} == {"replacement"}


@pytest.mark.parametrize("version", [0, 148])
def test_a_version_that_is_not_known_is_refused(path: Path, version: int) -> None:
    make(path, {}, version=max(version, 1))
    if version == 0:
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("DELETE FROM schema_migrations")
    with pytest.raises(IncompatibleStore, match=f"of version {version}; known are 1 to 147"):
        read("signet", path)


def test_another_file_is_refused(path: Path) -> None:
    mnemon_store.make(path, [])
    with pytest.raises(InvalidInput, match=r"no store of Signet: it lacks memories.*insights"):
        read("signet", path)
