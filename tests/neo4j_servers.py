"""The Neo4j that tests run against: the named one, a container, or the embedded one."""

import asyncio
import contextlib
import gc
import os
import secrets
import warnings
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from service.stores.neo4j.embedded.layout import Memory
from service.stores.neo4j.embedded.process import EmbeddedNeo4j

IMAGE = "neo4j:5.26-community"
TEST_MEMORY = Memory(heap_mb=256, page_cache_mb=64)
QUICK_START = ("-XX:TieredStopAtLevel=1",)
"""A third less work until the server is ready, for those who will not have it long."""


@dataclass(frozen=True, slots=True)
class Neo4jServer:
    """How to reach the server, and which kind it is."""

    uri: str
    user: str
    password: str
    kind: str


def cache_dir() -> Path:
    """Where downloads are kept: the same folder that the product uses."""
    named = os.environ.get("PALIMPSEST_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "palimpsest"


def quick_neo4j(home: Path, cache: Path) -> EmbeddedNeo4j:
    """An embedded Neo4j, small, soon ready, on ports that the system chooses."""
    return EmbeddedNeo4j(
        home, cache, memory=TEST_MEMORY, bolt_port=0, http_port=0, jvm_options=QUICK_START
    )


@asynccontextmanager
async def test_server(home: Path) -> AsyncGenerator[Neo4jServer]:
    """The server for this run; nothing of a named server's data is ever wiped."""
    uri = os.environ.get("NEO4J_TEST_URI")
    if uri:
        user = os.environ.get("NEO4J_TEST_USER", "neo4j")
        password = os.environ.get("NEO4J_TEST_PASSWORD", "")
        yield Neo4jServer(uri, user, password, "named by NEO4J_TEST_URI")
    elif docker_answers():
        async with container() as server:
            yield server
    else:
        # A port of its own, chosen by the system: a developer's Neo4j on 7687 is never touched.
        async with quick_neo4j(home, cache_dir()) as neo4j:
            yield Neo4jServer(neo4j.uri, neo4j.user, neo4j.password, "embedded")


def docker_answers() -> bool:
    """Whether there is a Docker engine to start containers with."""
    with warnings.catch_warnings():
        # Docker's client leaves its socket open when nobody answers.
        warnings.simplefilter("ignore", ResourceWarning)
        answers = _ping_docker()
        gc.collect()
    return answers


def _ping_docker() -> bool:
    import docker
    from docker.errors import DockerException

    try:
        # With the version named, the client asks the engine nothing until it is told to.
        client = docker.DockerClient.from_env(version="1.41", timeout=5)
        with contextlib.closing(client):
            return bool(client.ping())
    except (DockerException, OSError):
        return False


@asynccontextmanager
async def container() -> AsyncGenerator[Neo4jServer]:
    """A container that is removed afterwards, on a port that Docker chooses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from testcontainers.community.neo4j import Neo4jContainer

        password = secrets.token_urlsafe(12)
        running = Neo4jContainer(IMAGE, username="neo4j", password=password)
        running = running.with_env("NEO4J_db_transaction_monitor_check_interval", "100ms")
        await asyncio.to_thread(running.start)
    try:
        yield Neo4jServer(running.get_connection_url(), "neo4j", password, f"container of {IMAGE}")
    finally:
        await asyncio.to_thread(running.stop)
