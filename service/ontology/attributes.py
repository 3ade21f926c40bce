"""Rules of attributes: claims go into slots, lines are derived again, memories are judged."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from service.domain.attribute import AttributeStatus, Cardinality
from service.domain.entity import Entity
from service.domain.journal import AspectStep, ClaimStep
from service.domain.memory import Contradiction, NewAttribute, SupersededAttribute
from service.domain.names import canonical_name, slot_key
from service.domain.slots import Claim, Span, constraint_in_the_way, derive, merged
from service.ontology.workspace import Line, MemoryRow, Workspace, new_id

_REPEATS = 100
"""Of what one memory says again with nothing in between, so many times are kept."""


def state(
    ws: Workspace,
    memory: MemoryRow | None,
    entity: Entity,
    attribute: NewAttribute,
    claim: Claim,
    *,
    dated: bool,
    explicit: bool = False,
) -> Contradiction | list[SupersededAttribute]:
    """Put a claim of a memory, or of an operation set (None), into its slot; what it replaced.

    A claim that would end a constraint changes nothing and is answered by the contradiction,
    unless it is `explicit`. What the memory says already changes nothing either, unless it is
    `dated` to another time: then the value held at that time too.
    """
    line = line_of(ws, entity, attribute)
    if attribute.cardinality is Cardinality.MANY and line.cardinality is Cardinality.ONE:
        line.cardinality = Cardinality.MANY
        line.changed = True
    if line.cardinality is Cardinality.ONE and not explicit:
        constraint = constraint_in_the_way(line.spans, claim)
        if constraint is not None:
            return _contradiction(ws, line, constraint, claim)
    if _add(line, claim, dated):
        ws.journal.append(step(line, claim, added=True))
        if memory is not None:
            ws.stir(memory)
    return rederive(ws, line) if line.changed else []


def move(
    ws: Workspace, line: Line, is_moved: Callable[[Claim], bool], at: datetime
) -> list[Contradiction]:
    """Give claims of a line another time, and decide the slot again.

    A claim that would end a constraint there stays where it is, and is told as a contradiction.
    """
    contradictions: list[Contradiction] = []
    claims: list[Claim] = []
    for claim in line.claims:
        moved = replace(claim, at=at) if is_moved(claim) else claim
        if moved is not claim and line.cardinality is Cardinality.ONE:
            constraint = constraint_in_the_way(line.spans, moved)
            if constraint is not None:
                contradictions.append(_contradiction(ws, line, constraint, moved))
                moved = claim
        claims.append(moved)
    line.claims = _without_doubles(claims)
    rederive(ws, line)
    return contradictions


def withdraw(ws: Workspace, memory_id: str, line: Line) -> None:
    """Take everything that a memory claims about a slot away, and decide the slot again."""
    drop(ws, line, [claim for claim in line.claims if claim.memory_id == memory_id])


def drop(ws: Workspace, line: Line, claims: Sequence[Claim]) -> None:
    """Take claims out of their slot, and decide it again."""
    gone = {id(claim) for claim in claims}
    line.claims = [claim for claim in line.claims if id(claim) not in gone]
    ws.journal += [
        step(line, claim, added=False, retracted=claim.attribute_id in ws.retracted)
        for claim in claims
    ]
    rederive(ws, line)


def step(line: Line, claim: Claim, *, added: bool, retracted: bool = False) -> ClaimStep:
    """Return what the journal notes of a claim that comes or goes."""
    return ClaimStep(
        slot=line.slot,
        entity_id=line.entity_id,
        aspect=line.aspect,
        group_key=line.group_key,
        claim_key=line.claim_key,
        cardinality=line.cardinality,
        memory_id=claim.memory_id,
        from_operation=claim.from_operation,
        value=claim.value,
        at=claim.at,
        until=claim.until,
        claim_kind=claim.kind,
        confidence=claim.confidence,
        importance=claim.importance,
        attribute_id=claim.attribute_id,
        added=added,
        retracted=retracted,
    )


def rederive(ws: Workspace, line: Line) -> list[SupersededAttribute]:
    """Derive a line from its claims; returns the attributes that stopped being active."""
    before = {span.attribute_id: span for span in line.spans}
    line.spans = tuple(
        replace(span, claims=_bounded(span.claims))
        for span in derive(line.claims, line.cardinality, new_id)
    )
    after = {span.attribute_id: span for span in line.spans}
    line.claims = [
        replace(claim, attribute_id=span.attribute_id)
        for span in line.spans
        for claim in span.claims
    ]
    line.changed = True
    for span in before.values():
        now = after.get(span.attribute_id)
        differs = now is None or _differs(now, span)
        for claim in span.claims:
            row = ws.memories.get(claim.memory_id)
            if row is not None:
                row.statements.pop(span.attribute_id, None)
            if differs:
                _stir(ws, line, claim, row)
    for span in after.values():
        for claim in span.claims:
            row = ws.memories.get(claim.memory_id)
            if row is not None:
                row.statements[span.attribute_id] = span.status
            if span.attribute_id not in before:
                _stir(ws, line, claim, row)
    return [
        SupersededAttribute(span.attribute_id, span.replaced_by)
        for span in line.spans
        if span.replaced_by is not None
        and span.attribute_id in before
        and before[span.attribute_id].status is AttributeStatus.ACTIVE
    ]


def _stir(ws: Workspace, line: Line, claim: Claim, row: MemoryRow | None) -> None:
    """Mark the memory behind a claim as changed, or as one to load for that."""
    if row is not None:
        ws.stir(row)
    elif not claim.from_operation:
        ws.affected.setdefault(claim.memory_id, set()).add(line.slot)


def slot_of(entity_id: str, attribute: NewAttribute) -> str:
    """Return the key of the slot that an attribute belongs to."""
    return slot_key(
        entity_id, attribute.aspect, attribute.group_key, attribute.claim_key, attribute.value
    )


def _contradiction(ws: Workspace, line: Line, constraint: Span, claim: Claim) -> Contradiction:
    entity = ws.entity(line.entity_id)
    return Contradiction(
        kind="constraint",
        attribute_id=constraint.attribute_id,
        entity=entity.name if entity else line.entity_id,
        aspect=line.aspect,
        group_key=line.group_key,
        claim_key=line.claim_key,
        value=constraint.value,
        proposed=claim.value,
    )


def line_of(ws: Workspace, entity: Entity, attribute: NewAttribute) -> Line:
    """Return the line of an attribute's slot, which must have been loaded; a new one if none is."""
    slot = slot_of(entity.id, attribute)
    line = ws.lines.get(slot)
    if line is None:
        line = Line(
            slot=slot,
            entity_id=entity.id,
            aspect_id=aspect_of(ws, entity, attribute.aspect),
            aspect=attribute.aspect,
            group_key=attribute.group_key,
            claim_key=attribute.claim_key,
            cardinality=Cardinality.ONE,
            claims=[],
            stored={},
            stored_claims={},
            ties=set(),
        )
        ws.lines[slot] = line
    return line


def aspect_of(
    ws: Workspace, entity: Entity, name: str, weight: float = 0.5, aspect_id: str | None = None
) -> str:
    """Return the id of an entity's aspect, which must have been loaded; made now if none is."""
    key = (entity.id, canonical_name(name))
    if key not in ws.aspects:
        ws.aspects[key] = aspect_id or new_id()
        ws.journal.append(AspectStep(entity.id, ws.aspects[key], name, weight, True))
        ws.write(
            "aspect/create",
            {
                "id": ws.aspects[key],
                "scope": entity.scope,
                "entity_id": entity.id,
                "key": key[1],
                "name": name,
                "weight": weight,
                "created_at": ws.now,
                "updated_at": ws.now,
            },
        )
    return ws.aspects[key]


def _add(line: Line, claim: Claim, dated: bool) -> bool:
    """Add a claim to its line; tell whether that says anything new."""
    for at, known in enumerate(line.claims):
        same = known.memory_id == claim.memory_id and known.value_key == claim.value_key
        if not same or (dated and known.at != claim.at):
            continue
        both = merged(known, claim)
        if both == known:
            return False
        line.claims[at] = both
        line.changed = True
        return True
    line.claims.append(claim)
    line.changed = True
    return True


def _without_doubles(claims: Sequence[Claim]) -> list[Claim]:
    """Make one of what a memory claims of a value at one moment."""
    kept: dict[tuple[str, str, datetime], Claim] = {}
    for claim in claims:
        key = (claim.memory_id, claim.value_key, claim.at)
        kept[key] = merged(kept[key], claim) if key in kept else claim
    return list(kept.values())


def _bounded(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Leave out what a memory said again and again, long ago: its first time and its last stay.

    Each of them counts if another value turns out to have been there in between; but what is
    repeated every minute must not grow for ever.
    """
    if len(claims) <= _REPEATS:
        return tuple(claims)
    said = Counter(claim.memory_id for claim in claims)
    kept: list[Claim] = []
    first: set[str] = set()
    for claim in claims:
        if claim.memory_id not in first or said[claim.memory_id] < _REPEATS:
            kept.append(claim)
        first.add(claim.memory_id)
        said[claim.memory_id] -= 1
    return tuple(kept)


def _differs(one: Span, other: Span) -> bool:
    return (one.status, one.valid_from, one.valid_to) != (
        other.status,
        other.valid_from,
        other.valid_to,
    )
