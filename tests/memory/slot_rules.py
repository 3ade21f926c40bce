"""The rules of slots once more, as simply as they can be said, to compare the service with.

Nothing here is clever and nothing is kept between two questions: each answer is worked out anew
from everything that was said so far.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Said:
    """A claim as somebody makes it."""

    slot: str
    value: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    constraint: bool = False
    many: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim as it is kept: by whom, and from when on."""

    by: int
    slot: str
    value: str
    at: datetime
    until: datetime | None
    constraint: bool

    @property
    def normal(self) -> str:
        """The value as it is compared."""
        return " ".join(unicodedata.normalize("NFKC", self.value).casefold().split())

    @property
    def order(self) -> tuple[datetime, str]:
        """Time decides; equal times the value."""
        return self.at, self.normal


@dataclass(frozen=True, slots=True)
class Entry:
    """One attribute of a history."""

    value: str
    status: str
    valid_from: datetime
    valid_to: datetime | None
    by: frozenset[int]


def _said_ends(run: Sequence[Claim]) -> list[datetime]:
    """The ends that a run names: the earliest where a memory names several for one moment."""
    ends: dict[tuple[int, datetime], datetime] = {}
    for one in run:
        if one.until is not None:
            place = (one.by, one.at)
            ends[place] = min(ends.get(place, one.until), one.until)
    return list(ends.values())


@dataclass(slots=True)
class Told:
    """A memory: its text, when it was made, and when what it tells happened."""

    content: str
    created_at: datetime
    occurred_at: datetime | None

    @property
    def event_at(self) -> datetime:
        """The time of what it tells."""
        return self.occurred_at or self.created_at


@dataclass(slots=True)
class Model:
    """All that was said; memories are numbered in the order in which they were made."""

    memories: dict[int, Told] = field(default_factory=dict[int, Told])
    claims: list[Claim] = field(default_factory=list[Claim])
    many: set[str] = field(default_factory=set[str])
    made: int = 0

    def remember(
        self, content: str, created_at: datetime, occurred_at: datetime | None, said: Sequence[Said]
    ) -> tuple[int, int]:
        """Keep a memory; returns its number, and how many of its claims were turned away."""
        stale = self.superseded()
        twins = [n for n, one in self.memories.items() if one.content == content and n not in stale]
        if twins:
            number = twins[0]
        else:
            number, self.made = self.made, self.made + 1
            self.memories[number] = Told(content, created_at, occurred_at)
        refused = 0
        for one in said:
            if one.many:
                self.many.add(one.slot)
            at = one.valid_from or occurred_at or created_at
            claim = Claim(number, one.slot, one.value, at, one.valid_to, one.constraint)
            if self._ends_a_constraint(claim):
                refused += 1
            else:
                self.claims.append(claim)
        return number, refused

    def forget(self, number: int) -> None:
        """Take a memory out, with what it claims."""
        del self.memories[number]
        self.claims = [one for one in self.claims if one.by != number]
        self.many &= {one.slot for one in self.claims}

    def date(self, number: int, at: datetime) -> bool:
        """Date a memory anew: what it claims of its own time moves. False: it is refused."""
        told = self.memories[number]
        moving = [one for one in self.claims if one.by == number and one.at == told.event_at]
        if told.event_at != at and any(one.until is not None and one.until <= at for one in moving):
            return False
        stay = {one for one in moving if self._ends_a_constraint(replace(one, at=at))}
        told.occurred_at = at
        self.claims = [
            replace(one, at=at) if one in moving and one not in stay else one for one in self.claims
        ]
        return True

    def line(self, slot: str) -> list[Entry]:
        """A slot's history, oldest first."""
        claims = sorted(
            (one for one in self.claims if one.slot == slot),
            key=lambda one: (*one.order, one.value),
        )
        is_many = slot in self.many
        if is_many:
            claims.sort(key=lambda one: one.normal)
        runs = [list(run) for _, run in groupby(claims, key=lambda one: one.normal)]
        line: list[Entry] = []
        for at, run in enumerate(runs):
            is_last = is_many or at + 1 == len(runs)
            ends = [end for end in _said_ends(run) if end > run[-1].at]
            if not is_last:
                ends.append(runs[at + 1][0].at)
            line.append(
                Entry(
                    value=run[0].value,
                    status="active" if is_last else "superseded",
                    valid_from=run[0].at,
                    valid_to=min(ends, default=None),
                    by=frozenset(one.by for one in run),
                )
            )
        return line

    def superseded(self, as_of: datetime | None = None) -> set[int]:
        """The memories all of whose claims are no longer what holds."""
        entries = [entry for slot in {one.slot for one in self.claims} for entry in self.line(slot)]
        return _all_replaced(entries, as_of)

    def value_at(self, slot: str, moment: datetime) -> str | None:
        """What a slot of one value held at a moment: what was claimed last by then."""
        earlier = [one for one in self.claims if one.slot == slot and one.at <= moment]
        if not earlier:
            return None
        last = max(earlier, key=lambda one: one.order).normal
        holds = [one for one in self.line(slot) if one.valid_from <= moment]
        end = holds[-1].valid_to
        return last if end is None or moment < end else None

    def _ends_a_constraint(self, claim: Claim) -> bool:
        """Whether a claim would come after a constraint that is in force, with another value."""
        line = self.line(claim.slot)
        if not line or claim.slot in self.many:
            return False
        current = [
            one
            for one in self.claims
            if one.slot == claim.slot and one.order >= self._beginning(claim.slot)
        ]
        rules = [one for one in current if one.constraint]
        if not rules or rules[0].normal == claim.normal:
            return False
        return claim.order > min(one.order for one in rules)

    def _beginning(self, slot: str) -> tuple[datetime, str]:
        """Where the value that holds now begins."""
        claims = sorted((one for one in self.claims if one.slot == slot), key=lambda one: one.order)
        at = len(claims) - 1
        while at > 0 and claims[at - 1].normal == claims[-1].normal:
            at -= 1
        return claims[at].order


def _all_replaced(entries: Iterable[Entry], as_of: datetime | None) -> set[int]:
    replaced: set[int] = set()
    held: set[int] = set()
    for entry in entries:
        if as_of is None:
            (held if entry.status == "active" else replaced).update(entry.by)
            continue
        ended = entry.valid_to is not None and entry.valid_to <= as_of
        if entry.valid_from <= as_of and not ended:
            held |= entry.by
        elif entry.status == "superseded" and ended:
            replaced |= entry.by
    return replaced - held
