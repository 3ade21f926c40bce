"""What the routes of operations take and answer."""

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from service.api.schemas.fields import (
    Answer,
    Body,
    Name,
    PageParameters,
    Ref,
    Scope,
    Share,
    Time,
    UtcTime,
    Value,
    Word,
    at_most,
)
from service.api.schemas.structure import AttributeRequest, RelationRequest
from service.domain import operation as domain
from service.domain.memory import NewAttribute


class UpsertEntityRequest(Body):
    """Make an entity, or give the one of this name its first type."""

    op: Literal["upsert_entity"]
    name: Name
    type: Name | None = None

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        return domain.UpsertEntity(self.name, self.type)


class RenameEntityRequest(Body):
    """Give an entity another name; the old one stays as an alias."""

    op: Literal["rename_entity"]
    entity: Ref
    name: Name
    keep_alias: bool = True

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        return domain.RenameEntity(self.entity, self.name, self.keep_alias)


class DeleteEntityRequest(Body):
    """Remove an entity with all that is said of it; the memories stay."""

    op: Literal["delete_entity"]
    entity: Ref

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        return domain.DeleteEntity(self.entity)


class MergeEntitiesRequest(Body):
    """Make two entities one: the source goes, and its name stays as an alias of the target."""

    op: Literal["merge_entities"]
    source: Ref
    target: Ref

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        return domain.MergeEntities(self.source, self.target)


class UpsertAliasRequest(Body):
    """Let another name resolve to an entity."""

    op: Literal["upsert_alias"]
    entity: Ref
    name: Name

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        return domain.UpsertAlias(self.entity, self.name)


class DeleteAliasRequest(Body):
    """Take another name from an entity."""

    op: Literal["delete_alias"]
    entity: Ref
    name: Name

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        return domain.DeleteAlias(self.entity, self.name)


class UpsertRelationRequest(RelationRequest):
    """Add evidence for a relation, which is made when it is new."""

    op: Literal["upsert_relation"]

    def to_domain(self) -> domain.Operation:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the operation as the use case takes it."""
        return domain.UpsertRelation(super().to_domain())


class DeleteRelationRequest(Body):
    """Remove a relation with all its evidence."""

    op: Literal["delete_relation"]
    source: Ref
    target: Ref
    type: Name

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        return domain.DeleteRelation(self.source, self.target, self.type)


class UpsertAspectRequest(Body):
    """Make an aspect of an entity."""

    op: Literal["upsert_aspect"]
    entity: Ref
    aspect: Name

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        return domain.UpsertAspect(self.entity, self.aspect)


class DeleteAspectRequest(Body):
    """Remove an aspect with all that is claimed under it."""

    op: Literal["delete_aspect"]
    entity: Ref
    aspect: Name

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        return domain.DeleteAspect(self.entity, self.aspect)


class SetAttributeRequest(AttributeRequest):
    """Claim a value for a slot; what that does to others there is decided by the slot's rule."""

    op: Literal["set_attribute"]

    def to_domain(self) -> domain.Operation:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the operation as the use case takes it."""
        return domain.SetAttribute(super().to_domain())


class SupersedeClaimValueRequest(AttributeRequest):
    """Claim a value for a slot and end what holds there, a constraint too.

    Without a time it holds from now; without a kind it is of the kind of what it replaces.
    """

    op: Literal["supersede_claim_value"]

    def to_domain(self) -> domain.Operation:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the operation as the use case takes it."""
        return domain.SupersedeClaimValue(super().to_domain(), "kind" in self.model_fields_set)


class RetractAttributeRequest(Body):
    """Take a value back: by the attribute's id, or as the newest of this value in the slot."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": ["attribute_id"]},
                {"required": ["entity", "aspect", "value"]},
            ]
        }
    )

    op: Literal["retract_attribute"]
    attribute_id: Word | None = None
    entity: Ref | None = None
    aspect: Name | None = None
    group_key: Name | None = None
    claim_key: Name | None = None
    value: Value | None = None

    @model_validator(mode="after")
    def _meant_once(self) -> Self:
        slot = (self.entity, self.aspect, self.value, self.group_key, self.claim_key)
        if self.attribute_id is not None and any(one is not None for one in slot):
            raise PydanticCustomError("slot", "needs attribute_id or the slot, not both")
        if self.attribute_id is None and any(one is None for one in slot[:3]):
            raise PydanticCustomError("slot", "needs attribute_id, or entity, aspect and value")
        return self

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        if self.entity is None or self.aspect is None or self.value is None:
            return domain.RetractAttribute(attribute_id=self.attribute_id)
        slot = NewAttribute(self.entity, self.aspect, self.value, self.group_key, self.claim_key)
        return domain.RetractAttribute(slot=slot)


class LinkMemoryRequest(Body):
    """Say that a memory mentions an entity."""

    op: Literal["link_memory"]
    memory_id: Word
    entity: Ref
    mention_text: Name | None = None
    confidence: Share = 1.0

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        return domain.LinkMemory(self.memory_id, self.entity, self.mention_text, self.confidence)


class UnlinkMemoryRequest(Body):
    """Say that a memory does not mention an entity; name linking keeps to it."""

    op: Literal["unlink_memory"]
    memory_id: Word
    entity: Ref

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        return domain.UnlinkMemory(self.memory_id, self.entity)


class SupersedeMemoryRequest(Body):
    """Say that a memory replaces another."""

    op: Literal["supersede_memory"]
    memory_id: Word
    target_id: Word
    reason: Name | None = None

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        return domain.SupersedeMemory(self.memory_id, self.target_id, self.reason)


class RetractSupersessionRequest(Body):
    """Take back that a memory replaces another."""

    op: Literal["retract_supersession"]
    memory_id: Word
    target_id: Word
    reason: Name | None = None

    def to_domain(self) -> domain.Operation:
        """Return the operation as the use case takes it."""
        return domain.RetractSupersession(self.memory_id, self.target_id, self.reason)


OperationRequest = Annotated[
    UpsertEntityRequest
    | RenameEntityRequest
    | DeleteEntityRequest
    | MergeEntitiesRequest
    | UpsertAliasRequest
    | DeleteAliasRequest
    | UpsertRelationRequest
    | DeleteRelationRequest
    | UpsertAspectRequest
    | DeleteAspectRequest
    | SetAttributeRequest
    | SupersedeClaimValueRequest
    | RetractAttributeRequest
    | LinkMemoryRequest
    | UnlinkMemoryRequest
    | SupersedeMemoryRequest
    | RetractSupersessionRequest,
    Field(discriminator="op"),
]

_EXAMPLE: dict[str, Any] = {
    "scope": "acme",
    "actor": "analyst@acme",
    "reason": "moved last week",
    "evidence": [],
    "dry_run": True,
    "operations": [
        {
            "op": "supersede_claim_value",
            "entity": "build cache",
            "aspect": "deployment",
            "group_key": "location",
            "claim_key": "host",
            "value": "birch",
        }
    ],
}


class OperationSetRequest(Body):
    """Operations that are applied together, in the order given, or not at all."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    scope: Scope | None = None
    actor: Name = Field(description="Who wants it, for the audit log.")
    reason: Value = Field(description="Why, for the audit log.")
    evidence: list[Word] = Field(
        default=[],
        description="Ids of memories of the scope that the operations rest on.",
        json_schema_extra=at_most(domain.SET_LIMIT),
    )
    dry_run: bool = Field(default=False, description="Show what would change, and change nothing.")
    operations: list[OperationRequest] = Field(
        json_schema_extra={"minItems": 1, **at_most(domain.SET_LIMIT)}
    )
    wait: bool | None = None

    def to_domain(self) -> domain.OperationSet:
        """Return the set as the use case takes it."""
        return domain.OperationSet(
            actor=self.actor,
            reason=self.reason,
            operations=[one.to_domain() for one in self.operations],
            evidence=tuple(dict.fromkeys(self.evidence)),
            dry_run=self.dry_run,
        )


class UndoRequest(Body):
    """Who takes an operation set back, and why."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"actor": "analyst@acme", "reason": "wrong host"}]}
    )

    scope: Scope | None = None
    actor: Name
    reason: Value
    dry_run: bool = False
    wait: bool | None = None


class OperationListParameters(PageParameters):
    """Filters of the audit log."""

    actor: Word | None = None
    entity: Word | None = Field(
        default=None, description="The name or the id of an entity; the id also of a deleted one."
    )
    since: Time | None = None
    until: Time | None = None


class OperationResultBody(Answer):
    """What one operation changed."""

    op: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    note: str | None = Field(
        default=None, description="What did not go as given, such as a second type of an entity."
    )


class AppliedBody(Answer):
    """A set that was applied, or of a dry run what it would do."""

    id: str
    scope: str
    actor: str
    reason: str
    evidence: list[str]
    applied_at: UtcTime
    dry_run: bool
    key: str | None = Field(description="The API key with which it came, by its name.")
    results: list[OperationResultBody]
    undoes: str | None = Field(description="The set that this one took back.")
    undone_by: str | None = Field(description="The set that took this one back.")


class OperationPageBody(Answer):
    """A page of the audit log."""

    items: list[AppliedBody]
    next_cursor: str | None
