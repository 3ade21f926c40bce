"""What the routes of recall take and answer."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema

from service.api.schemas.fields import (
    Answer,
    Body,
    Scope,
    Time,
    UtcTime,
    Word,
    not_blank,
    storable,
)
from service.domain.recall import ChannelStatus, RecallAnswer, RecallQuery

QUERY_LIMIT = 10_000

_QueryText = Annotated[
    str,
    Field(max_length=QUERY_LIMIT),
    AfterValidator(storable),
    AfterValidator(not_blank),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": QUERY_LIMIT, "pattern": r"\S"}),
]


class RecallRequest(Body):
    """A question to one scope, with its filters."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "scope": "acme",
                    "query": "where does the build cache run?",
                    "limit": 10,
                    "deadline_ms": 250,
                }
            ]
        }
    )

    scope: Scope | None = None
    query: _QueryText = Field(description="Plain text: no character of it is an operator.")
    limit: int = Field(default=10, ge=1, le=100)
    deadline_ms: int | None = Field(
        default=None,
        ge=1,
        le=60_000,
        description="When the answer must stand, in milliseconds; null for the configured time.",
    )
    since: Time | None = Field(default=None, description="Made at this moment or later.")
    until: Time | None = Field(default=None, description="Made before this moment.")
    as_of: Time | None = Field(
        default=None, description="As things stood at this moment; what is newer is left out."
    )
    types: list[Word] | None = Field(default=None, min_length=1, max_length=64)
    entity: Word | None = Field(default=None, description="Name or id of an entity mentioned.")
    min_score: float = Field(default=0.0, ge=0.0)
    include_superseded: bool = True
    graph: bool = True
    rerank: Literal["noop"] | None = Field(
        default=None, description="The provider that sorts the best again; null for the default."
    )
    session_key: Word | None = None
    compact: bool = False
    explain: bool = False

    def to_domain(self, scope: str) -> RecallQuery:
        """Return the question as the use case takes it."""
        return RecallQuery(
            scope=scope,
            query=self.query,
            limit=self.limit,
            since=self.since,
            until=self.until,
            as_of=self.as_of,
            types=None if self.types is None else tuple(self.types),
            entity=self.entity,
            min_score=self.min_score,
            include_superseded=self.include_superseded,
            graph=self.graph,
            rerank=self.rerank,
            session_key=self.session_key,
            explain=self.explain,
        )


class RecallParameters(RecallRequest):
    """The same question as a query string; `types` may be given several times."""

    model_config = ConfigDict(strict=False)


class ReplacementBody(Answer):
    """The memory that stands where the superseded one stood."""

    memory_id: str
    content: str
    attribute_id: str | None


class CurrentnessBody(Answer):
    """Why the result is superseded, and by what."""

    note: str
    replaced_by: ReplacementBody | None


class RecallResultBody(Answer):
    """One memory of the answer."""

    id: str
    content: str
    type: str
    created_at: UtcTime
    score: float
    superseded: bool
    currentness: CurrentnessBody | None
    sources: list[str] = Field(
        description="The channels that found it; `succession` where it joined as a successor."
    )
    entities: list[str]
    explain: None = None


class NoteBody(Answer):
    """Why the result is superseded."""

    note: str


class CompactResultBody(Answer):
    """One memory of a compact answer."""

    id: str
    content: str
    score: float
    superseded: bool
    currentness: NoteBody | None


class ChannelBody(Answer):
    """How one source fared within the deadline."""

    status: ChannelStatus
    hits: int
    took_ms: float
    detail: str | None = Field(description="Why it failed or is off.")


class ChannelsBody(Answer):
    """How each source fared."""

    model_config = ConfigDict(extra="allow")

    content: ChannelBody
    hints: ChannelBody
    vector: ChannelBody
    graph: ChannelBody
    currentness: ChannelBody
    rerank: ChannelBody


class RecallBody(Answer):
    """The results, best first, and how each source fared."""

    query: str
    results: list[RecallResultBody] | list[CompactResultBody]
    timed_out: bool
    channels: ChannelsBody
    summary: str | None
    took_ms: float

    @classmethod
    def of(cls, answer: RecallAnswer, *, compact: bool) -> Self:
        """Return the body of an answer, in its full or compact form."""
        shape = CompactResultBody if compact else RecallResultBody
        return cls.model_construct(
            query=answer.query,
            results=[shape.model_validate(result) for result in answer.results],
            timed_out=answer.timed_out,
            channels=ChannelsBody.model_validate(dict(answer.channels)),
            summary=answer.summary,
            took_ms=answer.took_ms,
        )
