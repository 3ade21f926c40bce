"""What the indexes lost is made again from the graph, at the next start, and only that."""

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from service.bootstrap import open_service
from service.domain.change import MemoryRemoval
from service.domain.memory import MemoryUpdate, NewMemory
from service.projection.repair import Repair
from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.feed import read_memories
from tests.memory.conftest import Opener
from tests.memory.story import Store, named
from tests.waiting import until


def cut_vectors(folder: Path) -> None:
    files = [path for path in (folder / "vectors").rglob("*") if path.is_file()]
    snapshot = max(files, key=lambda path: path.stat().st_size)
    whole = snapshot.read_bytes()
    snapshot.write_bytes(whole[: len(whole) // 2])


def empty_text(folder: Path) -> None:
    (folder / "text" / "meta.json").write_bytes(b"")


def delete_both(folder: Path) -> None:
    shutil.rmtree(folder / "vectors")
    shutil.rmtree(folder / "text")


@pytest.mark.parametrize("damage", [cut_vectors, empty_text, delete_both])
async def test_a_damaged_index_is_made_anew_at_the_start(
    opener: Opener, graph: Graph, scope: str, damage: Callable[[Path], None]
) -> None:
    told = [f"note {n} speaks of topic {n}" for n in range(30)]
    async with opener() as service:
        await Store(service, graph, scope).remember_all([NewMemory(content) for content in told])
        settings = service.settings
    damage(settings.data_dir)
    async with open_service(settings) as service:
        store = Store(service, graph, scope)
        assert (await service.status.readiness()).ready
        for content in told:
            first = (await store.recall(content)).results[0]
            assert first.content == content
            assert {"content", "vector"} <= set(first.sources)
        assert await store.is_sound()


async def embeddings(store: Store) -> list[Row]:
    """Each memory's embedding node, and the memory's revision."""
    return await store.ask(
        "MATCH (m:Memory {scope: $scope})-[:HAS_EMBEDDING]->(v) "
        "RETURN m.id AS id, elementId(v) AS node, m.revision AS revision"
    )


async def test_one_missing_embedding_is_repaired_and_no_other(
    opener: Opener, graph: Graph, scope: str
) -> None:
    told = [f"note {n} speaks of topic {n}" for n in range(200)]
    async with opener() as service:
        store = Store(service, graph, scope)
        kept = await store.remember_all([NewMemory(one) for one in told])
        before = await embeddings(store)
        settings = service.settings
    lost = kept[77].memory.id

    async def lose(tx: Transaction) -> None:
        await fetch(tx, "MATCH (v:Embedding {memory_id: $id}) DETACH DELETE v", id=lost)

    await graph.write(lose)
    async with open_service(settings) as service:
        store = Store(service, graph, scope)

        async def repaired() -> bool:
            return (await store.get(lost)).embedded

        await until(repaired, "the missing embedding is made again")
        after = await embeddings(store)
        assert {row["id"] for row in after} == {one.memory.id for one in kept}
        changed = [row["id"] for row in after if row not in before]
        assert changed == [lost]
        first = (await store.recall(told[77])).results[0]
        assert (first.id, "vector" in first.sources) == (lost, True)
        assert await store.is_sound()


async def test_a_rebuild_changes_no_answer(store: Store) -> None:
    await store.remember_all([NewMemory(f"note {n} of topic {n % 7}") for n in range(60)])
    queries = [f"topic {n}" for n in range(7)] + ["note 3 of topic 3", "nothing of it"]
    before = [(await store.recall(query)).results for query in queries]
    await store.service.follower.rebuild()
    for query, results in zip(queries, before, strict=True):
        again = (await store.recall(query)).results
        # Rows of vectors may lie in another order then: their products differ in the last bit.
        assert [replace(one, score=0.0) for one in again] == [
            replace(one, score=0.0) for one in results
        ]
        assert [one.score for one in again] == pytest.approx(
            [one.score for one in results], abs=1e-4
        )
    assert await store.is_sound()


async def test_the_doctor_takes_no_writing_under_way_for_a_difference(store: Store) -> None:
    over = asyncio.Event()

    async def write(writer: int) -> None:
        number = 0
        while not over.is_set():
            await store.remember(NewMemory(f"note {number} of {writer}", entities=named("shared")))
            number += 1

    writers = [asyncio.create_task(write(writer)) for writer in range(4)]
    try:
        for _ in range(3):
            report = await store.service.doctor.examine()
            assert report.differences == ()
    finally:
        over.set()
        await asyncio.gather(*writers)


async def test_a_memory_that_never_rests_is_no_difference(store: Store) -> None:
    restless = (await store.remember("note 0")).memory
    over = asyncio.Event()

    async def revise() -> None:
        number = 0
        while not over.is_set():
            number += 1
            update = MemoryUpdate(importance=number % 10 / 10)
            await store.service.memories.revise(store.scope, restless.id, update)

    writer = asyncio.create_task(revise())
    try:
        for _ in range(10):
            assert (await store.service.doctor.examine()).differences == ()
    finally:
        over.set()
        await writer


async def test_the_doctor_finds_what_the_graph_lost(store: Store) -> None:
    kept = await store.remember("note")

    async def lose(tx: Transaction) -> None:
        await fetch(tx, "MATCH (m:Memory {id: $id}) REMOVE m:Memory", id=kept.memory.id)

    async def restore(tx: Transaction) -> None:
        await fetch(tx, "MATCH (m {id: $id}) SET m:Memory", id=kept.memory.id)

    await store.graph.write(lose)
    try:
        found = (await store.service.doctor.examine()).differences
    finally:
        await store.graph.write(restore)
    assert {(one.projection, one.ordinal) for one in found} == {
        (name, kept.memory.ordinal) for name in ("catalogue", "text", "vectors")
    }
    assert await store.is_sound()


@pytest.mark.parametrize("name", ["catalogue", "text", "vectors"])
async def test_one_memory_that_an_index_lost_is_repaired_and_no_other(
    store: Store, name: str
) -> None:
    kept = await store.remember("the lighthouse keeper counts ships")
    await store.remember("another note")
    service = store.service
    lost = MemoryRemoval(kept.memory.ordinal, 0, kept.memory.id, store.scope)
    await service.follower.reapply(name, [lost])
    found = (await service.doctor.examine()).differences
    assert [(one.projection, one.memory_id) for one in found] == [(name, kept.memory.id)]

    repaired = await Repair(store.graph, service.follower, service.doctor).run()

    assert repaired == 1
    first = (await store.recall("lighthouse keeper")).results[0]
    assert first.id == kept.memory.id
    assert {"content", "vector"} <= set(first.sources)
    assert await store.is_sound()


async def test_a_memory_that_only_an_index_knows_is_taken_out(store: Store) -> None:
    kept = await store.remember("the harbour master sleeps")
    changes = await store.graph.read(read_memories, [kept.memory.ordinal])
    await store.forget(kept.memory.id)
    for name in ("text", "vectors"):
        await store.service.follower.reapply(name, changes)

    repaired = await Repair(store.graph, store.service.follower, store.service.doctor).run()

    assert repaired == 2
    assert await store.is_sound()
