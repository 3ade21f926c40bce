"""What a reader of another product's file hands over: memories, replacements, and what is lost."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

_MOST_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Row:
    """One memory of the file, as the body of a remember."""

    id: str
    """Its id in the file; `metadata[product]["id"]` of the body says it again."""
    at: datetime
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Replacement:
    """`source` replaces `target`; both are ids of the file."""

    source: str
    target: str
    reason: str | None = None


@dataclass(slots=True)
class Loss:
    """Things of one kind that are not carried over, for one reason."""

    kind: str
    why: str
    count: int = 0
    examples: list[str] = field(default_factory=list[str])
    """The first few ids."""


class Losses:
    """Everything that is not carried over, by kind and reason, in the order of finding it."""

    def __init__(self) -> None:
        self._all: dict[tuple[str, str], Loss] = {}

    def add(self, kind: str, why: str, *ids: str, count: int | None = None) -> None:
        """Note things that stay behind: `count` of them, as many as ids are given when absent."""
        loss = self._all.setdefault((kind, why), Loss(kind, why))
        loss.count += len(ids) if count is None else count
        loss.examples += ids[: _MOST_EXAMPLES - len(loss.examples)]

    def extend(self, others: Iterable[Loss]) -> None:
        """Note what was found elsewhere."""
        for other in others:
            self.add(other.kind, other.why, *other.examples, count=other.count)

    def all(self) -> list[Loss]:
        """Return what was noted and is of any number."""
        return [loss for loss in self._all.values() if loss.count]


@dataclass(frozen=True, slots=True)
class ForeignStore:
    """A file that was read whole."""

    product: str
    version: str
    """What its schema is called, for people."""
    kind: str
    """What it calls a memory."""
    rows: list[Row]
    """In the order of their times."""
    replacements: list[Replacement]
    losses: Losses
    notes: list[str] = field(default_factory=list[str])
    """What was decided on the way, one sentence each."""
