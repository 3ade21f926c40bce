"""Operations: what a caller may do to the graph, and what the audit log keeps of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from service.domain.errors import InvalidInput
from service.domain.limits import Limits, checked_count, checked_name, checked_text
from service.domain.memory import (
    EntityRef,
    NewAttribute,
    NewRelation,
    check_attribute,
    check_ref,
    check_relation,
)

View = Mapping[str, Any]
"""One element of the graph as an audit record shows it: plain JSON values, times as RFC 3339."""


@dataclass(frozen=True, slots=True)
class UpsertEntity:
    """Makes an entity, or gives the one of this name its first type."""

    name: str
    type: str | None = None


@dataclass(frozen=True, slots=True)
class RenameEntity:
    """Gives an entity another name; the old one stays as an alias unless `keep_alias` is false."""

    entity: EntityRef
    name: str
    keep_alias: bool = True


@dataclass(frozen=True, slots=True)
class DeleteEntity:
    """Removes an entity with all that is said of it; the memories stay."""

    entity: EntityRef


@dataclass(frozen=True, slots=True)
class MergeEntities:
    """Makes two entities one: `source` goes, and its name stays as an alias of `target`."""

    source: EntityRef
    target: EntityRef


@dataclass(frozen=True, slots=True)
class UpsertAlias:
    """Lets another name resolve to an entity."""

    entity: EntityRef
    name: str


@dataclass(frozen=True, slots=True)
class DeleteAlias:
    """Takes another name from an entity."""

    entity: EntityRef
    name: str


@dataclass(frozen=True, slots=True)
class UpsertRelation:
    """Adds evidence for a relation, which is made when it is new."""

    relation: NewRelation


@dataclass(frozen=True, slots=True)
class DeleteRelation:
    """Removes a relation with all its evidence."""

    source: EntityRef
    target: EntityRef
    type: str


@dataclass(frozen=True, slots=True)
class UpsertAspect:
    """Makes an aspect of an entity."""

    entity: EntityRef
    aspect: str


@dataclass(frozen=True, slots=True)
class DeleteAspect:
    """Removes an aspect with all that is claimed under it."""

    entity: EntityRef
    aspect: str


@dataclass(frozen=True, slots=True)
class SetAttribute:
    """Claims a value for a slot; what it does to others there is decided by the slot's rule."""

    attribute: NewAttribute


@dataclass(frozen=True, slots=True)
class SupersedeClaimValue:
    """Claims a value for a slot and ends what holds there, a constraint too."""

    attribute: NewAttribute
    kind_given: bool = False
    """Without a kind the value is of the kind of the one that it replaces."""


@dataclass(frozen=True, slots=True)
class RetractAttribute:
    """Takes a value back: by its id, or as the newest of this value in the slot."""

    attribute_id: str | None = None
    slot: NewAttribute | None = None


@dataclass(frozen=True, slots=True)
class LinkMemory:
    """Says that a memory mentions an entity."""

    memory_id: str
    entity: EntityRef
    mention_text: str | None = None
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class UnlinkMemory:
    """Says that a memory does not mention an entity; name linking keeps to it."""

    memory_id: str
    entity: EntityRef


@dataclass(frozen=True, slots=True)
class SupersedeMemory:
    """Says that a memory replaces another."""

    memory_id: str
    target_id: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class RetractSupersession:
    """Takes back that a memory replaces another."""

    memory_id: str
    target_id: str
    reason: str | None = None


Operation = (
    UpsertEntity
    | RenameEntity
    | DeleteEntity
    | MergeEntities
    | UpsertAlias
    | DeleteAlias
    | UpsertRelation
    | DeleteRelation
    | UpsertAspect
    | DeleteAspect
    | SetAttribute
    | SupersedeClaimValue
    | RetractAttribute
    | LinkMemory
    | UnlinkMemory
    | SupersedeMemory
    | RetractSupersession
)

SET_LIMIT: Final = 1_000
"""The most operations of a set, and the most evidence of one."""


@dataclass(frozen=True, slots=True)
class OperationSet:
    """Operations that are applied together or not at all, with who wants them and why."""

    actor: str
    reason: str
    operations: Sequence[Operation]
    evidence: Sequence[str] = ()
    """Memories that the operations rest on."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class OperationResult:
    """What one operation changed."""

    op: str
    before: View | None
    after: View | None
    note: str | None = None
    """What did not go as given, such as a second type of an entity, which is kept here alone."""


@dataclass(frozen=True, slots=True)
class AppliedSet:
    """The answer to an operation set, and what the audit log keeps."""

    id: str
    scope: str
    actor: str
    reason: str
    evidence: tuple[str, ...]
    applied_at: datetime
    dry_run: bool
    results: tuple[OperationResult, ...]
    undoes: str | None = None
    """The set that this one took back."""
    key: str | None = None
    """The name of the API key with which it came; None on a service without keys."""
    undone_by: str | None = None
    """The set that took this one back."""
    recallable: bool = True
    """False where the answer came before recall sees the change: it is durable all the same."""
    touched: tuple[str, ...] = field(default=(), repr=False)
    """Ids of the memories that it changed, shows or rests on."""


def check_operation_set(given: OperationSet, limits: Limits) -> None:
    """Raise InvalidInput for the first field that exceeds its limit or cannot be stored."""
    checked_text("actor", given.actor, limits.name)
    checked_text("reason", given.reason, limits.value)
    if not given.operations:
        raise InvalidInput("operations", "is empty")
    checked_count("operations", len(given.operations), SET_LIMIT)
    checked_count("evidence", len(given.evidence), SET_LIMIT)
    for at, operation in enumerate(given.operations):
        _check(f"operations.{at}", operation, limits)


def _check(at: str, operation: Operation, limits: Limits) -> None:
    match operation:
        case UpsertEntity(name, type):
            checked_name(f"{at}.name", name, limits)
            if type is not None:
                checked_text(f"{at}.type", type, limits.name)
        case RenameEntity(entity, name) | UpsertAlias(entity, name) | DeleteAlias(entity, name):
            check_ref(f"{at}.entity", entity, limits)
            checked_name(f"{at}.name", name, limits)
        case DeleteEntity(entity) | UnlinkMemory(_, entity):
            check_ref(f"{at}.entity", entity, limits)
        case MergeEntities(source, target):
            check_ref(f"{at}.source", source, limits)
            check_ref(f"{at}.target", target, limits)
        case UpsertRelation(relation):
            check_relation(at, relation, limits)
        case DeleteRelation(source, target, type):
            check_relation(at, NewRelation(source, target, type), limits)
        case UpsertAspect(entity, aspect) | DeleteAspect(entity, aspect):
            check_ref(f"{at}.entity", entity, limits)
            checked_name(f"{at}.aspect", aspect, limits)
        case SetAttribute(attribute) | SupersedeClaimValue(attribute):
            check_attribute(at, attribute, limits)
        case RetractAttribute(_, slot):
            if slot is not None:
                check_attribute(at, slot, limits)
        case LinkMemory(_, entity, mention_text):
            check_ref(f"{at}.entity", entity, limits)
            if mention_text is not None:
                checked_text(f"{at}.mention_text", mention_text, limits.name)
        case SupersedeMemory(_, _, reason) | RetractSupersession(_, _, reason):
            if reason is not None:
                checked_text(f"{at}.reason", reason, limits.value)
