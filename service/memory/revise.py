"""Revise: change a memory in place, and what hangs on its text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from service.domain.access import acting
from service.domain.change import Vectors
from service.domain.errors import Conflict, InvalidInput
from service.domain.idempotency import Idempotency
from service.domain.memory import Contradiction, MemoryUpdate, Revised
from service.domain.names import collapsed, content_key
from service.domain.slots import Claim
from service.memory.judge import judge
from service.memory.link import require_memory
from service.memory.remember import caption, embedding_rows, hint_rows, view
from service.memory.unit import Author, Unit
from service.ontology import attributes, entities
from service.ontology.load import load_lines, load_memories, load_twins
from service.ontology.workspace import MemoryRow, Workspace
from service.stores.neo4j.driver import Transaction


@dataclass(slots=True)
class ReviseUnit(Unit):
    """Writes a revision; new content comes with its embedding and is linked to names again."""

    scope: str
    memory_id: str
    update: MemoryUpdate
    vectors: Vectors | None
    model: str
    idempotency: Idempotency | None = None
    actor: str = field(default_factory=acting.get)

    @property
    def author(self) -> Author | None:
        return Author(self.scope, self.actor, "revise")

    @classmethod
    async def load(cls, tx: Transaction, ws: Workspace, units: Sequence["ReviseUnit"]) -> None:
        """Load the memory, and the one that holds the new content already, if any."""
        await load_memories(tx, ws, (unit.memory_id for unit in units))
        await load_twins(
            tx,
            ws,
            (
                content_key(unit.scope, unit.update.content)
                for unit in units
                if unit.update.content is not None
            ),
        )

    async def run(self, tx: Transaction, ws: Workspace) -> Revised:
        """Return the memory as it is now; raises NotFound, and Conflict where it is a twin."""
        row = require_memory(ws, self.scope, self.memory_id)
        content = self.update.content
        if content is not None and not row.superseded:
            twin = ws.by_content.get(content_key(self.scope, content))
            if twin not in (None, row.id):
                raise Conflict(f"the memory {twin!r} holds this content already")
        contradictions = await self._move_claims(tx, ws, row)
        ws.stir(row)
        changed = self._changed(ws)
        if content is not None and collapsed(content) != collapsed(row.properties["content"]):
            self._replace_content(ws, row, content)
        elif content is not None:
            changed["content"] = content
        row.properties |= changed
        ws.write("memory/revise", {"id": row.id, "properties": changed})
        if self.update.hints is not None:
            hints = hint_rows(iter(self.update.hints))
            ws.write("hint/replace", {"memory_id": row.id, "hints": hints})
        await judge(tx, ws)
        return Revised(view(row), tuple(contradictions))

    async def _move_claims(
        self, tx: Transaction, ws: Workspace, row: MemoryRow
    ) -> list[Contradiction]:
        """Move what the memory claims of the time that it had, and decide those slots again.

        A claim with a `valid_from` of its own stays, unless that is the memory's very time. So
        does one that would end a constraint; the answer tells of it.
        """
        now, before = self.update.occurred_at, row.event_at
        if now is None or now == before:
            return []
        await load_lines(tx, ws, row.slots)
        lines = [ws.lines[slot] for slot in sorted(row.slots) if slot in ws.lines]
        for line in lines:
            for claim in line.claims:
                if _moves(claim, row, before) and claim.until is not None and claim.until <= now:
                    raise InvalidInput(
                        "occurred_at",
                        f"{now.isoformat()} is not before {claim.until.isoformat()}, when "
                        f"{claim.value!r}, which this memory states, ended",
                    )
        contradictions: list[Contradiction] = []
        for line in lines:
            if any(_moves(claim, row, before) for claim in line.claims):
                contradictions += attributes.move(
                    ws, line, lambda claim: _moves(claim, row, before), now
                )
        return contradictions

    def memory_ids(self, result: Any) -> Sequence[str]:
        """Return the memory that the answer shows."""
        return (self.memory_id,)

    def _changed(self, ws: Workspace) -> dict[str, Any]:
        update = self.update
        changed: dict[str, Any] = {"updated_at": ws.now}
        for name in ("type", "importance", "pinned", "occurred_at", "source"):
            value = getattr(update, name)
            if value is not None:
                changed[name] = value
        if update.metadata is not None:
            changed["metadata"] = orjson.dumps(dict(update.metadata)).decode()
        return changed

    def _replace_content(self, ws: Workspace, row: MemoryRow, content: str) -> None:
        text = {"content": content, "name": caption(content)}
        row.properties |= text
        row.embedded = self.vectors is not None
        ws.write("memory/revise", {"id": row.id, "properties": text})
        ws.write(
            "memory/set_embedding",
            {
                "memory_id": row.id,
                "embeddings": embedding_rows(row.id, self.vectors, self.model),
            },
        )
        for entity_id in sorted(row.linked):
            entities.unmention(ws, row, entity_id)
        entities.link_names(ws, row)


def _moves(claim: Claim, row: MemoryRow, before: datetime) -> bool:
    return claim.memory_id == row.id and claim.at == before
