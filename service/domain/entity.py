"""Entities: the named things of a scope, unique by canonical name."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from service.domain.attribute import AttributeView


class EntityOrder(StrEnum):
    """How a list of entities is ordered: most mentioned, by canonical name, or latest changed."""

    MENTIONS = "mentions"
    NAME = "name"
    UPDATED = "updated"


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity as the store keeps it."""

    id: str
    scope: str
    name: str
    """The casing first given."""
    canonical_name: str
    entity_type: str | None
    mentions: int
    """The number of live memories that mention it."""
    aliases: tuple[str, ...] = ()
    """Other names that resolve to it, as given."""


def rank(entity: Entity) -> tuple[int, str]:
    """Return what entities are listed by: the most mentioned first, then by canonical name."""
    return -entity.mentions, entity.canonical_name


@dataclass(frozen=True, slots=True)
class MentionedEntity:
    """An entity together with how one memory names it."""

    id: str
    name: str
    entity_type: str | None
    mention_text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class AspectView:
    """A facet of an entity with what is claimed under it now."""

    id: str
    name: str
    weight: float
    """From 0 to 1; an aspect starts at 0.5."""
    updated_at: datetime
    attributes: tuple[AttributeView, ...]
    """The active ones."""


@dataclass(frozen=True, slots=True)
class EntityCounts:
    """How much hangs on an entity."""

    memories: int
    relations: int
    """Relations in both directions."""
    aspects: int
    active_attributes: int
    superseded_attributes: int


@dataclass(frozen=True, slots=True)
class EntityDetail:
    """An entity with its aspects, heaviest first, and its counts."""

    entity: Entity
    aspects: tuple[AspectView, ...]
    counts: EntityCounts


@dataclass(frozen=True, slots=True)
class NeighborEdge:
    """A relation between two entities of a neighbourhood, as given: source to target, by id."""

    source: str
    target: str
    type: str
    """The spelling first given."""
    mentions: int
    """The number of memories that say it."""
    confidence: float


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """The entities around one, itself included, and the relations among them."""

    nodes: tuple[Entity, ...]
    edges: tuple[NeighborEdge, ...]
    truncated: bool
    """True when the limit on nodes left some out."""
