"""What claims, relations and aspects that are about to be written have to know, loaded at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.domain.memory import EntityRef, NewAttribute, NewRelation
from service.domain.names import FALLBACK_RELATION_TYPE, canonical_name, relation_type
from service.ontology.attributes import slot_of
from service.ontology.load import (
    load_aspects,
    load_evidence,
    load_lines,
    load_relation_types,
    load_relations,
)
from service.ontology.workspace import RelationKey, Workspace
from service.stores.neo4j.driver import Transaction


@dataclass(frozen=True, slots=True)
class Structure:
    """What is about to be written, each with its scope."""

    attributes: Sequence[tuple[str, NewAttribute]] = ()
    relations: Sequence[tuple[str, NewRelation]] = ()
    aspects: Sequence[tuple[str, EntityRef, str]] = ()
    authors: Sequence[str] = ()
    """Ids of stored memories that say it: what they assert already is not counted again."""


async def load_structure(tx: Transaction, ws: Workspace, wanted: Structure) -> None:
    """Load the slots, aspects and relations that it is about."""
    await load_lines(tx, ws, _slots(ws, wanted))
    await load_aspects(tx, ws, _aspects(ws, wanted))
    if wanted.relations:
        await load_relation_types(tx, ws)
        await load_relations(tx, ws, _relations(ws, wanted))
        await load_evidence(tx, ws, wanted.authors)


def _known(ws: Workspace, scope: str, ref: EntityRef) -> str | None:
    """Return the id of an entity that is in the store: only such a one has anything to load."""
    if ref.id is not None:
        return ref.id
    entity = ws.by_name(scope, canonical_name(ref.name or ""))
    return entity.id if entity else None


def _slots(ws: Workspace, wanted: Structure) -> Iterator[str]:
    for scope, attribute in wanted.attributes:
        entity_id = _known(ws, scope, attribute.entity)
        if entity_id is not None:
            yield slot_of(entity_id, attribute)


def _aspects(ws: Workspace, wanted: Structure) -> Iterator[tuple[str, str]]:
    stated = ((scope, one.entity, one.aspect) for scope, one in wanted.attributes)
    for scope, entity, aspect in (*stated, *wanted.aspects):
        entity_id = _known(ws, scope, entity)
        if entity_id is not None:
            yield entity_id, canonical_name(aspect)


def _relations(ws: Workspace, wanted: Structure) -> Iterator[RelationKey]:
    for scope, relation in wanted.relations:
        source = _known(ws, scope, relation.source)
        target = _known(ws, scope, relation.target)
        if source is not None and target is not None:
            yield source, target, relation_type(relation.type)
            # What it becomes when the store has as many types as it may.
            yield source, target, FALLBACK_RELATION_TYPE
