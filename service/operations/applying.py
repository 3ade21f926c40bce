"""What every operation of a set is given while the set is applied."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from service.domain.entity import Entity
from service.domain.errors import NotFound
from service.domain.memory import EntityRef
from service.ontology import entities
from service.ontology.load import load_memories
from service.ontology.workspace import MemoryRow, Workspace
from service.stores.neo4j.driver import Transaction

OPERATION: Final = "operation"
"""Who links memories to entities when an operation says so."""


@dataclass(frozen=True, slots=True)
class Applying:
    """A set that is being applied: in which scope, under which id, on which evidence."""

    tx: Transaction
    ws: Workspace
    scope: str
    operation_id: str
    reason: str
    evidence: Sequence[str]

    async def load(self, memory_ids: Sequence[str] = ()) -> None:
        """Load the evidence again, after what was decided has been written, and more memories."""
        await load_memories(self.tx, self.ws, (*self.evidence, *memory_ids))

    @property
    def authors(self) -> list[MemoryRow | None]:
        """Who says what the set claims: its evidence, or the set itself (None) without any."""
        return [self.memory(one) for one in self.evidence] or [None]

    def author_id(self, author: MemoryRow | None) -> str:
        """Return the id under which an author's claims are kept."""
        return self.operation_id if author is None else author.id

    def memory(self, memory_id: str) -> MemoryRow:
        """Return a loaded memory of the scope, or raise NotFound."""
        row = self.ws.memories.get(memory_id)
        if row is None or row.scope != self.scope:
            raise NotFound(f"there is no memory {memory_id!r} in scope {self.scope!r}")
        return row

    def entity(self, ref: EntityRef) -> Entity:
        """Return an entity that there is, or raise NotFound."""
        return entities.require(self.ws, self.scope, ref)

    def made(self, ref: EntityRef, entity_type: str | None = None) -> Entity:
        """Return an entity, made now when it is named and unknown; the evidence mentions it."""
        entity = entities.resolve(self.ws, self.scope, ref, entity_type)
        for author in self.authors:
            if author is not None:
                text = ref.name or entity.name
                entities.mention(self.ws, author, entity, text, 1.0, OPERATION)
        return entity


def event_time(row: MemoryRow) -> datetime:
    """Return when what a memory tells happened: `occurred_at`, else `created_at`."""
    return row.properties.get("occurred_at") or row.properties["created_at"]
