"""Sessions of talk: memories of one session are chained by `NEXT` in the order of their time."""

from collections import defaultdict
from itertools import pairwise

from service.ontology.workspace import MemoryRow, Workspace
from service.stores.neo4j.driver import Transaction, fetch
from service.stores.neo4j.statements import statement

_NEIGHBOURS = statement("conversation/neighbours")
_AROUND = statement("conversation/around")

Gap = tuple[str | None, str | None]
"""The ids of the stored memories before and after it."""


async def chain(tx: Transaction, ws: Workspace) -> None:
    """Chain the new memories of the workspace into their sessions, also when they come late.

    Memories of the same time stand in the order of their ordinals.
    """
    new = {
        row.id: row
        for row in ws.memories.values()
        if row.is_new and row.properties["session_key"] is not None
    }
    if not new:
        return
    rows = [
        {
            "id": row.id,
            "session_key": row.properties["session_key"],
            "created_at": row.properties["created_at"],
        }
        for row in new.values()
    ]
    gaps: dict[tuple[str, Gap], list[MemoryRow]] = defaultdict(list)
    for record in await fetch(tx, _NEIGHBOURS, rows=rows):
        row = new[record["id"]]
        gap = (record["before"], record["after"])
        gaps[row.properties["session_key"], gap].append(row)
    for (_, (before, after)), members in gaps.items():
        members.sort(key=lambda row: (row.properties["created_at"], row.properties["ordinal"]))
        ids = [before, *(row.id for row in members), after]
        if before is not None and after is not None:
            ws.write("conversation/unchain", {"before": before, "after": after})
        _link(ws, [memory_id for memory_id in ids if memory_id is not None])


async def close_gap(tx: Transaction, ws: Workspace, memory_id: str) -> list[str]:
    """Chain the neighbours of a memory that goes to each other; returns their ids."""
    record = (await fetch(tx, _AROUND, id=memory_id))[0]
    around = [record[side] for side in ("before", "after") if record[side] is not None]
    if len(around) == 2:
        _link(ws, around)
    return around


def _link(ws: Workspace, ids: list[str]) -> None:
    for before, after in pairwise(ids):
        ws.write("conversation/chain", {"before": before, "after": after})
