"""From what the channels found to candidates with calibrated scores and one fused score each."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from service.domain.change import Vectors
from service.projection.catalogue import Entry
from service.recall.candidate import Candidate
from service.recall.channel import Found, Ordinals, Scores
from service.recall.fusion import (
    Line,
    calibrate_cosine,
    calibrate_text,
    fuse,
    merge_text,
    relevance,
)


def ordinals_of(found: Mapping[str, Found]) -> NDArray[np.int64]:
    """Every memory that any channel found, sorted, each once."""
    if not found:
        return np.empty(0, np.int64)
    return np.unique(np.concatenate([one.ordinals for one in found.values()]))


def without_cosine(found: Mapping[str, Found]) -> list[int]:
    """The memories that text found and the vectors did not: how near they are is still to ask."""
    texts = np.union1d(_of(found, "content").ordinals, _of(found, "hints").ordinals)
    return np.setdiff1d(texts, _of(found, "vector").ordinals, assume_unique=True).tolist()


def cosines(vector: NDArray[np.float32], vectors: Mapping[int, Vectors]) -> dict[int, float]:
    """The cosine of each memory's best passage with the query."""
    return {ordinal: float(np.max(passages @ vector)) for ordinal, passages in vectors.items()}


def candidates(
    found: Mapping[str, Found],
    known: Mapping[int, tuple[Entry, bool]],
    added: Mapping[int, float],
    line: Line,
    alpha: float,
) -> list[Candidate]:
    """The candidates among the known memories.

    `known` holds what is known of each memory and whether it is superseded; `added` are cosines
    of memories that only text found; `line` calibrates cosines. Content and hints merge by
    maximum, never by sum.
    """
    ordinals = ordinals_of(found)
    content = _text(ordinals, _of(found, "content"))
    hints = _text(ordinals, _of(found, "hints"))
    vector = _of(found, "vector")
    cosine = _spread(ordinals, vector.ordinals, vector.scores, np.nan)
    if added:
        cosine[np.searchsorted(ordinals, list(added))] = list(added.values())
    # The last bits of a product depend on where a row lies; equal texts have to tie.
    near = calibrate_cosine(np.round(cosine, 6), line)
    graph = _of(found, "graph")
    around = _spread(ordinals, graph.ordinals, graph.scores, 0.0)
    fused = relevance(fuse(merge_text(content, hints), near, alpha))
    sources = _sources(found)
    made: list[Candidate] = []
    scores = zip(
        ordinals.tolist(),
        content.tolist(),
        hints.tolist(),
        near.tolist(),
        around.tolist(),
        fused.tolist(),
        strict=True,
    )
    for ordinal, lexical, hint, semantic, traversal, together in scores:
        if ordinal in known:
            entry, superseded = known[ordinal]
            made.append(
                Candidate(
                    entry=entry,
                    superseded=superseded,
                    lexical=lexical,
                    hint=hint,
                    semantic=semantic,
                    traversal=traversal,
                    fused=together,
                    sources=sources[ordinal],
                )
            )
    return made


def _of(found: Mapping[str, Found], name: str) -> Found:
    return found.get(name) or Found()


def _text(ordinals: Ordinals, found: Found) -> Scores:
    return _spread(
        ordinals, found.ordinals, calibrate_text(found.scores, found.maximum), missing=0.0
    )


def _spread(ordinals: Ordinals, some: Ordinals, scores: Scores, missing: float) -> Scores:
    """The scores of some of the ordinals in the places of all; elsewhere `missing`."""
    spread = np.full(len(ordinals), missing)
    spread[np.searchsorted(ordinals, some)] = scores
    return spread


def _sources(found: Mapping[str, Found]) -> dict[int, list[str]]:
    """The channels that found each memory, in the order of the channels."""
    sources: dict[int, list[str]] = {}
    for name, one in found.items():
        for ordinal in one.ordinals.tolist():
            sources.setdefault(ordinal, []).append(name)
    return sources
