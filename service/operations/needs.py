"""What a run of additions has to know, loaded for all of them in a few batched statements."""

from collections.abc import Iterator, Sequence

from service.domain.memory import EntityRef
from service.domain.names import FALLBACK_RELATION_TYPE, canonical_name, relation_type
from service.domain.operation import (
    LinkMemory,
    SetAttribute,
    SupersedeClaimValue,
    UpsertAspect,
    UpsertRelation,
)
from service.ontology.attributes import slot_of
from service.ontology.entities import known
from service.ontology.load import (
    load_aspects,
    load_evidence,
    load_lines,
    load_relation_types,
    load_relations,
)
from service.ontology.workspace import RelationKey
from service.operations.additions import Addition
from service.operations.applying import Applying


async def load_for(at: Applying, run: Sequence[Addition]) -> None:
    """Load the memories, slots, aspects and relations that additions are about."""
    tx, ws = at.tx, at.ws
    await at.load([one.memory_id for one in run if isinstance(one, LinkMemory)])
    await load_lines(tx, ws, _slots(at, run))
    await load_aspects(tx, ws, _aspects(at, run))
    if any(isinstance(one, UpsertRelation) for one in run):
        await load_relation_types(tx, ws)
        await load_relations(tx, ws, _relations(at, run))
        await load_evidence(tx, ws, at.evidence)


def _id(at: Applying, ref: EntityRef) -> str | None:
    """Return the id of an entity that is in the store: only such a one has anything to load."""
    if ref.id is not None:
        return ref.id
    entity = known(at.ws, at.scope, ref)
    return entity.id if entity else None


def _slots(at: Applying, run: Sequence[Addition]) -> Iterator[str]:
    for one in run:
        if isinstance(one, SetAttribute | SupersedeClaimValue):
            entity_id = _id(at, one.attribute.entity)
            if entity_id is not None:
                yield slot_of(entity_id, one.attribute)


def _aspects(at: Applying, run: Sequence[Addition]) -> Iterator[tuple[str, str]]:
    for one in run:
        if isinstance(one, SetAttribute | SupersedeClaimValue):
            entity, aspect = one.attribute.entity, one.attribute.aspect
        elif isinstance(one, UpsertAspect):
            entity, aspect = one.entity, one.aspect
        else:
            continue
        entity_id = _id(at, entity)
        if entity_id is not None:
            yield entity_id, canonical_name(aspect)


def _relations(at: Applying, run: Sequence[Addition]) -> Iterator[RelationKey]:
    for one in run:
        if isinstance(one, UpsertRelation):
            source, target = _id(at, one.relation.source), _id(at, one.relation.target)
            if source is not None and target is not None:
                yield source, target, relation_type(one.relation.type)
                # What it becomes when the store has as many types as it may.
                yield source, target, FALLBACK_RELATION_TYPE
