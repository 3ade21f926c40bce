"""What one entry of the change feed says: the whole present state of one memory, or its removal."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from service.domain.attribute import AttributeStatus

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory states an attribute: which one, in which slot, and how the attribute stands now."""

    attribute_id: str
    slot: str
    status: AttributeStatus
    valid_from: datetime
    valid_to: datetime | None


@dataclass(frozen=True, slots=True)
class Successor:
    """A live memory that replaces this one by an explicit `SUPERSEDES` edge."""

    memory_id: str
    created_at: datetime
    """When the edge was made."""


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """The whole state of a live memory at `revision`."""

    ordinal: int
    revision: int
    id: str
    scope: str
    content: str
    type: str
    created_at: datetime
    occurred_at: datetime | None
    updated_at: datetime
    importance: float
    pinned: bool
    session: str | None
    speaker: str | None
    source: str | None
    superseded: bool
    hints: tuple[str, ...]
    entity_ids: tuple[str, ...]
    statements: tuple[Statement, ...]
    successors: tuple[Successor, ...]
    embedding_model: str | None
    vectors: Vectors | None
    """Shape (passages, dimension), unit length; None while the memory is not embedded yet."""


@dataclass(frozen=True, slots=True)
class MemoryRemoval:
    """The memory is gone (deleted or purged) since `revision`."""

    ordinal: int
    revision: int
    id: str
    scope: str


Change = MemoryChange | MemoryRemoval


@dataclass(frozen=True, slots=True)
class Commit:
    """What one transaction of this process changed: everything in (after, upto] of the feed."""

    after: int
    upto: int
    changes: tuple[MemoryChange, ...] | None
    """The memories that it made; None when it changed what only the feed can tell."""
    reread: tuple[int, ...] = ()
    """The ordinals of the memories that were there and have changed."""


class Projection(Protocol):
    """A copy of the graph's memories, made for reading, that can be thrown away and rebuilt."""

    name: Literal["catalogue", "text", "vectors"]

    @property
    def applied_revision(self) -> int:
        """The newest revision this projection holds (durably, if it is kept on disk)."""
        ...

    def apply(self, changes: Sequence[Change], revision: int) -> None:
        """Apply changes in order; afterwards `applied_revision` is `revision`. Idempotent."""
        ...

    def clear(self) -> None:
        """Forget everything; `applied_revision` is 0 afterwards."""
        ...
