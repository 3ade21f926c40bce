"""Attributes: one claim each, kept in a slot, with a status and a time of validity."""

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
