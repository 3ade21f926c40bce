"""The registered relation types, as reads over all relations need them."""

from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.statements import statement

_TYPES = statement("relation/types")


class RelationTypes:
    """A copy of the registry, refreshed after each write and with each look at the feed."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._types: frozenset[str] = frozenset()

    def current(self) -> frozenset[str]:
        """Return the types as last read."""
        return self._types

    def add(self, names: set[str]) -> None:
        """Take types over that this process has just registered."""
        if not names <= self._types:
            self._types |= names

    async def refresh(self) -> None:
        """Read the registry."""

        async def work(tx: Transaction) -> list[Row]:
            return await fetch(tx, _TYPES)

        rows = await self._graph.read(work)
        # Only now: types are never taken back, and one may have been added while this was read.
        self._types |= {row["name"] for row in rows}
