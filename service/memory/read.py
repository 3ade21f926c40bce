"""Reading memories back: one with all that hangs on it, its lineage, pages of many."""

from datetime import datetime
from typing import Any, cast

import orjson

from service.domain import cursor as cursors
from service.domain.entity import MentionedEntity
from service.domain.errors import NotFound
from service.domain.filters import EARLIEST, LATEST
from service.domain.memory import (
    DeletedMemory,
    Lineage,
    LineageEdge,
    LineageNode,
    Memory,
    MemoryDetail,
    MemoryLink,
    Page,
)
from service.domain.names import content_key, origin_key
from service.projection.names import NameIndex
from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.records import maybe_moment, moment
from service.stores.neo4j.statements import statement
from service.stores.neo4j.views import attribute_view, memory_view

_DETAIL = statement("memory/detail")
_ATTRIBUTES = statement("attribute/by_id")
_BY_SLOT = statement("attribute/successors")
_HEADS = statement("supersession/heads")
_LINEAGE = statement("supersession/lineage")
_PAGE = statement("memory/page")
_DELETED = statement("memory/deleted")
_EXISTS = statement("memory/exists")

_NEWEST_ORDINAL = 2**62


class MemoryReader:
    """Reads memories from Neo4j, the system of record."""

    def __init__(self, graph: Graph, names: NameIndex) -> None:
        self._graph = graph
        self._names = names

    async def require(self, scope: str, memory_id: str) -> None:
        """Raise NotFound unless the scope has this memory."""

        async def work(tx: Transaction) -> list[Row]:
            return await fetch(tx, _EXISTS, scope=scope, ids=[memory_id])

        if not await self._graph.read(work):
            raise _missing(scope, memory_id)

    async def detail(self, scope: str, memory_id: str) -> MemoryDetail:
        """Return a memory with all that hangs on it. Raises NotFound."""
        return await self._graph.read(_read_detail, scope, memory_id)

    async def lineage(self, scope: str, memory_id: str) -> Lineage:
        """Return the whole chain of replacements around a memory. Raises NotFound."""
        return await self._graph.read(_read_lineage, scope, memory_id)

    async def page(
        self,
        scope: str,
        *,
        type: str | None,
        entity: str | None,
        since: datetime | None,
        until: datetime | None,
        include_superseded: bool,
        limit: int,
        cursor: str | None,
    ) -> Page[Memory]:
        """Return memories, newest first; what is written meanwhile never shifts a page."""
        known = self._names.find(scope, entity) if entity is not None else None
        if entity is not None and known is None:
            return Page((), None)
        before_at, before_ordinal = LATEST, _NEWEST_ORDINAL
        if cursor is not None:
            at, before_ordinal = cursors.decode(cursor, (str, int))
            before_at = cursors.moment(at)

        async def work(tx: Transaction) -> list[Row]:
            return await fetch(
                tx,
                _PAGE,
                scope=scope,
                before_at=before_at,
                before_ordinal=before_ordinal,
                since=since or EARLIEST,
                until=until or LATEST,
                type=type,
                entity_id=known.id if known is not None else None,
                include_superseded=include_superseded,
                limit=limit + 1,
            )

        rows = await self._graph.read(work)
        found = [memory_view(row["memory"], row["embedded"]) for row in rows[:limit]]
        more = len(rows) > limit
        place = [found[-1].created_at.isoformat(), found[-1].ordinal] if more else None
        return Page(tuple(found), cursors.encode(place) if place else None)

    async def deleted(self, scope: str, *, limit: int, cursor: str | None) -> Page[DeletedMemory]:
        """Return the deleted memories in the order of their making; purged ones are gone."""
        after = cursors.decode(cursor, (int,))[0] if cursor is not None else 0

        async def work(tx: Transaction) -> list[Row]:
            return await fetch(tx, _DELETED, scope=scope, after=after, limit=limit + 1)

        rows = await self._graph.read(work)
        found = tuple(_deleted(scope, row) for row in rows[:limit])
        more = len(rows) > limit
        return Page(found, cursors.encode([rows[limit - 1]["ordinal"]]) if more else None)


async def _read_detail(tx: Transaction, scope: str, memory_id: str) -> MemoryDetail:
    rows = await fetch(tx, _DETAIL, scope=scope, id=memory_id)
    if not rows:
        raise _missing(scope, memory_id)
    row = rows[0]
    attributes = await fetch(tx, _ATTRIBUTES, ids=row["attributes"]) if row["attributes"] else []
    memory = memory_view(row["memory"], row["embedded"])
    direct = [_link(link) for link in row["successors"]]
    heads: list[MemoryLink] = []
    if direct:
        heads += [_link(link) for link in await fetch(tx, _HEADS, id=memory_id)]
    if memory.superseded:
        for link in await fetch(tx, _BY_SLOT, id=memory_id):
            (direct if link["kind"] == "next" else heads).append(_link(link))
    return MemoryDetail(
        memory=memory,
        entities=tuple(MentionedEntity(**mention) for mention in row["mentions"]),
        attributes=tuple(attribute_view(attribute) for attribute in attributes),
        hints=tuple(row["hints"]),
        superseded_by=_newest_first(direct),
        heads=_newest_first(heads),
        supersedes=tuple(_link(link) for link in row["targets"]),
    )


async def _read_lineage(tx: Transaction, scope: str, memory_id: str) -> Lineage:
    rows = await fetch(tx, _LINEAGE, scope=scope, id=memory_id)
    if not rows:
        raise _missing(scope, memory_id)
    nodes = tuple(
        LineageNode(
            id=row["id"],
            content=row["content"],
            type=row["type"],
            created_at=moment(row["created_at"]),
            superseded=row["superseded"] and row["deleted_at"] is None,
            deleted_at=maybe_moment(row["deleted_at"]),
        )
        for row in rows
    )
    edges = [
        LineageEdge(
            source=row["id"],
            target=edge["target"],
            reason=edge["reason"],
            created_at=moment(edge["created_at"]),
            ended_at=maybe_moment(edge["ended_at"]),
            ended_because=edge["ended_because"],
        )
        for row in rows
        for edge in row["edges"]
    ]
    return Lineage(
        nodes=nodes,
        edges=tuple(edge for edge in edges if edge.ended_at is None),
        ended=tuple(edge for edge in edges if edge.ended_at is not None),
    )


def _deleted(scope: str, row: Row) -> DeletedMemory:
    origins: dict[str, Any] = orjson.loads(row["metadata"])
    ids = {
        product: cast("dict[str, Any]", origin).get("id")
        for product, origin in origins.items()
        if isinstance(origin, dict)
    }
    return DeletedMemory(
        id=row["id"],
        deleted_at=moment(row["deleted_at"]),
        content_key=content_key(scope, row["content"]),
        origin_keys=tuple(
            origin_key(scope, product, given)
            for product, given in ids.items()
            if isinstance(given, str)
        ),
    )


def _link(row: dict[str, Any]) -> MemoryLink:
    return MemoryLink(
        memory_id=row["memory_id"],
        content=row["content"],
        created_at=moment(row["created_at"]),
        reason=row.get("reason"),
        attribute_id=row.get("attribute_id"),
    )


def _newest_first(links: list[MemoryLink]) -> tuple[MemoryLink, ...]:
    unique = {link.memory_id: link for link in reversed(links)}
    return tuple(
        sorted(unique.values(), key=lambda link: (-link.created_at.timestamp(), link.memory_id))
    )


def _missing(scope: str, memory_id: str) -> NotFound:
    return NotFound(f"there is no memory {memory_id!r} in scope {scope!r}")
