"""A service on the Neo4j of the run, called in the process."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from service.bootstrap import Service, open_service
from service.config import Settings, read_settings
from service.stores.neo4j.driver import Graph
from tests.memory.story import Store
from tests.neo4j_servers import Neo4jServer

Opener = Callable[..., AbstractAsyncContextManager[Service]]


@pytest.fixture(scope="session")
def opener(neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> Opener:
    """Opens a service with a folder of its own on the Neo4j of the run."""

    def settings(folder: Path, more: dict[str, Any]) -> Settings:
        given: dict[str, Any] = {
            "data_dir": folder,
            "neo4j_uri": neo4j_server.uri,
            "neo4j_user": neo4j_server.user,
            "neo4j_password": neo4j_server.password,
            "embedding": {"provider": "hashing"},
            "projection": {"poll_s": 0.05},
        }
        return read_settings(**(given | more))

    def opened(**more: Any) -> AbstractAsyncContextManager[Service]:
        return open_service(settings(tmp_path_factory.mktemp("service"), more))

    return opened


@pytest.fixture(scope="session")
async def service(opener: Opener) -> AsyncGenerator[Service]:
    """One service for all tests of the write path."""
    async with opener() as service:
        yield service


@pytest.fixture
def store(service: Service, graph: Graph, scope: str) -> Store:
    """A scope that no other test uses."""
    return Store(service, graph, scope)
