"""Whatever is done in whatever order, the graph keeps its promises and the indexes agree."""

import random
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from service.domain.errors import Conflict, InvalidInput, NotFound
from service.domain.memory import MemoryUpdate, NewMemory
from tests.memory.story import Store, day, lives_in, named, related

PEOPLE = ("Ana", "Bo", "Cy")
CITIES = ("Berlin", "Munich", "Hamburg")
STEPS = 60


class Agent:
    """Does what agents do, by chance, to a store; a refusal is an answer too."""

    def __init__(self, store: Store, dice: random.Random) -> None:
        self._store = store
        self._dice = dice
        self._ids: list[str] = []

    async def act(self) -> None:
        acts: list[tuple[int, Callable[[], Awaitable[object]]]] = [
            (8, self._remember),
            (3, self._revise),
            (3, self._forget),
            (2, self._supersede),
            (1, self._retract),
        ]
        act = self._dice.choices([one for _, one in acts], [weight for weight, _ in acts])[0]
        with suppress(Conflict, InvalidInput, NotFound):
            await act()

    def _one(self) -> str:
        return self._dice.choice(self._ids) if self._ids else "nobody"

    async def _remember(self) -> None:
        dice = self._dice
        who, city = dice.choice(PEOPLE), dice.choice(CITIES)
        new = NewMemory(
            f"{who} lives in {city}."
            if dice.random() < 0.7
            else f"note {dice.randrange(9)} on {who}",
            created_at=day(dice.randrange(6)),
            session=dice.choice([None, "talk"]),
            speaker=dice.choice([None, *PEOPLE]),
            entities=named(who),
            relations=[related(who, city, "lives in", dice.random())],
            attributes=[lives_in(city, who)] if dice.random() < 0.7 else [],
            hints=["where?"] if dice.random() < 0.3 else [],
            supersedes=[self._one()] if self._ids and dice.random() < 0.2 else [],
        )
        self._ids.append((await self._store.remember(new)).memory.id)

    async def _revise(self) -> None:
        content = f"{self._dice.choice(PEOPLE)} moved, note {self._dice.randrange(9)}."
        await self._store.service.memories.revise(
            self._store.scope, self._one(), MemoryUpdate(content=content)
        )

    async def _forget(self) -> None:
        await self._store.forget(self._one(), purge=self._dice.random() < 0.3)

    async def _supersede(self) -> None:
        await self._store.service.memories.supersede(self._store.scope, self._one(), self._one())

    async def _retract(self) -> None:
        await self._store.service.memories.retract_supersession(
            self._store.scope, self._one(), self._one()
        )


async def check_promises(store: Store) -> None:
    """What holds after any sequence of changes."""
    assert await store.is_sound()
    relations = await store.ask(
        "MATCH (s:Entity {scope: $scope})-[r:LIVES_IN]->(t) "
        "RETURN r.mentions AS mentions, r.confidence AS confidence, "
        "COLLECT { MATCH (:Memory)-[a:ASSERTS {type: 'LIVES_IN', target_id: t.id}]->(s) "
        "          RETURN a.confidence } AS evidence"
    )
    for row in relations:
        assert row["mentions"] == len(row["evidence"]) > 0
        mean = sum(row["evidence"]) / len(row["evidence"])
        assert row["confidence"] == pytest.approx(mean, abs=1e-9)
    memories = await store.ask(
        "MATCH (m:Memory {scope: $scope}) RETURN m.id AS id, m.superseded AS superseded, "
        "EXISTS { (m)<-[:SUPERSEDES]-(:Memory) } AS replaced, "
        "COLLECT { MATCH (m)-[:STATES]->(a) RETURN a.status } AS stands, "
        "COUNT { (m)-[:NEXT]->() } AS after, COUNT { ()-[:NEXT]->(m) } AS before"
    )
    for row in memories:
        by_slot = bool(row["stands"]) and set(row["stands"]) == {"superseded"}
        assert row["superseded"] == (row["replaced"] or by_slot), row
        assert row["after"] <= 1
        assert row["before"] <= 1
    if any(row["after"] for row in memories):
        await store.chain("talk")
    slots = await store.ask(
        "MATCH (a:Attribute {scope: $scope}) WHERE a.status <> 'retracted' "
        "WITH a ORDER BY a.valid_from WITH a.slot AS slot, collect(a) AS line "
        "RETURN [a IN line | a.status] AS statuses, [a IN line | a.valid_to IS NULL] AS open, "
        "[a IN line | COUNT { (:Memory)-[:STATES]->(a) }] AS claims"
    )
    for row in slots:
        assert sorted(row["statuses"]) == ["active", *["superseded"] * (len(row["statuses"]) - 1)]
        assert row["open"].count(True) == 1
        assert 0 not in row["claims"]


async def found(store: Store, query: str) -> dict[str, bool]:
    """What a question finds, and whether it is marked; scores count what was deleted until the
    index drops it."""
    results = (await store.recall(query, limit=100)).results
    return {one.id: one.superseded for one in results}


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_promises_hold_after_any_sequence_of_changes(store: Store, seed: int) -> None:
    agent = Agent(store, random.Random(seed))
    for _ in range(STEPS):
        await agent.act()
    await check_promises(store)
    queries = [f"where does {who} live" for who in PEOPLE] + ["note 3", "Berlin"]
    before = [await found(store, query) for query in queries]
    await store.service.follower.rebuild()
    assert [await found(store, query) for query in queries] == before
