"""Which servers are new enough."""

import pytest

from service.domain.errors import IncompatibleStore
from service.stores.neo4j.driver import require_supported


@pytest.mark.parametrize(
    "server", ["Neo4j/5.26.0", "Neo4j/5.26.30", "Neo4j/5.27-aura", "Neo4j/2026.01.0", "Neo4j/6.0.1"]
)
def test_these_are_new_enough(server: str) -> None:
    require_supported(server)


@pytest.mark.parametrize("server", ["Neo4j/5.25.1", "Neo4j/4.4.30", "Neo4j/3.5.0"])
def test_an_older_server_is_refused_with_both_versions(server: str) -> None:
    with pytest.raises(IncompatibleStore, match=rf"{server}.*5\.26"):
        require_supported(server)


@pytest.mark.parametrize("server", ["", "Memgraph/2.1", "Neo4j", "Neo4j/five"])
def test_a_server_of_another_make_is_refused(server: str) -> None:
    with pytest.raises(IncompatibleStore, match=r"5\.26"):
        require_supported(server)
