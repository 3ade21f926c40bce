"""Reading the change feed: what changed in the graph after a revision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from service.domain.attribute import AttributeStatus
from service.domain.change import Change, MemoryChange, MemoryRemoval, Statement, Successor, Vectors
from service.domain.entity import Entity
from service.stores.neo4j.driver import Transaction, fetch
from service.stores.neo4j.entity import changed_entities
from service.stores.neo4j.records import maybe_moment, moment
from service.stores.neo4j.statements import statement

_COUNTER = statement("counter/read")
_SETTLE = statement("counter/settle")
_MEMORIES = statement("feed/memories")
_REMOVALS = statement("feed/removals")
_BY_ORDINAL = statement("feed/by_ordinal")
_REVISIONS = statement("feed/revisions")


@dataclass(frozen=True, slots=True)
class FeedPage:
    """A stretch of the feed: everything in (after, upto], in the order of revisions."""

    changes: tuple[Change, ...]
    upto: int


@dataclass(frozen=True, slots=True)
class EntityPage:
    """The entities that changed or went after a revision, up to `upto`."""

    entities: tuple[Entity, ...]
    removed: tuple[str, ...]
    upto: int


@dataclass(frozen=True, slots=True)
class Revision:
    """A live memory's place in the feed, and the model of its embedding."""

    id: str
    ordinal: int
    revision: int
    model: str | None


async def newest_revision(tx: Transaction) -> int:
    """Return the newest committed revision."""
    return (await fetch(tx, _COUNTER))[0]["revision"]


async def settled_revision(tx: Transaction) -> int:
    """Return the newest revision of which everything can be read; needs a write transaction.

    Neo4j lets a reader see parts of a commit while it is being applied: the counter's new value
    before the memories that it numbers. The writer's lock is held until all is applied, so this
    waits for it.
    """
    return (await fetch(tx, _SETTLE))[0]["revision"]


async def read_page(
    tx: Transaction, after: int, settled: int, limit: int, with_content: bool, with_vectors: bool
) -> FeedPage:
    """Return the next stretch of the feed: at most `limit` memories and `limit` removals.

    `settled` is a revision up to which everything can be read (`settled_revision`, or one that
    this process has committed): what comes after it is left for a later page.
    """
    if settled <= after:
        return FeedPage((), after)
    bounds = {"after": after, "upto": settled, "limit": limit}
    memories = await fetch(
        tx, _MEMORIES, **bounds, with_content=with_content, with_vectors=with_vectors
    )
    removals = await fetch(tx, _REMOVALS, **bounds)
    changes: list[Change] = [_change(record) for record in memories]
    changes += [_removal(record) for record in removals if record["kind"] == "memory"]
    changes.sort(key=lambda change: change.revision)
    upto = min(
        memories[-1]["memory"]["revision"] if len(memories) == limit else settled,
        removals[-1]["revision"] if len(removals) == limit else settled,
    )
    return FeedPage(tuple(one for one in changes if one.revision <= upto), upto)


async def read_memories(tx: Transaction, ordinals: Sequence[int]) -> list[MemoryChange]:
    """Return the present state of live memories, whole, by their ordinals."""
    rows = await fetch(tx, _BY_ORDINAL, ordinals=list(ordinals))
    return [_change(row) for row in rows]


async def read_entities(tx: Transaction, after: int, settled: int) -> EntityPage:
    """Return the entities that changed or went after a revision; `settled` as in `read_page`."""
    if settled <= after:
        return EntityPage((), (), after)
    entities = await changed_entities(tx, after)
    removals = await fetch(tx, _REMOVALS, after=after, upto=settled, limit=1_000_000)
    removed = tuple(record["id"] for record in removals if record["kind"] == "entity")
    return EntityPage(tuple(entities), removed, settled)


async def read_revisions(tx: Transaction, after: int, limit: int) -> list[Revision]:
    """Return live memories by ordinal, from the one after `after` on."""
    return [Revision(**record) for record in await fetch(tx, _REVISIONS, after=after, limit=limit)]


def _change(record: Mapping[str, Any]) -> MemoryChange:
    memory = record["memory"]
    model, vectors = _embedding(record["embedding"])
    return MemoryChange(
        ordinal=memory["ordinal"],
        revision=memory["revision"],
        id=memory["id"],
        scope=memory["scope"],
        content=record["content"],
        type=memory["type"],
        created_at=moment(memory["created_at"]),
        occurred_at=maybe_moment(memory["occurred_at"]),
        updated_at=moment(memory["updated_at"]),
        importance=memory["importance"],
        pinned=memory["pinned"],
        session=memory["session"],
        speaker=memory["speaker"],
        source=memory["source"],
        superseded=memory["superseded"],
        hints=tuple(record["hints"]),
        entity_ids=tuple(record["entity_ids"]),
        statements=tuple(
            Statement(attribute_id, slot, AttributeStatus(status), moment(start), maybe_moment(end))
            for attribute_id, slot, status, start, end in record["statements"]
        ),
        successors=tuple(
            Successor(memory_id, moment(made)) for memory_id, made in record["successors"]
        ),
        embedding_model=model,
        vectors=vectors,
    )


def _embedding(stored: Any) -> tuple[str | None, Vectors | None]:
    if stored is None:
        return None, None
    model, passages, dimension, raw = stored
    flat = np.frombuffer(bytes(raw), dtype="<f4").astype(np.float32)
    return model, flat.reshape(passages, dimension)


def _removal(record: Mapping[str, Any]) -> MemoryRemoval:
    return MemoryRemoval(
        ordinal=record["ordinal"],
        revision=record["revision"],
        id=record["id"],
        scope=record["scope"],
    )
