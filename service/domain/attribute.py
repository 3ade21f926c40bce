"""Attributes: one claim each, kept in a slot, with a status and a time of validity."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class AttributeStatus(StrEnum):
    """How an attribute stands: current, replaced by a newer value, or taken back."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


class AttributeKind(StrEnum):
    """A `constraint` is superseded by an explicit operation only."""

    ATTRIBUTE = "attribute"
    CONSTRAINT = "constraint"


class Cardinality(StrEnum):
    """Whether a slot holds one current value or several at once."""

    ONE = "one"
    MANY = "many"


@dataclass(frozen=True, slots=True)
class AttributeView:
    """An attribute as an answer shows it, with the memories that state it."""

    id: str
    entity_id: str
    entity: str
    aspect: str
    group_key: str | None
    claim_key: str | None
    value: str
    kind: AttributeKind
    cardinality: Cardinality
    status: AttributeStatus
    confidence: float
    importance: float
    valid_from: datetime
    valid_to: datetime | None
    memory_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SlotHistory:
    """What a slot holds now and held before."""

    current: AttributeView | None
    """The newest active value; None where nothing is active."""
    history: tuple[AttributeView, ...]
    """Every value, newest first, the current one included."""
