"""The vectors on disk: written aside, checked whole before a byte of it is used.

A snapshot is a folder of its own. The file `current` names it and holds the checksum of its
manifest, which holds the size and checksum of every other file; replacing `current` is the moment
at which a new snapshot counts. So a crash at any point leaves the old one or the new one.
"""

import json
import os
import shutil
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from service.domain.errors import IndexDamaged
from service.stores.hnswlib.exact import ExactRows
from service.stores.hnswlib.graph import BLOCK_ROWS, GraphRows
from service.stores.hnswlib.index import ScopeVectors

FORMAT = 1
"""Raised with every change of the files; a snapshot of another format is rebuilt."""

_CURRENT = "current"
_MANIFEST = "manifest.json"
_CHUNK = 1 << 20
_COPIED_ROWS = 1_024


@dataclass(frozen=True, slots=True)
class SnapshotScope:
    """One scope as it is written and read: its vectors and each memory's revision."""

    vectors: ScopeVectors
    revisions: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a snapshot holds."""

    model: str
    dimension: int
    applied_revision: int
    scopes: Mapping[str, SnapshotScope]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How the scopes of a snapshot that is read are to grow on."""

    exact_rows: int
    threads: int


def write_snapshot(folder: Path, snapshot: Snapshot) -> None:
    """Write the snapshot and make it the current one; older ones are removed.

    Nothing may change the scopes meanwhile. Raises OSError; the snapshot before then stays.
    """
    folder.mkdir(parents=True, exist_ok=True)
    home = folder / uuid4().hex
    home.mkdir()
    try:
        with _streams(home, "wb") as streams:
            scopes = [
                _write_scope(home, number, scope, content, streams)
                for number, (scope, content) in enumerate(snapshot.scopes.items())
            ]
        manifest = json.dumps(
            {
                "format": FORMAT,
                "model": snapshot.model,
                "dimension": snapshot.dimension,
                "applied_revision": snapshot.applied_revision,
                "scopes": scopes,
                "files": {path.name: _sealed(path) for path in sorted(home.iterdir())},
            }
        ).encode()
        _write_durably(home / _MANIFEST, manifest)
        _sync(home)
        aside = folder / f"{home.name}.{_CURRENT}"
        _write_durably(aside, f"{home.name} {_digest(manifest)}".encode())
        aside.replace(folder / _CURRENT)
        _sync(folder)
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise
    _remove_all_but(folder, home.name)


def read_snapshot(folder: Path, sizes: Sizes) -> Snapshot | None:
    """The current snapshot, or None when there is none. Raises `IndexDamaged`."""
    if not (folder / _CURRENT).exists():
        return None
    try:
        home, manifest = _checked(folder)
        _remove_all_but(folder, home.name)
        dimension = int(manifest["dimension"])
        with _streams(home, "rb") as streams:
            scopes = {
                entry["scope"]: _read_scope(home, entry, dimension, sizes, streams)
                for entry in manifest["scopes"]
            }
        revision = int(manifest["applied_revision"])
        return Snapshot(manifest["model"], dimension, revision, scopes)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise IndexDamaged(
            f"the vector snapshot in {folder} cannot be read ({error}): it has to be rebuilt"
        ) from error


def remove_snapshot(folder: Path) -> None:
    """Remove whatever snapshot is there."""
    (folder / _CURRENT).unlink(missing_ok=True)
    _remove_all_but(folder, None)


@dataclass(frozen=True, slots=True)
class _Streams:
    """Files that all scopes share, one behind the other: many small ones must not cost a file."""

    memories: BinaryIO
    """Rows of int64: ordinal, revision, passages."""
    labels: BinaryIO
    vectors: BinaryIO
    half: BinaryIO


@contextmanager
def _streams(home: Path, mode: Literal["rb", "wb"]) -> Generator[_Streams]:
    with ExitStack() as stack:
        files = (
            stack.enter_context((home / f"{field.name}.bin").open(mode))
            for field in fields(_Streams)
        )
        yield _Streams(*files)


def _write_scope(
    home: Path, number: int, scope: str, content: SnapshotScope, streams: _Streams
) -> dict[str, Any]:
    rows = content.vectors.rows
    memories = [
        (ordinal, content.revisions[ordinal], passages)
        for ordinal, passages in content.vectors.passages.items()
    ]
    _write(streams.memories, np.array(memories, np.int64))
    if isinstance(rows, GraphRows):
        graph, labels = f"{number}.graph", rows.places
        for block in rows.half:
            _write(streams.half, block)
        rows.save(home / graph)
    else:
        graph, labels = None, rows.labels()
        for start in range(0, len(labels), _COPIED_ROWS):
            _write(streams.vectors, rows.get(labels[start : start + _COPIED_ROWS]))
    _write(streams.labels, labels)
    return {"scope": scope, "memories": len(memories), "rows": len(labels), "graph": graph}


def _read_scope(
    home: Path, entry: dict[str, Any], dimension: int, sizes: Sizes, streams: _Streams
) -> SnapshotScope:
    count = int(entry["rows"])
    memories = np.fromfile(streams.memories, np.int64, 3 * int(entry["memories"])).reshape(-1, 3)
    labels = np.fromfile(streams.labels, np.int64, count)
    if entry["graph"]:
        size = BLOCK_ROWS * dimension
        half = [
            np.fromfile(streams.half, np.float16, size).reshape(BLOCK_ROWS, dimension)
            for _ in range(0, count, BLOCK_ROWS)
        ]
        path = home / entry["graph"]
        rows = GraphRows.restore(dimension, sizes.threads, path, labels, half)
    else:
        rows = ExactRows(dimension)
        matrix = np.fromfile(streams.vectors, np.float32, count * dimension)
        rows.add(labels, matrix.reshape(-1, dimension))
    vectors = ScopeVectors(dimension, sizes.exact_rows, sizes.threads, rows, _column(memories, 2))
    return SnapshotScope(vectors, _column(memories, 1))


def _column(memories: NDArray[np.int64], column: int) -> dict[int, int]:
    keys, values = memories[:, 0].tolist(), memories[:, column].tolist()
    return dict(zip(keys, values, strict=True))


def _checked(folder: Path) -> tuple[Path, dict[str, Any]]:
    """The snapshot's folder and manifest, after every byte was compared with its checksum."""
    name, _, expected = (folder / _CURRENT).read_text("utf-8").partition(" ")
    if not name.isalnum():
        raise ValueError(f"{_CURRENT} names no folder")
    home = folder / name
    text = (home / _MANIFEST).read_bytes()
    if _digest(text) != expected:
        raise ValueError("the manifest is not as it was written")
    manifest = cast(dict[str, Any], json.loads(text))
    if manifest["format"] != FORMAT:
        raise ValueError(f"it is of format {manifest['format']}, this version reads {FORMAT}")
    for file, seal in manifest["files"].items():
        if _seal(home / file) != seal:
            raise ValueError(f"{file} is not as it was written")
    return home, manifest


def _write(file: BinaryIO, array: NDArray[Any]) -> None:
    file.write(np.ascontiguousarray(array).data)


def _sealed(path: Path) -> str:
    """The seal of a file whose bytes are on the disk."""
    _sync(path)
    return _seal(path)


def _seal(path: Path) -> str:
    """The file's size and checksum."""
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return f"{path.stat().st_size}:{digest.hexdigest()}"


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def _write_durably(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    _sync(path)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_all_but(folder: Path, name: str | None) -> None:
    if not folder.exists():
        return
    for path in folder.iterdir():
        if path.is_dir() and path.name != name:
            shutil.rmtree(path)
        elif path.name.endswith(f".{_CURRENT}"):
            path.unlink()
