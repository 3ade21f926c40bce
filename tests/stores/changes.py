"""Changes as the feed brings them, with only what a test is about spelled out."""

from datetime import UTC, datetime
from typing import Any

from service.domain.change import MemoryChange, MemoryRemoval

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def memory(ordinal: int, content: str, scope: str = "s", **fields: Any) -> MemoryChange:
    given: dict[str, Any] = {
        "ordinal": ordinal,
        "revision": ordinal,
        "id": f"id-{ordinal}",
        "scope": scope,
        "content": content,
        "type": "fact",
        "created_at": NOON,
        "occurred_at": None,
        "updated_at": NOON,
        "importance": 0.5,
        "pinned": False,
        "session": None,
        "speaker": None,
        "source": None,
        "superseded": False,
        "hints": (),
        "entity_ids": (),
        "statements": (),
        "successors": (),
        "embedding_model": None,
        "vectors": None,
    }
    return MemoryChange(**(given | fields))


def removal(ordinal: int, revision: int, scope: str = "s") -> MemoryRemoval:
    return MemoryRemoval(ordinal=ordinal, revision=revision, id=f"id-{ordinal}", scope=scope)
