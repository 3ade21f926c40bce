"""Neo4j's jars in the user's cache: fetched once, checked against `jars.lock` every time."""

import hashlib
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import stamina
from jgo.maven import Artifact, MavenContext, PythonResolver

from service.domain.errors import GraphUnavailable
from service.stores.lock import FolderLock

NEO4J_VERSION: Final = "5.26.30"
BROWSER_VERSION: Final = "5.24.0"
COORDINATES: Final = (
    f"org.neo4j:neo4j:{NEO4J_VERSION}",
    f"org.neo4j.app:neo4j-server:{NEO4J_VERSION}",
    f"org.neo4j.client:neo4j-browser:{BROWSER_VERSION}",
)
LOCK_FILE: Final = Path(__file__).with_name("jars.lock")

Progress = Callable[[int, int], None]
"""Told (bytes fetched, bytes to fetch) from several threads, one call at a time."""

_TRIES: Final = 6
_CONNECTIONS: Final = 8


@dataclass(frozen=True, slots=True)
class Jar:
    """One line of `jars.lock`."""

    sha256: str
    size: int
    coordinate: str
    """`group:artifact:version` or `group:artifact:version:classifier`."""


def read_lock(path: Path = LOCK_FILE) -> tuple[Jar, ...]:
    """The jars that make up the server, in the order of the class path."""
    rows = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return tuple(Jar(sha256, int(size), coordinate) for sha256, size, coordinate in rows)


def resolve(
    cache_dir: Path,
    progress: Progress | None = None,
    *,
    jars: Sequence[Jar] | None = None,
    repositories: dict[str, str] | None = None,
) -> tuple[Path, ...]:
    """The class path of the server; what is missing or damaged in the cache is fetched.

    `repositories` are Maven repositories, name to address; Maven Central when None. Blocks: 0.2 s
    when all is there, else as long as 155 MB take. Raises GraphUnavailable when a jar cannot be
    fetched, or is not the one of the lock file, after several tries.
    """
    wanted = read_lock() if jars is None else jars
    folder = cache_dir / "maven"
    counter = _Counter(progress)
    context = MavenContext(
        PythonResolver(progress_callback=counter.follow),
        repo_cache=folder,
        remote_repos=repositories,
        timeout=30,
    )
    pairs = [(artifact(context, jar.coordinate), jar) for jar in wanted]
    with (
        FolderLock.acquire(folder, "fetch.lock", wait=True),
        ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="jars") as pool,
    ):
        sound = pool.map(_is_sound, pairs)
        missing = [pair for pair, good in zip(pairs, sound, strict=True) if not good]
        counter.total = sum(jar.size for _, jar in missing)
        list(pool.map(_fetch, missing))
    return tuple(path_of(each) for each, _ in pairs)


def artifact(context: MavenContext, coordinate: str) -> Artifact:
    """The artifact that a coordinate of `jars.lock` names."""
    group, name, version, *rest = coordinate.split(":")
    classifier = rest[0] if rest else ""
    return context.project(group, name).at_version(version).artifact(classifier, "jar")


def path_of(each: Artifact) -> Path:
    """Where the cache keeps an artifact."""
    path = each.cached_path
    if path is None:
        raise GraphUnavailable(f"there is no cache folder for {each}")
    return path


class _Counter:
    """Adds up what several threads fetch."""

    def __init__(self, progress: Progress | None) -> None:
        self.total = 0
        self._done = 0
        self._progress = progress
        self._guard = threading.Lock()

    @contextmanager
    def follow(self, _name: str, _size: int) -> Generator[Callable[[int], None]]:
        """Count one file; what a broken connection brought is taken off again."""
        received = 0

        def update(count: int) -> None:
            nonlocal received
            received += count
            self._add(count)

        try:
            yield update
        except BaseException:
            self._add(-received)
            raise

    def _add(self, count: int) -> None:
        with self._guard:
            self._done += count
            if self._progress is not None:
                self._progress(min(self._done, self.total), self.total)


class _Unsound(Exception):
    """What arrived is not what the lock file names."""


def _is_sound(pair: tuple[Artifact, Jar]) -> bool:
    each, jar = pair
    try:
        content = path_of(each).read_bytes()
    except OSError:
        return False
    return len(content) == jar.size and hashlib.sha256(content).hexdigest() == jar.sha256


def _fetch(pair: tuple[Artifact, Jar]) -> None:
    each, jar = pair
    path = path_of(each)

    # jgo trusts any file that is there, also the beginning of one: what may be broken goes first.
    @stamina.retry(on=Exception, attempts=_TRIES, timeout=None, wait_initial=0.3, wait_max=8.0)
    def attempt() -> None:
        path.unlink(missing_ok=True)
        each.resolve()
        if not _is_sound(pair):
            raise _Unsound("what arrived has another size or checksum than it must have")

    try:
        attempt()
    except Exception as error:
        path.unlink(missing_ok=True)
        raise GraphUnavailable(
            f"Neo4j's file {jar.coordinate} cannot be fetched ({error}): check the connection to "
            "the Maven repository and start again, or set NEO4J_URI to a running Neo4j 5.26+"
        ) from error
