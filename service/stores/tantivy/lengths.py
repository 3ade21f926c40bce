"""Length normalisation by a scope's own average, where the library knows the whole index's only.

BM25 (Robertson & Zaragoza 2009) weighs a term that occurs f times in a text of length l by

    idf · f · (k1 + 1) / (f + K(l)),      K(l) = k1 · (1 - b + b · l / average length)

With the average over all scopes a scope full of long documents would change the scores of short
notes in another one. A score is therefore taken apart and put together again: with the sum of idf
over the terms that a text holds, it tells how often they occur (as if all occurred equally often);
that frequency, and the scope's own average, give the score. Exact for a single term.
"""

import re
from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray
from tantivy import DocAddress, Query, Schema, Searcher

from service.stores.tantivy.schema import LENGTH, OWNER

BM25_K1: Final = 1.2
BM25_B: Final = 0.75
"""The library's constants."""

_NEAR: Final = 0.02
_SATURATED: Final = 0.999

_AVERAGE = re.compile(r'"value": ([0-9.eE+-]+),\s*"description": "avgdl')


def scope_average(searcher: Searcher, schema: Schema, key: str) -> float:
    """The average number of tokens of the documents with this scope key; 1.0 without any."""
    owned = Query.term_query(schema, OWNER, key, "basic")
    asked = {"length": {"avg": {"field": LENGTH}}}
    aggregate = cast(Callable[[Query, object], Any], searcher.aggregate)  # pyright: ignore[reportUnknownMemberType]
    return float(aggregate(owned, asked)["length"]["value"] or 1.0)


def index_average(searcher: Searcher, query: Query, hit: DocAddress) -> float | None:
    """The average that the library used, read from its own explanation of a hit's score.

    It counts what is deleted and not merged yet, so it cannot be computed from outside. None
    when the explanation does not say it.
    """
    found = _AVERAGE.search(query.explain(searcher, hit).to_json())
    return float(found[1]) if found else None


def are_near(of_index: float, of_scope: float) -> bool:
    """Whether two averages give the same scores, but for a percent or so."""
    return abs(of_index - of_scope) <= _NEAR * of_scope


def moved(
    scores: NDArray[np.float64],
    matched: NDArray[np.float64],
    lengths: NDArray[np.float64],
    of_index: float,
    of_scope: float,
) -> NDArray[np.float64]:
    """Scores normalised by the index's average length, as the scope's average has them.

    `matched` is the sum of idf over the query's terms that a text holds, above 0.
    """
    most = BM25_K1 + 1.0
    saturation = np.clip(scores / matched, 0.0, _SATURATED * most)
    frequency = np.maximum(saturation * _k(lengths, of_index) / (most - saturation), 1.0)
    return matched * most * frequency / (frequency + _k(lengths, of_scope))


def _k(lengths: NDArray[np.float64], average: float) -> NDArray[np.float64]:
    return BM25_K1 * (1.0 - BM25_B + BM25_B * lengths / average)
