"""Reading the audit log."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import orjson

from service.domain import cursor as cursors
from service.domain.errors import NotFound
from service.domain.filters import EARLIEST, LATEST
from service.domain.memory import Page
from service.domain.operation import AppliedSet
from service.ontology.audit import from_json
from service.projection.names import NameIndex
from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.records import moment
from service.stores.neo4j.statements import statement

_GET: Final = statement("operation/get")
_PAGE: Final = statement("operation/page")
_LAST_ID: Final = "~"


class AuditLog:
    """Reads what operation sets, and other writes, did to the graph of a scope."""

    def __init__(self, graph: Graph, names: NameIndex) -> None:
        self._graph = graph
        self._names = names

    async def get(self, scope: str, operation_id: str) -> AppliedSet:
        """Return one record. Raises NotFound."""

        async def work(tx: Transaction) -> list[Row]:
            return await fetch(tx, _GET, scope=scope, id=operation_id)

        rows = await self._graph.read(work)
        if not rows:
            raise NotFound(f"there is no operation {operation_id!r} in scope {scope!r}")
        return _applied(rows[0])

    async def page(
        self,
        scope: str,
        *,
        actor: str | None = None,
        entity: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[AppliedSet]:
        """Return records, newest first; an entity is given by name or id, also a deleted one.

        Raises InvalidInput for a foreign cursor.
        """
        before_at, before_id = LATEST, _LAST_ID
        if cursor is not None:
            at, before_id = cursors.decode(cursor, (str, str))
            before_at = cursors.moment(at)

        async def work(tx: Transaction) -> list[Row]:
            return await fetch(
                tx,
                _PAGE,
                scope=scope,
                actor=actor,
                entity_id=self._entity_id(scope, entity),
                since=since or EARLIEST,
                until=until or LATEST,
                before_at=before_at,
                before_id=before_id,
                limit=limit + 1,
            )

        rows = await self._graph.read(work)
        found = [_applied(row) for row in rows[:limit]]
        place = None
        if len(rows) > limit:
            place = cursors.encode([found[-1].applied_at.isoformat(), found[-1].id])
        return Page(tuple(found), place)

    def _entity_id(self, scope: str, entity: str | None) -> str | None:
        known = None if entity is None else self._names.find(scope, entity)
        return known.id if known is not None else entity


def _applied(row: Mapping[str, Any]) -> AppliedSet:
    kept = row["operation"]
    return AppliedSet(
        id=kept["id"],
        scope=kept["scope"],
        actor=kept["actor"],
        reason=kept["reason"],
        evidence=tuple(kept["evidence"]),
        applied_at=moment(kept["applied_at"]),
        dry_run=False,
        results=tuple(from_json(one) for one in orjson.loads(kept["results"])),
        undoes=row["undoes"],
        key=kept.get("key"),
        undone_by=row["undone_by"],
    )
