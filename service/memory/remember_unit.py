"""Remembering as a unit of a write: what has to be loaded, and the items one after the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from service.domain.access import acting
from service.domain.errors import PalimpsestError
from service.domain.idempotency import Idempotency
from service.domain.memory import EntityRef, Remembered
from service.domain.names import (
    FALLBACK_RELATION_TYPE,
    canonical_name,
    content_key,
    relation_type,
)
from service.memory.remember import Prepared, remember
from service.memory.unit import Author, Unit
from service.ontology.attributes import slot_of
from service.ontology.load import (
    load_aspects,
    load_evidence,
    load_lines,
    load_memories,
    load_relation_types,
    load_relations,
    load_twins,
)
from service.ontology.workspace import RelationKey, Workspace
from service.stores.neo4j.driver import Transaction

Outcome = Remembered | PalimpsestError


@dataclass(slots=True)
class RememberUnit(Unit):
    """Remembers items in order.

    A `single` one returns its Remembered, or raises what refuses it; otherwise the result is a
    tuple, in which an item that was refused is an error.
    """

    items: Sequence[Prepared]
    single: bool
    idempotency: Idempotency | None = None
    actor: str = field(default_factory=acting.get)
    joins: ClassVar[bool] = True
    only_adds: ClassVar[bool] = True

    @property
    def size(self) -> int:
        return len(self.items)

    @property
    def author(self) -> Author | None:
        return Author(self.items[0].scope, self.actor, "remember") if self.items else None

    @classmethod
    async def load(cls, tx: Transaction, ws: Workspace, units: Sequence["RememberUnit"]) -> None:
        """Load twins, superseded memories, slots, aspects and relations of all items at once."""
        items = [item for unit in units for item in unit.items]
        await load_twins(tx, ws, (content_key(item.scope, item.new.content) for item in items))
        await load_memories(tx, ws, (target for item in items for target in item.new.supersedes))
        await load_lines(tx, ws, _slots(ws, items))
        await load_aspects(tx, ws, _aspects(ws, items))
        if any(item.new.relations for item in items):
            await load_relation_types(tx, ws)
            await load_relations(tx, ws, _relations(ws, items))
            await load_evidence(tx, ws, ws.by_content.values())

    async def run(self, tx: Transaction, ws: Workspace) -> Remembered | tuple[Outcome, ...]:
        """Remember the items; each sees what those before it did."""
        if self.single:
            return remember(ws, self.items[0])
        outcomes: list[Outcome] = []
        for item in self.items:
            try:
                outcomes.append(remember(ws, item))
            except PalimpsestError as error:
                outcomes.append(error)
        return tuple(outcomes)

    def memory_ids(self, result: Any) -> Sequence[str]:
        """Return the ids of the memories that the answer shows."""
        outcomes = [result] if self.single else result
        return [one.memory.id for one in outcomes if isinstance(one, Remembered)]


def _known(ws: Workspace, scope: str, ref: EntityRef) -> str | None:
    """Return the id of an entity that is in the store: only such a one has anything to load."""
    if ref.id is not None:
        return ref.id
    entity = ws.names.by_canonical(scope, canonical_name(ref.name or ""))
    return entity.id if entity else None


def _slots(ws: Workspace, items: Sequence[Prepared]) -> Iterator[str]:
    for item in items:
        for attribute in item.new.attributes:
            entity_id = _known(ws, item.scope, attribute.entity)
            if entity_id is not None:
                yield slot_of(entity_id, attribute)


def _aspects(ws: Workspace, items: Sequence[Prepared]) -> Iterator[tuple[str, str]]:
    for item in items:
        for attribute in item.new.attributes:
            entity_id = _known(ws, item.scope, attribute.entity)
            if entity_id is not None:
                yield entity_id, canonical_name(attribute.aspect)


def _relations(ws: Workspace, items: Sequence[Prepared]) -> Iterator[RelationKey]:
    for item in items:
        for relation in item.new.relations:
            source = _known(ws, item.scope, relation.source)
            target = _known(ws, item.scope, relation.target)
            if source is not None and target is not None:
                yield source, target, relation_type(relation.type)
                # What it becomes when the store has as many types as it may.
                yield source, target, FALLBACK_RELATION_TYPE
