"""A service on the Neo4j of the run, called in the process."""

from tests.memory.conftest import opener, service, store

__all__ = ["opener", "service", "store"]
