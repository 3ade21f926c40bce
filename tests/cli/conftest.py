"""One service with the sample for all tests of the command line."""

from collections.abc import Iterator

import pytest

from tests.cli.served import Served, serving


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service with the sample; a test writes into a scope of its own."""
    with serving(tmp_path_factory.mktemp("served") / "data", "--sample") as served:
        yield served
