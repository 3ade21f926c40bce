"""Operations that take back what was said, and those on which memory replaces which."""

from service.domain.errors import Conflict, InvalidInput, NotFound
from service.domain.memory import NewAttribute
from service.domain.names import canonical_name, relation_type
from service.domain.operation import (
    DeleteAspect,
    DeleteRelation,
    OperationResult,
    RetractAttribute,
    RetractSupersession,
    SupersedeMemory,
    UnlinkMemory,
)
from service.domain.slots import Span
from service.ontology import attributes, audit, entities, relations, shown, supersession, write
from service.ontology.load import (
    load_evidence,
    load_evidence_for,
    load_lines,
    load_relation_types,
    load_relations,
)
from service.ontology.workspace import Line
from service.operations.additions import set_unlinked
from service.operations.applying import Applying
from service.operations.identity import remove_aspect
from service.operations.loaded import aspects_of, load_lines_of
from service.stores.neo4j.driver import fetch
from service.stores.neo4j.statements import statement

_FIND = statement("attribute/find")
_EDGES = ("supersession/end", "supersession/create")


async def delete_relation(at: Applying, operation: DeleteRelation) -> OperationResult:
    """Remove a relation with all its evidence. Raises NotFound."""
    ws = at.ws
    source, target = at.entity(operation.source), at.entity(operation.target)
    key = (source.id, target.id, relation_type(operation.type))
    await load_relation_types(at.tx, ws)
    await load_relations(at.tx, ws, [key])
    before = shown.relation(ws, key)
    if before is None:
        raise NotFound(
            f"there is no relation {operation.type!r} from {source.name!r} to {target.name!r}"
        )
    for evidence in await load_evidence_for(at.tx, ws, [key]):
        relations.retract(ws, evidence)
    return OperationResult("delete_relation", before, None)


async def delete_aspect(at: Applying, operation: DeleteAspect) -> OperationResult:
    """Remove an aspect with all that is claimed under it. Raises NotFound."""
    entity = at.entity(operation.entity)
    wanted = canonical_name(operation.aspect)
    found = [one for one in await aspects_of(at, entity) if one.key == wanted]
    if not found:
        raise NotFound(f"the entity {entity.name!r} has no aspect {operation.aspect!r}")
    lines = await load_lines_of(at, found)
    before = {
        "id": found[0].id,
        "entity": shown.named(at.ws, entity.id),
        "aspect": found[0].name,
        "weight": found[0].weight,
        "attributes": [shown.attribute(at.ws, line, span) for line in lines for span in line.spans],
    }
    for line in lines:
        attributes.drop(at.ws, line, line.claims)
    remove_aspect(at, entity, found[0])
    return OperationResult("delete_aspect", before, None)


async def retract_attribute(at: Applying, operation: RetractAttribute) -> OperationResult:
    """Take a value back, and decide its slot again. Raises NotFound, Conflict (already)."""
    if operation.slot is not None:
        line, span = await _in_slot(at, operation.slot)
    else:
        line, span = await _by_id(at, operation.attribute_id or "")
    before = shown.attribute(at.ws, line, span)
    at.ws.retracted.add(span.attribute_id)
    attributes.drop(at.ws, line, span.claims)
    after = {**(before or {}), "status": "retracted", "valid_to": shown.time(at.ws.now)}
    return OperationResult("retract_attribute", before, after)


async def _in_slot(at: Applying, slot: NewAttribute) -> tuple[Line, Span]:
    entity = at.entity(slot.entity)
    key = attributes.slot_of(entity.id, slot)
    await load_lines(at.tx, at.ws, [key])
    line = at.ws.lines.get(key)
    spans = line.spans if line is not None else ()
    wanted = canonical_name(slot.value)
    found = [span for span in spans if span.value_key == wanted]
    if line is None or not found:
        raise NotFound(f"the slot of {entity.name!r} never held {slot.value!r}, or no longer")
    return line, found[-1]


async def _by_id(at: Applying, attribute_id: str) -> tuple[Line, Span]:
    rows = await fetch(at.tx, _FIND, scope=at.scope, ids=[attribute_id])
    if not rows:
        raise NotFound(f"there is no attribute {attribute_id!r} in scope {at.scope!r}")
    if rows[0]["status"] == "retracted":
        raise Conflict(f"the attribute {attribute_id!r} was retracted already")
    await load_lines(at.tx, at.ws, [rows[0]["slot"]])
    line = at.ws.lines[rows[0]["slot"]]
    return line, next(span for span in line.spans if span.attribute_id == attribute_id)


async def unlink(at: Applying, operation: UnlinkMemory) -> OperationResult:
    """Take a mention away; name linking does not bring it back. Raises NotFound, Conflict."""
    ws, row = at.ws, at.memory(operation.memory_id)
    entity = at.entity(operation.entity)
    if entity.id not in row.mentions:
        raise NotFound(f"the memory {row.id!r} does not mention {entity.name!r}")
    await load_lines(at.tx, ws, row.slots)
    stated = [one for one in sorted(row.slots) if ws.lines[one].entity_id == entity.id]
    if stated:
        raise Conflict(
            f"the memory {row.id!r} states {ws.lines[stated[0]].aspect!r} of {entity.name!r}; "
            "retract that first"
        )
    for evidence in await load_evidence(at.tx, ws, [row.id]):
        if entity.id in evidence.key[:2]:
            raise Conflict(
                f"the memory {row.id!r} asserts a relation {evidence.key[2]} of {entity.name!r}; "
                "delete that first"
            )
    before = audit.mention_view(ws, entities.unmention(ws, row, entity.id))
    set_unlinked(at, row, [*(row.properties.get("unlinked") or ()), entity.id])
    return OperationResult("unlink_memory", before, None)


async def supersede(at: Applying, operation: SupersedeMemory) -> OperationResult:
    """Say that a memory replaces another. Raises NotFound, InvalidInput (itself), Conflict."""
    newer, older = at.memory(operation.memory_id), at.memory(operation.target_id)
    reason = operation.reason or at.reason
    view = audit.supersession_view(newer.id, older.id, reason)
    if older.id in newer.targets:
        return OperationResult("supersede_memory", view, view)
    await _write_edges(at)  # A cycle may run through edges of this very set.
    await supersession.require_no_cycle(at.tx, newer, older)
    supersession.supersede(at.ws, newer, older, reason)
    return OperationResult("supersede_memory", None, view)


async def retract_supersession(at: Applying, operation: RetractSupersession) -> OperationResult:
    """Take back that a memory replaces another. Raises NotFound, InvalidInput (itself)."""
    newer, older = at.memory(operation.memory_id), at.memory(operation.target_id)
    if newer.id == older.id:
        raise InvalidInput("target_id", f"a memory cannot replace itself ({older.id!r})")
    if older.id not in newer.targets:
        raise NotFound(f"{newer.id!r} does not replace {older.id!r}")
    await _write_edges(at)
    supersession.end(at.ws, newer, older, operation.reason or at.reason)
    return OperationResult(
        "retract_supersession", audit.supersession_view(newer.id, older.id, None), None
    )


async def _write_edges(at: Applying) -> None:
    for name in _EDGES:
        await write.write_rows(at.tx, at.ws, name)
