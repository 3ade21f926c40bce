"""What the writer asks of a write."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from service.domain.idempotency import Idempotency
from service.ontology.workspace import Workspace
from service.stores.neo4j.driver import Transaction


@dataclass(frozen=True, slots=True)
class Author:
    """Whose write it is, for the audit log."""

    scope: str
    actor: str
    reason: str


class RolledBack(Exception):
    """Raised by a unit that is alone: nothing of it is committed, and this is its result."""

    def __init__(self, result: Any) -> None:
        super().__init__("rolled back on purpose")
        self.result = result


class Unit(ABC):
    """One write: it loads what it needs, decides, and leaves its rows in the workspace.

    `load` and `run` may be called again from the start when the transaction is retried. A
    PalimpsestError that `run` raises refuses this unit alone, and must leave nothing decided.
    """

    __slots__ = ()

    joins: ClassVar[bool] = False
    """Whether units of this kind can be loaded and written together."""
    only_adds: ClassVar[bool] = False
    """Whether units of this kind remove nothing: all they change is found in `ws.memories`."""
    alone: ClassVar[bool] = False
    """Whether it has a transaction of its own, which a refusal of it rolls back."""
    idempotency: Idempotency | None

    @property
    def size(self) -> int:
        """How many memories it writes, for the bound on a group."""
        return 1

    @property
    def author(self) -> Author | None:
        """Whose changes of the graph go into the audit log; None where it keeps its own record."""
        return None

    @classmethod
    @abstractmethod
    async def load(cls, tx: Transaction, ws: Workspace, units: Sequence[Any]) -> None:
        """Load what these units of one kind need."""

    @abstractmethod
    async def run(self, tx: Transaction, ws: Workspace) -> Any:
        """Return the use case's result."""

    def memory_ids(self, result: Any) -> Sequence[str]:
        """Return the memories that the answer shows, so that a purge finds it."""
        return ()
