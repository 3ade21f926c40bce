"""The structure that a memory may bring: entities, relations and attributes."""

from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from service.api.schemas.fields import Body, Name, Ref, Share, Time, Value
from service.domain.attribute import AttributeKind, Cardinality
from service.domain.memory import EntityRef, NewAttribute, NewMention, NewRelation

_KindOf = Annotated[AttributeKind, Field(strict=False)]
_CardinalityOf = Annotated[Cardinality, Field(strict=False)]


class MentionRequest(Body):
    """An entity that the memory names: by name (made when unknown), or by id."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["name"]}, {"required": ["id"]}]}
    )

    name: Name = ""
    id: Name = ""
    type: Name | None = None
    mention_text: Name | None = None
    confidence: Share = 1.0

    @model_validator(mode="after")
    def _named_once(self) -> Self:
        if len(self.model_fields_set & {"name", "id"}) != 1:
            raise PydanticCustomError("entity", "needs either a name or an id")
        return self

    def to_domain(self) -> NewMention:
        """Return the mention as the use case takes it."""
        by_name = "name" in self.model_fields_set
        ref = EntityRef(name=self.name) if by_name else EntityRef(id=self.id)
        return NewMention(ref, self.type, self.mention_text, self.confidence)


class RelationRequest(Body):
    """A relation that the memory asserts, in the spelling given."""

    source: Ref
    target: Ref
    type: Name
    confidence: Share = 1.0

    def to_domain(self) -> NewRelation:
        """Return the relation as the use case takes it."""
        return NewRelation(self.source, self.target, self.type, self.confidence)


class AttributeRequest(Body):
    """A claim that the memory states; aspect, group key and claim key name its slot."""

    entity: Ref
    aspect: Name
    value: Value
    group_key: Name | None = None
    claim_key: Name | None = None
    kind: _KindOf = AttributeKind.ATTRIBUTE
    cardinality: _CardinalityOf | None = None
    confidence: Share = 1.0
    importance: Share = 0.5
    valid_from: Time | None = None
    valid_to: Time | None = None

    def to_domain(self) -> NewAttribute:
        """Return the attribute as the use case takes it."""
        return NewAttribute(
            entity=self.entity,
            aspect=self.aspect,
            value=self.value,
            group_key=self.group_key,
            claim_key=self.claim_key,
            kind=self.kind,
            cardinality=self.cardinality,
            confidence=self.confidence,
            importance=self.importance,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
        )
