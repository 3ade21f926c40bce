"""A memory on its way through the stages of a recall, with all that is known of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from service.projection.catalogue import Entry
from service.projection.currentness import Standing
from service.recall.settings import RecallSettings


@dataclass(slots=True)
class Candidate:
    """One memory that a channel found, or that joined as a successor.

    The four scores stay apart, each 0 where its channel did not find the memory.
    """

    entry: Entry
    superseded: bool
    """At the moment that the query asks for."""
    lexical: float = 0.0
    """Content, calibrated: 0 to 1."""
    hint: float = 0.0
    """Hints, calibrated: 0 to 1."""
    semantic: float = 0.0
    """Cosine, calibrated: 0 to 1."""
    traversal: float = 0.0
    """0 to 1."""
    fused: float = 0.0
    """Text and vector together, 0 to 1."""
    context: float = 0.0
    """What is added by what stands around it, who said it and when: 0 or more."""
    score: float = 0.0
    undemoted: float = 0.0
    """The score from before the demotion, which `min_score` looks at."""
    sources: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Context:
    """What the stages of one recall share."""

    settings: RecallSettings
    standing: Standing
    is_historical: bool
    """The query asks about the past: what is superseded answers it as well as anything."""
    include_superseded: bool
    min_score: float

    @property
    def succession(self) -> bool:
        """Whether successors join."""
        return self.settings.succession and not self.is_historical


def by_rank(candidates: Iterable[Candidate]) -> Sequence[Candidate]:
    """The best first; of equal scores the newest, then by id: the same order every time."""
    ranked = sorted(candidates, key=lambda one: one.entry.id)
    ranked.sort(key=lambda one: (one.score, one.entry.created_at), reverse=True)
    return ranked
