"""A store that is served by real processes, with a Neo4j of its own."""

from collections.abc import AsyncGenerator

import pytest

from tests.acceptance.served import Caller, Served


@pytest.fixture(scope="session")
async def one_store(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Served]:
    """The store of all these tests; a test keeps to a scope of its own."""
    served = Served(tmp_path_factory.mktemp("served"))
    try:
        yield served
    finally:
        await served.clean_up()


@pytest.fixture
async def served(one_store: Served) -> Served:
    """The store, served, whatever the test before did to its processes."""
    if not one_store.runs:
        await one_store.start()
    return one_store


@pytest.fixture
async def caller(served: Served, scope: str) -> AsyncGenerator[Caller]:
    """Calls within a scope that no other test uses."""
    caller = Caller(served, scope)
    yield caller
    await caller.close()
