"""A row's label: which passage of which memory it is, and the best passage of each memory."""

import numpy as np
from numpy.typing import NDArray

MAX_PASSAGES = 1024

Labels = NDArray[np.int64]
Cosines = NDArray[np.float32]


def label_range(ordinal: int, passages: int) -> range:
    """The labels of a memory's passages."""
    first = ordinal * MAX_PASSAGES
    return range(first, first + passages)


def ordinals_of(labels: Labels) -> NDArray[np.int64]:
    """The memories that rows belong to."""
    return labels // MAX_PASSAGES


def best_of_each(
    labels: Labels, cosines: Cosines, limit: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Distinct memories with their best passage's cosine, best first, then by ordinal."""
    order = np.lexsort((labels, -cosines))
    ordinals = ordinals_of(labels[order])
    _, first = np.unique(ordinals, return_index=True)
    first.sort()
    kept = first[:limit]
    return ordinals[kept], cosines[order][kept]


def is_member(values: NDArray[np.int64], ascending: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which values are in the ascending array."""
    if ascending.size == 0:
        return np.zeros(values.shape, np.bool_)
    places = np.searchsorted(ascending, values)
    places[places == ascending.size] = 0
    return ascending[places] == values
