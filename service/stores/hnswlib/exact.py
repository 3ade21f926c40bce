"""Rows of a small scope: one matrix, searched whole."""

import numpy as np
from numpy.typing import NDArray

from service.domain.change import Vectors
from service.stores.hnswlib.labels import Cosines, Labels

_FIRST_ROWS = 16


class ExactRows:
    """Labelled unit vectors in one dense matrix; not thread safe."""

    is_exact = True

    def __init__(self, dimension: int) -> None:
        self._matrix = np.empty((0, dimension), np.float32)
        self._labels = np.empty(0, np.int64)
        self._row_of: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def dead(self) -> int:
        """Removed rows that still stand in memory: none, a removed row is overwritten."""
        return 0

    def add(self, labels: Labels, vectors: Vectors) -> None:
        """Add rows under new labels."""
        start = len(self)
        self._reserve(start + len(labels))
        self._labels[start : start + len(labels)] = labels
        self._matrix[start : start + len(labels)] = vectors
        self._row_of.update(zip(labels.tolist(), range(start, start + len(labels)), strict=True))

    def remove(self, labels: Labels) -> None:
        """Remove rows; the last one takes the place of each."""
        for label in labels.tolist():
            row, last = self._row_of.pop(label), len(self._row_of)
            if row != last:
                self._matrix[row] = self._matrix[last]
                self._labels[row] = self._labels[last]
                self._row_of[int(self._labels[row])] = row
            self._matrix[last] = 0.0

    def labels(self) -> Labels:
        """The labels of all rows, in any order."""
        return self._labels[: len(self)]

    def get(self, labels: Labels) -> Vectors:
        """The vectors of these labels, in their order."""
        rows = [self._row_of[label] for label in labels.tolist()]
        return self._matrix[np.array(rows, np.intp)]

    def nearest(self, vector: NDArray[np.float32], k: int) -> tuple[Labels, Cosines]:
        """All rows: `k` saves nothing here."""
        return self.labels(), self._matrix[: len(self)] @ vector

    def among(self, vector: NDArray[np.float32], labels: Labels, k: int) -> tuple[Labels, Cosines]:
        """The given rows."""
        return labels, self.get(labels) @ vector

    def _reserve(self, rows: int) -> None:
        if rows <= len(self._labels):
            return
        capacity = max(_FIRST_ROWS, rows + rows // 8)
        matrix = np.zeros((capacity, self._matrix.shape[1]), np.float32)
        labels = np.zeros(capacity, np.int64)
        matrix[: len(self)] = self._matrix[: len(self)]
        labels[: len(self)] = self._labels[: len(self)]
        self._matrix, self._labels = matrix, labels
