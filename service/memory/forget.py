"""Forget: take a memory, and what it alone said, out of the graph."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.errors import NotFound
from service.domain.idempotency import Idempotency
from service.memory.judge import judge
from service.memory.unit import Unit
from service.ontology import attributes, entities, relations, write
from service.ontology.conversation import close_gap
from service.ontology.load import load_evidence, load_lines, load_memories, load_relations
from service.ontology.redaction import records_of, redact
from service.ontology.supersession import bridge
from service.ontology.workspace import MemoryRow, Workspace
from service.stores.neo4j.driver import Transaction, fetch
from service.stores.neo4j.statements import statement

_FIND = statement("memory/find")


@dataclass(slots=True)
class ForgetUnit(Unit):
    """Deletes memories of one scope; with `purge`, every trace of them goes.

    What a memory alone replaced is current again; in the middle of a chain its ends are tied to
    each other, with the reason kept. Its claims leave their slots, which are decided again.
    """

    scope: str
    ids: Sequence[str]
    purge: bool
    whole_scope: bool = False
    """All of the scope goes: ids that are gone already are passed over, chains are not tied."""
    idempotency: Idempotency | None = None

    @property
    def size(self) -> int:
        return len(self.ids)

    @classmethod
    async def load(cls, tx: Transaction, ws: Workspace, units: Sequence["ForgetUnit"]) -> None:
        """Load the memories, their claims and their evidence."""
        await load_memories(tx, ws, (one for unit in units for one in unit.ids))

    async def run(self, tx: Transaction, ws: Workspace) -> list[str]:
        """Return the ids of the memories that went; raises NotFound."""
        rows = [ws.memories[one] for one in self.ids if self._is_ours(ws, one)]
        erased: list[str] = []
        for memory_id in self.ids:
            if self._is_ours(ws, memory_id):
                continue
            found = await fetch(tx, _FIND, scope=self.scope, id=memory_id)
            if self.purge and found:
                erased.append(memory_id)
                ws.unmentioned += found[0]["entity_ids"]
            elif not self.whole_scope:
                raise NotFound(f"there is no memory {memory_id!r} in scope {self.scope!r}")
        gone = [*(row.id for row in rows), *erased]
        records = await records_of(tx, gone) if self.purge else []
        await self._withdraw(tx, ws, rows)
        for memory_id in erased:
            ws.write("memory/erase", {"id": memory_id, "revision": ws.next_revision()})
        if records:
            await write.flush(tx, ws)
            redact(ws, records, gone)
        return gone

    def _is_ours(self, ws: Workspace, memory_id: str) -> bool:
        row = ws.memories.get(memory_id)
        return row is not None and row.scope == self.scope

    async def _withdraw(self, tx: Transaction, ws: Workspace, rows: list[MemoryRow]) -> None:
        ids = [row.id for row in rows]
        if not self.purge:
            ws.retiring |= set(ids)
        await load_lines(tx, ws, (slot for row in rows for slot in row.slots))
        evidence = await load_evidence(tx, ws, ids)
        await load_relations(tx, ws, (one.key for one in evidence))
        for row in rows:
            for slot in row.slots:
                attributes.withdraw(ws, row.id, ws.lines[slot])
        for one in evidence:
            relations.withdraw(ws, one)
        for row in rows:
            for entity_id in row.mentions:
                entities.count(ws, entity_id, -1)
            if not self.whole_scope:
                await close_gap(tx, ws, row.id)
                await bridge(tx, ws, row, "it was purged" if self.purge else "it was deleted")
            self._write(ws, row)
            del ws.memories[row.id]
            ws.stirred.pop(row.id, None)
        await judge(tx, ws)

    def _write(self, ws: Workspace, row: MemoryRow) -> None:
        revision = ws.next_revision()
        if self.purge:
            ws.write("memory/erase", {"id": row.id, "revision": revision})
            return
        ws.write("memory/keep_statements", {"id": row.id})
        ws.write("memory/retire", {"id": row.id, "revision": revision, "deleted_at": ws.now})
