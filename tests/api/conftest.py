"""The whole application behind real HTTP, on the Neo4j of the run."""

import asyncio
import threading
import uuid
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from typing import Any

import httpx
import pytest
import uvicorn

from service.api.app import create_app
from service.cli.importing import Importer
from service.cli.sample import sample_lines
from service.client import Client
from service.config import Settings, read_settings
from tests.api.client import Api
from tests.neo4j_servers import Neo4jServer

_START_S = 120.0


class _Server(uvicorn.Server):
    """Says when it listens, or that it never will."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.settled = threading.Event()

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        self.settled.set()

    def run(self, sockets: list[socket] | None = None) -> None:
        try:
            super().run(sockets)
        finally:
            self.settled.set()


@pytest.fixture(scope="session")
def settings(neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a service on the Neo4j of the run; words alone make its vectors."""
    return service_settings(neo4j_server, tmp_path_factory.mktemp("service"))


def service_settings(server: Neo4jServer, folder: Path, **more: Any) -> Settings:
    """Settings of a service of its own folder."""
    return read_settings(
        data_dir=folder,
        neo4j_uri=server.uri,
        neo4j_user=server.user,
        neo4j_password=server.password,
        embedding={"provider": "hashing"},
        http={"max_body_bytes": 8_388_608},
        projection={"poll_s": 0.2, "wait_s": 120.0},
        **more,
    )


@contextmanager
def serving(settings: Settings) -> Generator[str]:
    """Where a service of these settings answers, in a thread of its own."""
    config = uvicorn.Config(
        create_app(settings), host="127.0.0.1", port=0, log_config=None, ws="none"
    )
    server = _Server(config)
    thread = threading.Thread(target=server.run, name="service")
    thread.start()
    assert server.settled.wait(_START_S)
    assert server.started
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(_START_S)


@pytest.fixture(scope="session")
def address(settings: Settings) -> Generator[str]:
    """Where the service answers."""
    with serving(settings) as address:
        yield address


@pytest.fixture(scope="session")
async def http(address: str) -> AsyncGenerator[httpx.AsyncClient]:
    """A client of the service."""
    limits = httpx.Limits(max_connections=50)
    async with httpx.AsyncClient(base_url=address, timeout=120.0, limits=limits) as client:
        yield client


@pytest.fixture
def api(http: httpx.AsyncClient, scope: str) -> Api:
    """The service, seen from a scope that no other test uses."""
    return Api(http, scope)


@pytest.fixture(scope="session")
async def sample_scope(address: str) -> str:
    """A scope that holds the sample."""
    scope = f"sample-{uuid.uuid4().hex}"

    def load() -> None:
        with Client(address, scope=scope, timeout_s=600.0) as client:
            report = Importer(client).run(sample_lines())
        assert report.failures == []

    await asyncio.to_thread(load)
    return scope
