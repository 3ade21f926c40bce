"""Slots in the graph: what is current is decided by time, never by arrival."""

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import replace

import pytest

from service.bootstrap import Service
from service.domain.attribute import AttributeKind, AttributeStatus, Cardinality
from service.domain.errors import InvalidInput
from service.domain.memory import MemoryUpdate, NewMemory, Revised
from service.stores.neo4j.driver import Graph
from tests.memory.story import Store, day, in_city, lives_in, named

ACTIVE, SUPERSEDED, RETRACTED = (
    AttributeStatus.ACTIVE,
    AttributeStatus.SUPERSEDED,
    AttributeStatus.RETRACTED,
)

STORY = (in_city("Berlin", 1), in_city("Hamburg", 2), in_city("Munich", 3), in_city("Berlin", 5))


async def test_a_new_value_supersedes_the_memory_that_carried_the_old_one(store: Store) -> None:
    berlin = await store.remember(in_city("Berlin", 1))
    munich = await store.remember(in_city("Munich", 2))
    assert munich.superseded_memories == (berlin.memory.id,)
    (replaced,) = munich.superseded_attributes
    slot = await store.slot()
    assert slot.current is not None
    assert (slot.current.value, slot.current.valid_from) == ("Munich", day(2))
    assert replaced.replaced_by == slot.current.id
    old = await store.service.memories.get(store.scope, berlin.memory.id)
    assert old.memory.superseded
    assert [link.memory_id for link in old.heads] == [munich.memory.id]
    results = (await store.recall("Ana lives in Berlin")).results
    assert [(one.content, one.superseded) for one in results] == [
        ("Ana lives in Munich.", False),
        ("Ana lives in Berlin.", True),
    ]
    assert await store.is_sound()


@pytest.mark.parametrize("times", [1, 30])
async def test_a_new_value_supersedes_every_memory_that_carried_the_old_one(
    store: Store, times: int
) -> None:
    berlin = [
        await store.remember(replace(in_city("Berlin", 2), content=f"Note {at}: still Berlin."))
        for at in range(times)
    ]
    early = await store.remember(in_city("Hamburg", 1))
    assert early.memory.superseded
    munich = await store.remember(in_city("Munich", 3))
    assert sorted(munich.superseded_memories) == sorted(one.memory.id for one in berlin)
    # A value that arrives late moves the end of one that was replaced long ago.
    assert (await store.remember(in_city("Oslo", 2.5))).superseded_memories == ()
    line = [(one.value, one.valid_to) for one in (await store.slot()).history]
    assert line == [("Munich", None), ("Oslo", day(3)), ("Berlin", day(2.5)), ("Hamburg", day(2))]
    assert await store.is_sound()


async def test_every_order_of_arrival_gives_the_same_line(store: Store, scope: str) -> None:
    async def tell(at: int, order: Sequence[NewMemory]) -> Store:
        told = replace(store, scope=f"{scope}-{at}")
        for memory in order:
            await told.remember(memory)
        return told

    orders = list(itertools.permutations(STORY))
    for told in await asyncio.gather(*(tell(at, order) for at, order in enumerate(orders))):
        slot = await told.slot()
        line = [(one.value, one.status, one.valid_from, one.valid_to) for one in slot.history]
        assert line == [
            ("Berlin", ACTIVE, day(5), None),
            ("Munich", SUPERSEDED, day(3), day(5)),
            ("Hamburg", SUPERSEDED, day(2), day(3)),
            ("Berlin", SUPERSEDED, day(1), day(2)),
        ]
        assert slot.current == slot.history[0]
        first = (await told.recall("where does Ana live", limit=1)).results[0]
        assert (first.content, first.superseded) == ("Ana lives in Berlin.", False)
        ties = await told.ask(
            "MATCH (n:Attribute {scope: $scope})-[:SUPERSEDES]->(o) "
            "RETURN n.value AS new, o.value AS old ORDER BY n.valid_from"
        )
        assert [(tie["new"], tie["old"]) for tie in ties] == [
            ("Hamburg", "Berlin"),
            ("Munich", "Hamburg"),
            ("Berlin", "Munich"),
        ]
    assert await store.is_sound()


async def test_a_batch_gives_what_single_writes_give(store: Store, scope: str) -> None:
    alone, together = replace(store, scope=f"{scope}-a"), replace(store, scope=f"{scope}-b")
    story = [*STORY, in_city("Berlin", 5), NewMemory("Ana met Bo.", entities=named("Bo", "ana"))]
    singles = [await alone.remember(memory) for memory in story]
    batch = await together.remember_all(story)
    for one, other in zip(singles, batch, strict=True):
        assert one.deduplicated == other.deduplicated
        assert [entity.name for entity in one.entities] == [
            entity.name for entity in other.entities
        ]
        assert len(one.superseded_memories) == len(other.superseded_memories)
        assert len(one.superseded_attributes) == len(other.superseded_attributes)
        assert (await alone.get(one.memory.id)).superseded == (
            await together.get(other.memory.id)
        ).superseded
    assert await alone.mentions() == await together.mentions() == {"ana": 5, "bo": 1}
    assert await alone.line() == await together.line()


async def test_going_back_makes_three_memories_the_last_one_current(store: Store) -> None:
    told = [
        await store.remember(in_city(value, at))
        for value, at in (("Berlin", 1), ("Munich", 2), ("Berlin", 3))
    ]
    assert len({one.memory.id for one in told}) == 3
    assert not any(one.deduplicated for one in told)
    marks = [(await store.get(one.memory.id)).superseded for one in told]
    assert marks == [True, True, False]


async def test_all_near_copies_of_an_old_value_are_demoted(store: Store) -> None:
    copies = [
        await store.remember(
            NewMemory(
                f"Ana's home, note {n}: Berlin", created_at=day(n), attributes=[lives_in("Berlin")]
            )
        )
        for n in range(4)
    ]
    moved = await store.remember(in_city("Munich", 9))
    assert sorted(moved.superseded_memories) == sorted(one.memory.id for one in copies)
    results = (await store.recall("Ana's home, note 2: Berlin")).results
    assert results[0].content == "Ana lives in Munich."
    assert [one.superseded for one in results[1:]] == [True] * 4


@pytest.mark.parametrize("purge", [False, True])
async def test_a_slot_is_decided_again_when_its_current_value_is_deleted(
    store: Store, purge: bool
) -> None:
    berlin = await store.remember(in_city("Berlin", 1))
    munich = await store.remember(in_city("Munich", 2))
    await store.forget(munich.memory.id, purge=purge)
    assert not (await store.get(berlin.memory.id)).superseded
    slot = await store.slot()
    assert slot.current is not None
    assert (slot.current.value, slot.current.valid_to) == ("Berlin", None)
    statuses = [ACTIVE] if purge else [RETRACTED, ACTIVE]
    assert [one.status for one in slot.history] == statuses
    (found,) = (await store.recall("where does Ana live")).results
    assert not found.superseded
    assert await store.is_sound()


async def test_deleting_what_stood_between_equal_values_joins_them(store: Store) -> None:
    first, between, last = [
        await store.remember(in_city(value, at))
        for value, at in (("Berlin", 1), ("Munich", 2), ("Berlin", 3))
    ]
    await store.forget(between.memory.id)
    slot = await store.slot()
    assert slot.current is not None
    assert set(slot.current.memory_ids) == {first.memory.id, last.memory.id}
    assert await store.line() == ["Berlin"]
    assert not (await store.get(first.memory.id)).superseded
    assert await store.is_sound()


async def test_several_values_stand_side_by_side_where_the_slot_says_so(store: Store) -> None:
    def likes(value: str) -> NewMemory:
        claim = lives_in(value, claim_key="likes", cardinality=Cardinality.MANY)
        return NewMemory(f"Ana likes {value}.", attributes=[claim])

    for value in ("tea", "coffee", "Tea"):
        assert (await store.remember(likes(value))).superseded_memories == ()
    slot = await store.slot(claim_key="likes")
    assert [(one.value, one.status) for one in slot.history] == [
        ("coffee", ACTIVE),
        ("tea", ACTIVE),
    ]
    # The slot keeps what it was told once.
    await store.remember(
        NewMemory("Ana likes water.", attributes=[lives_in("water", claim_key="likes")])
    )
    assert len((await store.slot(claim_key="likes")).history) == 3
    assert await store.is_sound()


async def test_siblings_with_another_key_or_none_stay_active(store: Store) -> None:
    keys = [("where", "city"), ("where", "street"), ("when", "city"), ("where", None), (None, None)]
    for at, (group, key) in enumerate(keys):
        claim = lives_in(f"value {at}", group_key=group, claim_key=key)
        await store.remember(NewMemory(f"fact {at}", attributes=[claim]))
    for at, (group, key) in enumerate(keys):
        slot = await store.slot(group_key=group, claim_key=key)
        assert slot.current is not None
        assert slot.current.value == f"value {at}"
        assert len(slot.history) == 1


async def test_a_constraint_is_answered_with_a_contradiction(store: Store) -> None:
    rule = lives_in("no meat", claim_key="diet", kind=AttributeKind.CONSTRAINT)
    kept = await store.remember(
        NewMemory("Ana eats no meat.", created_at=day(1), attributes=[rule])
    )
    other = NewMemory(
        "Ana had a steak.", created_at=day(2), attributes=[lives_in("meat", claim_key="diet")]
    )
    answer = await store.remember(other)
    (contradiction,) = answer.contradictions
    assert (contradiction.value, contradiction.proposed) == ("no meat", "meat")
    assert contradiction.kind == "constraint"
    assert answer.superseded_memories == ()
    assert not (await store.get(kept.memory.id)).superseded
    assert await store.line(claim_key="diet") == ["no meat"]
    # The memory itself is kept.
    assert "Ana had a steak." in await store.found("steak")
    # An older claim is history, and no contradiction.
    late = NewMemory(
        "Ana ate all.", created_at=day(0), attributes=[lives_in("all", claim_key="diet")]
    )
    assert (await store.remember(late)).contradictions == ()
    assert await store.line(claim_key="diet") == ["all", "no meat"]


async def test_two_values_of_the_same_moment_give_one_answer(
    service: Service, graph: Graph, scope: str
) -> None:
    lines: list[list[str]] = []
    for at in range(4):
        told = Store(service, graph, f"{scope}-{at}")
        pair = [in_city("Berlin", 1), in_city("Munich", 1)]
        await asyncio.gather(*(told.remember(one) for one in (pair if at % 2 else pair[::-1])))
        lines.append(await told.line())
    assert lines == [["Berlin", "Munich"]] * 4


async def test_the_time_of_a_claim_is_its_own_else_the_events_else_the_memorys(
    store: Store,
) -> None:
    await store.remember(in_city("Berlin", 5))
    await store.remember(in_city("Munich", 9, occurred_at=day(3)))
    await store.remember(in_city("Hamburg", 9, attributes=[lives_in("Hamburg", valid_from=day(4))]))
    assert await store.line() == ["Munich", "Hamburg", "Berlin"]


async def test_a_memory_that_is_dated_anew_moves_what_it_states(store: Store) -> None:
    rome = await store.remember(in_city("Rome", 1))
    paris = await store.remember(in_city("Paris", 2))
    oslo = await store.remember(
        in_city("Oslo", 3, attributes=[lives_in("Oslo", valid_from=day(0))])
    )
    assert await store.line() == ["Oslo", "Rome", "Paris"]

    async def date(memory_id: str, at: float) -> None:
        await store.service.memories.revise(
            store.scope, memory_id, MemoryUpdate(occurred_at=day(at))
        )

    await date(rome.memory.id, 5)
    assert await store.line() == ["Oslo", "Paris", "Rome"]
    assert [(await store.get(one.memory.id)).superseded for one in (rome, paris)] == [False, True]
    assert (await store.found("Ana lives in Paris"))[0] == "Ana lives in Rome."
    # What says itself since when it holds stays where it is.
    await date(oslo.memory.id, 9)
    assert await store.line() == ["Oslo", "Paris", "Rome"]
    await date(rome.memory.id, 1)
    assert await store.line() == ["Oslo", "Rome", "Paris"]
    assert await store.is_sound()


async def test_dating_a_memory_anew_ends_no_constraint(store: Store) -> None:
    meat = await store.remember(
        NewMemory("Ana had a steak.", created_at=day(1), attributes=[lives_in("meat")])
    )
    rule = lives_in("no meat", kind=AttributeKind.CONSTRAINT)
    await store.remember(NewMemory("Ana eats no meat.", created_at=day(2), attributes=[rule]))
    answer = await store.service.memories.revise(
        store.scope, meat.memory.id, MemoryUpdate(occurred_at=day(3))
    )
    assert isinstance(answer, Revised)
    (contradiction,) = answer.contradictions
    assert (contradiction.value, contradiction.proposed) == ("no meat", "meat")
    assert answer.memory.occurred_at == day(3)
    assert await store.line() == ["meat", "no meat"]
    assert await store.is_sound()


async def test_values_of_one_moment_stand_in_the_order_of_their_line(store: Store) -> None:
    for value in ("Ulm", "Aalen", "Munich", "Berlin"):
        await store.remember(in_city(value, 1))
    slot = await store.slot()
    assert [one.value for one in slot.history] == ["Ulm", "Munich", "Berlin", "Aalen"]
    assert [one.status for one in slot.history] == [ACTIVE] + 3 * [SUPERSEDED]
    assert slot.current == slot.history[0]


async def test_a_group_without_claim_keys_is_found_in_any_spelling(store: Store) -> None:
    claim = lives_in("by the sea", group_key="Straße", claim_key=None)
    await store.remember(NewMemory("Ana dreams.", attributes=[claim]))
    slot = await store.slot(group_key="  STRASSE ", claim_key=None)
    assert [one.value for one in slot.history] == ["by the sea"]


async def test_what_is_said_every_minute_does_not_grow_for_ever(store: Store) -> None:
    for start in range(0, 300, 100):
        await store.remember_all([in_city("Berlin", start + at) for at in range(100)])
    rows = await store.ask(
        "MATCH (:Memory {scope: $scope})-[s:STATES]->(a) "
        "RETURN count(s) AS claims, toString(min(s.at)) AS first, toString(max(s.at)) AS last, "
        "toString(a.valid_from) AS since"
    )
    (row,) = rows
    assert row["claims"] == 100
    assert row["first"] == row["since"] == "2025-01-01T00:00:00Z"
    assert row["last"] == day(299).isoformat().replace("+00:00", "Z")


async def test_a_memory_cannot_be_dated_after_the_end_of_what_it_states(store: Store) -> None:
    rome = await store.remember(in_city("Rome", 1, attributes=[lives_in("Rome", valid_to=day(4))]))
    with pytest.raises(InvalidInput, match="occurred_at"):
        await store.service.memories.revise(
            store.scope, rome.memory.id, MemoryUpdate(occurred_at=day(4))
        )
    assert (await store.get(rome.memory.id)).occurred_at is None
