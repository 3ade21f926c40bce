"""The chain of replacements: whole cycles refused, also in a race; long chains; what was undone."""

import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest

from service.bootstrap import Service
from service.domain.errors import Conflict
from service.domain.memory import NewMemory
from service.stores.neo4j.driver import Graph, Transaction, fetch
from tests.memory.conftest import Opener
from tests.memory.story import Store, day
from tests.memory.test_supersession import chain_of, edges


@pytest.mark.parametrize("length", [2, 3, 10])
async def test_a_cycle_of_any_length_is_refused_at_whatever_edge_closes_it(
    store: Store, scope: str, length: int
) -> None:
    memories = store.service.memories

    async def close_at(last: int) -> None:
        told = replace(store, scope=f"{scope}-{last}")
        ids = [(await told.remember(f"note {n}")).memory.id for n in range(length)]
        ring = [(ids[at], ids[(at + 1) % length]) for at in range(length)]
        order = ring[last + 1 :] + ring[:last]
        for new, old in order:
            await memories.supersede(told.scope, new, old)
        with pytest.raises(Conflict, match="cycle"):
            await memories.supersede(told.scope, *ring[last])
        drawn = {(f"note {ids.index(new)}", f"note {ids.index(old)}") for new, old in order}
        assert await edges(told) == drawn

    await asyncio.gather(*(close_at(last) for last in range(length)))


async def test_of_two_halves_of_a_cycle_drawn_at_once_one_is_refused(
    service: Service, opener: Opener, graph: Graph, scope: str
) -> None:
    async with opener() as other:
        store = Store(service, graph, scope)
        for turn in range(12):
            a, b = [(await store.remember(f"{turn} {name}")).memory.id for name in "ab"]
            # Through one service, then through two on one Neo4j.
            second = (service, other)[turn % 2]
            outcomes = await asyncio.gather(
                service.memories.supersede(scope, a, b),
                second.memories.supersede(scope, b, a),
                return_exceptions=True,
            )
            refused = [one for one in outcomes if isinstance(one, BaseException)]
            assert [type(one) for one in refused] == [Conflict]
        rows = await store.ask(
            "MATCH (m:Memory {scope: $scope})-[:SUPERSEDES]->(n:Memory) RETURN count(*) AS n"
        )
        assert rows == [{"n": 12}]
        assert await store.is_sound()


async def test_a_ring_closed_by_many_at_once_is_left_open_at_one_place(store: Store) -> None:
    ids = [(await store.remember(f"note {n}")).memory.id for n in range(10)]
    outcomes = await asyncio.gather(
        *(
            store.service.memories.supersede(store.scope, ids[at], ids[(at + 1) % 10])
            for at in range(10)
        ),
        return_exceptions=True,
    )
    assert [isinstance(one, Conflict) for one in outcomes].count(True) == 1
    assert len(await edges(store)) == 9


async def test_a_remember_never_closes_a_cycle(store: Store) -> None:
    a = (await store.remember("note a")).memory.id
    b = (await store.remember(NewMemory("note b", supersedes=[a]))).memory.id
    # The superseded twin absorbs nothing: a new memory replaces b.
    again = await store.remember(NewMemory("note a", supersedes=[b]))
    assert again.memory.id != a
    assert not again.deduplicated
    assert await edges(store) == {("note b", "note a"), ("note a", "note b")}
    assert [(await store.get(one)).superseded for one in (a, b, again.memory.id)] == [
        True,
        True,
        False,
    ]


async def test_twins_that_replace_each_other_in_turn_make_no_cycle(store: Store) -> None:
    a = (await store.remember("note a")).memory.id
    b = (await store.remember("note b")).memory.id
    await store.remember(NewMemory("note a", supersedes=[b]))
    done = await store.remember(NewMemory("note b", supersedes=[a]))
    assert done.memory.id not in (a, b)
    heads = (await store.service.memories.get(store.scope, b)).heads
    assert [link.memory_id for link in heads] == [done.memory.id]


async def tie(tx: Transaction, pairs: list[list[str]]) -> None:
    """Draw a whole chain at once, past the service, which would do it edge by edge."""
    await fetch(
        tx,
        "UNWIND $pairs AS pair MATCH (n:Memory {id: pair[0]}) MATCH (o:Memory {id: pair[1]}) "
        "CREATE (n)-[:SUPERSEDES {created_at: datetime()}]->(o) SET o.superseded = true",
        pairs=pairs,
    )


async def test_a_chain_of_a_thousand_is_shown_whole_from_any_of_its_memories(store: Store) -> None:
    made = await store.remember_all(
        [NewMemory(f"step {n}", created_at=day(n)) for n in range(1_000)]
    )
    ids = [one.memory.id for one in made]
    pairs = [[new, old] for old, new in pairwise(ids)]
    await store.graph.write(tie, pairs)
    for at in (0, 500, 999):
        lineage = await store.service.memories.lineage(store.scope, ids[at])
        assert [node.id for node in lineage.nodes] == ids[::-1]
        assert [[edge.source, edge.target] for edge in lineage.edges] == pairs[::-1]
    with pytest.raises(Conflict):
        await store.service.memories.supersede(store.scope, ids[0], ids[-1])
    detail = await store.service.memories.get(store.scope, ids[0])
    assert [link.memory_id for link in detail.heads] == [ids[-1]]


async def test_the_lineage_keeps_what_was_retracted_and_what_was_deleted(store: Store) -> None:
    a, b, c = await chain_of(store, "a old", "b middle", "c new")
    memories = store.service.memories
    await memories.retract_supersession(store.scope, b, a)
    await store.forget(c)
    lineage = await memories.lineage(store.scope, a)
    assert {node.id for node in lineage.nodes} == {a, b, c}
    assert lineage.edges == ()
    assert {(edge.source, edge.target, edge.ended_because) for edge in lineage.ended} == {
        (b, a, "it was retracted"),
        (c, b, "it was deleted"),
    }
    assert [(await store.get(one)).superseded for one in (a, b)] == [False, False]
    # Drawn again, it holds again, and the lineage keeps both.
    await memories.supersede(store.scope, b, a, reason="after all")
    lineage = await memories.lineage(store.scope, a)
    assert [(edge.source, edge.target, edge.reason) for edge in lineage.edges] == [
        (b, a, "after all")
    ]
    assert len(lineage.ended) == 2


async def test_at_an_earlier_moment_only_what_had_been_replaced_by_then_counts(
    store: Store,
) -> None:
    ids: list[str] = []
    for at, text in enumerate(("plan one", "plan two", "plan three")):
        made = await store.remember(NewMemory(text, created_at=day(at), supersedes=ids[-1:]))
        ids.append(made.memory.id)
    marks: list[dict[str, bool]] = []
    for at in (0.5, 1.5, 2.5):
        results = (await store.recall("plan", as_of=day(at), limit=10)).results
        marks.append({one.content: one.superseded for one in results})
    assert marks == [
        {"plan one": False},
        {"plan one": True, "plan two": False},
        {"plan one": True, "plan two": True, "plan three": False},
    ]
