"""The vectors of one scope: exact while there are few, a graph above that."""

import threading
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from service.domain.change import Vectors
from service.stores.hnswlib.exact import ExactRows
from service.stores.hnswlib.graph import GraphRows
from service.stores.hnswlib.labels import (
    Cosines,
    Labels,
    best_of_each,
    is_member,
    label_range,
    ordinals_of,
)

_ROWS_A_LOCK = 64
"""So many rows are added, at least, before a waiting search gets its turn."""

_REBUILT_ROWS = 1_024
_DEAD_PART = 0.3
_FEW_ALLOWED = 512
_SCANNED_ROWS = 4_096
_WALKED_PART = 8


class Rows(Protocol):
    """What both kinds of rows do."""

    is_exact: bool

    @property
    def dead(self) -> int: ...
    def __len__(self) -> int: ...
    def add(self, labels: Labels, vectors: Vectors) -> None: ...
    def remove(self, labels: Labels) -> None: ...
    def labels(self) -> Labels: ...
    def get(self, labels: Labels) -> Vectors: ...
    def nearest(self, vector: NDArray[np.float32], k: int) -> tuple[Labels, Cosines]: ...
    def among(
        self, vector: NDArray[np.float32], labels: Labels, k: int
    ) -> tuple[Labels, Cosines]: ...


class ScopeVectors:
    """The passages of one scope's memories. Thread safe for one writer and many searches."""

    def __init__(
        self,
        dimension: int,
        exact_rows: int,
        threads: int,
        rows: Rows | None = None,
        passages: Mapping[int, int] | None = None,
    ) -> None:
        self._dimension = dimension
        self._exact_rows = exact_rows
        self._threads = threads
        self._lock = threading.Lock()
        self._rows: Rows = rows or ExactRows(dimension)
        self._passages: dict[int, int] = dict(passages or {})

    @property
    def rows(self) -> Rows:
        """The rows as they are; only the writer may look at them."""
        return self._rows

    @property
    def passages(self) -> Mapping[int, int]:
        """How many passages each memory has, by ordinal."""
        return self._passages

    def put(self, memories: Mapping[int, Vectors]) -> None:
        """Add or replace memories, each a (passages, dimension) matrix of unit vectors."""
        changed = {
            ordinal: vectors
            for ordinal, vectors in memories.items()
            if not self._holds(ordinal, vectors)
        }
        grown = len(self._rows) + sum(len(vectors) for vectors in changed.values())
        if self._rows.is_exact and grown > self._exact_rows:
            self._rebuild(GraphRows(self._dimension, self._threads))
        for some in _groups(changed):
            with self._lock:
                self._drop(some)
                labels = chain.from_iterable(
                    label_range(ordinal, len(vectors)) for ordinal, vectors in some.items()
                )
                self._rows.add(np.fromiter(labels, np.int64), np.concatenate(list(some.values())))
                self._passages.update((ordinal, len(vectors)) for ordinal, vectors in some.items())
        self._tidy()

    def remove(self, ordinals: list[int]) -> None:
        """Remove memories; unknown ones are passed over."""
        with self._lock:
            self._drop(ordinals)
        self._tidy()

    def compact(self) -> None:
        """Leave nothing of removed rows in memory."""
        if self._rows.dead:
            self._rebuild(self._fitting())

    def search(
        self, vector: NDArray[np.float32], limit: int, allowed: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The best `limit` memories for a unit vector; `allowed` are ordinals, ascending."""
        with self._lock:
            total = len(self._rows)
            if total == 0 or limit < 1:
                return np.empty(0, np.int64), np.empty(0, np.float32)
            per_memory = -(-total // len(self._passages))
            if allowed is None:
                return self._walk(vector, limit, limit * per_memory, None)
            labels = self._labels_of(allowed)
            if labels.size == 0:
                return np.empty(0, np.int64), np.empty(0, np.float32)
            first = limit * per_memory * total // labels.size
            if labels.size <= _SCANNED_ROWS or first > total // _WALKED_PART:
                return self._scan(vector, limit, labels)
            return self._walk(vector, limit, first, labels)

    def cosines(
        self, vector: NDArray[np.float32], ordinals: list[int]
    ) -> tuple[list[int], NDArray[np.float32], NDArray[np.float32]]:
        """Those of the memories that it holds; each one's best and first passage's cosine."""
        with self._lock:
            held = [ordinal for ordinal in ordinals if ordinal in self._passages]
            counts = [self._passages[ordinal] for ordinal in held]
            labels = chain.from_iterable(map(label_range, held, counts))
            rows = self._rows.get(np.fromiter(labels, np.int64, sum(counts)))
            each = rows @ vector
        starts = np.cumsum([0, *counts[:-1]])
        if not held:
            return held, each, each
        return held, np.maximum.reduceat(each, starts), each[starts]

    def _walk(
        self, vector: NDArray[np.float32], limit: int, first: int, among: Labels | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Ask for more and more rows until there are enough distinct memories."""
        total = len(self._rows)
        k = first + first // 4 + 8
        while self._rows.is_exact or k <= max(_SCANNED_ROWS, total // _WALKED_PART):
            labels, cosines = self._rows.nearest(vector, k)
            if among is not None:
                inside = is_member(labels, among)
                labels, cosines = labels[inside], cosines[inside]
            ordinals, best = best_of_each(labels, cosines, limit)
            if len(ordinals) == limit or k >= total or self._rows.is_exact:
                return ordinals, best
            k *= 4
        return self._scan(vector, limit, self._rows.labels() if among is None else among)

    def _scan(
        self, vector: NDArray[np.float32], limit: int, labels: Labels
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Look at every one of these rows."""
        k = limit
        while True:
            found, cosines = self._rows.among(vector, labels, k)
            ordinals, best = best_of_each(found, cosines, limit)
            if len(ordinals) == limit or k >= labels.size:
                return ordinals, best
            k = min(labels.size, k * 8)

    def _labels_of(self, allowed: NDArray[np.int64]) -> Labels:
        """The labels of the allowed memories, ascending."""
        if allowed.size <= _FEW_ALLOWED:
            ranges = (
                label_range(ordinal, self._passages[ordinal])
                for ordinal in allowed.tolist()
                if ordinal in self._passages
            )
            return np.fromiter(chain.from_iterable(ranges), np.int64)
        labels = self._rows.labels()
        return np.sort(labels[is_member(ordinals_of(labels), allowed)])

    def _holds(self, ordinal: int, vectors: Vectors) -> bool:
        """Whether the memory is there with these very vectors (a change of its state only)."""
        if self._passages.get(ordinal) != len(vectors):
            return False
        held = self._rows.get(_labels(ordinal, len(vectors)))
        return bool(np.allclose(held, vectors, rtol=0.0, atol=1e-6))

    def _drop(self, ordinals: Mapping[int, Vectors] | list[int]) -> None:
        for ordinal in ordinals:
            passages = self._passages.pop(ordinal, 0)
            if passages:
                self._rows.remove(_labels(ordinal, passages))

    def _tidy(self) -> None:
        live, dead = len(self._rows), self._rows.dead
        if dead > _REBUILT_ROWS and dead > _DEAD_PART * (live + dead):
            self._rebuild(self._fitting())

    def _fitting(self) -> Rows:
        if len(self._rows) <= self._exact_rows // 2:
            return ExactRows(self._dimension)
        return GraphRows(self._dimension, self._threads)

    def _rebuild(self, rows: Rows) -> None:
        """Fill other rows aside, while searches go on in the old ones, then put them in place."""
        labels = self._rows.labels().copy()
        for start in range(0, len(labels), _REBUILT_ROWS):
            some = labels[start : start + _REBUILT_ROWS]
            rows.add(some, self._rows.get(some))
        with self._lock:
            self._rows = rows


def _labels(ordinal: int, passages: int) -> Labels:
    return np.array(label_range(ordinal, passages), np.int64)


def _groups(memories: Mapping[int, Vectors]) -> Iterator[dict[int, Vectors]]:
    group: dict[int, Vectors] = {}
    rows = 0
    for ordinal, vectors in memories.items():
        group[ordinal] = vectors
        rows += len(vectors)
        if rows >= _ROWS_A_LOCK:
            yield group
            group, rows = {}, 0
    if group:
        yield group
