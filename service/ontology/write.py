"""Writing a workspace: everything it decided, in batched statements, in one transaction."""

from typing import Any, LiteralString

from service.domain.attribute import AttributeStatus, Cardinality
from service.domain.errors import GraphFailed
from service.domain.journal import EntityStep
from service.domain.names import digest
from service.domain.slots import Claim, Span
from service.ontology.workspace import Line, Workspace
from service.stores.neo4j.driver import Transaction, fetch
from service.stores.neo4j.records import as_text
from service.stores.neo4j.statements import statement

_ROWS: dict[str, LiteralString] = {
    name: statement(name)
    for name in (
        "operation/create",
        "memory/keep_statements",
        "attribute/keep_statement",
        "entity/create",
        "entity/revive",
        "entity/set_type",
        "entity/pin",
        "memory/create",
        "memory/revise",
        "memory/set_embedding",
        "hint/replace",
        "hint/add",
        "memory/unmention",
        "memory/mention",
        "memory/claim_mention",
        "aspect/create",
        "attribute/untie",
        "attribute/unstate",
        "attribute/unstate_by_operation",
        "attribute/vacate",
        "attribute/retract",
        "attribute/move",
        "attribute/update",
        "attribute/create",
        "attribute/state",
        "attribute/state_by_operation",
        "attribute/tie",
        "relation/unassert",
        "relation/assert",
        "relation/assert_by_operation",
        "relation/create",
        "relation/update",
        "supersession/end",
        "supersession/create",
        "conversation/unchain",
        "conversation/chain",
        "memory/settle",
        "memory/retire",
        "memory/erase",
        "aspect/remove",
        "entity/retire",
        "entity/rename",
        "job/create",
        "operation/complete",
        "operation/undo",
        "operation/keep_journal",
        "operation/redact",
        "operation/remove",
        "idempotency/keep",
    )
}
"""Statements that take `$rows`, in the order in which they are written."""

_TIMELESS = frozenset(
    {"memory/mention", "memory/unmention", "relation/assert", "hint/add", "memory/settle"}
)
"""Statements with many rows that hold no time."""

_REGISTER_TYPES = statement("relation/register_types")
_REMOVE_RELATIONS = statement("relation/remove")
_REMOVE_ATTRIBUTES = statement("attribute/remove")
_COUNT_MENTIONS = statement("entity/count_mentions")
_REMOVE_ORPHANS = statement("entity/remove_orphans")
_TOUCH = statement("operation/touch")
_ADVANCE = statement("counter/advance")


async def flush(tx: Transaction, ws: Workspace) -> None:
    """Write what the workspace decided, and drop what it had loaded."""
    if ws.affected:
        raise RuntimeError(f"memories that nobody judged: {sorted(ws.affected)}")
    _complete_memories(ws)
    removed_attributes = [
        gone for line in ws.lines.values() if line.changed for gone in _write_line(ws, line)
    ]
    removed_relations = _write_relations(ws)
    types = [row["name"] for row in ws.pending.pop("relation/register_types", [])]
    if types:
        await fetch(tx, _REGISTER_TYPES, names=types)
    touched = ws.pending.pop("operation/touch", [])
    for name in _ROWS:
        await write_rows(tx, ws, name)
    if touched:
        await fetch(tx, _TOUCH, rows=touched)
    if ws.pending:
        raise RuntimeError(f"rows for statements that nobody writes: {sorted(ws.pending)}")
    if removed_attributes:
        await fetch(tx, _REMOVE_ATTRIBUTES, ids=removed_attributes)
    if removed_relations:
        await fetch(tx, _REMOVE_RELATIONS, ids=removed_relations)
    await _write_mentions(tx, ws)
    ws.forget_loaded()


async def write_rows(tx: Transaction, ws: Workspace, name: str) -> None:
    """Write the rows of one statement ahead of the rest."""
    rows = ws.pending.pop(name, None)
    if rows:
        _all_written(name, rows, await fetch(tx, _ROWS[name], rows=_sent(name, rows)))


def _all_written(name: str, rows: list[dict[str, Any]], answer: list[dict[str, Any]]) -> None:
    """Fail the transaction when a row found nothing to write to: nothing is dropped in silence."""
    written = answer[0]["written"]
    if written != len(rows):
        raise GraphFailed(f"{name} wrote {written} of {len(rows)} rows; nothing was changed")


def _sent(name: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return rows if name in _TIMELESS else as_text(rows)


async def advance(tx: Transaction, ws: Workspace) -> None:
    """Move the store's counters to where the workspace took them."""
    await fetch(tx, _ADVANCE, revision=ws.revision, ordinal=ws.ordinal)


def _complete_memories(ws: Workspace) -> None:
    for row in ws.pending.get("memory/create", []):
        memory = ws.memories[row["id"]]
        row["properties"] = {
            **memory.properties,
            "superseded": memory.superseded,
            "content_key": memory.key,
        }
    for memory in ws.memories.values():
        if memory.changed and not memory.is_new:
            ws.write(
                "memory/settle",
                {
                    "id": memory.id,
                    "superseded": memory.superseded,
                    "content_key": memory.key,
                    "revision": memory.properties["revision"],
                },
            )


async def _write_mentions(tx: Transaction, ws: Workspace) -> None:
    moved = {entity_id: delta for entity_id, delta in ws.deltas.items() if delta}
    if moved:
        revision = ws.next_revision()
        rows = [
            {"id": entity_id, "delta": delta, "revision": revision, "updated_at": ws.now}
            for entity_id, delta in moved.items()
        ]
        _all_written(
            "entity/count_mentions", rows, await fetch(tx, _COUNT_MENTIONS, rows=as_text(rows))
        )
    left = [entity_id for entity_id, delta in moved.items() if delta < 0] + ws.unmentioned
    if left:
        removed = await fetch(tx, _REMOVE_ORPHANS, ids=left, revision=ws.next_revision())
        for record in removed:
            _note_removed(ws, record["id"])


def _note_removed(ws: Workspace, entity_id: str) -> None:
    entity = ws.entity(entity_id)
    ws.removed_entities.add(entity_id)
    if entity is not None:
        ws.named[entity.scope, entity.canonical_name] = None
        ws.journal.append(EntityStep(entity_id, entity.name, entity.entity_type, False))


def _write_line(ws: Workspace, line: Line) -> list[str]:
    """Compare a line with what is stored; returns the attributes that are no longer in it."""
    wanted_ties = {
        (span.replaced_by, span.attribute_id) for span in line.spans if span.replaced_by is not None
    }
    wanted_claims = {
        (claim.memory_id, span.attribute_id, claim.at): claim
        for span in line.spans
        for claim in span.claims
    }
    for new, old in line.ties - wanted_ties:
        ws.write("attribute/untie", {"new_id": new, "old_id": old})
    for key in line.stored_claims.keys() - wanted_claims.keys():
        memory_id, attribute_id, at = key
        by_operation = line.stored_claims[key].from_operation
        ws.write(
            "attribute/unstate_by_operation" if by_operation else "attribute/unstate",
            {"memory_id": memory_id, "attribute_id": attribute_id, "at": at},
        )
    gone = sorted(line.stored.keys() - {span.attribute_id for span in line.spans})
    for attribute_id in gone:
        ws.write("attribute/vacate", {"id": attribute_id})
    active_last = sorted(line.spans, key=lambda span: span.status is AttributeStatus.ACTIVE)
    for span in active_last:
        written = _attribute(ws, line, span)
        if span.attribute_id not in line.stored:
            ws.write(
                "attribute/create",
                {
                    "aspect_id": line.aspect_id,
                    "properties": {**written, "id": span.attribute_id, "created_at": ws.now},
                },
            )
            continue
        stored = line.stored[span.attribute_id]
        if stored["aspect_id"] != line.aspect_id:
            ws.write("attribute/move", _place(span.attribute_id, line))
        if any(stored.get(key) != value for key, value in written.items()):
            ws.write("attribute/update", {"id": span.attribute_id, "properties": written})
    for key, claim in wanted_claims.items():
        if line.stored_claims.get(key) != claim:
            memory_id, attribute_id, _ = key
            ws.write(
                "attribute/state_by_operation" if claim.from_operation else "attribute/state",
                {
                    "memory_id": memory_id,
                    "attribute_id": attribute_id,
                    "claim": _claim(claim),
                },
            )
    for new, old in wanted_ties - line.ties:
        ws.write(
            "attribute/tie",
            {
                "new_id": new,
                "old_id": old,
                "reason": ws.reason or "newer value",
                "operation": ws.operation_id,
                "created_at": ws.now,
            },
        )
    return [attribute_id for attribute_id in gone if not _retract(ws, line, attribute_id)]


def _place(attribute_id: str, line: Line) -> dict[str, Any]:
    return {
        "id": attribute_id,
        "entity_id": line.entity_id,
        "aspect_id": line.aspect_id,
        "slot": line.slot,
    }


def _retract(ws: Workspace, line: Line, attribute_id: str) -> bool:
    """Keep an attribute that was taken back, or that only memories being deleted stated."""
    if attribute_id in ws.retracted:
        ws.write("attribute/keep_statement", {"id": attribute_id})
        ws.write("attribute/retract", {"id": attribute_id, "valid_to": ws.now})
        return True
    claimants = {memory_id for memory_id, stated, _ in line.stored_claims if stated == attribute_id}
    if not claimants or not claimants <= ws.retiring:
        return False
    ws.write("attribute/retract", {"id": attribute_id, "valid_to": ws.now})
    return True


def _attribute(ws: Workspace, line: Line, span: Span) -> dict[str, Any]:
    entity = ws.entity(line.entity_id)
    active = span.status is AttributeStatus.ACTIVE
    place = line.slot
    if line.cardinality is Cardinality.MANY:
        place += ":" + digest(span.value_key)
    return {
        "scope": entity.scope if entity else None,
        "entity_id": line.entity_id,
        "aspect_id": line.aspect_id,
        "aspect": line.aspect,
        "slot": line.slot,
        "active_slot": place if active else None,
        "group_key": line.group_key,
        "claim_key": line.claim_key,
        "cardinality": line.cardinality.value,
        "name": span.value if len(span.value) <= 60 else span.value[:59] + "…",
        "value": span.value,
        "kind": span.kind.value,
        "status": span.status.value,
        "confidence": span.confidence,
        "importance": span.importance,
        "valid_from": span.valid_from,
        "valid_to": span.valid_to,
    }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "value": claim.value,
        "at": claim.at,
        "until": claim.until,
        "kind": claim.kind.value,
        "confidence": claim.confidence,
        "importance": claim.importance,
    }


def _write_relations(ws: Workspace) -> list[str]:
    """Compare relations with what is stored; returns those without evidence left."""
    removed: list[str] = []
    for (source_id, target_id, name), relation in ws.relations.items():
        if not relation.changed:
            continue
        if relation.mentions <= 0:
            removed += [relation.id] if relation.id else []
        elif relation.id is not None:
            ws.write(
                "relation/update",
                {
                    "id": relation.id,
                    "mentions": relation.mentions,
                    "confidence_sum": relation.confidence_sum,
                },
            )
        else:
            ws.write(
                "relation/create",
                {
                    "source_id": source_id,
                    "target_id": target_id,
                    "type": name,
                    "properties": {
                        "relation_type": relation.given,
                        "strength": 1.0,
                        "mentions": relation.mentions,
                        "confidence_sum": relation.confidence_sum,
                        "confidence": relation.confidence_sum / relation.mentions,
                        "created_at": ws.now,
                    },
                },
            )
    return removed
