"""All scopes' vectors under one applied revision."""

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from service.domain.change import Change, MemoryChange, Vectors
from service.domain.errors import EmbeddingRejected
from service.stores.hnswlib.index import ScopeVectors
from service.stores.hnswlib.labels import MAX_PASSAGES
from service.stores.hnswlib.snapshot import (
    Sizes,
    Snapshot,
    SnapshotScope,
    read_snapshot,
    remove_snapshot,
    write_snapshot,
)

_log = logging.getLogger(__name__)

_SHORTEST = 1e-6


@dataclass(frozen=True, slots=True)
class Similarities:
    """Cosines of memories with one vector, an entry a memory."""

    ordinals: list[int]
    best: NDArray[np.float32]
    """Of each memory's best passage."""
    first: NDArray[np.float32]
    """Of the passage that each begins with."""

    @classmethod
    def none(cls) -> "Similarities":
        """No memory's."""
        empty = np.empty(0, np.float32)
        return cls([], empty, empty)


class VectorStore:
    """The memories' vectors, searched by cosine. A `Projection`; open it with `VectorStore.open`.

    It lives in memory: `applied_revision` is what a search sees, `snapshot_revision` what a start
    after a crash would find; the changes in between come again from the feed.
    """

    name: Literal["catalogue", "text", "vectors"] = "vectors"

    def __init__(
        self, folder: Path, model: str, dimension: int, sizes: Sizes, snapshot: Snapshot | None
    ) -> None:
        self._folder = folder
        self._model = model
        self._dimension = dimension
        self._sizes = sizes
        self._write_lock = threading.Lock()
        self._scopes: dict[str, ScopeVectors] = {}
        self._revisions: dict[str, dict[int, int]] = {}
        self._applied = self._written = 0
        self._refused = 0
        if snapshot is not None:
            self._applied = self._written = snapshot.applied_revision
            for scope, content in snapshot.scopes.items():
                self._scopes[scope] = content.vectors
                self._revisions[scope] = dict(content.revisions)

    @classmethod
    def open(
        cls,
        folder: Path,
        model: str,
        dimension: int,
        *,
        exact_rows: int = 10_000,
        threads: int = 1,
    ) -> "VectorStore":
        """Read the snapshot in the folder, or begin empty.

        A snapshot of another model or dimension counts as none. A scope of more than `exact_rows`
        passages becomes a graph; `threads` build it. Raises `IndexDamaged`.
        """
        sizes = Sizes(exact_rows, threads)
        snapshot = read_snapshot(folder, sizes)
        if snapshot is not None and (snapshot.model, snapshot.dimension) != (model, dimension):
            _log.warning(
                "vectors of %s (%d) are left aside: the model is %s (%d)",
                snapshot.model,
                snapshot.dimension,
                model,
                dimension,
            )
            snapshot = None
        return cls(folder, model, dimension, sizes, snapshot)

    @property
    def applied_revision(self) -> int:
        """The newest revision that a search sees."""
        return self._applied

    @property
    def snapshot_revision(self) -> int:
        """The revision of the snapshot on disk; 0 without one."""
        return self._written

    @property
    def refused(self) -> int:
        """How many memories came with vectors that cannot be used, since it was opened."""
        return self._refused

    def apply(self, changes: Sequence[Change], revision: int) -> None:
        """Replace or remove the vectors of the memories that changed.

        A memory without vectors of this store's model is not held. One whose vectors are not
        finite, are zero or of another dimension is refused: logged, counted, not held.
        """
        with self._write_lock:
            latest = {change.ordinal: change for change in changes}
            kept: dict[str, dict[int, MemoryChange]] = {}
            gone: dict[str, list[int]] = {}
            for ordinal, change in latest.items():
                if isinstance(change, MemoryChange) and self._is_usable(change):
                    kept.setdefault(change.scope, {})[ordinal] = change
                else:
                    gone.setdefault(self._holder(ordinal, change.scope), []).append(ordinal)
            for scope, ordinals in gone.items():
                self._remove(scope, ordinals)
            for scope, memories in kept.items():
                self._put(scope, memories)
            self._applied = revision

    def clear(self) -> None:
        """Forget everything, on disk too; `applied_revision` is 0 afterwards."""
        with self._write_lock:
            remove_snapshot(self._folder)
            self._scopes, self._revisions = {}, {}
            self._applied = self._written = 0

    def close(self) -> None:
        """Write a snapshot if there is anything new, and let the memory go. Raises OSError."""
        if self._applied != self._written:
            self.write_snapshot()
        self._scopes, self._revisions = {}, {}

    def write_snapshot(self) -> None:
        """Make what is held durable. Raises OSError; the snapshot before then stays."""
        with self._write_lock:
            self._write()

    def expunge(self) -> None:
        """Leave nothing of removed vectors in memory or in the snapshot. Raises OSError.

        A scope whose graph holds removed rows is built anew, aside: meanwhile it takes its memory
        twice, and searches go on.
        """
        with self._write_lock:
            for vectors in self._scopes.values():
                vectors.compact()
            self._write()

    def search(
        self,
        scope: str,
        vector: NDArray[np.float32],
        limit: int,
        allowed: NDArray[np.int64] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The `limit` memories of the scope nearest to `vector` (dimension,): ordinals, cosines.

        Best first, each memory once, by its best passage; fewer where there are fewer. `allowed`
        (ordinals, ascending) holds before the cut. Raises `EmbeddingRejected` for a vector that
        is not finite, is zero or of another dimension.
        """
        vector = np.asarray(vector, np.float32)
        fault = _fault(vector[None, :] if vector.ndim == 1 else vector, self._dimension)
        if fault or vector.ndim != 1:
            raise EmbeddingRejected(
                f"the query's vector cannot be used: {fault or 'it has more than one row'}"
            )
        vectors = self._scopes.get(scope)
        if vectors is None:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        unit = (vector / np.linalg.norm(vector)).astype(np.float32)
        return vectors.search(unit, limit, allowed)

    def cosines(
        self, scope: str, vector: NDArray[np.float32], ordinals: Sequence[int]
    ) -> Similarities:
        """How near those of the memories that are held are to `vector` (dimension,), not zero."""
        vectors = self._scopes.get(scope)
        if vectors is None:
            return Similarities.none()
        unit = (vector / np.linalg.norm(vector)).astype(np.float32)
        return Similarities(*vectors.cosines(unit, list(ordinals)))

    def ordinals(self) -> Mapping[int, int]:
        """The revision of each memory it holds, by ordinal."""
        with self._write_lock:
            return {
                ordinal: revision
                for revisions in self._revisions.values()
                for ordinal, revision in revisions.items()
            }

    def count(self) -> int:
        """How many memories it holds."""
        with self._write_lock:
            return sum(len(revisions) for revisions in self._revisions.values())

    def _put(self, scope: str, memories: Mapping[int, MemoryChange]) -> None:
        vectors = self._scopes.get(scope)
        if vectors is None:
            vectors = ScopeVectors(self._dimension, self._sizes.exact_rows, self._sizes.threads)
        vectors.put({ordinal: _unit(change) for ordinal, change in memories.items()})
        self._scopes[scope] = vectors
        revisions = self._revisions.setdefault(scope, {})
        revisions.update((ordinal, change.revision) for ordinal, change in memories.items())

    def _remove(self, scope: str, ordinals: list[int]) -> None:
        vectors, revisions = self._scopes.get(scope), self._revisions.get(scope)
        if vectors is None or revisions is None:
            return
        for ordinal in ordinals:
            revisions.pop(ordinal, None)
        if revisions:
            vectors.remove(ordinals)
        else:
            del self._scopes[scope], self._revisions[scope]

    def _holder(self, ordinal: int, scope: str) -> str:
        """The scope that holds a memory: the one it says, else whichever does."""
        if ordinal in self._revisions.get(scope, ()):
            return scope
        holders = (name for name, known in self._revisions.items() if ordinal in known)
        return next(holders, scope)

    def _is_usable(self, change: MemoryChange) -> bool:
        if change.vectors is None or change.embedding_model != self._model:
            return False
        fault = _fault(change.vectors, self._dimension)
        if fault:
            self._refused += 1
            _log.error("the vectors of memory %s are refused: %s", change.id, fault)
        return not fault

    def _write(self) -> None:
        scopes = {
            scope: SnapshotScope(vectors, self._revisions[scope])
            for scope, vectors in self._scopes.items()
        }
        write_snapshot(self._folder, Snapshot(self._model, self._dimension, self._applied, scopes))
        self._written = self._applied


def _unit(change: MemoryChange) -> Vectors:
    vectors = np.asarray(change.vectors, np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _fault(vectors: Vectors, dimension: int) -> str:
    """What is wrong with the rows, empty when nothing is."""
    if vectors.ndim != 2 or len(vectors) == 0:
        return f"a matrix of shape {vectors.shape} holds no vectors"
    if vectors.shape[1] != dimension:
        return f"{vectors.shape[1]} dimensions instead of {dimension}"
    if len(vectors) > MAX_PASSAGES:
        return f"{len(vectors)} passages, {MAX_PASSAGES} at most"
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    if not np.isfinite(lengths).all():
        return "a value is not finite"
    if lengths.min() < _SHORTEST:
        return "a vector is zero"
    return ""
