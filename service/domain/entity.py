"""Entities: the named things of a scope, unique by canonical name."""

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True)
class MentionedEntity:
    """An entity together with how one memory names it."""

    id: str
    name: str
    entity_type: str | None
    mention_text: str
    confidence: float
