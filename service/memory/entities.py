"""The use cases of entities: lists, one with its aspects, its surroundings, its slots."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import LiteralString

from service.domain import cursor as cursors
from service.domain.attribute import AttributeStatus, AttributeView, SlotHistory
from service.domain.entity import (
    AspectView,
    Entity,
    EntityCounts,
    EntityDetail,
    EntityOrder,
    Neighborhood,
)
from service.domain.errors import NotFound
from service.domain.memory import Memory, Page
from service.domain.names import FALLBACK_RELATION_TYPE, canonical_name, slot_key
from service.memory import entity_pages
from service.memory.neighborhood import neighborhood
from service.memory.read import MemoryReader
from service.memory.relation_types import RelationTypes
from service.projection.names import NameIndex
from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.expansion import over_types
from service.stores.neo4j.records import moment
from service.stores.neo4j.statements import statement
from service.stores.neo4j.views import attribute_view, entity_view

_DETAIL = statement("entity/detail")
_ATTRIBUTES = statement("attribute/of_entity")
_BY_ID = statement("attribute/by_id")
_HISTORY = statement("attribute/history")
_WITHOUT_CLAIM_KEY = statement("attribute/without_claim_key")

_CURRENT = [AttributeStatus.ACTIVE.value]
_EVER = [AttributeStatus.ACTIVE.value, AttributeStatus.SUPERSEDED.value]


class Entities:
    """Reads entities from Neo4j. Raises NotFound for one that the scope does not have."""

    def __init__(
        self, graph: Graph, names: NameIndex, types: RelationTypes, reader: MemoryReader
    ) -> None:
        self._graph = graph
        self._names = names
        self._types = types
        self._reader = reader

    async def page(
        self,
        scope: str,
        *,
        query: str | None = None,
        type: str | None = None,
        order: EntityOrder = EntityOrder.MENTIONS,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Entity]:
        """Return entities of a scope, or those that fit what somebody typed as `query`.

        A query fits where it is the name or its beginning, or stands in it from the beginning of
        a word on, or each of its words begins a word of the name; accents count for nothing. In
        scripts that put no space between words it may stand anywhere. By mentions, the best fit
        comes first. Raises InvalidInput for a foreign cursor.
        """
        if query is not None and canonical_name(query):
            return await entity_pages.fitting(
                self._graph,
                self._names,
                scope,
                query,
                type=type,
                order=order,
                limit=limit,
                cursor=cursor,
            )
        return await entity_pages.every(
            self._graph, scope, type=type, order=order, limit=limit, cursor=cursor
        )

    async def get(self, scope: str, entity_id: str) -> EntityDetail:
        """Return an entity with its aspects, heaviest first, and what is active under each."""
        types = self._types.current() or frozenset({FALLBACK_RELATION_TYPE})
        return await self._graph.read(_read_detail, over_types(_DETAIL, types), scope, entity_id)

    async def neighbors(
        self, scope: str, entity_id: str, *, depth: int = 1, limit: int = 100
    ) -> Neighborhood:
        """Return the entities within `depth` steps (1 to 3), itself first, at most `limit`."""
        entity = self._require(scope, entity_id)
        return await neighborhood(
            self._graph, self._names, self._types.current(), entity, depth=depth, limit=limit
        )

    async def memories(
        self, scope: str, entity_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Memory]:
        """Return the memories that mention an entity, newest first."""
        self._require(scope, entity_id)
        return await self._reader.page(
            scope,
            type=None,
            entity=entity_id,
            since=None,
            until=None,
            include_superseded=True,
            limit=limit,
            cursor=cursor,
        )

    async def attributes(
        self,
        scope: str,
        entity_id: str,
        *,
        include_superseded: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[AttributeView]:
        """Return what is claimed about an entity, by aspect, newest first in each slot."""
        self._require(scope, entity_id)
        offset = cursors.decode(cursor, (int,))[0] if cursor is not None else 0

        async def work(tx: Transaction) -> list[Row]:
            return await fetch(
                tx,
                _ATTRIBUTES,
                entity_id=entity_id,
                statuses=_EVER if include_superseded else _CURRENT,
                offset=offset,
                limit=limit + 1,
            )

        rows = await self._graph.read(work)
        more = cursors.encode([offset + limit]) if len(rows) > limit else None
        return Page(tuple(attribute_view(row) for row in rows[:limit]), more)

    async def slot(
        self,
        scope: str,
        *,
        entity: str,
        aspect: str,
        group_key: str | None = None,
        claim_key: str | None = None,
    ) -> SlotHistory:
        """Return what a slot holds now and held before; an entity is given by name or id.

        Nothing where the entity or the slot is unknown. `current` is the active value unless its
        own `valid_to` has passed. Without a claim key nothing replaces anything: `history` then
        has every value side by side and `current` is the newest.
        """
        known = self._names.find(scope, entity)
        if known is None:
            return SlotHistory(None, ())
        entity_id = known.id

        async def work(tx: Transaction) -> list[Row]:
            if claim_key is not None:
                slot = slot_key(entity_id, aspect, group_key, claim_key, "")
                return await fetch(tx, _HISTORY, slot=slot)
            rows = await fetch(
                tx, _WITHOUT_CLAIM_KEY, entity_id=entity_id, aspect_key=canonical_name(aspect)
            )
            group = canonical_name(group_key or "")
            return [
                row
                for row in rows
                if canonical_name(row["attribute"].get("group_key") or "") == group
            ]

        history = _newest_first(attribute_view(row) for row in await self._graph.read(work))
        now = datetime.now(UTC)
        current = next(
            (
                one
                for one in history
                if one.status is AttributeStatus.ACTIVE
                and (one.valid_to is None or one.valid_to > now)
            ),
            None,
        )
        return SlotHistory(current, history)

    def _require(self, scope: str, entity_id: str) -> Entity:
        entity = self._names.get(entity_id)
        if entity is None or entity.scope != scope:
            raise _missing(scope, entity_id)
        return entity


def _newest_first(history: Iterable[AttributeView]) -> tuple[AttributeView, ...]:
    """Values in the order of their line, also those of one moment; what was taken back after."""
    return tuple(
        sorted(
            history,
            key=lambda one: (
                one.valid_from,
                one.status is not AttributeStatus.RETRACTED,
                canonical_name(one.value),
                one.id,
            ),
            reverse=True,
        )
    )


async def _read_detail(
    tx: Transaction, read: LiteralString, scope: str, entity_id: str
) -> EntityDetail:
    rows = await fetch(tx, read, scope=scope, id=entity_id)
    if not rows:
        raise _missing(scope, entity_id)
    row = rows[0]
    ids = [one for aspect in row["aspects"] for one in aspect["attributes"]]
    shown = {
        view.id: view for view in (attribute_view(one) for one in await fetch(tx, _BY_ID, ids=ids))
    }
    entity = entity_view(row["entity"])
    return EntityDetail(
        entity=entity,
        aspects=tuple(
            AspectView(
                id=aspect["id"],
                name=aspect["name"],
                weight=aspect["weight"],
                updated_at=moment(aspect["updated_at"]),
                attributes=tuple(shown[one] for one in aspect["attributes"]),
            )
            for aspect in row["aspects"]
        ),
        counts=EntityCounts(
            memories=entity.mentions,
            relations=row["relations"],
            aspects=len(row["aspects"]),
            active_attributes=sum(aspect["active"] for aspect in row["aspects"]),
            superseded_attributes=sum(aspect["superseded"] for aspect in row["aspects"]),
        ),
    )


def _missing(scope: str, entity_id: str) -> NotFound:
    return NotFound(f"there is no entity {entity_id!r} in scope {scope!r}")
