"""What is kept of a memory beside its terms: all that an answer shows of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import orjson

from service.domain.change import MemoryChange


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """A memory as an answer shows it, read without the graph."""

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
    embedding_model: str | None

    @property
    def event_at(self) -> datetime:
        """When it happened, as far as it is known: `occurred_at`, else `created_at`."""
        return self.occurred_at or self.created_at


def stored_memory(change: MemoryChange) -> StoredMemory:
    """The part of a change that is kept for answers."""
    return StoredMemory(
        ordinal=change.ordinal,
        revision=change.revision,
        id=change.id,
        scope=change.scope,
        content=change.content,
        type=change.type,
        created_at=change.created_at,
        occurred_at=change.occurred_at,
        updated_at=change.updated_at,
        importance=change.importance,
        pinned=change.pinned,
        session=change.session,
        speaker=change.speaker,
        source=change.source,
        superseded=change.superseded,
        hints=change.hints,
        entity_ids=change.entity_ids,
        embedding_model=change.embedding_model,
    )


def encode(memory: StoredMemory) -> bytes:
    """The memory as JSON bytes; `decode` gives an equal one back."""
    return orjson.dumps(memory)


def decode(payload: bytes) -> StoredMemory:
    """The memory that `encode` wrote. Raises ValueError for other bytes."""
    fields = cast(dict[str, Any], orjson.loads(payload))
    for name in ("created_at", "updated_at", "occurred_at"):
        if fields[name] is not None:
            fields[name] = datetime.fromisoformat(fields[name])
    fields["hints"] = tuple(fields["hints"])
    fields["entity_ids"] = tuple(fields["entity_ids"])
    return StoredMemory(**fields)
