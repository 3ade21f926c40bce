"""Elements of the graph as audit records show them: plain JSON, as a transaction sees them."""

from datetime import UTC, datetime
from typing import Any

from service.domain.entity import Entity
from service.domain.slots import Claim, Span
from service.ontology.workspace import Line, RelationKey, Workspace

SHOWN_MEMORIES = 1_000
"""The most memories that a record names for one attribute."""


def time(moment: datetime | None) -> str | None:
    """Return a moment as RFC 3339 in UTC."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def entity(found: Entity | None) -> dict[str, Any] | None:
    """Return an entity with its names, type and number of mentions."""
    if found is None:
        return None
    return {
        "id": found.id,
        "name": found.name,
        "type": found.entity_type,
        "aliases": list(found.aliases),
        "mentions": found.mentions,
    }


def relation(ws: Workspace, key: RelationKey) -> dict[str, Any] | None:
    """Return a relation with its running average; None where nothing says it."""
    found = ws.relations.get(key)
    if found is None or found.mentions <= 0:
        return None
    return {
        "source": named(ws, key[0]),
        "target": named(ws, key[1]),
        "type": found.given,
        "mentions": found.mentions,
        "confidence": found.confidence_sum / found.mentions,
    }


def attribute(ws: Workspace, line: Line, span: Span | None) -> dict[str, Any] | None:
    """Return an attribute with its slot, its standing and the memories that state it."""
    if span is None:
        return None
    found = ws.entity(line.entity_id)
    stated_by = [claim.memory_id for claim in span.claims if not claim.from_operation]
    return {
        "id": span.attribute_id,
        "entity_id": line.entity_id,
        "entity": found.name if found else None,
        "aspect": line.aspect,
        "group_key": line.group_key,
        "claim_key": line.claim_key,
        "value": span.value,
        "kind": span.kind.value,
        "cardinality": line.cardinality.value,
        "status": span.status.value,
        "confidence": span.confidence,
        "importance": span.importance,
        "valid_from": time(span.valid_from),
        "valid_to": time(span.valid_to),
        "memory_ids": list(dict.fromkeys(stated_by))[:SHOWN_MEMORIES],
    }


def span_of(line: Line, claim: Claim) -> Span | None:
    """Return the attribute of a line that carries a claim."""
    for span in line.spans:
        if span.value_key == claim.value_key and any(
            one.memory_id == claim.memory_id and one.at == claim.at for one in span.claims
        ):
            return span
    # The author said so before: the claim was not added.
    return next((span for span in line.spans[::-1] if span.value_key == claim.value_key), None)


def named(ws: Workspace, entity_id: str) -> dict[str, Any]:
    """Return an entity's id with its name."""
    found = ws.entity(entity_id)
    return {"id": entity_id, "name": found.name if found else None}
