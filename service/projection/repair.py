"""Repairing single memories that a projection lost, without making the whole of it anew."""

from collections import defaultdict
from itertools import islice

import structlog

from service.domain.change import Change, MemoryRemoval
from service.domain.status import Difference
from service.projection.doctor import Doctor
from service.projection.follower import Follower
from service.stores.neo4j.driver import Graph
from service.stores.neo4j.feed import read_memories

_log = structlog.stdlib.get_logger(__name__)

_PAGE = 500


class Repair:
    """Brings what differs from the graph, and nothing else, back into the projections."""

    def __init__(self, graph: Graph, follower: Follower, doctor: Doctor) -> None:
        self._graph = graph
        self._follower = follower
        self._doctor = doctor

    async def run(self) -> int:
        """Compare and repair; returns how many entries differed."""
        _, differences = await self._doctor.compare()
        by_projection: dict[str, list[Difference]] = defaultdict(list)
        for one in differences:
            by_projection[one.projection].append(one)
        for name, found in by_projection.items():
            _log.warning("repairing a projection", projection=name, memories=len(found))
            rest = iter(found)
            while part := list(islice(rest, _PAGE)):
                await self._repair(name, part)
        return len(differences)

    async def _repair(self, name: str, part: list[Difference]) -> None:
        ordinals = [one.ordinal for one in part]
        present = await self._graph.read(read_memories, ordinals)
        live = {change.ordinal for change in present}
        changes: list[Change] = [*present]
        changes += [
            MemoryRemoval(one.ordinal, 0, one.memory_id or "", "")
            for one in part
            if one.ordinal not in live
        ]
        await self._follower.reapply(name, changes)
