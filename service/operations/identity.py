"""Operations on what an entity is: its names, its end, and two that become one."""

from dataclasses import replace

from service.domain.attribute import Cardinality
from service.domain.entity import Entity
from service.domain.errors import InvalidInput, NotFound
from service.domain.journal import AspectStep
from service.domain.names import canonical_name, slot_key
from service.domain.operation import (
    DeleteAlias,
    DeleteEntity,
    MergeEntities,
    OperationResult,
    RenameEntity,
    UpsertAlias,
)
from service.ontology import attributes, entities, identity, relations, shown
from service.ontology.load import load_aspects, load_evidence, load_lines, load_relations
from service.ontology.workspace import Line, RelationKey
from service.operations.applying import Applying
from service.operations.loaded import Aspect, Hanging, load_all


def rename(at: Applying, operation: RenameEntity) -> OperationResult:
    """Rename an entity. Raises NotFound, Conflict (the name is another's)."""
    entity = at.entity(operation.entity)
    identity.require_free(at.ws, entity, operation.name)
    after = identity.rename(at.ws, entity, operation.name, keep_alias=operation.keep_alias)
    return OperationResult("rename_entity", shown.entity(entity), shown.entity(after))


def add_alias(at: Applying, operation: UpsertAlias) -> OperationResult:
    """Let another name resolve to an entity. Raises NotFound, Conflict (it is another's)."""
    entity = at.entity(operation.entity)
    identity.require_free(at.ws, entity, operation.name)
    names = {canonical_name(one) for one in (entity.name, *entity.aliases)}
    after = entity
    if canonical_name(operation.name) not in names:
        after = identity.set_aliases(at.ws, entity, [*entity.aliases, operation.name])
    return OperationResult("upsert_alias", shown.entity(entity), shown.entity(after))


def drop_alias(at: Applying, operation: DeleteAlias) -> OperationResult:
    """Take another name from an entity. Raises NotFound."""
    entity = at.entity(operation.entity)
    gone = canonical_name(operation.name)
    kept = [one for one in entity.aliases if canonical_name(one) != gone]
    if len(kept) == len(entity.aliases):
        raise NotFound(f"{operation.name!r} is no alias of the entity {entity.name!r}")
    after = identity.set_aliases(at.ws, entity, kept)
    return OperationResult("delete_alias", shown.entity(entity), shown.entity(after))


async def delete(at: Applying, operation: DeleteEntity) -> OperationResult:
    """Remove an entity with all that is said of it. Raises NotFound, Conflict (too much)."""
    entity = at.entity(operation.entity)
    hanging = await load_all(at, entity)
    before = {**(shown.entity(entity) or {}), **_counts(hanging)}
    for line in hanging.lines:
        attributes.drop(at.ws, line, line.claims)
    for evidence in hanging.evidence:
        relations.retract(at.ws, evidence)
    for aspect in hanging.aspects:
        remove_aspect(at, entity, aspect)
    for memory in hanging.memories:
        entities.unmention(at.ws, memory, entity.id)
    identity.retire(at.ws, entity)
    return OperationResult("delete_entity", before, None)


async def merge(at: Applying, operation: MergeEntities) -> OperationResult:
    """Make two entities one. Raises NotFound, InvalidInput (itself), Conflict (too much)."""
    source, target = at.entity(operation.source), at.entity(operation.target)
    if source.id == target.id:
        raise InvalidInput("source", f"{source.name!r} and the target are the same entity")
    hanging = await load_all(at, source)
    before = {
        "source": {**(shown.entity(source) or {}), **_counts(hanging)},
        "target": shown.entity(target),
    }
    await _move_claims(at, hanging, target)
    await _move_relations(at, hanging, source, target)
    for aspect in hanging.aspects:
        remove_aspect(at, source, aspect)
    for memory in hanging.memories:
        text, confidence, by = memory.mentioned_as[source.id]
        entities.unmention(at.ws, memory, source.id)
        entities.mention(at.ws, memory, target, text, confidence, by)
    _take_identity(at, source, target)
    after = at.ws.entity(target.id)
    return OperationResult("merge_entities", before, shown.entity(after))


def remove_aspect(at: Applying, entity: Entity, aspect: Aspect) -> None:
    """Remove an aspect whose claims are gone."""
    at.ws.aspects.pop((entity.id, aspect.key), None)
    at.ws.journal.append(AspectStep(entity.id, aspect.id, aspect.name, aspect.weight, False))
    at.ws.write("aspect/remove", {"id": aspect.id})


def _counts(hanging: Hanging) -> dict[str, int]:
    return {
        "aspects": len(hanging.aspects),
        "attributes": sum(len(line.spans) for line in hanging.lines),
        "relations": len({one.key for one in hanging.evidence}),
    }


async def _move_claims(at: Applying, hanging: Hanging, target: Entity) -> None:
    """Put the claims of each slot into the target's, and decide those again by time."""
    ws = at.ws
    await load_aspects(at.tx, ws, ((target.id, aspect.key) for aspect in hanging.aspects))
    for aspect in hanging.aspects:
        aspect_id = attributes.aspect_of(ws, target, aspect.name, aspect.weight)
        for gone in aspect.retracted:
            slot = slot_key(
                target.id, aspect.name, gone["group_key"], gone["claim_key"], gone["value"]
            )
            place = {"entity_id": target.id, "aspect_id": aspect_id, "slot": slot}
            ws.write("attribute/move", {"id": gone["id"], **place})
    moves = {line.slot: _slot_of(target.id, line) for line in hanging.lines}
    await load_lines(at.tx, ws, moves.values())
    for old in hanging.lines:
        slot = moves[old.slot]
        line = ws.lines.get(slot) or replace(
            old,
            slot=slot,
            entity_id=target.id,
            aspect_id=ws.aspects[target.id, canonical_name(old.aspect)],
            claims=[],
            stored={},
            stored_claims={},
            ties=set(),
            spans=(),
        )
        ws.lines[slot] = line
        _join(at, old, line)


def _join(at: Applying, old: Line, line: Line) -> None:
    """Let a line take all of another's claims and attributes over; the other one is no more."""
    said = {(claim.memory_id, claim.at, claim.value_key) for claim in line.claims}
    new = [one for one in old.claims if (one.memory_id, one.at, one.value_key) not in said]
    at.ws.journal += [attributes.step(old, claim, added=False) for claim in old.claims]
    at.ws.journal += [attributes.step(line, claim, added=True) for claim in new]
    if old.cardinality is Cardinality.MANY:
        line.cardinality = Cardinality.MANY
    line.stored |= old.stored
    line.stored_claims |= old.stored_claims
    line.ties |= old.ties
    line.claims += new
    line.spans += old.spans
    attributes.rederive(at.ws, line)
    del at.ws.lines[old.slot]


def _slot_of(entity_id: str, line: Line) -> str:
    value = line.claims[0].value if line.claims else ""
    return slot_key(entity_id, line.aspect, line.group_key, line.claim_key, value)


async def _move_relations(at: Applying, hanging: Hanging, source: Entity, target: Entity) -> None:
    """Let all evidence speak of the target; what would tie it to itself goes.

    An author who said the same of both is counted once.
    """
    ws = at.ws

    def moved(key: RelationKey) -> RelationKey:
        ends = [target.id if one == source.id else one for one in key[:2]]
        return ends[0], ends[1], key[2]

    await load_relations(at.tx, ws, (moved(one.key) for one in hanging.evidence))
    await load_evidence(at.tx, ws, (one.author_id for one in hanging.evidence))
    given = {one.key: ws.relations[one.key].given for one in hanging.evidence}
    for evidence in hanging.evidence:
        relations.retract(ws, evidence)
    for evidence in hanging.evidence:
        key = moved(evidence.key)
        if key[0] != key[1] or evidence.key[0] == evidence.key[1]:
            relations.assert_relation(ws, replace(evidence, key=key), given[evidence.key])


def _take_identity(at: Applying, source: Entity, target: Entity) -> None:
    """Let the source's names resolve to the target, which also takes a type that it lacks."""
    identity.retire(at.ws, source)
    now = at.ws.entity(target.id) or target
    if now.entity_type is None and source.entity_type is not None:
        now = entities.set_type(at.ws, now, source.entity_type)
    identity.set_aliases(at.ws, now, [*now.aliases, source.name, *source.aliases])
