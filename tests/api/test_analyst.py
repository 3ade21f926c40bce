"""Every ready query for analysts, on the sample, with what it has to show."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, LiteralString, cast

import pytest

from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.statements import all_statements, statement_file
from tests.api.client import Api

Run = Callable[..., Awaitable[list[Row]]]

LIBRARY = {
    file.name.removeprefix("analyst/")
    for file in all_statements()
    if file.name.startswith("analyst/")
}


@pytest.fixture
def run(graph: Graph, sample_scope: str) -> Run:
    """Runs a query of the library on the sample; a parameter that it needs must be given."""

    async def running(name: str, **given: Any) -> list[Row]:
        file = statement_file(f"analyst/{name}")
        params = {"scope": sample_scope} | given
        assert set(file.params) <= set(params)
        needed = {key: value for key, value in params.items() if key in file.params}

        async def work(tx: Transaction) -> list[Row]:
            return await fetch(tx, cast(LiteralString, file.text), **needed)

        return await graph.read(work)

    return running


async def test_what_is_current_of_an_entity(run: Run) -> None:
    (fact,) = await run("current_facts", entity="Build Cache")
    assert (fact["aspect"], fact["subject"], fact["value"]) == (
        "deployment",
        "host",
        "bucket otter",
    )
    assert str(fact["since"])[:10] == "2025-12-03"
    assert "otter" in fact["memory"]
    assert fact["speaker"]


async def test_the_history_of_a_claim(run: Run) -> None:
    history = await run("claim_history", entity="build cache", claim="host")
    values = [one["value"] for one in history]
    assert values == ["bucket otter", "elm", "birch", "cedar", "birch", "alder"]
    assert [one["status"] for one in history] == ["active", *["superseded"] * 5]
    assert [one["until"] for one in history[1:]] == [one["since"] for one in history[:-1]]
    assert all(len(one["memories"]) >= 1 for one in history)


async def test_the_picture_of_a_claim(run: Run) -> None:
    rows = await run("claim_picture", entity="build cache", claim="host")
    assert len(rows) == 6
    assert sum(len(row["replacements"]) for row in rows) == 5
    assert all(row["statements"] for row in rows)


async def test_where_a_value_comes_from(run: Run) -> None:
    rows = await run("claim_provenance", value="CEDAR")
    (said,) = [row for row in rows if row["entity"] == "build cache"]
    assert (said["subject"], said["value"], said["status"]) == ("host", "cedar", "superseded")
    assert said["speaker"]
    assert "cedar" in said["memory"]


async def test_the_claims_that_changed_most(run: Run) -> None:
    first, *_ = await run("volatile_claims", limit=5)
    assert (first["entity"], first["subject"], first["changes"]) == ("build cache", "host", 5)
    assert first["value"] == "bucket otter"


async def test_the_constraints_in_force(run: Run) -> None:
    rules = await run("constraints")
    assert ("payments", "never stored by us") in {(one["entity"], one["value"]) for one in rules}


async def test_the_replaced_memories(run: Run) -> None:
    rows = await run("replaced_memories", limit=10)
    assert len(rows) == 4
    assert any("gRPC" in row["replaced_by"] for row in rows)


async def test_the_picture_of_the_replacements(run: Run) -> None:
    rows = await run("replacements_picture", limit=3)
    assert len(rows) == 3
    for row in rows:
        (edge,) = row["replaced"].relationships
        assert edge.type == "SUPERSEDES"
        assert edge.start_node["created_at"] > edge.end_node["created_at"]


async def test_the_picture_of_a_lineage(run: Run, graph: Graph, sample_scope: str) -> None:
    async def work(tx: Transaction) -> list[Row]:
        return await fetch(
            tx,
            "MATCH (m:Memory {scope: $scope})-[:SUPERSEDES]->() RETURN m.id AS id LIMIT 1",
            scope=sample_scope,
        )

    (newer,) = await graph.read(work)
    (row,) = await run("lineage_picture", memory_id=newer["id"])
    assert len(row["lineage"].relationships) == 1
    assert await run("lineage_picture", memory_id=newer["id"], scope="another") == []


async def test_the_forks(run: Run, api: Api) -> None:
    old = await api.remember("The office opens at nine.")
    for content in ("The office opens at ten.", "The office opens at eight."):
        await api.remember(content, supersedes=[old["id"]])
    (fork,) = await run("forks", scope=api.scope)
    assert fork["stale"] == "The office opens at nine."
    assert fork["replacements"] == ["The office opens at eight.", "The office opens at ten."]
    assert await run("forks") == []


async def test_what_changed_since_a_day(run: Run) -> None:
    rows = await run("changed_since", since="2025-11-01T00:00:00Z")
    changed = {(row["what"], row["was"], row["is_now"]) for row in rows}
    assert ("build cache: host", "elm", "bucket otter") in changed
    assert ("logging: days", "30", "14") in changed
    assert [row["changed_at"] for row in rows] == sorted(
        (row["changed_at"] for row in rows), reverse=True
    )
    assert await run("changed_since", since="2026-01-01T00:00:00Z") == []


async def test_what_somebody_said(run: Run) -> None:
    rows = await run("who_said", speaker="tomás", limit=100)
    assert len(rows) == 12
    assert {row["superseded"] for row in rows} <= {True, False}


async def test_a_session_in_its_order(run: Run) -> None:
    rows = await run("conversation", session="kickoff-2025-01-07")
    assert rows[0]["memory"].startswith("Ferrywise sells tickets")
    assert [row["said_at"] for row in rows] == sorted(row["said_at"] for row in rows)


async def test_the_hubs(run: Run) -> None:
    rows = await run("hubs", limit=5)
    mentions = [row["mentions"] for row in rows]
    assert mentions == sorted(mentions, reverse=True)
    assert 0.0 < rows[0]["share"] <= 100.0


async def test_who_changed_an_entity(run: Run) -> None:
    log = await run("audit_log", entity="Build Cache")
    assert log
    assert {row["actor"] for row in log} == {"caller"}
    assert any("set_attribute" in row["done"] for row in log)
    assert not any(row["undone"] for row in log)


async def test_the_orphans(run: Run) -> None:
    orphans = {row["entity"] for row in await run("orphans", limit=1_000)}
    assert orphans
    assert "build cache" not in orphans


async def test_the_picture_around_an_entity(run: Run) -> None:
    rows = await run("around_entity", entity="booking API")
    ends = {node["name"] for row in rows for node in row["path"].nodes}
    assert {"booking API", "PostgreSQL"} <= ends


async def test_the_shortest_way_between_two(run: Run) -> None:
    rows = await run("shortest_path", **{"from": "booking api", "to": "maple"})
    assert rows[0]["steps"] == [
        "booking API stores data in PostgreSQL",
        "PostgreSQL runs on maple",
    ]


async def test_what_ties_two_entities(run: Run) -> None:
    (row,) = await run("evidence", **{"from": "booking API", "to": "PostgreSQL"})
    assert (row["relation"], row["mentions"]) == ("stores data in", 1)
    assert "PostgreSQL 14" in row["memories"][0]


async def test_who_is_mentioned_together(run: Run) -> None:
    rows = await run("mentioned_together", limit=10)
    assert len(rows) == 10
    assert all(row["one"].casefold() < row["other"].casefold() for row in rows)
    together = [row["together"] for row in rows]
    assert together == sorted(together, reverse=True)


async def test_the_relation_types_in_use(run: Run) -> None:
    counts = {row["type"]: row["relations"] for row in await run("relation_types")}
    assert counts["RUNS_ON"] >= 6
    assert counts["USES"] >= 6


async def test_the_timeline_of_an_entity(run: Run) -> None:
    rows = await run("timeline", entity="build cache", limit=100)
    assert [row["happened_at"] for row in rows] == sorted(row["happened_at"] for row in rows)
    assert {row["superseded"] for row in rows} == {True, False}


def test_every_query_of_the_library_has_a_test_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert {name for name in LIBRARY if f'run("{name}"' not in source} == set()
    assert len(LIBRARY) >= 15


def test_the_page_for_analysts_lists_every_query_with_its_parameters() -> None:
    page = (Path(__file__).parents[2] / "docs" / "analysts.md").read_text(encoding="utf-8")
    rows = {
        found[1]: set(re.findall(r"`(\w+)`", found[2]))
        for found in re.finditer(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", page, re.MULTILINE)
    }
    for name in LIBRARY:
        wanted = set(statement_file(f"analyst/{name}").params) - {"scope"}
        assert wanted == rows.get(name), name


async def test_what_is_not_embedded(run: Run) -> None:
    assert await run("not_embedded") == []
