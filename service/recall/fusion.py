"""From what each channel measured to one score in 0..1: see docs/architecture.md, "Recall".

Every score depends on one memory and one query alone, and on how common the query's words are in
the scope. It never depends on which other candidates there are: the best of a poor lot stays
poor, and `min_score` can give no result at all.

The measure is a weighted sum of two calibrated scores,

    fused = alpha · vector + (1 - alpha) · text,      text = max(content, hints)

each a straight line between two anchors, cut off at 0 and 1. Nothing else is needed for `alpha`
to decide: both lines use the whole of 0..1 on real questions. The anchors were fitted together, at
alpha 0.7, as one setting for the development questions of LoCoMo, MuSiQue, Cranfield, a part of
BEAM (128K) and a set of corrections, by `tests/bench/fit_fusion.py`. On four of them
a question's best relevant memory has 0.45 (median), the best memory for a question about something
else 0.09 (95th percentile: 0.25).

What a memory with that sum is worth grows faster than the sum: memories of one subject that merely
resemble each other have 0.4 to 0.6 of it. So the score is its square, in the same order.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Scores: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line that gives 0 up to `zero` and 1 from `one` on."""

    zero: float
    one: float

    def __post_init__(self) -> None:
        if not self.zero < self.one:
            raise ValueError(f"a calibration's zero {self.zero} must be below its one {self.one}")

    def __call__(self, values: npt.ArrayLike) -> Scores:
        """The line's value at each of `values`, in 0..1, never falling; NaN counts as `zero`."""
        raw = np.nan_to_num(np.asarray(values, dtype=np.float64), nan=self.zero)
        return (np.clip(raw, self.zero, self.one) - self.zero) / (self.one - self.zero)


TEXT: Final = Line(zero=0.0, one=0.5)
"""For a BM25 score as a share of its ceiling, the sum over the query's words of idf · (k1 + 1).

A memory of average length that says each of the query's words once reaches 1 / (k1 + 1) = 0.45
of the ceiling; a shorter one, or one that repeats them, a little more.
"""

NEUTRAL: Final = Line(zero=0.0, one=1.0)
"""For the cosines of a model that is not in `COSINES`."""

COSINES: Final[Mapping[str, Line]] = MappingProxyType(
    {"bge-small-en-v1.5-int8": Line(zero=0.45, one=0.95)}
)
"""For the cosines of each model that was measured: unrelated English texts have about 0.45 to 0.5
here, a question and its answer 0.55 to 0.85."""


def cosine_line(model: str) -> Line:
    """The calibration of a model's cosines, the neutral one when it was not measured."""
    return COSINES.get(model, NEUTRAL)


def text_share(scores: npt.ArrayLike, ceiling: float) -> Scores:
    """BM25 scores as shares, 0..1, of what a text can reach for this query.

    `ceiling` is the score that no text can pass; words of the query that no memory in the scope
    has are part of it, so that a question about something else stays low. 0 where nothing matched,
    and everywhere when the ceiling is not positive.
    """
    raw = np.asarray(scores, dtype=np.float64)
    if not ceiling > 0.0:
        return np.zeros_like(raw)
    return np.clip(raw, 0.0, ceiling) / ceiling


def calibrate_text(scores: npt.ArrayLike, ceiling: float, line: Line = TEXT) -> Scores:
    """BM25 scores as 0..1: how much of the query a text says; `ceiling` as in `text_share`."""
    return line(text_share(scores, ceiling))


def calibrate_cosine(cosines: npt.ArrayLike, line: Line) -> Scores:
    """Cosines of unit vectors, -1..1, as 0..1: how near in meaning. NaN, for none, gives 0."""
    return line(cosines)


def merge_text(content: npt.ArrayLike, hints: npt.ArrayLike) -> Scores:
    """One text score from two calibrated ones of the same memories: the higher, never the sum."""
    return np.maximum(np.asarray(content, dtype=np.float64), np.asarray(hints, dtype=np.float64))


def relevance(fused: npt.ArrayLike) -> Scores:
    """Fused scores as what they are worth: the square, which keeps their order.

    0..1 for what a memory is found by itself; above 1 perhaps for one that is lifted besides.

    A multiplying stage then means what it says: with a factor of 0.25 a replaced memory stands
    behind what answers the question and before what only resembles the answer.
    """
    return np.square(np.maximum(np.asarray(fused, dtype=np.float64), 0.0))


def fuse(text: npt.ArrayLike, vector: npt.ArrayLike, alpha: float) -> Scores:
    """`alpha · vector + (1 - alpha) · text` of the same memories, in 0..1.

    Both are calibrated scores; `alpha` in 0..1 is the weight of meaning against words. With one
    of them missing for a memory its place holds 0.

    Raises:
        ValueError: `alpha` is not in 0..1.
    """
    if not 0.0 <= alpha <= 1.0:
        raise ValueError(f"alpha {alpha} must be in 0..1")
    words, meaning = np.asarray(text, dtype=np.float64), np.asarray(vector, dtype=np.float64)
    return np.clip(alpha * meaning + (1.0 - alpha) * words, 0.0, 1.0)
