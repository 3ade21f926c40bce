"""What recall reads from the graph: one hop through relations, and contents as a second source.

A read over all relations names their types literally: `-[r]-` or dynamic types cost 100,000 and
more steps on an entity with as many mentions, where literal types cost about a hundred. And since
only registered types are named, no read crosses the service's own relationships, `SUPERSEDES`
among them. This is the one place where Cypher is put together; nothing but checked names of
types goes in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, LiteralString, cast

from service.domain.errors import GraphFailed
from service.domain.names import FALLBACK_RELATION_TYPE, is_native_type
from service.stores.neo4j.driver import Graph
from service.stores.neo4j.statements import statement

_NEIGHBORS: Final = statement("recall/neighbors")
_CONTENTS: Final = statement("recall/contents")
_READ_A_ENTITY: Final = 250


@dataclass(frozen=True, slots=True)
class Neighbor:
    """An entity that a relation ties to another, whichever of them is its source."""

    seed_id: str
    entity_id: str
    relation_type: str
    mentions: int
    confidence: float


async def neighbors(
    graph: Graph,
    relation_types: frozenset[str],
    entity_ids: Sequence[str],
    *,
    limit: int,
    timeout_s: float,
) -> list[Neighbor]:
    """The relations of these entities, the most mentioned and surest first, at most `limit`.

    One round trip, none when there is no relation type. Raises GraphTimedOut, GraphUnavailable,
    GraphFailed (also when a registered type is no valid one).
    """
    if not relation_types or not entity_ids:
        return []
    rows = await graph.read_once(
        neighbors_statement(relation_types),
        {"ids": list(entity_ids), "per_entity": _READ_A_ENTITY, "limit": limit},
        timeout_s,
    )
    return [
        Neighbor(
            seed_id=seed_id,
            entity_id=entity_id,
            relation_type=relation_type,
            mentions=mentions or 0,
            confidence=1.0 if confidence is None else confidence,
        )
        for seed_id, entity_id, relation_type, mentions, confidence in rows[0]["relations"]
    ]


async def contents(graph: Graph, memory_ids: Sequence[str], timeout_s: float) -> dict[str, str]:
    """What these memories say, by id; deleted and unknown ones are left out.

    Raises GraphTimedOut, GraphUnavailable, GraphFailed.
    """
    if not memory_ids:
        return {}
    rows = await graph.read_once(_CONTENTS, {"ids": list(memory_ids)}, timeout_s)
    return {row["id"]: row["content"] for row in rows}


@lru_cache(maxsize=16)
def over_types(template: LiteralString, relation_types: frozenset[str]) -> LiteralString:
    """The statement that reads relations of exactly these types, where the template has one.

    Raises GraphFailed when there is none, or one is not a valid relation type.
    """
    if not relation_types:
        raise GraphFailed("there is no relation type to read")
    quoted = "|".join(_quoted(name) for name in sorted(relation_types))
    types = cast(LiteralString, quoted)
    return template.replace(f":{FALLBACK_RELATION_TYPE}]", f":{types}]")


def neighbors_statement(relation_types: frozenset[str]) -> LiteralString:
    """The statement that reads one hop over exactly these types. Raises GraphFailed."""
    return over_types(_NEIGHBORS, relation_types)


def _quoted(name: str) -> str:
    if not is_native_type(name):
        raise GraphFailed(f"the registry of relation types holds {name!r}, which is not valid")
    return f"`{name}`"
