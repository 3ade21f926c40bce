"""From what the channels found to candidates with calibrated scores and one fused score each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.projection.catalogue import Entry
from service.recall import talk as context
from service.recall.candidate import Candidate
from service.recall.channel import Found, Ordinals, Scores
from service.recall.dates import periods
from service.recall.fusion import (
    TEXT,
    Line,
    calibrate_cosine,
    fuse,
    merge_text,
    relevance,
    text_share,
)
from service.recall.talk import Talk
from service.stores.hnswlib import Similarities

FIRST_PASSAGE: Final = 0.5
"""The weight of the first passage's cosine against the best one's.

The best of many passages is near to anything by chance; and a text says at its beginning what it
is about. Fitted on BEAM (128K), whose memories have 1.7 passages on average: recall@10 is 0.577
instead of 0.558. It changes nothing for memories of one passage.
"""


@dataclass(frozen=True, slots=True)
class Question:
    """What of a query the fusion looks at."""

    text: str
    alpha: float
    line: Line
    """Calibrates cosines."""
    context: bool
    """Whether what stands around a memory lifts it."""


def ordinals_of(found: Mapping[str, Found]) -> NDArray[np.int64]:
    """Every memory that any channel found, sorted, each once."""
    if not found:
        return np.empty(0, np.int64)
    return np.unique(np.concatenate([one.ordinals for one in found.values()]))


def candidates(
    found: Mapping[str, Found],
    known: Mapping[int, tuple[Entry, bool]],
    near: Similarities,
    talk: Talk,
    question: Question,
) -> list[Candidate]:
    """The candidates among the known memories.

    `known` holds what is known of each memory and whether it is superseded; `near` are the cosines
    of whatever is in `talk`, as far as they could be had. Content and hints merge by maximum,
    never by sum.
    """
    everyone = talk.ordinals
    content, hints, vector = (_of(found, name) for name in ("content", "hints", "vector"))
    shares = _shares(everyone, content)
    lexical = TEXT(shares)
    hint = TEXT(_shares(everyone, hints))
    text = merge_text(lexical, hint)
    cosine = _cosines(everyone, vector, near)
    # The last bits of a product depend on where a row lies; equal texts have to tie.
    meaning = calibrate_cosine(np.round(cosine, 6), question.line)
    own = fuse(text, meaning, question.alpha)
    lift = np.zeros(len(everyone))
    if question.context:
        said = np.maximum(TEXT(context.window(talk, shares)) - text, 0.0)
        lift = context.WINDOW * (1.0 - question.alpha) * np.where(talk.session >= 0, said, 0.0)
        lift += context.lift_by_neighbours(talk, own)
    graph = _of(found, "graph")
    around = _spread(everyone, graph.ordinals, graph.scores, 0.0)
    sources = _sources(found)
    kept = [
        at
        for at, ordinal in enumerate(everyone.tolist())
        if ordinal in sources and ordinal in known
    ]
    entries = [known[int(everyone[at])][0] for at in kept]
    # What traversal alone found is not anchored: nothing but traversal speaks for it.
    anchored = np.array([sources[entry.ordinal] != ["graph"] for entry in entries], np.bool_)
    own, lift, meaning = own[kept] * anchored, lift[kept], meaning[kept] * anchored
    if question.context:
        lift = lift * context.spoken([entry.speaker for entry in entries])
        lift += _lift_of_entries(question, entries, own)
    fused, lifted = relevance(own), relevance(own + lift * anchored)
    return [
        Candidate(
            entry=entry,
            superseded=known[entry.ordinal][1],
            lexical=float(lexical[at]),
            hint=float(hint[at]),
            semantic=semantic,
            traversal=float(around[at]),
            fused=score,
            context=together - score,
            sources=sources[entry.ordinal],
        )
        for at, entry, semantic, score, together in zip(
            kept, entries, meaning.tolist(), fused.tolist(), lifted.tolist(), strict=True
        )
    ]


def _lift_of_entries(question: Question, entries: Sequence[Entry], own: Scores) -> Scores:
    speakers = [entry.speaker for entry in entries]
    moments = [entry.event_at for entry in entries]
    lift = context.lift_by_speaker(question.text, speakers)
    return lift + context.lift_by_date(periods(question.text), moments, own)


def _of(found: Mapping[str, Found], name: str) -> Found:
    return found.get(name) or Found()


def _shares(everyone: Ordinals, found: Found) -> Scores:
    """BM25 scores as a share of what this query can reach; 0 where nothing is known."""
    ordinals = np.concatenate([found.ordinals, np.fromiter(found.beyond, np.int64)])
    scores = np.concatenate([found.scores, np.fromiter(found.beyond.values(), np.float64)])
    return _spread(everyone, ordinals, text_share(scores, found.maximum), 0.0)


def _cosines(everyone: Ordinals, vector: Found, near: Similarities) -> Scores:
    """The cosine of each memory; of one whose passages could not be asked, what was found."""
    cosines = _spread(everyone, vector.ordinals, vector.scores, np.nan)
    blended = FIRST_PASSAGE * near.first + (1.0 - FIRST_PASSAGE) * near.best
    asked = _spread(everyone, np.array(near.ordinals, np.int64), blended, np.nan)
    return np.where(np.isnan(asked), cosines, asked)


def _spread(everyone: Ordinals, some: Ordinals, scores: Scores, missing: float) -> Scores:
    """The scores of those of the ordinals that are in `everyone`, in their places."""
    spread = np.full(len(everyone), missing)
    if not len(everyone) or not len(some):
        return spread
    places = np.minimum(np.searchsorted(everyone, some), len(everyone) - 1)
    inside = everyone[places] == some
    spread[places[inside]] = scores[inside]
    return spread


def _sources(found: Mapping[str, Found]) -> dict[int, list[str]]:
    """The channels that found each memory, in the order of the channels."""
    sources: dict[int, list[str]] = {}
    for name, one in found.items():
        for ordinal in one.ordinals.tolist():
            sources.setdefault(ordinal, []).append(name)
    return sources
