"""Which memories are superseded, and what stands in their place: pure rules over the catalogue.

A memory is superseded when a live memory replaces it by an explicit edge, or when it states
attributes, none of them active, and at least one of those was replaced. At an earlier moment,
only successors that had happened by then count, and attributes as they held then.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from service.domain.attribute import AttributeStatus
from service.domain.change import Statement, Successor


class _Entry(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def created_at(self) -> datetime: ...
    @property
    def event_at(self) -> datetime: ...
    @property
    def superseded(self) -> bool: ...
    @property
    def statements(self) -> tuple[Statement, ...]: ...
    @property
    def successors(self) -> tuple[Successor, ...]: ...


class _Memories(Protocol):
    def entry(self, ordinal: int) -> _Entry | None: ...
    def ordinal(self, memory_id: str) -> int | None: ...
    def stating(self, slot: str, *, active: bool) -> NDArray[np.int64]: ...


@dataclass(frozen=True, slots=True)
class Step:
    """A memory that stands where another stood."""

    ordinal: int
    attribute_id: str | None
    """The attribute that replaced the other's, where a slot decides; None for an explicit edge."""


def is_superseded(statements: Sequence[Statement], has_successor: bool) -> bool:
    """Whether a memory is superseded by what is known now."""
    return has_successor or _by_slots(statements, None)


class Standing:
    """Who replaces whom at one moment. Made for one recall: it remembers what it was asked."""

    def __init__(self, memories: _Memories, as_of: datetime | None) -> None:
        self._memories = memories
        self._as_of = as_of
        self._direct: dict[int, tuple[Step, ...]] = {}
        self._heads: dict[int, tuple[Step, ...]] = {}
        self._holders: dict[str, tuple[Step, ...]] = {}

    def superseded(self, ordinal: int) -> bool | None:
        """Whether the memory is superseded; None when it is not known."""
        entry = self._memories.entry(ordinal)
        if entry is None:
            return None
        if self._as_of is None:
            return entry.superseded
        return any(map(self._counts, entry.successors)) or _by_slots(entry.statements, self._as_of)

    def direct(self, ordinal: int) -> tuple[Step, ...]:
        """The live memories that replace this one directly, newest first."""
        known = self._direct.get(ordinal)
        if known is None:
            known = self._direct[ordinal] = self._find_direct(ordinal)
        return known

    def heads(self, ordinal: int) -> tuple[Step, ...]:
        """The ends of the chain that begins here and that nothing replaces, newest first.

        Empty for a memory that is not superseded, and where the chain has no such end: its
        replacement was deleted, or an explicit edge runs against the order of a slot.
        """
        known = self._heads.get(ordinal)
        if known is not None:
            return known
        if not self.superseded(ordinal):
            self._heads[ordinal] = ()
            return ()
        seen = {ordinal}
        path = [ordinal]
        is_line = True
        ends: dict[int, Step] = {}
        waiting = deque([ordinal])
        while waiting:
            steps = self.direct(waiting.popleft())
            is_line = is_line and len(steps) == 1
            for step in steps:
                if not self.superseded(step.ordinal):
                    ends.setdefault(step.ordinal, step)
                elif step.ordinal in self._heads:
                    for head in self._heads[step.ordinal]:
                        ends.setdefault(head.ordinal, head)
                elif step.ordinal not in seen:
                    seen.add(step.ordinal)
                    path.append(step.ordinal)
                    waiting.append(step.ordinal)
        found = self._newest_first(ends.values())
        # Along a line without a fork all have the same end: none of it is walked again.
        self._heads.update(dict.fromkeys(path if is_line else [ordinal], found))
        return found

    def _find_direct(self, ordinal: int) -> tuple[Step, ...]:
        entry = self._memories.entry(ordinal)
        if entry is None:
            return ()
        steps: dict[int, Step] = {}
        for successor in entry.successors:
            found = self._memories.ordinal(successor.memory_id)
            if found is not None and self._counts(successor):
                steps[found] = Step(found, None)
        if _by_slots(entry.statements, self._as_of):
            for statement in entry.statements:
                if _is_replaced(statement, self._as_of):
                    for step in self._holding(statement.slot):
                        steps.setdefault(step.ordinal, step)
        steps.pop(ordinal, None)
        return self._newest_first(steps.values())

    def _counts(self, successor: Successor) -> bool:
        if self._as_of is None:
            return True
        found = self._memories.ordinal(successor.memory_id)
        entry = None if found is None else self._memories.entry(found)
        happened = successor.created_at if entry is None else entry.event_at
        return happened <= self._as_of

    def _holding(self, slot: str) -> tuple[Step, ...]:
        """The memories that state what holds in the slot."""
        known = self._holders.get(slot)
        if known is None:
            known = self._holders[slot] = tuple(self._find_holding(slot))
        return known

    def _find_holding(self, slot: str) -> Iterable[Step]:
        for ordinal in self._memories.stating(slot, active=self._as_of is None).tolist():
            entry = self._memories.entry(ordinal)
            if entry is None or (self._as_of is not None and entry.event_at > self._as_of):
                continue
            for statement in entry.statements:
                if statement.slot == slot and _holds(statement, self._as_of):
                    yield Step(ordinal, statement.attribute_id)
                    break

    def _newest_first(self, steps: Iterable[Step]) -> tuple[Step, ...]:
        known = [(self._memories.entry(step.ordinal), step) for step in steps]
        # By id first: the sort is stable, so ids decide among those of the same time.
        dated = [(entry, step) for entry, step in known if entry is not None]
        dated.sort(key=lambda pair: pair[0].id)
        dated.sort(key=lambda pair: (pair[0].event_at, pair[0].created_at), reverse=True)
        return tuple(step for _, step in dated)


def _by_slots(statements: Sequence[Statement], as_of: datetime | None) -> bool:
    return any(_is_replaced(one, as_of) for one in statements) and not any(
        _holds(one, as_of) for one in statements
    )


def _holds(statement: Statement, as_of: datetime | None) -> bool:
    if as_of is None:
        return statement.status is AttributeStatus.ACTIVE
    if statement.status is AttributeStatus.RETRACTED or statement.valid_from > as_of:
        return False
    return statement.valid_to is None or as_of < statement.valid_to


def _is_replaced(statement: Statement, as_of: datetime | None) -> bool:
    if statement.status is not AttributeStatus.SUPERSEDED:
        return False
    if as_of is None:
        return True
    return statement.valid_to is not None and statement.valid_to <= as_of
