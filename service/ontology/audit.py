"""The audit log: each write keeps who did what to the graph, why, and what it changed."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from service.domain.journal import (
    AliasStep,
    AspectStep,
    ClaimStep,
    EntityStep,
    EvidenceStep,
    MentionStep,
    NameStep,
    RefusedTypeStep,
    Step,
    SupersessionStep,
    TypeStep,
)
from service.domain.operation import OperationResult
from service.domain.slots import Span
from service.ontology import shown
from service.ontology.entities import LINKER
from service.ontology.workspace import Workspace

_CAPTION = 60


def begin(
    ws: Workspace, operation_id: str, scope: str, actor: str, reason: str, evidence: Sequence[str]
) -> None:
    """Make the record of an operation set, so that claims can be tied to it."""
    ws.write(
        "operation/create",
        {
            "id": operation_id,
            "scope": scope,
            "actor": actor,
            "reason": reason,
            "evidence": list(evidence),
            "applied_at": ws.now,
            "name": "operation set",
            "results": "[]",
        },
    )


def complete(
    ws: Workspace, operation_id: str, results: Sequence[OperationResult], touched: Iterable[str]
) -> None:
    """Write into a record what was done, and tie it to the entities and memories it touched."""
    ws.write(
        "operation/complete",
        {
            "id": operation_id,
            "name": caption(results),
            "results": orjson.dumps([as_json(one) for one in results]).decode(),
        },
    )
    ids = list(dict.fromkeys(touched))
    if ids:
        ws.write("operation/touch", {"id": operation_id, "ids": ids})


def caption(results: Sequence[OperationResult]) -> str:
    """Return what a record did in a few words, for the caption of its node."""
    text = ", ".join(dict.fromkeys(one.op for one in results)) or "nothing"
    return text if len(text) <= _CAPTION else text[: _CAPTION - 1] + "…"


def as_json(result: OperationResult) -> dict[str, Any]:
    """Return a result as the record keeps it."""
    kept: dict[str, Any] = {"op": result.op, "before": result.before, "after": result.after}
    if result.note is not None:
        kept["note"] = result.note
    return kept


def from_json(kept: dict[str, Any]) -> OperationResult:
    """Return a result from what the record keeps."""
    return OperationResult(kept["op"], kept["before"], kept["after"], kept.get("note"))


def record(
    ws: Workspace, operation_id: str, scope: str, actor: str, reason: str, steps: Sequence[Step]
) -> None:
    """Keep what a caller's remember, revision or link changed; nothing where it changed nothing.

    What only the name linking did is the linker's.
    """
    results = list(results_of(ws, steps))
    if not results:
        return
    linked = all(isinstance(one, MentionStep) and one.by == LINKER for one in steps)
    begin(ws, operation_id, scope, LINKER if linked else actor, reason, ())
    complete(ws, operation_id, results, (*_told_of(steps), *quoted_by(results)))


def results_of(ws: Workspace, steps: Iterable[Step]) -> Iterator[OperationResult]:
    """Yield the operations that a caller could have asked for instead, one for each step."""
    for step in steps:
        match step:
            case EntityStep(entity_id, name, entity_type, added):
                if added:
                    yield OperationResult("upsert_entity", None, shown.entity(ws.entity(entity_id)))
                else:
                    gone = {"id": entity_id, "name": name, "type": entity_type}
                    yield OperationResult("delete_entity", gone, None)
            case NameStep(entity_id, earlier, later):
                before, after = {"id": entity_id, "name": earlier}, {"id": entity_id, "name": later}
                yield OperationResult("rename_entity", before, after)
            case AliasStep(entity_id, name, added):
                view = {"entity": shown.named(ws, entity_id), "name": name}
                if added:
                    yield OperationResult("upsert_alias", None, view)
                else:
                    yield OperationResult("delete_alias", view, None)
            case TypeStep(entity_id, before):
                after = shown.entity(ws.entity(entity_id))
                earlier = None if after is None else {**after, "type": before}
                yield OperationResult("upsert_entity", earlier, after)
            case RefusedTypeStep(entity_id):
                view = shown.entity(ws.entity(entity_id))
                yield OperationResult("upsert_entity", view, view, refused_type(step))
            case MentionStep():
                view = mention_view(ws, step)
                if step.added:
                    yield OperationResult("link_memory", None, view)
                else:
                    yield OperationResult("unlink_memory", view, None)
            case EvidenceStep():
                view = _evidence_view(ws, step)
                if step.added:
                    yield OperationResult("upsert_relation", None, view)
                else:
                    yield OperationResult("delete_relation", view, None)
            case ClaimStep():
                yield _claimed(ws, step) if step.added else _withdrawn(ws, step)
            case SupersessionStep():
                view = supersession_view(step.memory_id, step.target_id, step.reason)
                if step.added:
                    yield OperationResult("supersede_memory", None, view)
                else:
                    yield OperationResult("retract_supersession", view, None)
            case AspectStep():
                continue  # It comes, and goes, with what is claimed under it.


def touched_by(steps: Iterable[Step]) -> Iterator[str]:
    """Yield the entities and memories that steps changed."""
    for step in steps:
        match step:
            case MentionStep(memory_id, entity_id):
                yield from (memory_id, entity_id)
            case EvidenceStep(author_id, from_operation, source_id, target_id):
                yield from (source_id, target_id)
                if not from_operation:
                    yield author_id
            case ClaimStep():
                yield step.entity_id
                if not step.from_operation:
                    yield step.memory_id
            case SupersessionStep(memory_id, target_id):
                yield from (memory_id, target_id)
            case _:
                yield step.entity_id


def quoted_by(results: Iterable[OperationResult]) -> Iterator[str]:
    """Yield the memories whose words results show."""
    for result in results:
        for view in (result.before, result.after):
            yield from (view or {}).get("memory_ids", ())


def refused_type(step: RefusedTypeStep) -> str:
    """Return what is said of an entity that was given a second type."""
    return f"the type {step.given!r} was given too; {step.kept!r}, the first one given, stays"


def mention_view(ws: Workspace, step: MentionStep) -> dict[str, Any]:
    """Return a link between a memory and an entity."""
    return {
        "memory_id": step.memory_id,
        "entity": shown.named(ws, step.entity_id),
        "mention_text": step.mention_text,
        "confidence": step.confidence,
        "actor": step.by,
    }


def supersession_view(memory_id: str, target_id: str, reason: str | None) -> dict[str, Any]:
    """Return a replacement of a memory by another."""
    return {"memory_id": memory_id, "target_id": target_id, "reason": reason}


def _evidence_view(ws: Workspace, step: EvidenceStep) -> dict[str, Any]:
    """One author's evidence, and what the relation is by now."""
    return {
        "source": shown.named(ws, step.source_id),
        "target": shown.named(ws, step.target_id),
        "type": step.given,
        "confidence": step.confidence,
        "memory_ids": [] if step.from_operation else [step.author_id],
        "relation": shown.relation(ws, (step.source_id, step.target_id, step.type)),
    }


def _withdrawn(ws: Workspace, step: ClaimStep) -> OperationResult:
    before = {
        "id": step.attribute_id,
        "entity_id": step.entity_id,
        "entity": shown.named(ws, step.entity_id)["name"],
        "aspect": step.aspect,
        "group_key": step.group_key,
        "claim_key": step.claim_key,
        "value": step.value,
        "valid_from": shown.time(step.at),
        "memory_ids": [] if step.from_operation else [step.memory_id],
    }
    return OperationResult("retract_attribute", before, None)


def _claimed(ws: Workspace, step: ClaimStep) -> OperationResult:
    line = ws.lines.get(step.slot)
    at = (
        next(
            (
                at
                for at, span in enumerate(line.spans)
                if any(one.memory_id == step.memory_id and one.at == step.at for one in span.claims)
            ),
            None,
        )
        if line is not None
        else None
    )
    if line is None or at is None:
        return OperationResult("set_attribute", None, None)
    before: Span | None = line.spans[at - 1] if at and line.spans[at - 1].replaced_by else None
    return OperationResult(
        "set_attribute",
        shown.attribute(ws, line, before),
        shown.attribute(ws, line, line.spans[at]),
    )


def _told_of(steps: Iterable[Step]) -> Iterator[str]:
    """Yield what a caller's write touched; what a memory merely names is found through it."""
    for step in steps:
        if isinstance(step, MentionStep):
            yield step.memory_id
        else:
            yield from touched_by([step])
