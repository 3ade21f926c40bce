"""What the tests of the write path tell: people, places and days, and a store to tell it to."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

from service.bootstrap import Service
from service.domain.attribute import AttributeStatus, SlotHistory
from service.domain.deadline import Deadline
from service.domain.entity import Entity
from service.domain.memory import (
    EntityRef,
    Memory,
    NewAttribute,
    NewMemory,
    NewMention,
    NewRelation,
    Remembered,
)
from service.domain.recall import RecallAnswer, RecallQuery
from service.stores.neo4j.driver import Graph, Row, Transaction, fetch

START = datetime(2025, 1, 1, tzinfo=UTC)


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def named(*names: str) -> list[NewMention]:
    return [NewMention(EntityRef(name=name)) for name in names]


def lives_in(value: str, entity: str = "Ana", **more: Any) -> NewAttribute:
    """The claim that somebody lives somewhere: a slot of one value."""
    place: dict[str, Any] = {"group_key": "where", "claim_key": "city"} | more
    return NewAttribute(EntityRef(name=entity), "home", value, **place)


def in_city(value: str, at: float, **more: Any) -> NewMemory:
    """A memory of a day that states where Ana lives; its text depends on the value alone."""
    given: dict[str, Any] = {"created_at": day(at), "attributes": [lives_in(value)]} | more
    return NewMemory(f"Ana lives in {value}.", **given)


def related(
    source: str, target: str, type: str = "runs on", confidence: float = 1.0
) -> NewRelation:
    return NewRelation(EntityRef(name=source), EntityRef(name=target), type, confidence)


@dataclass(frozen=True, slots=True)
class Store:
    """A scope of a running service, with a look past it into the graph."""

    service: Service
    graph: Graph
    scope: str

    async def remember(self, new: NewMemory | str) -> Remembered:
        """Keep one memory; a kept answer is no answer here."""
        new = NewMemory(new) if isinstance(new, str) else new
        done = await self.service.memories.remember(self.scope, new)
        assert isinstance(done, Remembered)
        return done

    async def remember_all(self, items: Sequence[NewMemory]) -> list[Remembered]:
        """Keep a batch of which nothing is refused."""
        done = await self.service.memories.remember_batch(self.scope, items)
        assert isinstance(done, tuple)
        kept = [one.remembered for one in done]
        assert None not in kept, done
        return [one for one in kept if one is not None]

    async def forget(self, memory_id: str, *, purge: bool = False) -> None:
        await self.service.memories.forget(self.scope, memory_id, purge=purge)

    async def get(self, memory_id: str) -> Memory:
        return (await self.service.memories.get(self.scope, memory_id)).memory

    async def slot(
        self, entity: str = "Ana", group_key: str | None = "where", claim_key: str | None = "city"
    ) -> SlotHistory:
        return await self.service.entities.slot(
            self.scope, entity=entity, aspect="home", group_key=group_key, claim_key=claim_key
        )

    async def line(self, **slot: Any) -> list[str]:
        """The values of a slot's line, oldest first; what was taken back is no part of it."""
        history = (await self.slot(**slot)).history
        standing = [one for one in history if one.status is not AttributeStatus.RETRACTED]
        return [one.value for one in reversed(standing)]

    async def entity(self, name: str) -> Entity:
        """The one entity of exactly this name."""
        items = (await self.service.entities.page(self.scope, query=name, limit=100)).items
        (found,) = [one for one in items if one.name == name]
        return found

    async def mentions(self) -> dict[str, int]:
        """How many memories mention each entity, as the entities say."""
        rows = await self.ask(
            "MATCH (e:Entity {scope: $scope}) RETURN e.canonical_name AS name, e.mentions AS n"
        )
        return {row["name"]: row["n"] for row in rows}

    async def counted_mentions(self) -> dict[str, int]:
        """How many memories mention each entity, as the edges say."""
        rows = await self.ask(
            "MATCH (e:Entity {scope: $scope}) RETURN e.canonical_name AS name, "
            "COUNT { (e)<-[:MENTIONS]-(:Memory) } AS n"
        )
        return {row["name"]: row["n"] for row in rows}

    async def chain(self, session: str) -> list[str]:
        """The contents of a session's chain, from its one beginning to its one end."""
        rows = await self.ask(
            "MATCH (m:Memory {scope: $scope, session: $session}) "
            "RETURN m.id AS id, m.content AS content, "
            "COLLECT { MATCH (m)-[:NEXT]->(n) RETURN n.id } AS next",
            session=session,
        )
        contents = {row["id"]: row["content"] for row in rows}
        follows = {row["id"]: row["next"] for row in rows}
        (at,) = follows.keys() - {one for ends in follows.values() for one in ends}
        chain = [at]
        while follows[at]:
            (at,) = follows[at]
            chain.append(at)
        assert len(chain) == len(rows)
        return [contents[one] for one in chain]

    async def recall(self, query: str, **more: Any) -> RecallAnswer:
        """An answer that every source had the time for."""
        return await self.service.recall.recall(
            RecallQuery(self.scope, query, **more), Deadline.after(30_000)
        )

    async def found(self, query: str, **more: Any) -> list[str]:
        return [one.content for one in (await self.recall(query, **more)).results]

    async def ask(self, statement: LiteralString, **params: Any) -> list[Row]:
        """What a statement that reads finds; it is given the scope."""

        async def work(tx: Transaction) -> list[Row]:
            return await fetch(tx, statement, scope=self.scope, **params)

        return await self.graph.read(work)

    async def is_sound(self) -> bool:
        """Insist that no projection differs from the graph and no promise is broken."""
        report = await self.service.doctor.examine()
        assert report.differences == (), report.differences
        assert await self.mentions() == await self.counted_mentions()
        return True
