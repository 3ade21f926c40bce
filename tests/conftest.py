"""What every test may ask for: a real Neo4j, a migrated graph on it, a scope of one's own."""

import os
import uuid
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from hypothesis import settings

from service.stores.neo4j.driver import Graph
from service.stores.neo4j.migrations import migrate
from tests.neo4j_servers import Neo4jServer, cache_dir, test_server

# Timing belongs in benchmarks: a busy machine must not fail a property.
settings.register_profile("untimed", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "untimed"))


@pytest.fixture(scope="session")
async def neo4j_server(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[Neo4jServer]:
    """One Neo4j for the whole run (see `tests/neo4j_servers.py` for which)."""
    async with test_server(tmp_path_factory.mktemp("neo4j")) as server:
        yield server


@pytest.fixture(scope="session")
async def graph(neo4j_server: Neo4jServer) -> AsyncGenerator[Graph]:
    """A migrated graph, shared by all tests: a test keeps to a scope of its own."""
    async with await Graph.connect(
        neo4j_server.uri, neo4j_server.user, neo4j_server.password
    ) as graph:
        await migrate(graph)
        yield graph


@pytest.fixture
def scope() -> str:
    """The name of a scope that no other test uses."""
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture(scope="session")
def download_cache() -> Path:
    """The folder of downloads (Neo4j's jars, models) that the product uses."""
    return cache_dir()
