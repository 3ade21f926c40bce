"""Memories: what a caller brings, what the store keeps, and what an answer shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from service.domain.attribute import AttributeKind, AttributeView, Cardinality
from service.domain.entity import MentionedEntity
from service.domain.errors import InvalidInput
from service.domain.limits import (
    Limits,
    checked_count,
    checked_metadata,
    checked_name,
    checked_text,
)
from service.domain.names import relation_type

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class EntityRef:
    """An entity by its name (made when unknown) or by its id (unknown is NotFound)."""

    name: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class NewMention:
    """An entity that the memory names."""

    entity: EntityRef
    type: str | None = None
    mention_text: str | None = None
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class NewRelation:
    """A relation that the memory asserts, in the spelling given."""

    source: EntityRef
    target: EntityRef
    type: str
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class NewAttribute:
    """A claim that the memory states, with the slot it belongs to."""

    entity: EntityRef
    aspect: str
    value: str
    group_key: str | None = None
    claim_key: str | None = None
    kind: AttributeKind = AttributeKind.ATTRIBUTE
    cardinality: Cardinality | None = None
    confidence: float = 1.0
    importance: float = 0.5
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A piece of text that an agent asks to keep, with whatever structure it brings."""

    content: str
    type: str = "fact"
    created_at: datetime | None = None
    occurred_at: datetime | None = None
    session: str | None = None
    speaker: str | None = None
    source: str | None = None
    importance: float = 0.5
    pinned: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    entities: Sequence[NewMention] = ()
    relations: Sequence[NewRelation] = ()
    attributes: Sequence[NewAttribute] = ()
    hints: Sequence[str] = ()
    supersedes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class MemoryUpdate:
    """What a revision changes; None leaves a field as it is."""

    content: str | None = None
    type: str | None = None
    importance: float | None = None
    pinned: bool | None = None
    occurred_at: datetime | None = None
    source: str | None = None
    metadata: Mapping[str, Any] | None = None
    hints: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """A live memory as the store keeps it."""

    id: str
    ordinal: int
    scope: str
    content: str
    type: str
    created_at: datetime
    occurred_at: datetime | None
    updated_at: datetime
    session: str | None
    speaker: str | None
    source: str | None
    importance: float
    pinned: bool
    metadata: Mapping[str, Any]
    revision: int
    superseded: bool
    embedded: bool
    """False while the memory waits for its embedding: the vector channel does not see it yet."""


@dataclass(frozen=True, slots=True)
class SupersededAttribute:
    """An attribute that a write replaced, and the one that took its place."""

    attribute_id: str
    replaced_by: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A claim that was not written, since it would replace a constraint."""

    kind: str
    """`constraint`, by now the only one."""
    attribute_id: str
    """The constraint that stands."""
    entity: str
    aspect: str
    group_key: str | None
    claim_key: str | None
    value: str
    """The constraint's value."""
    proposed: str
    """The value that the memory brought."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a remember did."""

    memory: Memory
    deduplicated: bool
    entities: tuple[MentionedEntity, ...]
    superseded_attributes: tuple[SupersededAttribute, ...]
    superseded_memories: tuple[str, ...]
    contradictions: tuple[Contradiction, ...]
    recallable: bool = True
    """False where the answer came before recall sees the change: it is durable all the same."""


@dataclass(frozen=True, slots=True)
class MemoryLink:
    """One end of a `SUPERSEDES` edge, seen from the other."""

    memory_id: str
    content: str
    created_at: datetime
    """When that memory was made."""
    reason: str | None
    attribute_id: str | None = None
    """Set where the link comes from a slot: the attribute that replaced this memory's."""


@dataclass(frozen=True, slots=True)
class MemoryDetail:
    """A memory with all that hangs on it."""

    memory: Memory
    entities: tuple[MentionedEntity, ...]
    attributes: tuple[AttributeView, ...]
    hints: tuple[str, ...]
    superseded_by: tuple[MemoryLink, ...]
    """Direct successors, newest first."""
    heads: tuple[MemoryLink, ...]
    """The live ends of the chain, newest first."""
    supersedes: tuple[MemoryLink, ...]


@dataclass(frozen=True, slots=True)
class Revised:
    """What a revision did."""

    memory: Memory
    contradictions: tuple[Contradiction, ...]
    recallable: bool = True
    """False where the answer came before recall sees the change: it is durable all the same."""


@dataclass(frozen=True, slots=True)
class DeletedMemory:
    """What a deleted memory still tells: that a text was there, and not which."""

    id: str
    deleted_at: datetime
    content_key: str
    """The key that equal contents of a scope share."""
    origin_keys: tuple[str, ...]
    """The keys of its ids in other products, which its metadata holds as `{product: {"id": …}}`."""


@dataclass(frozen=True, slots=True)
class LineageNode:
    """A memory in a chain of replacements; a deleted one stays to tell why."""

    id: str
    content: str | None
    type: str
    created_at: datetime
    superseded: bool
    deleted_at: datetime | None


@dataclass(frozen=True, slots=True)
class LineageEdge:
    """`source` replaces `target`; with `ended_at` it did so until then."""

    source: str
    target: str
    reason: str | None
    created_at: datetime
    ended_at: datetime | None = None
    ended_because: str | None = None


@dataclass(frozen=True, slots=True)
class Lineage:
    """The whole chain around a memory, in both directions."""

    nodes: tuple[LineageNode, ...]
    edges: tuple[LineageEdge, ...]
    ended: tuple[LineageEdge, ...]


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page of a list, and the opaque cursor of the next."""

    items: tuple[Item, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class BatchItem:
    """The result of one item of a batch."""

    index: int
    remembered: Remembered | None
    error: Exception | None


def check_new_memory(memory: NewMemory, limits: Limits) -> None:
    """Raise InvalidInput for the first field that exceeds its limit or cannot be stored."""
    checked_text("content", memory.content, limits.content)
    checked_text("type", memory.type, limits.type)
    for name, value in (("session", memory.session), ("source", memory.source)):
        if value is not None:
            checked_text(name, value, limits.name)
    if memory.speaker is not None:
        checked_name("speaker", memory.speaker, limits)
    checked_count("entities", len(memory.entities), limits.entities)
    checked_count("relations", len(memory.relations), limits.relations)
    checked_count("attributes", len(memory.attributes), limits.attributes)
    checked_count("hints", len(memory.hints), limits.hints)
    checked_count("supersedes", len(memory.supersedes), limits.supersedes)
    for at, mention in enumerate(memory.entities):
        _check_mention(f"entities.{at}", mention, limits)
    for at, relation in enumerate(memory.relations):
        check_relation(f"relations.{at}", relation, limits)
    for at, attribute in enumerate(memory.attributes):
        check_attribute(f"attributes.{at}", attribute, limits)
        _check_period(f"attributes.{at}", attribute, memory)
    check_hints(memory.hints, limits)
    checked_metadata("metadata", memory.metadata, limits)


def check_update(update: MemoryUpdate, limits: Limits) -> None:
    """Raise InvalidInput for the first field of a revision that cannot be stored."""
    if update.content is not None:
        checked_text("content", update.content, limits.content)
    if update.type is not None:
        checked_text("type", update.type, limits.type)
    if update.source is not None:
        checked_text("source", update.source, limits.name)
    if update.hints is not None:
        checked_count("hints", len(update.hints), limits.hints)
        check_hints(update.hints, limits)
    if update.metadata is not None:
        checked_metadata("metadata", update.metadata, limits)


def check_hints(hints: Sequence[str], limits: Limits) -> None:
    """Raise InvalidInput for the first hint that cannot be stored."""
    for at, hint in enumerate(hints):
        checked_text(f"hints.{at}", hint, limits.hint)


def check_ref(field_name: str, ref: EntityRef, limits: Limits) -> None:
    """Raise InvalidInput for an entity whose name or id cannot be stored."""
    if ref.name is not None:
        checked_name(field_name, ref.name, limits)
    elif ref.id is not None:
        checked_text(field_name, ref.id, limits.name)


def _check_mention(at: str, mention: NewMention, limits: Limits) -> None:
    check_ref(f"{at}.name", mention.entity, limits)
    if mention.type is not None:
        checked_text(f"{at}.type", mention.type, limits.name)
    if mention.mention_text is not None:
        checked_text(f"{at}.mention_text", mention.mention_text, limits.name)


def check_relation(at: str, relation: NewRelation, limits: Limits) -> None:
    """Raise InvalidInput for the first field of a relation that cannot be stored."""
    check_ref(f"{at}.source", relation.source, limits)
    check_ref(f"{at}.target", relation.target, limits)
    checked_text(f"{at}.type", relation.type, limits.name)
    relation_type(relation.type, field=f"{at}.type")


def check_attribute(at: str, attribute: NewAttribute, limits: Limits) -> None:
    """Raise InvalidInput for the first field of an attribute that cannot be stored."""
    check_ref(f"{at}.entity", attribute.entity, limits)
    checked_name(f"{at}.aspect", attribute.aspect, limits)
    checked_text(f"{at}.value", attribute.value, limits.value)
    for name, key in (("group_key", attribute.group_key), ("claim_key", attribute.claim_key)):
        if key is not None:
            checked_name(f"{at}.{name}", key, limits)


def _check_period(at: str, attribute: NewAttribute, memory: NewMemory) -> None:
    if attribute.valid_to is None:
        return
    since = attribute.valid_from or memory.occurred_at or memory.created_at or datetime.now(UTC)
    if attribute.valid_to <= since:
        raise InvalidInput(
            f"{at}.valid_to",
            f"{attribute.valid_to.isoformat()} is not after {since.isoformat()}, from when the "
            "value holds: valid_from, else the time of the memory",
        )
