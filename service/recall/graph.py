"""The graph channel: from the entities a query names to the memories around them.

Which entities a query names, and which memories mention them, is known in the process. Only the
hop through relations asks Neo4j: one round trip, and what was found before it survives its being
late. A memory's traversal score is between 0 and 1: it grows with the entities that lead to it,
less for entities that a large part of the scope mentions, and less again across a relation.
"""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from service.domain.deadline import Deadline
from service.domain.errors import GraphTimedOut
from service.domain.names import FALLBACK_RELATION_TYPE
from service.projection.catalogue import Catalogue
from service.projection.names import NameIndex
from service.recall.channel import LATE, ChannelRequest, Found
from service.recall.settings import RecallSettings
from service.stores.neo4j.driver import Graph
from service.stores.neo4j.expansion import Neighbor, neighbors

_HOP = 0.5
_LEAST = 0.1
_MOST = 0.999
"""A single way leads to less than certainty, so that a second one always adds something."""

Weights = dict[str, float]


class GraphChannel:
    """Entities of the query, their neighbours, and the memories that mention either."""

    def __init__(
        self,
        graph: Graph,
        names: NameIndex,
        catalogue: Catalogue,
        relation_types: Callable[[], frozenset[str]],
        settings: RecallSettings,
    ) -> None:
        self._graph = graph
        self._names = names
        self._catalogue = catalogue
        self._relation_types = relation_types
        self._settings = settings

    @property
    def name(self) -> str:
        """`graph`."""
        return "graph"

    def off(self, request: ChannelRequest) -> str | None:
        """Off by setting, or for one request."""
        if not self._settings.graph_enabled:
            return "graph.enabled is false"
        return None if request.graph else "the request asks for graph: false"

    async def search(self, request: ChannelRequest, deadline: Deadline, found: Found) -> None:
        """Find memories by traversal. Raises GraphTimedOut, GraphUnavailable, GraphFailed."""
        settings = self._settings
        matches = self._names.matching(request.scope, request.query, settings.entities)
        if not matches:
            return
        memories = self._catalogue.count(request.scope)
        weights = {
            match.entity.id: match.share * telling(match.entity.mentions, memories)
            for match in matches
        }
        self._put(self._memories(weights, request), found)
        if deadline.expired:
            raise GraphTimedOut(LATE)
        relations = await neighbors(
            self._graph,
            # The fallback is read always: another service may have used it a moment ago.
            self._relation_types() | {FALLBACK_RELATION_TYPE},
            list(weights),
            # A neighbour may be tied several times: to two of the entities, by two types.
            limit=4 * settings.neighbors,
            timeout_s=deadline.remaining(),
        )
        around = self._around(weights, relations, request.scope)
        self._put(self._memories(weights | around, request), found)

    def _around(self, weights: Weights, relations: Iterable[Neighbor], scope: str) -> Weights:
        """The entities one hop away, with the weight of the best way to each."""
        around: Weights = {}
        memories = self._catalogue.count(scope)
        for relation in relations:
            entity = self._names.get(relation.entity_id)
            if entity is None or entity.scope != scope or entity.id in weights:
                continue
            if entity.id not in around and len(around) == self._settings.neighbors:
                continue
            confidence = min(max(relation.confidence, 0.0), 1.0)
            weight = (
                _HOP * weights[relation.seed_id] * confidence * telling(entity.mentions, memories)
            )
            around[entity.id] = max(around.get(entity.id, 0.0), weight)
        return around

    def _memories(
        self, weights: Weights, request: ChannelRequest
    ) -> Sequence[tuple[NDArray[np.int64], float]]:
        """For each entity the latest memories that mention it and pass the filters."""
        groups: list[tuple[NDArray[np.int64], float]] = []
        for entity_id, weight in weights.items():
            mentioning = self._catalogue.mentioning(entity_id)
            if request.allowed is not None:
                mentioning = np.intersect1d(mentioning, request.allowed, assume_unique=True)
            groups.append((mentioning[-self._settings.memories :], weight))
        return groups

    def _put(self, groups: Sequence[tuple[NDArray[np.int64], float]], found: Found) -> None:
        """Merge the ways to each memory and keep the best memories, latest first among equals."""
        if not any(len(ordinals) for ordinals, _ in groups):
            return
        ways = np.concatenate([ordinals for ordinals, _ in groups])
        missing = np.concatenate(
            [np.full(len(ordinals), math.log1p(-min(weight, _MOST))) for ordinals, weight in groups]
        )
        memories, places = np.unique(ways, return_inverse=True)
        scores = -np.expm1(np.bincount(places, missing, minlength=len(memories)))
        best = np.lexsort((-memories, -scores))[: self._settings.memories]
        found.ordinals, found.scores = memories[best], scores[best]


def telling(mentions: int, memories: int) -> float:
    """How much it tells that a memory mentions an entity, 0..1.

    The square of the entity's inverse document frequency as a share of the greatest one there
    can be (Spärck Jones 1972): log(memories / mentions) / log(memories). 1 where one memory of
    many mentions it, a quarter for the root of their number, next to nothing for a speaker who
    takes part in half of the scope: that the question names such a one prefers no memory.
    """
    if memories <= 1 or mentions <= 1:
        return 1.0
    share = math.log(memories / mentions) / math.log(memories)
    return max(_LEAST, share) ** 2
