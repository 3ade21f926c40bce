"""What every operation of a set is given while the set is applied."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from service.domain.entity import Entity
from service.domain.memory import EntityRef
from service.memory.link import require_memory
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
        return require_memory(self.ws, self.scope, memory_id)

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
