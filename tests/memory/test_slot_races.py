"""Many writers on few slots: one value holds at every moment, and the line is right at the end."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random

import pytest

from service.domain.attribute import AttributeStatus
from service.domain.memory import MemoryUpdate, NewMemory
from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.statements import statement
from tests.memory.conftest import Opener
from tests.memory.slot_rules import Entry, Model, Said
from tests.memory.story import Store, day, lives_in

WRITERS = 16
SLOTS = tuple(f"key {at}" for at in range(10))
WRITES = 14
CITIES = ("Berlin", " berlin", "Munich", "Hamburg", "Ulm")
DAYS = 12

_SETTLE = statement("counter/settle")


@pytest.fixture
async def replicas(opener: Opener, graph: Graph, store: Store) -> AsyncGenerator[list[Store]]:
    """The same scope as two services see it that share one Neo4j."""
    async with opener() as service:
        yield [store, Store(service, graph, store.scope)]


@dataclass(slots=True)
class Writer:
    """Says, dates anew and forgets by chance; what it said is in the model, which all share."""

    number: int
    stores: Sequence[Store]
    model: Model
    numbers: dict[str, int]
    """The model's numbers of the service's memories, by id."""
    mine: list[str] = field(default_factory=list[str])

    async def run(self) -> None:
        dice = Random(self.number)
        for turn in range(WRITES):
            store = dice.choice(self.stores)
            act = dice.random()
            if self.mine and act < 0.2:
                memory_id = self.mine.pop(dice.randrange(len(self.mine)))
                await store.forget(memory_id, purge=dice.random() < 0.5)
                self.model.forget(self.numbers[memory_id])
            elif self.mine and act < 0.3:
                memory_id, at = dice.choice(self.mine), day(dice.randrange(DAYS))
                update = MemoryUpdate(occurred_at=at)
                await store.service.memories.revise(store.scope, memory_id, update)
                assert self.model.date(self.numbers[memory_id], at)
            else:
                await self._say(store, dice, turn)

    async def _say(self, store: Store, dice: Random, turn: int) -> None:
        said = [
            Said(key, dice.choice(CITIES), valid_from=day(dice.randrange(DAYS)))
            if dice.random() < 0.3
            else Said(key, dice.choice(CITIES))
            for key in dice.sample(SLOTS, dice.randrange(1, 4))
        ]
        text, at = f"{self.number} says {turn}", day(dice.randrange(DAYS))
        claims = [
            lives_in(one.value, claim_key=one.slot, valid_from=one.valid_from) for one in said
        ]
        done = await store.remember(NewMemory(text, created_at=at, attributes=claims))
        number, _ = self.model.remember(text, at, None, said)
        self.numbers[done.memory.id] = number
        self.mine.append(done.memory.id)


async def settled_slots(tx: Transaction, scope: str) -> list[Row]:
    """The slots between two writes: the lock waits for a commit that is being applied."""
    await fetch(tx, _SETTLE)
    return await fetch(
        tx,
        "MATCH (a:Attribute {scope: $scope}) WHERE a.status <> 'retracted' "
        "RETURN a.slot AS slot, [s IN collect(a) WHERE s.status = 'active' | s.id] AS active, "
        "[s IN collect(a) WHERE s.active_slot = s.slot | s.id] AS holding",
        scope=scope,
    )


async def watch(stores: Sequence[Store], writing: asyncio.Event) -> int:
    """Look at the slots, by Cypher and by the service, until nobody writes; how often it did."""
    first = stores[0]
    for look in count(1):
        for row in await first.graph.write(settled_slots, first.scope):
            assert len(row["active"]) == 1, row
            assert row["active"] == row["holding"], row
        for row in await first.ask(
            "MATCH (a:Attribute {scope: $scope, status: 'active'}) "
            "WITH a.active_slot AS slot, count(*) AS n RETURN slot, n"
        ):
            assert row["n"] == 1, row
        for key in SLOTS[look % 3 :: 3]:
            history = (await stores[look % len(stores)].slot(claim_key=key)).history
            standing = [one for one in history if one.status is not AttributeStatus.RETRACTED]
            active = [one for one in standing if one.status is AttributeStatus.ACTIVE]
            assert len(active) == bool(standing), (key, history)
            assert active == standing[:1], (key, history)
        if not writing.is_set():
            return look
    return 0


async def write_and_watch(stores: Sequence[Store]) -> None:
    """Let all write while one looks; then compare with the model."""
    model, numbers = Model(), dict[str, int]()
    writing = asyncio.Event()
    writing.set()

    async def write() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(WRITERS):
                    group.create_task(Writer(number, stores, model, numbers).run())
        finally:
            writing.clear()

    looks, _ = await asyncio.gather(watch(stores, writing), write())
    assert looks > 1
    for key in SLOTS:
        history = (await stores[0].slot(claim_key=key)).history
        got = [
            Entry(
                one.value,
                one.status.value,
                one.valid_from,
                one.valid_to,
                frozenset(numbers[memory_id] for memory_id in one.memory_ids),
            )
            for one in reversed(history)
            if one.status is not AttributeStatus.RETRACTED
        ]
        assert got == model.line(key)
    ids = {number: memory_id for memory_id, number in numbers.items()}
    rows = await stores[0].ask(
        "MATCH (m:Memory {scope: $scope, superseded: true}) RETURN m.id AS id"
    )
    assert {row["id"] for row in rows} == {ids[number] for number in model.superseded()}


async def test_sixteen_writers_on_ten_slots_leave_one_value_at_every_moment(store: Store) -> None:
    await write_and_watch([store])
    assert await store.is_sound()


async def test_writers_through_two_services_leave_one_value_at_every_moment(
    replicas: list[Store],
) -> None:
    await write_and_watch(replicas)
    await asyncio.gather(*(replica.is_sound() for replica in replicas))
