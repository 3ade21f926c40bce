"""The audit log: each write keeps who did what to the graph, why, and what it changed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
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
from service.ontology import shown
from service.ontology.entities import LINKER
from service.ontology.workspace import Workspace

_CAPTION = 60


@dataclass(slots=True)
class Touched:
    """The ids of what a write touched, each once."""

    memories: dict[str, None] = field(default_factory=dict[str, None])
    entities: dict[str, None] = field(default_factory=dict[str, None])

    def add(self, memories: Iterable[str] = (), entities: Iterable[str] = ()) -> None:
        """Add some more."""
        self.memories.update(dict.fromkeys(memories))
        self.entities.update(dict.fromkeys(entities))


def begin(
    ws: Workspace,
    operation_id: str,
    scope: str,
    actor: str,
    reason: str,
    evidence: Sequence[str],
    key: str | None = None,
    results: Sequence[OperationResult] = (),
) -> None:
    """Make a record; of an operation set before it is applied, so that claims can be tied to it."""
    ws.write(
        "operation/create",
        {
            "id": operation_id,
            "scope": scope,
            "actor": actor,
            "reason": reason,
            "evidence": list(evidence),
            "key": key,
            "applied_at": ws.now,
            **_done(results),
        },
    )


def complete(
    ws: Workspace, operation_id: str, results: Sequence[OperationResult], touched: Touched
) -> None:
    """Write into the record of a set what was done, and tie it to what it touched."""
    ws.write("operation/complete", {"id": operation_id, **_done(results)})
    _tie(ws, operation_id, touched)


def _done(results: Sequence[OperationResult]) -> dict[str, str]:
    return {
        "name": caption(results),
        "results": orjson.dumps([as_json(one) for one in results]).decode(),
    }


def _tie(ws: Workspace, operation_id: str, touched: Touched) -> None:
    ws.write(
        "operation/touch",
        {
            "id": operation_id,
            "memories": list(touched.memories),
            "entities": [one for one in touched.entities if one not in ws.removed_entities],
            "gone": [one for one in touched.entities if one in ws.removed_entities],
        },
    )


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
    mentions = [step for step in steps if isinstance(step, MentionStep)]
    others = [step for step in steps if not isinstance(step, MentionStep)]
    results = [*results_of(ws, others), *_links(ws, mentions)]
    if not results:
        return
    linked = not others and all(one.by == LINKER for one in mentions)
    begin(ws, operation_id, scope, LINKER if linked else actor, reason, (), results=results)
    touched = _told_of(steps)
    touched.add(memories=quoted_by(results))
    _tie(ws, operation_id, touched)


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
                yield _switched("upsert_alias", "delete_alias", view, added=added)
            case TypeStep(entity_id, before):
                after = shown.entity(ws.entity(entity_id))
                earlier = None if after is None else {**after, "type": before}
                yield OperationResult("upsert_entity", earlier, after)
            case RefusedTypeStep(entity_id):
                view = shown.entity(ws.entity(entity_id))
                yield OperationResult("upsert_entity", view, view, refused_type(step))
            case MentionStep():
                view = mention_view(ws, step)
                yield _switched("link_memory", "unlink_memory", view, added=step.added)
            case EvidenceStep():
                view = _evidence_view(ws, step)
                yield _switched("upsert_relation", "delete_relation", view, added=step.added)
            case ClaimStep():
                yield _claimed(ws, step) if step.added else _withdrawn(ws, step)
            case SupersessionStep():
                view = supersession_view(step.memory_id, step.target_id, step.reason)
                yield _switched("supersede_memory", "retract_supersession", view, added=step.added)
            case AspectStep():
                continue  # It comes, and goes, with what is claimed under it.


def touched_by(steps: Iterable[Step]) -> Touched:
    """Return the entities and memories that steps changed."""
    touched = Touched()
    for step in steps:
        match step:
            case MentionStep(memory_id, entity_id):
                touched.add(memories=(memory_id,), entities=(entity_id,))
            case EvidenceStep(author_id, from_operation, source_id, target_id):
                authors = () if from_operation else (author_id,)
                touched.add(memories=authors, entities=(source_id, target_id))
            case ClaimStep():
                authors = () if step.from_operation else (step.memory_id,)
                touched.add(memories=authors, entities=(step.entity_id,))
            case SupersessionStep(memory_id, target_id):
                touched.add(memories=(memory_id, target_id))
            case _:
                touched.add(entities=(step.entity_id,))
    return touched


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


def _switched(on: str, off: str, view: dict[str, Any], *, added: bool) -> OperationResult:
    """Return that something came, by the one operation, or went by the other."""
    if added:
        return OperationResult(on, None, view)
    return OperationResult(off, view, None)


def _links(ws: Workspace, steps: Iterable[MentionStep]) -> Iterator[OperationResult]:
    """Yield one result for all links of a memory: their details stand on the links themselves."""
    by_memory: dict[tuple[str, bool], list[MentionStep]] = {}
    for step in steps:
        by_memory.setdefault((step.memory_id, step.added), []).append(step)
    for (memory_id, added), links in by_memory.items():
        view = {
            "memory_id": memory_id,
            "entities": [{**shown.named(ws, one.entity_id), "actor": one.by} for one in links],
        }
        yield _switched("link_memory", "unlink_memory", view, added=added)


def _evidence_view(ws: Workspace, step: EvidenceStep) -> dict[str, Any]:
    """The relation as it is by now, with the author whose evidence came or went."""
    relation = shown.relation(ws, (step.source_id, step.target_id, step.type)) or {
        "source": shown.named(ws, step.source_id),
        "target": shown.named(ws, step.target_id),
        "type": step.given,
        "mentions": 0,
        "confidence": step.confidence,
    }
    return {**relation, "memory_ids": [] if step.from_operation else [step.author_id]}


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
    """A claim of one memory; what it replaced is named by its id: that is another memory's word."""
    line = ws.lines.get(step.slot)
    spans = line.spans if line is not None else ()
    at = next(
        (
            at
            for at, span in enumerate(spans)
            if any(one.memory_id == step.memory_id and one.at == step.at for one in span.claims)
        ),
        None,
    )
    if line is None or at is None:
        return OperationResult("set_attribute", None, None)
    replaced = at > 0 and spans[at - 1].replaced_by is not None
    authors = [] if step.from_operation else [step.memory_id]
    return OperationResult(
        "set_attribute",
        {"id": spans[at - 1].attribute_id} if replaced else None,
        {**(shown.attribute(ws, line, spans[at]) or {}), "memory_ids": authors},
    )


def _told_of(steps: Iterable[Step]) -> Touched:
    """Return what a caller's write touched; what a memory merely names is found through it."""
    listed = list(steps)
    touched = touched_by(step for step in listed if not isinstance(step, MentionStep))
    touched.add(memories=[one.memory_id for one in listed if isinstance(one, MentionStep)])
    return touched
