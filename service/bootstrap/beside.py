"""What can be done to a store beside the service that runs on it: log in, keys, downloads."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from service.bootstrap.wiring import login
from service.config import Settings
from service.domain.errors import ConfigurationError
from service.memory.access import Keys
from service.providers.embedding.model_files import BGE_SMALL_EN, fetch_model
from service.stores.neo4j.driver import Graph
from service.stores.neo4j.embedded.layout import Ports
from service.stores.neo4j.embedded.record import find_server, read_record
from service.stores.neo4j.embedded.resolve import NEO4J_VERSION, resolve
from service.stores.neo4j.embedded.secrets import USER, read_password
from service.stores.neo4j.migrations import migrate


@dataclass(frozen=True, slots=True)
class EmbeddedLogin:
    """How to log in to the embedded Neo4j of a store."""

    home: Path
    user: str
    password: str
    pid: int | None
    """Its process; None while it does not run."""
    bolt_url: str
    browser_url: str


def embedded_login(settings: Settings) -> EmbeddedLogin | None:
    """Return how to log in to the embedded Neo4j below `data_dir`; None when there was none yet.

    Opens nothing: it may run beside the service.
    """
    home = (settings.data_dir / "neo4j").absolute()
    password = read_password(home)
    if password is None:
        return None
    record = read_record(home)
    process = find_server(home)
    ports = Ports(settings.neo4j.bolt_port, settings.neo4j.http_port)
    if record is not None:
        ports = record.ports
    return EmbeddedLogin(
        home=home,
        user=USER,
        password=password,
        pid=process.pid if process is not None else None,
        bolt_url=ports.bolt_url,
        browser_url=ports.browser_url,
    )


def has_store(settings: Settings) -> bool:
    """Tell whether there may be a store: the embedded one was made, or another Neo4j is named."""
    return settings.neo4j_uri is not None or embedded_login(settings) is not None


@asynccontextmanager
async def open_keys(settings: Settings) -> AsyncGenerator[Keys]:
    """Open the keys of a store beside the service that runs on it, or while none does.

    Starts nothing: raises ConfigurationError where the embedded Neo4j does not run, and what
    connecting raises.
    """
    if settings.neo4j_uri is not None:
        credentials = login(settings, None)
    else:
        embedded = embedded_login(settings)
        if embedded is None or embedded.pid is None:
            raise ConfigurationError(
                f"the Neo4j of {settings.data_dir} does not run: it does while `palimpsest serve` "
                "runs; start that first, on loopback, or name another folder with --data-dir"
            )
        credentials = (embedded.bolt_url, embedded.user, embedded.password)
    graph = await Graph.connect(*credentials, pool_size=2)
    async with graph:
        await migrate(graph)
        yield Keys(graph)


def fetch_downloads(settings: Settings, progress: Callable[[str, int, int], None]) -> list[str]:
    """Fetch what the settings need into `cache_dir` and return the names of it; blocks.

    `progress` is told a name, the bytes that have come and the bytes in all, from several threads.
    Raises GraphUnavailable, EmbeddingUnavailable.
    """
    fetched: list[str] = []
    if settings.neo4j_uri is None:
        name = f"Neo4j {NEO4J_VERSION}"
        resolve(settings.cache_dir, partial(progress, name))
        fetched.append(name)
    if settings.embedding.provider == "onnx":
        name = f"model {BGE_SMALL_EN.name}"
        fetch_model(
            BGE_SMALL_EN,
            settings.cache_dir,
            progress=lambda _, done, total: progress(name, done, total),
        )
        fetched.append(name)
    return fetched
