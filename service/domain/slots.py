"""The history of a slot as one line in time (docs/architecture.md, "Slots").

A slot's line is a function of what is stated about it, never of the order in which it arrived:
claims are sorted by time, equal neighbours become one attribute, and the last one is current.
Deleting, adding or moving a claim means deriving the line again.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from service.domain.attribute import AttributeKind, AttributeStatus, Cardinality
from service.domain.names import canonical_name


@dataclass(frozen=True, slots=True)
class Claim:
    """One memory says that a slot had a value from a moment on."""

    memory_id: str
    value: str
    at: datetime
    until: datetime | None = None
    """Where the claim itself ends, if it says so."""
    kind: AttributeKind = AttributeKind.ATTRIBUTE
    confidence: float = 1.0
    importance: float = 0.5
    attribute_id: str | None = None
    """The attribute that carries the claim so far; None for a new one."""
    from_operation: bool = False
    """Whether no memory says it: `memory_id` is then the id of the operation set that does."""

    @property
    def value_key(self) -> str:
        """Values are equal after white space and case are normalised."""
        return canonical_name(self.value)


@dataclass(frozen=True, slots=True)
class Span:
    """One attribute of the line: a value, the time it holds, and the claims behind it."""

    attribute_id: str
    value: str
    kind: AttributeKind
    status: AttributeStatus
    confidence: float
    importance: float
    valid_from: datetime
    valid_to: datetime | None
    claims: tuple[Claim, ...]
    replaced_by: str | None
    """The attribute that follows in the line; None for an active one."""

    @property
    def value_key(self) -> str:
        """The value as it is compared."""
        return canonical_name(self.value)


def derive(
    claims: Iterable[Claim], cardinality: Cardinality, new_id: Callable[[], str]
) -> tuple[Span, ...]:
    """Return the line of a slot, oldest first.

    Claims of the same time are ordered by value, its spelling, then by memory: a fixed rule that
    does not depend on arrival. A slot of cardinality `many` holds each distinct value side by
    side, all active. Attributes keep their ids where most of their claims stay together.
    """
    ordered = sorted(
        claims, key=lambda claim: (claim.at, claim.value_key, claim.value, claim.memory_id)
    )
    runs = _by_value(ordered) if cardinality is Cardinality.MANY else _neighbours(ordered)
    ids = _assign_ids(runs, new_id)
    spans: list[Span] = []
    for at, run in enumerate(runs):
        follows = at + 1 < len(runs) and cardinality is Cardinality.ONE
        ends = _ends(run) + ([runs[at + 1][0].at] if follows else [])
        spans.append(
            Span(
                attribute_id=ids[at],
                value=run[0].value,
                kind=_kind(run),
                status=AttributeStatus.SUPERSEDED if follows else AttributeStatus.ACTIVE,
                confidence=max(claim.confidence for claim in run),
                importance=max(claim.importance for claim in run),
                valid_from=run[0].at,
                valid_to=min(ends) if ends else None,
                claims=tuple(run),
                replaced_by=ids[at + 1] if follows else None,
            )
        )
    return tuple(spans)


def merged(one: Claim, other: Claim) -> Claim:
    """Return what two claims of one memory about the same value and moment say together.

    Of two ends the earlier one counts. It does not matter which claim came first.
    """
    ends = [claim.until for claim in (one, other) if claim.until is not None]
    rules = AttributeKind.CONSTRAINT in (one.kind, other.kind)
    return replace(
        one,
        value=min(one.value, other.value),
        until=min(ends, default=None),
        kind=AttributeKind.CONSTRAINT if rules else AttributeKind.ATTRIBUTE,
        confidence=max(one.confidence, other.confidence),
        importance=max(one.importance, other.importance),
    )


def constraint_in_the_way(line: Sequence[Span], claim: Claim) -> Span | None:
    """Return the active constraint that this claim would replace, if there is one.

    A constraint is superseded by an explicit operation only: a claim of another value that is not
    older than it must neither end it nor come between it and what confirmed it.
    """
    if not line:
        return None
    current = line[-1]
    if current.kind is not AttributeKind.CONSTRAINT or current.value_key == claim.value_key:
        return None
    first = next(one for one in current.claims if one.kind is AttributeKind.CONSTRAINT)
    comes_after = (claim.at, claim.value_key) > (first.at, first.value_key)
    return current if comes_after else None


def _neighbours(ordered: Sequence[Claim]) -> list[list[Claim]]:
    runs: list[list[Claim]] = []
    for claim in ordered:
        if runs and runs[-1][-1].value_key == claim.value_key:
            runs[-1].append(claim)
        else:
            runs.append([claim])
    return runs


def _by_value(ordered: Sequence[Claim]) -> list[list[Claim]]:
    values: dict[str, list[Claim]] = defaultdict(list)
    for claim in ordered:
        values[claim.value_key].append(claim)
    return list(values.values())


def _ends(run: Sequence[Claim]) -> list[datetime]:
    """Return the ends that claims name, apart from those after which the value was confirmed."""
    newest = run[-1].at
    return [claim.until for claim in run if claim.until is not None and claim.until > newest]


def _kind(run: Sequence[Claim]) -> AttributeKind:
    constraint = any(claim.kind is AttributeKind.CONSTRAINT for claim in run)
    return AttributeKind.CONSTRAINT if constraint else AttributeKind.ATTRIBUTE


def _assign_ids(runs: Sequence[Sequence[Claim]], new_id: Callable[[], str]) -> list[str]:
    """Give each run the id that most of its claims carry; an id is given once."""
    shares: dict[tuple[str, int], int] = defaultdict(int)
    for at, run in enumerate(runs):
        for claim in run:
            if claim.attribute_id is not None:
                shares[claim.attribute_id, at] += 1
    ids: dict[int, str] = {}
    taken: set[str] = set()
    for (attribute_id, at), _ in sorted(
        shares.items(), key=lambda share: (-share[1], share[0][1], share[0][0])
    ):
        if at not in ids and attribute_id not in taken:
            ids[at] = attribute_id
            taken.add(attribute_id)
    return [ids[at] if at in ids else new_id() for at in range(len(runs))]
