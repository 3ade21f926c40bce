"""What a recall asks and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class ChannelStatus(StrEnum):
    """How a source of an answer fared."""

    OK = "ok"
    TIMED_OUT = "timed_out"
    FAILED = "failed"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """A question to one scope, with its filters."""

    scope: str
    query: str
    limit: int = 10
    since: datetime | None = None
    """Inclusive, on `created_at`."""
    until: datetime | None = None
    """Exclusive, on `created_at`."""
    as_of: datetime | None = None
    """Memories and slot values as they held at this moment of event time."""
    types: tuple[str, ...] | None = None
    entity: str | None = None
    """Name or id of an entity that the memory must mention."""
    min_score: float = 0.0
    include_superseded: bool = True
    graph: bool = True
    rerank: str | None = None
    session_key: str | None = None
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Replacement:
    """The live memory that stands where a superseded one stood."""

    memory_id: str
    content: str
    attribute_id: str | None


@dataclass(frozen=True, slots=True)
class Currentness:
    """Why a result is superseded, in a sentence, and by what."""

    note: str
    replaced_by: Replacement | None
    """The head of the chain; None where the replacement can't be told."""


@dataclass(frozen=True, slots=True)
class RecallResult:
    """One memory of an answer."""

    id: str
    content: str
    type: str
    created_at: datetime
    score: float
    superseded: bool
    currentness: Currentness | None
    sources: tuple[str, ...]
    """The channels that found it, and `succession` where it joined as a successor."""
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChannelReport:
    """What one source did within the deadline."""

    status: ChannelStatus
    hits: int
    took_ms: float
    detail: str | None = None
    """Why it failed, or is off, in one sentence."""


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """The results, best first, and how each source fared."""

    query: str
    results: tuple[RecallResult, ...]
    timed_out: bool
    channels: Mapping[str, ChannelReport]
    """Keys: content, hints, vector, graph, currentness, rerank."""
    summary: str | None
    took_ms: float
