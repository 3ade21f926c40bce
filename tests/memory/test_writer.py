"""Grouped writes: one that fails takes no other with it, and a retry has one effect."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from service.domain.change import Commit
from service.domain.errors import Conflict, GraphFailed, NotFound
from service.domain.idempotency import Idempotency, Replay
from service.domain.memory import NewMemory, Remembered
from service.memory.relation_types import RelationTypes
from service.memory.remember import Prepared
from service.memory.remember_unit import RememberUnit
from service.memory.unit import Unit
from service.memory.writer import GroupWriter
from service.ontology.workspace import Workspace
from service.projection.names import NameIndex
from service.stores.neo4j.driver import Graph, Transaction
from tests.memory.story import Store, named


@dataclass(slots=True)
class Broken(Unit):
    """A write whose fault shows only when it reaches the graph."""

    idempotency: Idempotency | None = None
    joins: ClassVar[bool] = True
    only_adds: ClassVar[bool] = True

    @classmethod
    async def load(cls, tx: Transaction, ws: Workspace, units: Sequence["Broken"]) -> None:
        pass

    async def run(self, tx: Transaction, ws: Workspace) -> None:
        ws.write("memory/unmention", {"memory_id": "nobody", "entity_id": "nothing"})


@pytest.fixture
async def writer(graph: Graph) -> AsyncGenerator[GroupWriter]:
    """A writer of its own: what it is given at once goes into one transaction."""
    writer = GroupWriter(
        graph,
        NameIndex(),
        RelationTypes(graph),
        committed=lambda commit: None,
        link_names=True,
        relation_type_limit=1_000,
        timeout_s=60.0,
    )
    yield writer
    await writer.close()


def unit(scope: str, content: str, **more: Any) -> RememberUnit:
    return RememberUnit([Prepared(scope, NewMemory(content, **more), None, "none")], True)


async def test_a_write_that_fails_in_a_group_fails_alone(writer: GroupWriter, store: Store) -> None:
    units = [unit(store.scope, f"note {n}", entities=named("shared")) for n in range(6)]
    refused = unit(store.scope, "refused", supersedes=["nobody"])
    outcomes = await asyncio.gather(
        *(writer.submit(one) for one in [*units[:3], Broken(), refused, *units[3:]]),
        return_exceptions=True,
    )
    assert isinstance(outcomes[3], GraphFailed)
    assert isinstance(outcomes[4], NotFound)
    kept = await store.ask("MATCH (m:Memory {scope: $scope}) RETURN m.content AS content")
    assert {row["content"] for row in kept} == {f"note {n}" for n in range(6)}
    assert await store.mentions() == await store.counted_mentions() == {"shared": 6}
    # What the failed transactions made known is made anew by the next one.
    await writer.submit(unit(store.scope, "last", entities=named("shared")))
    assert await store.mentions() == {"shared": 7}


async def test_a_fault_after_a_commit_reaches_who_waits_and_writing_goes_on(
    graph: Graph, store: Store
) -> None:
    heard: list[int] = []

    def committed(commit: Commit) -> None:
        heard.append(commit.upto)
        if len(heard) == 1:
            raise RuntimeError("a fault of whoever listens")

    writer = GroupWriter(
        graph,
        NameIndex(),
        RelationTypes(graph),
        committed=committed,
        link_names=True,
        relation_type_limit=1_000,
        timeout_s=60.0,
    )
    with pytest.raises(RuntimeError, match="whoever listens"):
        await writer.submit(unit(store.scope, "first"))
    await writer.submit(unit(store.scope, "second"))
    await writer.close()
    kept = await store.ask("MATCH (m:Memory {scope: $scope}) RETURN m.content AS content")
    assert {row["content"] for row in kept} == {"first", "second"}


def key(name: str, scope: str, fingerprint: str = "same") -> Idempotency:
    def render(result: Any) -> tuple[int, str]:
        assert isinstance(result, Remembered)
        return 201, result.memory.id

    return Idempotency(f"{scope} {name}", fingerprint, render)


async def test_the_same_request_again_gets_the_first_answer(store: Store) -> None:
    memories = store.service.memories
    first = await memories.remember(store.scope, NewMemory("x"), idempotency=key("k", store.scope))
    assert isinstance(first, Remembered)
    await store.forget(first.memory.id)
    again = await memories.remember(store.scope, NewMemory("x"), idempotency=key("k", store.scope))
    assert again == Replay(201, first.memory.id)
    assert await store.ask("MATCH (m:Memory {scope: $scope}) RETURN m") == []


async def test_another_request_under_the_same_key_is_refused(store: Store) -> None:
    memories = store.service.memories
    await memories.remember(store.scope, NewMemory("x"), idempotency=key("k", store.scope))
    with pytest.raises(Conflict):
        await memories.remember(
            store.scope, NewMemory("y"), idempotency=key("k", store.scope, "another")
        )
    assert await store.found("y") == ["x"]


async def test_the_same_key_at_once_has_one_effect(store: Store) -> None:
    answers = await asyncio.gather(
        *(
            store.service.memories.remember(
                store.scope, NewMemory(f"text {n}"), idempotency=key("k", store.scope)
            )
            for n in range(8)
        )
    )
    (made,) = [one for one in answers if isinstance(one, Remembered)]
    replays = [one for one in answers if isinstance(one, Replay)]
    assert replays == [Replay(201, made.memory.id)] * 7
    rows = await store.ask("MATCH (m:Memory {scope: $scope}) RETURN m.id AS id")
    assert rows == [{"id": made.memory.id}]


async def test_a_refused_request_leaves_its_key_free(store: Store) -> None:
    memories = store.service.memories
    with pytest.raises(NotFound):
        await memories.remember(
            store.scope, NewMemory("x", supersedes=["nobody"]), idempotency=key("k", store.scope)
        )
    done = await memories.remember(store.scope, NewMemory("x"), idempotency=key("k", store.scope))
    assert isinstance(done, Remembered)


async def test_a_purge_takes_the_kept_answer_with_it(store: Store) -> None:
    memories = store.service.memories
    first = await memories.remember(store.scope, NewMemory("x"), idempotency=key("k", store.scope))
    assert isinstance(first, Remembered)
    await store.forget(first.memory.id, purge=True)
    kept = await store.ask("MATCH (k:IdempotencyKey {body: $id}) RETURN k", id=first.memory.id)
    assert kept == []


async def test_a_type_added_while_the_registry_is_read_stays_known(graph: Graph) -> None:
    types = RelationTypes(graph)
    reading = asyncio.create_task(types.refresh())
    await asyncio.sleep(0)
    types.add({"ADDED_MEANWHILE"})
    await reading

    assert "ADDED_MEANWHILE" in types.current()
