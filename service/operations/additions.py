"""Operations that only add: they need nothing read back in the middle of a set."""

from dataclasses import replace
from datetime import datetime, timedelta

from service.domain.attribute import AttributeStatus
from service.domain.errors import Conflict
from service.domain.journal import MentionStep, RefusedTypeStep
from service.domain.memory import Contradiction, EntityRef, NewAttribute
from service.domain.names import canonical_name
from service.domain.operation import (
    LinkMemory,
    OperationResult,
    SetAttribute,
    SupersedeClaimValue,
    UpsertAspect,
    UpsertEntity,
    UpsertRelation,
)
from service.domain.slots import Claim, Span
from service.ontology import attributes, audit, entities, relations, shown
from service.ontology.workspace import Line, MemoryRow
from service.operations.applying import OPERATION, Applying

_JUST_AFTER = timedelta(microseconds=1)

Addition = (
    UpsertEntity | UpsertRelation | UpsertAspect | SetAttribute | SupersedeClaimValue | LinkMemory
)


def add(at: Applying, operation: Addition) -> OperationResult:
    """Apply one operation. Raises NotFound, InvalidInput, Conflict; what it needs is loaded."""
    match operation:
        case UpsertEntity():
            return _entity(at, operation)
        case UpsertRelation():
            return _relation(at, operation)
        case UpsertAspect():
            return _aspect(at, operation)
        case SetAttribute(attribute):
            return _claim(at, "set_attribute", attribute)
        case SupersedeClaimValue(attribute, kind_given):
            return _claim(at, "supersede_claim_value", attribute, True, kind_given)
        case LinkMemory():
            return _link(at, operation)


def _entity(at: Applying, operation: UpsertEntity) -> OperationResult:
    ref = EntityRef(name=operation.name)
    before = shown.entity(entities.known(at.ws, at.scope, ref))
    mark = len(at.ws.journal)
    entity = at.made(ref, operation.type)
    refused = [step for step in at.ws.journal[mark:] if isinstance(step, RefusedTypeStep)]
    at.ws.write("entity/pin", {"id": entity.id})
    note = audit.refused_type(refused[0]) if refused else None
    return OperationResult("upsert_entity", before, shown.entity(at.ws.entity(entity.id)), note)


def _relation(at: Applying, operation: UpsertRelation) -> OperationResult:
    given = operation.relation
    source, target = at.made(given.source), at.made(given.target)
    key = (source.id, target.id, relations.native_type(at.ws, given.type))
    before = shown.relation(at.ws, key)
    for author in at.authors:
        evidence = relations.Evidence(at.author_id(author), key, given.confidence, author is None)
        relations.assert_relation(at.ws, evidence, given.type)
    return OperationResult("upsert_relation", before, shown.relation(at.ws, key))


def _aspect(at: Applying, operation: UpsertAspect) -> OperationResult:
    entity = at.made(operation.entity)
    was_there = (entity.id, canonical_name(operation.aspect)) in at.ws.aspects
    aspect_id = attributes.aspect_of(at.ws, entity, operation.aspect)
    view = {
        "id": aspect_id,
        "entity": shown.named(at.ws, entity.id),
        "aspect": operation.aspect,
    }
    return OperationResult("upsert_aspect", view if was_there else None, view)


def _claim(
    at: Applying,
    op: str,
    attribute: NewAttribute,
    explicit: bool = False,
    kind_given: bool = True,
) -> OperationResult:
    entity = at.made(attribute.entity)
    line = attributes.line_of(at.ws, entity, attribute)
    current = _standing(line, attribute.value)
    before = shown.attribute(at.ws, line, current)
    if not kind_given and current is not None:
        attribute = replace(attribute, kind=current.kind)
    made: Claim | None = None
    for author in at.authors:
        made = Claim(
            memory_id=at.author_id(author),
            value=attribute.value,
            at=attribute.valid_from or _time(at, line, author, explicit),
            until=attribute.valid_to,
            kind=attribute.kind,
            confidence=attribute.confidence,
            importance=attribute.importance,
            from_operation=author is None,
        )
        dated = explicit or attribute.valid_from is not None
        outcome = attributes.state(
            at.ws, author, entity, attribute, made, dated=dated, explicit=explicit
        )
        if isinstance(outcome, Contradiction):
            raise _protected(outcome)
    assert made is not None
    return OperationResult(op, before, shown.attribute(at.ws, line, shown.span_of(line, made)))


def _standing(line: Line, value: str) -> Span | None:
    """The attribute that holds in a slot; where it holds several, the one of this value."""
    active = [span for span in line.spans if span.status is AttributeStatus.ACTIVE]
    if len(active) > 1:
        active = [span for span in active if span.value_key == canonical_name(value)]
    return active[-1] if active else None


def _time(at: Applying, line: Line, author: MemoryRow | None, explicit: bool) -> datetime:
    """From when on a claim without a time holds.

    An explicit supersession holds from now, and after whatever is claimed of a later time: it was
    asked for to end that.
    """
    if not explicit:
        return at.ws.now if author is None else author.event_at
    latest = max((claim.at for claim in line.claims), default=None)
    return at.ws.now if latest is None else max(at.ws.now, latest + _JUST_AFTER)


def _protected(contradiction: Contradiction) -> Conflict:
    return Conflict(
        f"{contradiction.value!r} is a constraint ({contradiction.attribute_id!r}): a claim of "
        f"{contradiction.proposed!r} does not replace it; supersede_claim_value does",
        offer={
            "op": "supersede_claim_value",
            "entity": contradiction.entity,
            "aspect": contradiction.aspect,
            "group_key": contradiction.group_key,
            "claim_key": contradiction.claim_key,
            "value": contradiction.proposed,
        },
    )


def _link(at: Applying, operation: LinkMemory) -> OperationResult:
    row = at.memory(operation.memory_id)
    entity = entities.resolve(at.ws, at.scope, operation.entity)
    text = operation.mention_text or operation.entity.name or entity.name
    was_there = entity.id in row.mentions
    entities.mention(at.ws, row, entity, text, operation.confidence, OPERATION)
    unlinked: list[str] = list(row.properties.get("unlinked") or ())
    if entity.id in unlinked:
        unlinked.remove(entity.id)
        set_unlinked(at, row, unlinked)
    given = row.mentioned_as.get(entity.id, (text, operation.confidence, OPERATION))
    view = audit.mention_view(at.ws, MentionStep(row.id, entity.id, *given, added=True))
    return OperationResult("link_memory", view if was_there else None, view)


def set_unlinked(at: Applying, row: MemoryRow, entity_ids: list[str]) -> None:
    """Keep which entities the name linking must leave alone for a memory."""
    row.properties["unlinked"] = entity_ids
    at.ws.stir(row)
    at.ws.write("memory/revise", {"id": row.id, "properties": {"unlinked": entity_ids}})
