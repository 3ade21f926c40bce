"""Deadlines: a moment that work has to be done by, made once at the edge and passed inwards."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Self


@dataclass(frozen=True, slots=True)
class Deadline:
    """An absolute moment of a monotonic clock, in seconds."""

    at: float
    clock: Callable[[], float] = monotonic

    @classmethod
    def after(cls, milliseconds: float, clock: Callable[[], float] = monotonic) -> Self:
        """The moment that lies this many milliseconds ahead."""
        return cls(clock() + milliseconds / 1_000, clock)

    def remaining(self) -> float:
        """Seconds that are left; 0 once it has passed."""
        return max(0.0, self.at - self.clock())

    @property
    def expired(self) -> bool:
        """Whether nothing is left."""
        return self.remaining() <= 0
