"""Memories as an export carries them: everything that a second store has to be told."""

from dataclasses import dataclass
from datetime import datetime

from service.domain.attribute import AttributeKind, Cardinality
from service.domain.entity import MentionedEntity
from service.domain.memory import Memory


@dataclass(frozen=True, slots=True)
class ExportedRelation:
    """A relation that the memory asserts, by the names of its ends."""

    source: str
    target: str
    type: str
    """In the spelling first given."""
    confidence: float


@dataclass(frozen=True, slots=True)
class ExportedClaim:
    """What the memory itself states about a slot, not what became of it there."""

    entity: str
    aspect: str
    group_key: str | None
    claim_key: str | None
    cardinality: Cardinality
    value: str
    kind: AttributeKind
    confidence: float
    importance: float
    valid_from: datetime
    valid_to: datetime | None


@dataclass(frozen=True, slots=True)
class ExportedReplacement:
    """A memory that this one replaces."""

    memory_id: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class ExportedMemory:
    """One memory with all that it brought."""

    memory: Memory
    entities: tuple[MentionedEntity, ...]
    relations: tuple[ExportedRelation, ...]
    attributes: tuple[ExportedClaim, ...]
    hints: tuple[str, ...]
    supersedes: tuple[ExportedReplacement, ...]
