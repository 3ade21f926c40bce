"""Comparing the projections with the graph, memory by memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal, Self

from service.domain.status import Difference, DoctorReport
from service.projection.catalogue import Catalogue
from service.projection.follower import Follower
from service.stores.hnswlib import VectorStore
from service.stores.neo4j.consistency import broken_promises
from service.stores.neo4j.driver import Graph
from service.stores.neo4j.feed import Revision, newest_revision, read_revisions
from service.stores.tantivy import TextIndex

_PAGE = 10_000
_LOOKS_AGAIN = 2
_CATCH_UP_S = 30.0

Name = Literal["catalogue", "text", "vectors"]


@dataclass(frozen=True, slots=True)
class _Pair:
    """A memory in the graph, and the revision at which a projection holds it a moment later."""

    memory: Revision | None
    held: int | None

    @property
    def differs(self) -> bool:
        return self.memory is None or self.memory.revision != self.held

    def confirms(self, before: Self) -> bool:
        """Whether this is the difference seen before, and not that of another change under way.

        A projection must have reached by now what the graph was at before, and the graph what the
        projection held before: a memory that never rests differs at each look, and is no fault.
        """
        if before.memory is None or before.held is None or self.memory is None or self.held is None:
            return True
        if before.held < before.memory.revision:
            return self.held < before.memory.revision
        return self.memory.revision < before.held

    def difference(self, name: Name, ordinal: int) -> Difference:
        if self.memory is None:
            return Difference(name, None, ordinal, "is there, though the graph does not have it")
        if self.held is None:
            return Difference(name, self.memory.id, ordinal, "is missing")
        there = f"is held at revision {self.held}, the graph is at {self.memory.revision}"
        return Difference(name, self.memory.id, ordinal, there)


class Doctor:
    """Finds memories that a projection lacks, holds in an older state, or should not hold."""

    def __init__(
        self,
        graph: Graph,
        follower: Follower,
        catalogue: Catalogue,
        text: TextIndex,
        vectors: VectorStore,
        model: str,
    ) -> None:
        self._graph = graph
        self._follower = follower
        self._catalogue = catalogue
        self._text = text
        self._vectors = vectors
        self._model = model

    async def examine(self) -> DoctorReport:
        """Compare the projections with the graph, and the graph with its own promises.

        What is written meanwhile is no difference: what seems to be one is looked at again.
        """
        memories, found = await self.compare()
        found += [
            Difference("graph", None, 0, promise)
            for promise in await broken_promises(self._graph, timeout_s=120.0)
        ]
        return DoctorReport(memories, tuple(found))

    async def compare(self) -> tuple[int, list[Difference]]:
        """Return the number of memories, and where a projection differs from the graph."""
        memories, found = await self._look()
        for _ in range(_LOOKS_AGAIN):
            if not found:
                break
            memories, again = await self._look()
            found = {
                at: now for at, now in again.items() if at in found and now.confirms(found[at])
            }
        return memories, [
            one.difference(*at) for at, one in sorted(found.items(), key=itemgetter(0))
        ]

    async def _look(self) -> tuple[int, dict[tuple[Name, int], _Pair]]:
        await self._follower.wait_for(await self._graph.read(newest_revision), _CATCH_UP_S)
        graph = await self._read()
        embedded = {at: one for at, one in graph.items() if one.model == self._model}
        return len(graph), {
            **_differing("catalogue", graph, self._catalogue.revisions()),
            **_differing("text", graph, self._text.revisions()),
            **_differing("vectors", embedded, self._vectors.ordinals()),
        }

    async def _read(self) -> dict[int, Revision]:
        found: dict[int, Revision] = {}
        after = -1
        while page := await self._graph.read(read_revisions, after, _PAGE):
            found |= {one.ordinal: one for one in page}
            after = page[-1].ordinal
        return found


def _differing(
    name: Name, graph: Mapping[int, Revision], projection: Mapping[int, int]
) -> dict[tuple[Name, int], _Pair]:
    pairs = {
        at: _Pair(graph.get(at), projection.get(at)) for at in graph.keys() | projection.keys()
    }
    return {(name, at): pair for at, pair in pairs.items() if pair.differs}
