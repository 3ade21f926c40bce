"""Remembering as a unit of a write: what has to be loaded, and the items one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from service.domain.access import acting
from service.domain.errors import PalimpsestError
from service.domain.idempotency import Idempotency
from service.domain.memory import Remembered
from service.domain.names import content_key
from service.memory.remember import Prepared, remember
from service.memory.unit import Author, Unit
from service.ontology.load import load_memories, load_twins
from service.ontology.needs import Structure, load_structure
from service.ontology.workspace import Workspace
from service.stores.neo4j.driver import Transaction

Outcome = Remembered | PalimpsestError


@dataclass(slots=True)
class RememberUnit(Unit):
    """Remembers items in order.

    A `single` one returns its Remembered, or raises what refuses it; otherwise the result is a
    tuple, in which an item that was refused is an error.
    """

    items: Sequence[Prepared]
    single: bool
    idempotency: Idempotency | None = None
    actor: str = field(default_factory=acting.get)
    joins: ClassVar[bool] = True
    only_adds: ClassVar[bool] = True

    @property
    def size(self) -> int:
        return len(self.items)

    @property
    def author(self) -> Author | None:
        return Author(self.items[0].scope, self.actor, "remember") if self.items else None

    @classmethod
    async def load(cls, tx: Transaction, ws: Workspace, units: Sequence["RememberUnit"]) -> None:
        """Load twins, superseded memories, slots, aspects and relations of all items at once."""
        items = [item for unit in units for item in unit.items]
        await load_twins(tx, ws, (content_key(item.scope, item.new.content) for item in items))
        await load_memories(tx, ws, (target for item in items for target in item.new.supersedes))
        await load_structure(
            tx,
            ws,
            Structure(
                attributes=[(item.scope, one) for item in items for one in item.new.attributes],
                relations=[(item.scope, one) for item in items for one in item.new.relations],
                authors=list(ws.by_content.values()),
            ),
        )

    async def run(self, tx: Transaction, ws: Workspace) -> Remembered | tuple[Outcome, ...]:
        """Remember the items; each sees what those before it did."""
        if self.single:
            return await remember(tx, ws, self.items[0])
        outcomes: list[Outcome] = []
        for item in self.items:
            try:
                outcomes.append(await remember(tx, ws, item))
            except PalimpsestError as error:
                outcomes.append(error)
        return tuple(outcomes)

    def memory_ids(self, result: Any) -> Sequence[str]:
        """Return the ids of the memories that the answer shows."""
        outcomes = [result] if self.single else result
        return [one.memory.id for one in outcomes if isinstance(one, Remembered)]
