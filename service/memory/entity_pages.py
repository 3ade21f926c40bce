"""Pages of a scope's entities: all of them, or those that fit what somebody typed.

Each page begins behind the last entity of the one before, by the values that order the list: what
is made meanwhile neither hides an entity nor shows one twice.
"""

from collections.abc import Iterable
from heapq import nsmallest
from typing import Any, Final, LiteralString

from service.domain import cursor as cursors
from service.domain.entity import Entity, EntityOrder
from service.domain.filters import LATEST
from service.domain.memory import Page
from service.projection.directory import FIRST
from service.projection.names import NameIndex
from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.statements import statement
from service.stores.neo4j.views import entity_view

_BY_MENTIONS: Final = statement("entity/page_by_mentions")
_BY_NAME: Final = statement("entity/page_by_name")
_BY_UPDATED: Final = statement("entity/page_by_updated")
_OF_IDS_BY_UPDATED: Final = statement("entity/of_ids_by_updated")
_LATEST: Final = LATEST.isoformat()
_MOST: Final = 2**62


async def every(
    graph: Graph,
    scope: str,
    *,
    type: str | None,
    order: EntityOrder,
    limit: int,
    cursor: str | None,
) -> Page[Entity]:
    """Return a page of all entities of a scope. Raises InvalidInput for a foreign cursor."""
    if order is EntityOrder.MENTIONS:
        mentions, name = _place(cursor, [_MOST, ""])
        rows = await _rows(
            graph, _BY_MENTIONS, scope, type=type, mentions=mentions, name=name, limit=limit + 1
        )
        ends = [[row["mentions"], row["canonical_name"]] for row in rows]
    elif order is EntityOrder.NAME:
        (name,) = _place(cursor, [""])
        rows = await _rows(graph, _BY_NAME, scope, type=type, name=name, limit=limit + 1)
        ends = [[row["canonical_name"]] for row in rows]
    else:
        before, name = _since(cursor)
        rows = await _rows(
            graph, _BY_UPDATED, scope, type=type, before=before, name=name, limit=limit + 1
        )
        ends = [[row["updated_at"], row["canonical_name"]] for row in rows]
    return _page([entity_view(row) for row in rows], ends, limit)


async def fitting(
    graph: Graph,
    names: NameIndex,
    scope: str,
    query: str,
    *,
    type: str | None,
    order: EntityOrder,
    limit: int,
    cursor: str | None,
) -> Page[Entity]:
    """Return a page of the entities that fit a query (service/projection/directory.py).

    By mentions the best fit comes first, the most mentioned among equals. Raises InvalidInput
    for a foreign cursor.
    """
    if order is EntityOrder.MENTIONS:
        fit, mentions, name = _place(cursor, list(FIRST))
        after = (fit, mentions, name)
        best = names.best(scope, query, limit + 1, type=type, after=after)
        return _page([hit.entity for hit in best], [list(hit.place) for hit in best], limit)
    entities = [hit.entity for hit in names.search(scope, query, type)]
    if order is EntityOrder.UPDATED:
        return await _latest(graph, scope, entities, limit=limit, cursor=cursor)
    (name,) = _place(cursor, [""])
    behind = (entity for entity in entities if entity.canonical_name > name)
    found = nsmallest(limit + 1, behind, key=lambda entity: entity.canonical_name)
    return _page(found, [[entity.canonical_name] for entity in found], limit)


async def _latest(
    graph: Graph, scope: str, entities: Iterable[Entity], *, limit: int, cursor: str | None
) -> Page[Entity]:
    known = {entity.id: entity for entity in entities}
    before, name = _since(cursor)
    rows = await _rows(
        graph, _OF_IDS_BY_UPDATED, scope, ids=list(known), before=before, name=name, limit=limit + 1
    )
    found = [known[row["id"]] for row in rows]
    ends = [[row["updated_at"], known[row["id"]].canonical_name] for row in rows]
    return _page(found, ends, limit)


def _place(cursor: str | None, start: list[Any]) -> list[Any]:
    return start if cursor is None else cursors.decode(cursor, tuple(map(type, start)))


def _since(cursor: str | None) -> tuple[str, str]:
    before, name = _place(cursor, [_LATEST, ""])
    return cursors.moment(before).isoformat(), name


def _page(found: list[Entity], ends: list[list[Any]], limit: int) -> Page[Entity]:
    more = cursors.encode(ends[limit - 1]) if len(found) > limit else None
    return Page(tuple(found[:limit]), more)


async def _rows(graph: Graph, text: LiteralString, scope: str, **params: Any) -> list[Row]:
    async def work(tx: Transaction) -> list[Row]:
        return await fetch(tx, text, scope=scope, **params)

    return await graph.read(work)
