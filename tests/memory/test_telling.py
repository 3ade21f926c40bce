"""What the writer hands to the projections is what the change feed would have told them."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import asdict
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest

from service.domain.attribute import Cardinality
from service.domain.change import Commit, MemoryChange
from service.domain.memory import NewMemory, Remembered
from service.memory.link import SupersedeUnit
from service.memory.relation_types import RelationTypes
from service.memory.remember import Prepared
from service.memory.remember_unit import RememberUnit
from service.memory.writer import GroupWriter
from service.projection.handed import Handed
from service.projection.names import NameIndex
from service.stores.neo4j.driver import Graph
from service.stores.neo4j.feed import read_memories, read_page
from tests.memory.story import in_city, lives_in, named, related

Heard = tuple[GroupWriter, list[Commit]]


@pytest.fixture
async def heard(graph: Graph) -> AsyncGenerator[Heard]:
    """A writer of its own, and the commits that it told of."""
    commits: list[Commit] = []
    writer = GroupWriter(
        graph,
        NameIndex(),
        RelationTypes(graph),
        committed=commits.append,
        link_names=True,
        relation_type_limit=1_000,
        timeout_s=60.0,
    )
    yield writer, commits
    await writer.close()


def batch(scope: str, *items: NewMemory) -> RememberUnit:
    """A unit whose memories have two passages each, but for every third, which has no vectors."""
    vectors = [np.full((2, 3), at, np.float32) if at % 3 else None for at in range(len(items))]
    prepared = [
        Prepared(scope, item, vector, "model") for item, vector in zip(items, vectors, strict=True)
    ]
    return RememberUnit(prepared, False)


def plain(change: MemoryChange) -> dict[str, Any]:
    """A change with what has no order sorted, and vectors as lists."""
    shown = asdict(change)
    for name in ("hints", "entity_ids", "statements", "successors"):
        shown[name] = sorted(map(str, shown[name]))
    vectors = shown["vectors"]
    return shown | {"vectors": None if vectors is None else vectors.tolist()}


async def fed(graph: Graph, commit: Commit) -> list[dict[str, Any]]:
    page = await graph.read(read_page, commit.after, commit.upto, 1_000, True, True)
    assert page.upto == commit.upto
    return [plain(change) for change in page.changes if isinstance(change, MemoryChange)]


async def told(graph: Graph, commit: Commit) -> list[dict[str, Any]]:
    assert commit.changes is not None
    reread = await graph.read(read_memories, commit.reread)
    both = sorted((*commit.changes, *reread), key=lambda change: change.revision)
    return [plain(change) for change in both]


async def test_a_story_is_told_as_the_feed_tells_it(heard: Heard, graph: Graph, scope: str) -> None:
    writer, commits = heard
    abroad = timezone(timedelta(hours=5, minutes=30))
    first = await writer.submit(
        batch(
            scope,
            in_city("Rome", 1, session="s", speaker="Ana", entities=named("Ana", "Rome")),
            in_city("Paris", 3, hints=["moving", "moving", "house"], pinned=True),
            in_city("Oslo", 2, type="fact", source="https://example.org"),
            NewMemory("Ana met Bo", relations=[related("Ana", "Bo")], importance=0.9),
            NewMemory("Ana met Bo"),
            NewMemory("x", created_at=datetime(2025, 2, 3, 4, 5, 6, 789, tzinfo=abroad)),
            NewMemory(
                "Bo speaks two languages.",
                occurred_at=datetime(2024, 2, 29, tzinfo=abroad),
                attributes=[
                    lives_in(one, "Bo", cardinality=Cardinality.MANY) for one in ("de", "fr")
                ],
            ),
        )
    )
    assert await told(graph, commits[0]) == await fed(graph, commits[0])
    assert commits[0].reread == ()
    ids = [one.memory.id for one in first.result if isinstance(one, Remembered)]
    await writer.submit(
        batch(
            scope,
            NewMemory("No longer so.", supersedes=[ids[3], ids[5]], session="s"),
            in_city("Oslo", 4),
            in_city("Rome", 2.5, hints=["late"]),
        )
    )
    assert await told(graph, commits[1]) == await fed(graph, commits[1])
    assert commits[1].reread


async def test_memories_of_one_commit_that_replace_each_other(
    heard: Heard, graph: Graph, scope: str
) -> None:
    writer, commits = heard
    known = await writer.submit(batch(scope, NewMemory("old")))
    old = known.result[0].memory.id
    await asyncio.gather(
        writer.submit(batch(scope, NewMemory("newer", supersedes=[old]))),
        writer.submit(batch(scope, in_city("Rome", 1))),
        writer.submit(batch(scope, in_city("Rome", 1), in_city("Paris", 2))),
    )
    assert await told(graph, commits[-1]) == await fed(graph, commits[-1])


async def test_what_only_the_feed_can_tell_is_left_to_it(heard: Heard, scope: str) -> None:
    writer, commits = heard
    made = await writer.submit(batch(scope, NewMemory("a"), NewMemory("b")))
    newer, older = (one.memory.id for one in made.result)
    await writer.submit(SupersedeUnit(scope, newer, older, None, None))
    assert commits[-1].changes is None
    assert commits[-1].after == commits[0].upto


def commit(after: int, upto: int, *reread: int) -> Commit:
    return Commit(after, upto, (), reread)


def test_commits_without_a_gap_are_taken_as_one() -> None:
    handed = Handed(page=10)
    for one in (commit(0, 3, 1), commit(3, 5, 2), commit(5, 9, 1, 3)):
        handed.add(one)
    assert handed.take(0) == commit(0, 9, 1, 2, 3)
    assert handed.take(3) == commit(3, 9, 2, 1, 3)
    assert handed.take(4) is None
    assert handed.take(5) == commit(5, 9, 1, 3)


def test_a_page_bounds_what_is_taken_as_one() -> None:
    handed = Handed(page=2)
    for one in (commit(0, 3, 1, 2, 3), commit(3, 5, 4), commit(5, 9, 5), commit(9, 10, 6)):
        handed.add(one)
    assert handed.take(0) == commit(0, 3, 1, 2, 3)
    assert handed.take(3) == commit(3, 9, 4, 5)
    assert handed.take(9) == commit(9, 10, 6)


def test_a_gap_or_a_commit_that_is_not_told_ends_what_came_before() -> None:
    handed = Handed(page=10)
    handed.add(commit(0, 3, 1))
    handed.add(commit(4, 5, 2))
    assert handed.take(0) is None
    handed.add(Commit(5, 7, None))
    assert handed.take(4) is None


def test_no_more_than_a_few_pages_are_kept() -> None:
    handed = Handed(page=2)
    for at in range(9):
        handed.add(commit(at, at + 1, at))
    assert handed.take(0) is None
    assert handed.take(8) == commit(8, 9, 8)
