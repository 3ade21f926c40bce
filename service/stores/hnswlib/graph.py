"""Rows of a large scope: an HNSW graph, and a half-precision copy for exact scans of a part."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

import hnswlib
import numpy as np
from numpy.typing import NDArray

from service.domain.change import Vectors
from service.stores.hnswlib.labels import Cosines, Labels

BLOCK_ROWS = 8_192
"""The graph grows by this many rows at a time: doubling would cost twice its memory."""

_M = 12
_EF_CONSTRUCTION = 60
_SEED = 7
_EF_AT_LEAST = 128
_SCAN_ROWS = 512
_DEAD = -1

Half = NDArray[np.float16]


class _Graph(Protocol):
    def init_index(
        self, max_elements: int, M: int, ef_construction: int, random_seed: int
    ) -> None: ...
    def load_index(self, path_to_index: str, max_elements: int) -> None: ...
    def save_index(self, path_to_index: str) -> None: ...
    def index_file_size(self) -> int: ...
    def resize_index(self, new_size: int) -> None: ...
    def set_ef(self, ef: int) -> None: ...
    def set_num_threads(self, num_threads: int) -> None: ...
    def add_items(self, data: Vectors, ids: NDArray[np.int64], num_threads: int) -> None: ...
    def mark_deleted(self, label: int) -> None: ...
    def get_items(self, ids: NDArray[np.int64]) -> Vectors: ...
    def knn_query(
        self, data: Vectors, k: int, num_threads: int
    ) -> tuple[NDArray[np.uint64], NDArray[np.float32]]: ...


def _graph(dimension: int) -> _Graph:
    return cast(_Graph, hnswlib.Index(space="cosine", dim=dimension))


class GraphRows:
    """Labelled unit vectors in an HNSW graph; not thread safe, searches beside searches are.

    A removed row stays in the graph, marked, until another takes its place. In the library the
    rows are known by their place, not by the label, so that a place can be used again.
    """

    is_exact = False

    def __init__(self, dimension: int, threads: int) -> None:
        self._dimension = dimension
        self._threads = threads
        self._capacity = BLOCK_ROWS
        self._graph = _graph(dimension)
        self._graph.init_index(BLOCK_ROWS, _M, _EF_CONSTRUCTION, _SEED)
        self._used = 0
        self._places = np.full(BLOCK_ROWS, _DEAD, np.int64)
        self._row_of: dict[int, int] = {}
        self._free: list[int] = []
        self._half: list[Half] = [np.zeros((BLOCK_ROWS, dimension), np.float16)]

    @classmethod
    def restore(
        cls, dimension: int, threads: int, path: Path, places: Labels, half: Sequence[Half]
    ) -> "GraphRows":
        """The rows that `save` wrote; the file must have been checked, a cut one ends the process.

        `half` are blocks of `BLOCK_ROWS` rows that together cover `places`.
        """
        rows = cls(dimension, threads)
        rows._capacity = len(half) * BLOCK_ROWS
        rows._graph = _graph(dimension)
        rows._graph.load_index(str(path), rows._capacity)
        rows._used = len(places)
        rows._places = np.full(rows._capacity, _DEAD, np.int64)
        rows._places[: rows._used] = places
        listed = cast(list[int], places.tolist())
        rows._row_of = {label: row for row, label in enumerate(listed) if label != _DEAD}
        rows._free = [row for row, label in enumerate(listed) if label == _DEAD]
        rows._half = list(half)
        return rows

    def save(self, path: Path) -> None:
        """Write the graph to a file. Raises OSError when it does not get there whole."""
        self._graph.save_index(str(path))
        expected, written = self._graph.index_file_size(), path.stat().st_size
        if written != expected:  # the library does not look whether its writes succeed
            raise OSError(f"{path} has {written} bytes of {expected}: is the disk full?")

    @property
    def places(self) -> Labels:
        """The label at each used place, -1 where the row is removed."""
        return self._places[: self._used]

    @property
    def half(self) -> Sequence[Half]:
        """The half-precision copies, in blocks of `BLOCK_ROWS`."""
        return self._half

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def dead(self) -> int:
        """Removed rows that still stand in the graph."""
        return len(self._free)

    def add(self, labels: Labels, vectors: Vectors) -> None:
        """Add rows under new labels, first in the places of removed ones."""
        reused = [self._free.pop() for _ in range(min(len(self._free), len(labels)))]
        fresh = range(self._used, self._used + len(labels) - len(reused))
        self._reserve(fresh.stop)
        rows = np.array([*reused, *fresh], np.int64)
        self._graph.add_items(vectors, rows, self._threads)
        self._used = fresh.stop
        self._places[rows] = labels
        self._row_of.update(zip(labels.tolist(), rows.tolist(), strict=True))
        for row, vector in zip(rows.tolist(), vectors, strict=True):
            self._half[row // BLOCK_ROWS][row % BLOCK_ROWS] = vector

    def remove(self, labels: Labels) -> None:
        """Mark rows as removed: no search finds them."""
        for label in labels.tolist():
            row = self._row_of.pop(label)
            self._graph.mark_deleted(row)
            self._places[row] = _DEAD
            self._half[row // BLOCK_ROWS][row % BLOCK_ROWS] = 0
            self._free.append(row)

    def labels(self) -> Labels:
        """The labels of all live rows, in any order."""
        places = self.places
        return places[places != _DEAD]

    def get(self, labels: Labels) -> Vectors:
        """The vectors of these labels, in their order."""
        if labels.size == 0:
            return np.empty((0, self._dimension), np.float32)
        return self._graph.get_items(self._rows(labels))

    def nearest(self, vector: NDArray[np.float32], k: int) -> tuple[Labels, Cosines]:
        """About the nearest `k` live rows, at most all of them."""
        k = min(k, len(self))
        self._graph.set_ef(max(_EF_AT_LEAST, k + k // 2))
        try:
            rows, distances = self._graph.knn_query(vector[None, :], k, 1)
        except RuntimeError:
            # The library answers k rows or none: some live ones are out of the graph's reach.
            return self.among(vector, self.labels(), k)
        return self._places[rows[0].astype(np.int64)], np.float32(1.0) - distances[0]

    def among(self, vector: NDArray[np.float32], labels: Labels, k: int) -> tuple[Labels, Cosines]:
        """The nearest `k` of the given rows: chosen in half precision, answered in full."""
        rows = self._rows(labels)
        rows.sort()
        rough = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), _SCAN_ROWS):
            some = rows[start : start + _SCAN_ROWS]
            rough[start : start + _SCAN_ROWS] = self._half_rows(some) @ vector
        spare = k + k // 4 + 16  # half precision may swap neighbours
        if spare < len(rows):
            rows = rows[np.argpartition(-rough, spare)[:spare]]
        return self._places[rows], self._graph.get_items(rows) @ vector

    def _half_rows(self, rows: NDArray[np.int64]) -> Vectors:
        found = np.empty((len(rows), self._dimension), np.float32)
        blocks = rows // BLOCK_ROWS
        for block in cast(list[int], np.unique(blocks).tolist()):
            here = blocks == block
            found[here] = self._half[block][rows[here] % BLOCK_ROWS]
        return found

    def _rows(self, labels: Labels) -> NDArray[np.int64]:
        return np.array([self._row_of[label] for label in labels.tolist()], np.int64)

    def _reserve(self, rows: int) -> None:
        while rows > self._capacity:
            self._capacity += BLOCK_ROWS
            self._half.append(np.zeros((BLOCK_ROWS, self._dimension), np.float16))
        if self._capacity > len(self._places):
            self._graph.resize_index(self._capacity)
            grown = np.full(self._capacity, _DEAD, np.int64)
            grown[: self._used] = self._places[: self._used]
            self._places = grown
