"""The surroundings of an entity: steps along relations, nearest first, bounded at every hub."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, LiteralString, NamedTuple

from service.domain.entity import Entity, NeighborEdge, Neighborhood
from service.projection.names import NameIndex
from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.expansion import over_types
from service.stores.neo4j.statements import statement

_NEIGHBORS: Final = statement("entity/neighbors")
_ROWS_A_STEP: Final = 20_000
"""So many relations are read in one step; they are shared out among its entities."""
_ROWS_AN_ENTITY: Final = 50
"""Of each entity at least so many."""
_TYPES_A_PAIR: Final = 4
"""Two entities may be tied several times; room for so many relations is kept for each node."""


class _Relation(NamedTuple):
    """A relation as one of its ends sees it."""

    seed_id: str
    neighbor_id: str
    is_source: bool
    """Whether it leads from the seed to the neighbour."""
    type: str
    mentions: int
    confidence: float

    def edge(self) -> NeighborEdge:
        ends = (self.seed_id, self.neighbor_id)
        source, target = ends if self.is_source else ends[::-1]
        return NeighborEdge(source, target, self.type, self.mentions, self.confidence)


async def neighborhood(
    graph: Graph,
    names: NameIndex,
    relation_types: frozenset[str],
    entity: Entity,
    *,
    depth: int,
    limit: int,
) -> Neighborhood:
    """Return at most `limit` entities within `depth` steps, itself first, and what ties them.

    Nearer ones come first, and among them those whose relation is mentioned most. The edges are
    all those between the entities returned, as far as a hub's bound allows. One round trip a step
    and one more. Raises GraphUnavailable, GraphTimedOut, GraphFailed.
    """
    if not relation_types:
        return Neighborhood((entity,), (), False)
    text = over_types(_NEIGHBORS, relation_types)
    nodes = {entity.id: entity}
    edges: dict[NeighborEdge, None] = {}
    frontier: Sequence[str] = [entity.id]
    truncated = False
    for step in range(depth + 1):
        per_entity = min(_TYPES_A_PAIR * limit, max(_ROWS_AN_ENTITY, _ROWS_A_STEP // len(frontier)))
        relations = await _read(graph, text, frontier, per_entity)
        read = Counter(relation.seed_id for relation in relations)
        truncated = truncated or (step < depth and per_entity in read.values())
        found: list[str] = []
        for relation in relations:
            neighbor = nodes.get(relation.neighbor_id) or names.get(relation.neighbor_id)
            if neighbor is None or neighbor.scope != entity.scope:
                continue
            if neighbor.id not in nodes:
                if step == depth:
                    continue
                if len(nodes) >= limit:
                    truncated = True
                    continue
                nodes[neighbor.id] = neighbor
                found.append(neighbor.id)
            edges[relation.edge()] = None
        frontier = found
        if not frontier:
            break
    return Neighborhood(tuple(nodes.values()), tuple(edges), truncated)


async def _read(
    graph: Graph, text: LiteralString, ids: Sequence[str], per_entity: int
) -> list[_Relation]:
    async def work(tx: Transaction) -> list[Row]:
        return await fetch(tx, text, ids=list(ids), per_entity=per_entity)

    rows = await graph.read(work)
    return [_Relation(*relation) for relation in rows[0]["relations"]]
