"""Supersede: say, or take back, that one memory replaces another."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from service.domain.access import acting
from service.domain.errors import NotFound
from service.domain.idempotency import Idempotency
from service.domain.memory import LineageEdge
from service.memory.judge import judge
from service.memory.unit import Author, Unit
from service.ontology.load import load_memories
from service.ontology.supersession import end, require_no_cycle, supersede
from service.ontology.workspace import MemoryRow, Workspace
from service.stores.neo4j.driver import Transaction, fetch
from service.stores.neo4j.records import moment
from service.stores.neo4j.statements import statement

_EDGES_OF = statement("supersession/of")


@dataclass(slots=True)
class SupersedeUnit(Unit):
    """Draws the edge from a correction to what it replaces; there already: nothing changes."""

    scope: str
    memory_id: str
    target_id: str
    reason: str | None
    idempotency: Idempotency | None = None
    actor: str = field(default_factory=acting.get)

    @property
    def author(self) -> Author | None:
        return Author(self.scope, self.actor, self.reason or "supersede")

    @classmethod
    async def load(cls, tx: Transaction, ws: Workspace, units: Sequence["SupersedeUnit"]) -> None:
        """Load both ends."""
        await load_memories(tx, ws, (one for u in units for one in (u.memory_id, u.target_id)))

    async def run(self, tx: Transaction, ws: Workspace) -> tuple[LineageEdge, bool]:
        """Return the edge, and whether it is new; raises NotFound, InvalidInput, Conflict."""
        newer = require_memory(ws, self.scope, self.memory_id)
        older = require_memory(ws, self.scope, self.target_id)
        for edge in await fetch(tx, _EDGES_OF, id=newer.id):
            if edge["source"] == newer.id and edge["target"] == older.id:
                known = LineageEdge(newer.id, older.id, edge["reason"], moment(edge["created_at"]))
                return known, False
        await require_no_cycle(tx, newer, older)
        supersede(ws, newer, older, self.reason)
        await judge(tx, ws)
        return LineageEdge(newer.id, older.id, self.reason, ws.now), True

    def memory_ids(self, result: Any) -> Sequence[str]:
        """Return both ends: the answer names them."""
        return (self.memory_id, self.target_id)


@dataclass(slots=True)
class RetractUnit(Unit):
    """Takes an edge back; the lineage keeps that it was there."""

    scope: str
    memory_id: str
    target_id: str
    idempotency: Idempotency | None = None
    actor: str = field(default_factory=acting.get)

    @property
    def author(self) -> Author | None:
        return Author(self.scope, self.actor, "retract supersession")

    @classmethod
    async def load(cls, tx: Transaction, ws: Workspace, units: Sequence["RetractUnit"]) -> None:
        """Load both ends."""
        await load_memories(tx, ws, (one for u in units for one in (u.memory_id, u.target_id)))

    async def run(self, tx: Transaction, ws: Workspace) -> None:
        """End the edge; raises NotFound where there is none."""
        newer = require_memory(ws, self.scope, self.memory_id)
        older = require_memory(ws, self.scope, self.target_id)
        if older.id not in newer.targets:
            raise NotFound(f"{newer.id!r} does not replace {older.id!r}")
        end(ws, newer, older, "it was retracted")
        await judge(tx, ws)


def require_memory(ws: Workspace, scope: str, memory_id: str) -> MemoryRow:
    """Return a loaded memory of the scope, or raise NotFound."""
    row = ws.memories.get(memory_id)
    if row is None or row.scope != scope:
        raise NotFound(f"there is no memory {memory_id!r} in scope {scope!r}")
    return row
