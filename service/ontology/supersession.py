"""Rules of SUPERSEDES between memories: directed from a correction to what it replaces."""

from service.domain.errors import Conflict, InvalidInput
from service.domain.journal import SupersessionStep
from service.ontology.load import load_memories
from service.ontology.workspace import MemoryRow, Workspace
from service.stores.neo4j.driver import Transaction, fetch
from service.stores.neo4j.records import moment
from service.stores.neo4j.statements import statement

_REACHES = statement("supersession/reaches")
_EDGES_OF = statement("supersession/of")


def supersede(ws: Workspace, newer: MemoryRow, older: MemoryRow, reason: str | None) -> bool:
    """Draw the edge; False when it was there already."""
    if older.id in newer.targets:
        return False
    newer.targets.add(older.id)
    older.successors.add(newer.id)
    ws.stir(older)
    ws.journal.append(SupersessionStep(newer.id, older.id, reason, True))
    ws.write(
        "supersession/create",
        {
            "source": newer.id,
            "target": older.id,
            "reason": reason,
            "operation": ws.operation_id,
            "created_at": ws.now,
        },
    )
    return True


async def require_no_cycle(tx: Transaction, newer: MemoryRow, older: MemoryRow) -> None:
    """Raise InvalidInput on a memory that would replace itself, Conflict on a longer cycle."""
    if newer.id == older.id:
        raise InvalidInput("target_id", f"a memory cannot replace itself ({older.id!r})")
    answer = await fetch(tx, _REACHES, id=older.id, other_id=newer.id)
    if answer[0]["reaches"]:
        raise Conflict(
            f"{older.id!r} already replaces {newer.id!r}, directly or through others; "
            "the other way round would be a cycle. Retract that first."
        )


def end(ws: Workspace, newer: MemoryRow, older: MemoryRow, because: str) -> None:
    """Take an edge back, keeping that it held until now and why it ended."""
    newer.targets.discard(older.id)
    older.successors.discard(newer.id)
    ws.stir(older)
    ws.journal.append(SupersessionStep(newer.id, older.id, None, False))
    ws.write(
        "supersession/end",
        {"source": newer.id, "target": older.id, "ended_at": ws.now, "ended_because": because},
    )


async def bridge(tx: Transaction, ws: Workspace, row: MemoryRow, because: str) -> None:
    """End all edges of a memory that goes; what stood on both sides of it is tied together."""
    edges = await fetch(tx, _EDGES_OF, id=row.id)
    if not edges:
        return
    others = {edge[side] for edge in edges for side in ("source", "target")} - {row.id}
    await load_memories(tx, ws, others)
    newer = [edge for edge in edges if edge["target"] == row.id and edge["source"] in ws.memories]
    older = [edge for edge in edges if edge["source"] == row.id and edge["target"] in ws.memories]
    for edge in newer:
        end(ws, ws.memories[edge["source"]], row, because)
    for edge in older:
        end(ws, row, ws.memories[edge["target"]], because)
    for above in newer:
        for below in older:
            made = supersede(
                ws, ws.memories[above["source"]], ws.memories[below["target"]], below["reason"]
            )
            if made:
                ws.pending["supersession/create"][-1]["created_at"] = max(
                    moment(above["created_at"]), moment(below["created_at"])
                )
