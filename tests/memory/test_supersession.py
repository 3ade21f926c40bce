"""SUPERSEDES between memories: directed, without cycles, bridged where a middle goes."""

import pytest

from service.domain.errors import Conflict, InvalidInput, NotFound
from service.domain.memory import NewMemory
from tests.memory.story import Store


async def chain_of(store: Store, *contents: str) -> list[str]:
    """Memories of which each replaces the one before; their ids."""
    ids: list[str] = []
    for content in contents:
        done = await store.remember(NewMemory(content, supersedes=ids[-1:]))
        ids.append(done.memory.id)
    return ids


async def edges(store: Store) -> set[tuple[str, str]]:
    rows = await store.ask(
        "MATCH (n:Memory {scope: $scope})-[:SUPERSEDES]->(o) "
        "RETURN n.content AS new, o.content AS old"
    )
    return {(row["new"], row["old"]) for row in rows}


async def test_the_same_edge_twice_is_one_and_the_other_way_round_is_refused(store: Store) -> None:
    memories = store.service.memories
    a, b, c = [(await store.remember(text)).memory.id for text in "abc"]
    for made in (True, False):
        done = await memories.supersede(store.scope, b, a, reason="moved" if made else None)
        assert isinstance(done, tuple)
        assert (done[0].reason, done[1]) == ("moved", made)
    await memories.supersede(store.scope, c, b)
    for new, old in ((a, b), (a, c)):
        with pytest.raises(Conflict):
            await memories.supersede(store.scope, new, old)
    with pytest.raises(InvalidInput):
        await memories.supersede(store.scope, a, a)
    for unknown in ("nope", a[:8]):
        with pytest.raises(NotFound):
            await memories.supersede(store.scope, b, unknown)
        with pytest.raises(NotFound):
            await memories.supersede("another-scope", b, a)
    assert await edges(store) == {("b", "a"), ("c", "b")}
    assert await store.is_sound()


@pytest.mark.parametrize("purge", [False, True])
async def test_when_the_middle_goes_the_old_one_stays_behind_the_new(
    store: Store, purge: bool
) -> None:
    a, b, c = await chain_of(store, "a old", "b middle", "c new")
    await store.forget(b, purge=purge)
    assert await edges(store) == {("c new", "a old")}
    assert (await store.get(a)).superseded
    detail = await store.service.memories.get(store.scope, a)
    assert [link.memory_id for link in detail.heads] == [c]
    assert (await store.found("a old"))[0] == "c new"
    if not purge:
        lineage = await store.service.memories.lineage(store.scope, a)
        assert {node.id for node in lineage.nodes} == {a, b, c}
        assert {edge.ended_because for edge in lineage.ended} == {"it was deleted"}
    assert await store.is_sound()


@pytest.mark.parametrize("purge", [False, True])
async def test_what_a_deleted_correction_replaced_is_current_again(
    store: Store, purge: bool
) -> None:
    a, b, c = await chain_of(store, "a old", "b middle", "c new")
    await store.forget(c, purge=purge)
    assert [(await store.get(one)).superseded for one in (a, b)] == [True, False]
    await store.forget(b, purge=purge)
    assert not (await store.get(a)).superseded
    (found,) = (await store.recall("a old")).results
    assert (found.superseded, found.currentness) == (False, None)
    assert await store.is_sound()


async def test_a_fork_keeps_what_the_other_correction_replaced_behind_it(store: Store) -> None:
    a = (await store.remember("a old")).memory.id
    b = (await store.remember(NewMemory("b new", supersedes=[a]))).memory.id
    c = (await store.remember(NewMemory("c newer", supersedes=[a]))).memory.id
    detail = await store.service.memories.get(store.scope, a)
    assert [link.memory_id for link in detail.superseded_by] == [c, b]
    await store.forget(c)
    assert (await store.get(a)).superseded
    await store.service.memories.retract_supersession(store.scope, b, a)
    assert not (await store.get(a)).superseded
    with pytest.raises(NotFound):
        await store.service.memories.retract_supersession(store.scope, b, a)
    assert await store.is_sound()


async def test_the_head_of_a_long_chain_wins_in_the_oldest_wording(store: Store) -> None:
    ids = await chain_of(store, "the oldest wording", *(f"step {n}" for n in range(38)), "the head")
    first, *_ = (await store.recall("the oldest wording")).results
    assert first.id == ids[-1]
    detail = await store.service.memories.get(store.scope, ids[0])
    assert [link.memory_id for link in detail.superseded_by] == [ids[1]]
    assert [link.memory_id for link in detail.heads] == [ids[-1]]
