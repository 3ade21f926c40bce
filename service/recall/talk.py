"""Context: what stands around a memory in its session, who said it, and when.

A turn of talk often answers a question in words that stand in the turn before it, or is found by
what is said next. So a memory's own evidence is lifted by what stands around it. With `own` the
fused score of text and vector, before it is squared (`recall/fusion.py`), the lift is

      WINDOW · (1 - alpha) · (text of the three turns - own text)
    + NEXT · own(next turn) + BEST · own(better neighbour) + SESSION · mean of the session's best 3
    (half of that for a memory without a speaker)
    + SPEAKER, where the question names who said it
    + DATE · nearness to a date in the question · how well the memory matches by itself

Neighbours are the two turns beside it, whatever the length of the chain; a memory without a
session has none and is lifted by nothing around it. The weights are one setting for the
development questions of LoCoMo, BEAM (128K) and MuSiQue (docs/benchmarks.md); the optimum is flat.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.projection.catalogue import Catalogue, Entry
from service.recall.dates import Period, nearness
from service.recall.fusion import Scores
from service.stores.tantivy import query_tokens

WINDOW: Final = 0.5
"""How far the text score goes from that of the turn towards that of three turns."""
NEXT: Final = 0.12
BEST: Final = 0.1
SESSION: Final = 0.12
SPEAKER: Final = 0.1
DATE: Final = 0.2
MATCHING: Final = 0.1
"""A memory that matches so well by itself is lifted by the whole of `DATE`; one that does not
match at all is not."""

UNSPOKEN: Final = 0.5
"""What stands around it lifts a memory that nobody said by so much of that: parts of a document
tell less of each other than turns of talk do."""

_SESSION_BEST: Final = 3
_ROLES: Final = frozenset({"assistant", "user", "system", "tool", "human", "ai", "bot", "model"})
"""Roles of chat protocols: a question that has such a word names nobody."""

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Talk:
    """How memories stand to each other in their sessions."""

    ordinals: NDArray[np.int64]
    """The found memories and the turns beside them, sorted."""
    before: Places
    """The place in `ordinals` of the turn before each; -1 where none is known."""
    after: Places
    session: Places
    """A number for the session of each; -1 without one."""


def talk_around(
    found: NDArray[np.int64],
    known: Mapping[int, Entry],
    catalogue: Catalogue,
    as_of: datetime | None,
) -> Talk:
    """The turns beside the found memories (sorted ordinals) and how they follow each other.

    Of an earlier moment, a turn that had not happened by then is none.
    """

    def seen(ordinal: int | None) -> int | None:
        if ordinal is None or as_of is None:
            return ordinal
        entry = catalogue.entry(ordinal)
        return ordinal if entry is not None and entry.event_at <= as_of else None

    around: dict[int, tuple[int | None, int | None]] = {}
    for ordinal, entry in known.items():
        if entry.session is not None:
            earlier, later = catalogue.around(entry)
            around[ordinal] = seen(earlier), seen(later)
    if not around:
        alone = np.full(len(found), -1, np.int64)
        return Talk(found, alone, alone, alone)
    beside = {one for pair in around.values() for one in pair if one is not None}
    ordinals = np.union1d(found, np.fromiter(beside, np.int64, len(beside)))
    places = {ordinal: place for place, ordinal in enumerate(ordinals.tolist())}
    before, after, session = (np.full(len(ordinals), -1, np.int64) for _ in range(3))
    numbers: dict[str, int] = {}
    for ordinal, (earlier, later) in around.items():
        place = places[ordinal]
        number = numbers.setdefault(known[ordinal].session or "", len(numbers))
        for neighbour in (earlier, later):
            if neighbour is not None:
                session[places[neighbour]] = number
        session[place] = number
        before[place] = -1 if earlier is None else places[earlier]
        after[place] = -1 if later is None else places[later]
    return Talk(ordinals, before, after, session)


def lift_by_neighbours(talk: Talk, own: Scores) -> Scores:
    """What the turns beside a memory and its session add to its own fused score."""
    if not len(own) or talk.session.max() < 0:
        return np.zeros(len(own))
    earlier, later = _taken(own, talk.before), _taken(own, talk.after)
    lift = NEXT * later + BEST * np.maximum(earlier, later)
    return lift + SESSION * _best_of_sessions(talk.session, own)


def window(talk: Talk, shares: Scores) -> Scores:
    """How much of the query each memory says together with the turns beside it."""
    return shares + _taken(shares, talk.before) + _taken(shares, talk.after)


def spoken(speakers: Sequence[str | None]) -> Scores:
    """How much of the lift by what stands around it each memory gets."""
    return np.array([UNSPOKEN if one is None else 1.0 for one in speakers], np.float64)


def lift_by_speaker(query: str, speakers: Sequence[str | None]) -> Scores:
    """What it adds that the question names who said it."""
    words = frozenset(query_tokens(query))
    named = {
        speaker
        for speaker in set(speakers)
        if speaker is not None and not words.isdisjoint(_name_words(speaker))
    }
    return SPEAKER * np.array([speaker in named for speaker in speakers], np.float64)


def lift_by_date(periods: Sequence[Period], moments: Sequence[datetime], own: Scores) -> Scores:
    """What it adds that a memory is of a time that the question names."""
    if not periods:
        return np.zeros(len(own))
    days = [moment.date() for moment in moments]
    each = {day: nearness(periods, day) for day in set(days)}
    near = np.array([each[day] for day in days], np.float64)
    return DATE * near * np.clip(own / MATCHING, 0.0, 1.0)


def _taken(scores: Scores, places: Places) -> Scores:
    return np.where(places >= 0, scores[places], 0.0)


def _best_of_sessions(session: Places, own: Scores) -> Scores:
    """For each memory the sum of its session's three best scores, by three."""
    order = np.lexsort((-own, session))
    sorted_session = session[order]
    first = np.searchsorted(sorted_session, sorted_session, side="left")
    counted = (np.arange(len(own)) - first < _SESSION_BEST) & (sorted_session >= 0)
    sums = np.bincount(sorted_session[counted], own[order][counted], session.max() + 1)
    return np.where(session >= 0, sums[session] / _SESSION_BEST, 0.0)


@lru_cache(maxsize=4_096)
def _name_words(speaker: str) -> frozenset[str]:
    if speaker.casefold() in _ROLES:
        return frozenset()
    return frozenset(query_tokens(speaker))
