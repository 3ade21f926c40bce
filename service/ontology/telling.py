"""Telling the projections what a transaction made, in the words of the change feed.

The writer has in hand all that the feed would read back of a memory that it has just made. What
was there before is loaded in part only, and is read again.
"""

from collections import defaultdict

from service.domain.change import MemoryChange, Statement, Successor
from service.ontology.workspace import MemoryRow, Workspace
from service.stores.neo4j.records import maybe_moment, moment


def tell(ws: Workspace) -> None:
    """Note every memory that the workspace made or changed, before what is loaded is dropped."""
    statements = _statements(ws)
    for row in ws.memories.values():
        ordinal: int = row.properties["ordinal"]
        if row.is_new:
            if ws.made is not None:
                ws.made[ordinal] = _change(ws, row, statements.get(row.id, {}))
        elif row.changed:
            ws.altered.add(ordinal)
            if ws.made is not None:
                ws.made.pop(ordinal, None)


def _statements(ws: Workspace) -> dict[str, dict[str, Statement]]:
    """What memories state, by memory and attribute, in the lines that changed."""
    found: dict[str, dict[str, Statement]] = defaultdict(dict)
    for line in ws.lines.values():
        if not line.changed:
            continue
        for span in line.spans:
            stated = Statement(
                span.attribute_id,
                line.slot,
                span.status,
                moment(span.valid_from),
                maybe_moment(span.valid_to),
            )
            for claim in span.claims:
                found[claim.memory_id][span.attribute_id] = stated
    return found


def _change(ws: Workspace, row: MemoryRow, statements: dict[str, Statement]) -> MemoryChange:
    kept = row.properties
    model, vectors = row.embedding or (None, None)
    return MemoryChange(
        ordinal=kept["ordinal"],
        revision=kept["revision"],
        id=row.id,
        scope=row.scope,
        content=kept["content"],
        type=kept["type"],
        created_at=moment(kept["created_at"]),
        occurred_at=maybe_moment(kept["occurred_at"]),
        updated_at=kept["updated_at"],
        importance=kept["importance"],
        pinned=kept["pinned"],
        session=kept["session"],
        speaker=kept["speaker"],
        source=kept["source"],
        superseded=row.superseded,
        hints=tuple(row.hints),
        entity_ids=tuple(row.mentions),
        statements=tuple(statements.values()),
        successors=tuple(Successor(one, ws.now) for one in row.successors),
        embedding_model=model,
        vectors=vectors,
    )
