"""Comparing the projections with the graph, memory by memory."""

from collections.abc import Mapping
from typing import Literal

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
            for promise in await self._graph.read(broken_promises, timeout_s=120.0)
        ]
        return DoctorReport(memories, tuple(found))

    async def compare(self) -> tuple[int, list[Difference]]:
        """Return the number of memories, and where a projection differs from the graph."""
        memories, found = await self._compare_once()
        for _ in range(_LOOKS_AGAIN):
            if not found:
                break
            before = {(one.projection, one.ordinal) for one in found}
            memories, again = await self._compare_once()
            found = [one for one in again if (one.projection, one.ordinal) in before]
        return memories, found

    async def _compare_once(self) -> tuple[int, list[Difference]]:
        await self._follower.wait_for(await self._graph.read(newest_revision), _CATCH_UP_S)
        graph = await self._read()
        embedded = {at: one for at, one in graph.items() if one.model == self._model}
        return len(graph), [
            *_compare("catalogue", graph, self._catalogue.revisions()),
            *_compare("text", graph, self._text.revisions()),
            *_compare("vectors", embedded, self._vectors.ordinals()),
        ]

    async def _read(self) -> dict[int, Revision]:
        found: dict[int, Revision] = {}
        after = -1
        while page := await self._graph.read(read_revisions, after, _PAGE):
            found |= {one.ordinal: one for one in page}
            after = page[-1].ordinal
        return found


def _compare(
    name: Name, graph: Mapping[int, Revision], projection: Mapping[int, int]
) -> list[Difference]:
    found = [
        Difference(name, graph[ordinal].id, ordinal, "is missing")
        for ordinal in sorted(graph.keys() - projection.keys())
    ]
    found += [
        Difference(name, None, ordinal, "is there, though the graph does not have it")
        for ordinal in sorted(projection.keys() - graph.keys())
    ]
    found += [
        Difference(
            name,
            graph[ordinal].id,
            ordinal,
            f"is held at revision {projection[ordinal]}, the graph is at {graph[ordinal].revision}",
        )
        for ordinal in sorted(graph.keys() & projection.keys())
        if graph[ordinal].revision != projection[ordinal]
    ]
    return found
