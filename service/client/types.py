"""The shapes that go in and come out, as plain dictionaries (docs/api.md tells their meaning)."""

from typing import Any, Literal, NotRequired, Required, TypedDict


class NewMemory(TypedDict, total=False):
    """A memory to keep; only the content is required."""

    content: Required[str]
    type: str
    created_at: str
    occurred_at: str | None
    session: str | None
    speaker: str | None
    source: str | None
    importance: float
    pinned: bool
    metadata: dict[str, Any]
    entities: list[dict[str, Any]]
    relations: list[dict[str, Any]]
    attributes: list[dict[str, Any]]
    hints: list[str]
    supersedes: list[str]


class Memory(TypedDict):
    """A memory as the store keeps it."""

    id: str
    scope: str
    content: str
    type: str
    created_at: str
    occurred_at: str | None
    updated_at: str
    session: str | None
    speaker: str | None
    source: str | None
    importance: float
    pinned: bool
    metadata: dict[str, Any]
    revision: int
    superseded: bool
    embedded: bool


class DeletedMemory(TypedDict):
    """A memory that was deleted; equal contents of a scope have equal keys."""

    id: str
    deleted_at: str
    content_key: str
    origin_keys: list[str]


class LineageEdge(TypedDict):
    """`source` replaces `target`; with `ended_at` it did so until then."""

    source: str
    target: str
    type: str
    reason: str | None
    created_at: str
    ended_at: NotRequired[str | None]
    ended_because: NotRequired[str | None]


class Lineage(TypedDict):
    """The chain of replacements around a memory."""

    nodes: list[dict[str, Any]]
    edges: list[LineageEdge]
    ended: list[LineageEdge]


class Remembered(Memory):
    """The memory that is kept now, and what the write did."""

    deduplicated: bool
    entities: list[dict[str, Any]]
    superseded_attributes: list[dict[str, str]]
    superseded_memories: list[str]
    contradictions: list[dict[str, Any]]


class FieldProblem(TypedDict):
    """What is wrong with one field."""

    field: str
    message: str


class Problem(TypedDict):
    """Why something was refused (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: NotRequired[list[FieldProblem] | None]


class BatchResult(TypedDict):
    """What became of one memory of a batch."""

    index: int
    status: Literal["created", "deduplicated", "failed"]
    memory: Remembered | None
    error: Problem | None


class Replacement(TypedDict):
    """The memory that stands where a superseded one stood."""

    memory_id: str
    content: str
    attribute_id: str | None


class Currentness(TypedDict):
    """Why a result is superseded, and by what."""

    note: str
    replaced_by: Replacement | None


class Result(TypedDict):
    """One memory that recall found."""

    id: str
    content: str
    type: str
    created_at: str
    score: float
    superseded: bool
    currentness: Currentness | None
    sources: list[str]
    entities: list[str]


class Channel(TypedDict):
    """How one source of a recall fared."""

    status: Literal["ok", "timed_out", "failed", "off"]
    hits: int
    took_ms: float
    detail: str | None


class Recalled(TypedDict):
    """The answer to a recall, best first."""

    query: str
    results: list[Result]
    timed_out: bool
    channels: dict[str, Channel]
    summary: str | None
    took_ms: float


class Difference(TypedDict):
    """Where an index does not hold what the graph does."""

    projection: str
    memory_id: str | None
    ordinal: int
    what: str


class DoctorReport(TypedDict):
    """What a comparison of the graph with its indexes found."""

    memories: int
    differences: list[Difference]
