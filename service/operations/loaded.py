"""All that hangs on entities which are about to go, loaded, with a bound on how much it may be."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.domain.entity import Entity
from service.domain.errors import Conflict
from service.ontology.load import (
    load_evidence_about,
    load_lines,
    load_memories,
    load_relation_types,
    load_relations,
)
from service.ontology.relations import Evidence
from service.ontology.workspace import Line, MemoryRow
from service.operations.applying import Applying
from service.stores.neo4j.driver import fetch
from service.stores.neo4j.statements import statement

MOVED_LIMIT: Final = 20_000
"""The most memories that mention an entity which is deleted, or merged into another."""

_MENTIONING = statement("memory/mentioning")
_ASPECTS = statement("aspect/of_entities")


@dataclass(frozen=True, slots=True)
class Aspect:
    """An aspect of an entity, with the slots and the retracted attributes under it."""

    id: str
    key: str
    name: str
    weight: float
    slots: tuple[str, ...]
    retracted: tuple[dict[str, Any], ...]
    """The id, group key, claim key and value of each."""


@dataclass(frozen=True, slots=True)
class Hanging:
    """What hangs on one entity."""

    memories: list[MemoryRow]
    """Those that mention it."""
    aspects: list[Aspect]
    lines: list[Line]
    evidence: list[Evidence]


async def load_all(at: Applying, entity: Entity) -> Hanging:
    """Load what hangs on an entity. Raises Conflict where too many memories mention it."""
    tx, ws = at.tx, at.ws
    rows = await fetch(tx, _MENTIONING, entity_ids=[entity.id], limit=MOVED_LIMIT + 1)
    if len(rows) > MOVED_LIMIT:
        raise Conflict(
            f"more than {MOVED_LIMIT} memories mention {entity.name!r}: too many for one "
            "transaction. To merge, make it the target and rename it afterwards."
        )
    ids = [row["memory_id"] for row in rows]
    await load_memories(tx, ws, ids)
    aspects = await aspects_of(at, entity)
    lines = await load_lines_of(at, aspects)
    await load_relation_types(tx, ws)
    evidence = await load_evidence_about(tx, ws, [entity.id])
    await load_relations(tx, ws, (one.key for one in evidence))
    return Hanging([ws.memories[one] for one in ids], aspects, lines, evidence)


async def load_lines_of(at: Applying, aspects: Sequence[Aspect]) -> list[Line]:
    """Load the lines of every slot under aspects."""
    slots = [slot for aspect in aspects for slot in aspect.slots]
    await load_lines(at.tx, at.ws, slots)
    return [at.ws.lines[slot] for slot in slots if slot in at.ws.lines]


async def aspects_of(at: Applying, entity: Entity) -> list[Aspect]:
    """Return the aspects of an entity, by key."""
    return [
        Aspect(
            row["id"],
            row["key"],
            row["name"],
            row["weight"],
            tuple(row["slots"]),
            tuple(row["retracted"]),
        )
        for row in await fetch(at.tx, _ASPECTS, entity_ids=[entity.id])
    ]
