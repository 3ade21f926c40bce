"""Reading a whole scope out, page by page."""

from collections.abc import AsyncGenerator
from typing import Any

from service.domain.attribute import AttributeKind, Cardinality
from service.domain.entity import MentionedEntity
from service.domain.export import (
    ExportedClaim,
    ExportedMemory,
    ExportedRelation,
    ExportedReplacement,
)
from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.records import maybe_moment, moment
from service.stores.neo4j.statements import statement
from service.stores.neo4j.views import memory_view

_EXPORT = statement("memory/export")
_PAGE = 250


class Export:
    """Reads every live memory of a scope, in the order in which they were made."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def pages(self, scope: str) -> AsyncGenerator[tuple[ExportedMemory, ...]]:
        """Yield the memories, some hundred at a time, each page read in one transaction.

        What is written meanwhile comes at the end. Raises GraphUnavailable.
        """
        after = -1
        while rows := await self._graph.read(_read, scope, after):
            page = tuple(_exported(row) for row in rows)
            yield page
            after = page[-1].memory.ordinal


async def _read(tx: Transaction, scope: str, after: int) -> list[Row]:
    return await fetch(tx, _EXPORT, scope=scope, after=after, limit=_PAGE)


def _exported(row: Row) -> ExportedMemory:
    return ExportedMemory(
        memory=memory_view(row["memory"], row["embedded"]),
        entities=tuple(MentionedEntity(**mention) for mention in row["mentions"]),
        relations=tuple(ExportedRelation(**relation) for relation in row["relations"]),
        attributes=tuple(_claim(claim) for claim in row["claims"]),
        hints=tuple(row["hints"]),
        supersedes=tuple(ExportedReplacement(**replaced) for replaced in row["replaced"]),
    )


def _claim(row: dict[str, Any]) -> ExportedClaim:
    return ExportedClaim(
        entity=row["entity"],
        aspect=row["aspect"],
        group_key=row["group_key"],
        claim_key=row["claim_key"],
        cardinality=Cardinality(row["cardinality"]),
        value=row["value"],
        kind=AttributeKind(row["kind"]),
        confidence=row["confidence"],
        importance=row["importance"],
        valid_from=moment(row["valid_from"]),
        valid_to=maybe_moment(row["valid_to"]),
    )
