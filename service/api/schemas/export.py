"""What the route of exports answers: a memory a line, in the shape in which it is remembered."""

from typing import Any, Self

from service.api.schemas.fields import Answer, UtcTime
from service.domain.attribute import AttributeKind, Cardinality
from service.domain.export import ExportedMemory


class ExportedEntityBody(Answer):
    """An entity that the memory names."""

    name: str
    type: str | None
    mention_text: str
    confidence: float


class ExportedRelationBody(Answer):
    """A relation that the memory asserts."""

    source: str
    target: str
    type: str
    confidence: float


class ExportedClaimBody(Answer):
    """What the memory states about a slot."""

    entity: str
    aspect: str
    group_key: str | None
    claim_key: str | None
    cardinality: Cardinality
    value: str
    kind: AttributeKind
    confidence: float
    importance: float
    valid_from: UtcTime
    valid_to: UtcTime | None


class ExportedMemoryBody(Answer):
    """One line of an export: the fields of a remember, and what the store knows beside them."""

    id: str
    scope: str
    content: str
    type: str
    created_at: UtcTime
    occurred_at: UtcTime | None
    updated_at: UtcTime
    session: str | None
    speaker: str | None
    source: str | None
    importance: float
    pinned: bool
    metadata: dict[str, Any]
    entities: list[ExportedEntityBody]
    relations: list[ExportedRelationBody]
    attributes: list[ExportedClaimBody]
    hints: list[str]
    supersedes: list[str]
    reasons: dict[str, str]
    """Why a memory of `supersedes` was replaced, where that was said."""
    superseded: bool

    @classmethod
    def of(cls, exported: ExportedMemory) -> Self:
        """Return the line of a memory."""
        memory = exported.memory
        kept = {name: getattr(memory, name) for name in cls.model_fields if hasattr(memory, name)}
        return cls.model_validate(
            {
                **kept,
                "entities": [
                    {
                        "name": entity.name,
                        "type": entity.entity_type,
                        "mention_text": entity.mention_text,
                        "confidence": entity.confidence,
                    }
                    for entity in exported.entities
                ],
                "relations": exported.relations,
                "attributes": exported.attributes,
                "hints": exported.hints,
                "supersedes": [one.memory_id for one in exported.supersedes],
                "reasons": {
                    one.memory_id: one.reason
                    for one in exported.supersedes
                    if one.reason is not None
                },
            }
        )

    def line(self) -> str:
        """Return the JSON of the memory, with the line break after it."""
        return self.model_dump_json() + "\n"
