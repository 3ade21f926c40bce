"""What the routes of memories take and answer."""

from typing import Any, Literal, Self

from pydantic import ConfigDict, Field

from service.api.schemas.entities import AttributeBody, MentionedEntityBody
from service.api.schemas.fields import (
    LIMITS,
    Answer,
    Body,
    Content,
    Hint,
    Name,
    PageParameters,
    Scope,
    Share,
    Time,
    TypeName,
    UtcTime,
    Word,
    WriteParameters,
    at_most,
)
from service.api.schemas.problem import Problem
from service.api.schemas.structure import AttributeRequest, MentionRequest, RelationRequest
from service.domain.memory import (
    Memory,
    MemoryDetail,
    MemoryUpdate,
    NewMemory,
    Remembered,
    Revised,
)

_EXAMPLE: dict[str, Any] = {
    "scope": "acme",
    "content": "The build cache moved to host birch.",
    "type": "fact",
    "created_at": "2026-03-02T09:00:00Z",
    "session": "standup-2026-03-02",
    "speaker": "Ines",
    "source": "chat",
    "importance": 0.5,
    "metadata": {"ticket": "OPS-7"},
    "entities": [{"name": "build cache", "type": "system", "confidence": 0.9}],
    "relations": [
        {"source": "build cache", "target": "birch", "type": "runs on", "confidence": 0.9}
    ],
    "attributes": [
        {
            "entity": "build cache",
            "aspect": "deployment",
            "group_key": "location",
            "claim_key": "host",
            "value": "birch",
            "cardinality": "one",
        }
    ],
    "hints": ["Where does the build cache run?"],
}


class RememberRequest(Body):
    """A piece of text to keep, with whatever structure the caller has."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    content: Content
    scope: Scope | None = None
    type: TypeName = "fact"
    created_at: Time | None = None
    occurred_at: Time | None = None
    session: Name | None = Field(
        default=None, description="The conversation, document or log that the memory comes from."
    )
    speaker: Name | None = Field(default=None, description="Who said it: becomes an entity.")
    source: Name | None = None
    importance: Share = 0.5
    pinned: bool = False
    metadata: dict[str, Any] | None = None
    entities: list[MentionRequest] = Field(
        default_factory=list[MentionRequest], json_schema_extra=at_most(LIMITS.entities)
    )
    relations: list[RelationRequest] = Field(
        default_factory=list[RelationRequest], json_schema_extra=at_most(LIMITS.relations)
    )
    attributes: list[AttributeRequest] = Field(
        default_factory=list[AttributeRequest], json_schema_extra=at_most(LIMITS.attributes)
    )
    hints: list[Hint] = Field(
        default_factory=list[str],
        description="Questions or words that the memory answers, for recall.",
        json_schema_extra=at_most(LIMITS.hints),
    )
    supersedes: list[Word] = Field(
        default_factory=list[str],
        description="Ids of the memories that this one replaces.",
        json_schema_extra=at_most(LIMITS.supersedes),
    )
    wait: bool | None = None

    def to_domain(self) -> NewMemory:
        """Return the memory as the use case takes it."""
        return NewMemory(
            content=self.content,
            type=self.type,
            created_at=self.created_at,
            occurred_at=self.occurred_at,
            session=self.session,
            speaker=self.speaker,
            source=self.source,
            importance=self.importance,
            pinned=self.pinned,
            metadata=self.metadata or {},
            entities=[mention.to_domain() for mention in self.entities],
            relations=[relation.to_domain() for relation in self.relations],
            attributes=[attribute.to_domain() for attribute in self.attributes],
            hints=self.hints,
            supersedes=self.supersedes,
        )


class BatchRequest(Body):
    """Up to 1,000 memories; each is checked by itself, so that a bad one fails alone."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "scope": "acme",
                    "memories": [
                        {"content": "The build cache runs on host alder."},
                        {"content": "Ines looks after the build cache.", "speaker": "Tom"},
                    ],
                }
            ]
        }
    )

    scope: Scope | None = None
    memories: list[Any] = Field(
        min_length=1,
        max_length=LIMITS.batch,
        json_schema_extra={"items": {"$ref": "#/components/schemas/RememberRequest"}},
    )
    wait: bool | None = None


class UpdateRequest(Body):
    """What to change of a memory; a field that is absent or null stays as it is."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"scope": "acme", "importance": 0.9, "metadata": {"ticket": "OPS-8"}}]
        }
    )

    scope: Scope | None = None
    content: Content | None = None
    type: TypeName | None = None
    occurred_at: Time | None = None
    source: Name | None = None
    importance: Share | None = None
    pinned: bool | None = None
    metadata: dict[str, Any] | None = Field(default=None, description="Replaces all of it.")
    hints: list[Hint] | None = Field(
        default=None,
        description="Replaces all of them.",
        json_schema_extra=at_most(LIMITS.hints),
    )
    wait: bool | None = None

    def to_domain(self) -> MemoryUpdate:
        """Return the change as the use case takes it."""
        return MemoryUpdate(
            content=self.content,
            type=self.type,
            importance=self.importance,
            pinned=self.pinned,
            occurred_at=self.occurred_at,
            source=self.source,
            metadata=self.metadata,
            hints=self.hints,
        )


class MemoryListParameters(PageParameters):
    """Filters of the list of memories, newest first."""

    type: Word | None = None
    entity: Word | None = Field(default=None, description="Name or id of an entity mentioned.")
    since: Time | None = Field(default=None, description="Made at this moment or later.")
    until: Time | None = Field(default=None, description="Made before this moment.")
    include_superseded: bool = True


class ForgetParameters(WriteParameters):
    """How a memory is deleted."""

    purge: bool = Field(default=False, description="Remove every trace of it.")


class MemoryBody(Answer):
    """A memory as it is kept."""

    id: str
    scope: str
    content: str
    type: str
    created_at: UtcTime
    occurred_at: UtcTime | None
    updated_at: UtcTime
    session: str | None
    speaker: str | None
    source: str | None
    importance: float
    pinned: bool
    metadata: dict[str, Any]
    revision: int
    superseded: bool
    embedded: bool = Field(
        description="False while the memory waits for its embedding: the vector channel does not "
        "see it yet."
    )


class SupersededAttributeBody(Answer):
    """An attribute that the write replaced, and the one in its place."""

    attribute_id: str
    replaced_by: str


class ContradictionBody(Answer):
    """A claim that was not written, since it would replace a constraint."""

    kind: str
    attribute_id: str
    entity: str
    aspect: str
    group_key: str | None
    claim_key: str | None
    value: str
    proposed: str


class RememberedBody(MemoryBody):
    """The memory that is kept now, and what the write did."""

    deduplicated: bool
    entities: list[MentionedEntityBody]
    superseded_attributes: list[SupersededAttributeBody]
    superseded_memories: list[str]
    contradictions: list[ContradictionBody]

    @classmethod
    def of(cls, remembered: Remembered) -> Self:
        """Return the answer to a remember."""
        return cls.model_validate(
            {
                **memory_fields(remembered.memory),
                "deduplicated": remembered.deduplicated,
                "entities": remembered.entities,
                "superseded_attributes": remembered.superseded_attributes,
                "superseded_memories": remembered.superseded_memories,
                "contradictions": remembered.contradictions,
            }
        )


class RevisedBody(MemoryBody):
    """The memory after the change."""

    contradictions: list[ContradictionBody]

    @classmethod
    def of(cls, revised: Revised) -> Self:
        """Return the answer to a revision."""
        return cls.model_validate(
            {**memory_fields(revised.memory), "contradictions": revised.contradictions}
        )


class MemoryLinkBody(Answer):
    """The memory at the other end of a replacement."""

    memory_id: str
    content: str
    created_at: UtcTime
    reason: str | None
    attribute_id: str | None


class MemoryDetailBody(MemoryBody):
    """A memory with all that hangs on it."""

    entities: list[MentionedEntityBody]
    attributes: list[AttributeBody]
    hints: list[str]
    superseded_by: list[MemoryLinkBody] = Field(description="Direct successors, newest first.")
    heads: list[MemoryLinkBody] = Field(
        description="The current ends of the chain of successors, newest first."
    )
    supersedes: list[MemoryLinkBody]

    @classmethod
    def of(cls, detail: MemoryDetail) -> Self:
        """Return the answer to a reading of one memory."""
        return cls.model_validate(
            {
                **memory_fields(detail.memory),
                "entities": detail.entities,
                "attributes": detail.attributes,
                "hints": detail.hints,
                "superseded_by": detail.superseded_by,
                "heads": detail.heads,
                "supersedes": detail.supersedes,
            }
        )


class BatchResultBody(Answer):
    """What became of one item of a batch."""

    index: int
    status: Literal["created", "deduplicated", "failed"]
    memory: RememberedBody | None
    error: Problem | None


class BatchBody(Answer):
    """The results, one for each item, in the order given."""

    results: list[BatchResultBody]


class MemoryPageBody(Answer):
    """A page of memories."""

    items: list[MemoryBody]
    next_cursor: str | None


class DeletedMemoryBody(Answer):
    """A memory that was deleted: what it said is not shown."""

    id: str
    deleted_at: UtcTime
    content_key: str = Field(
        description="Equal for equal contents of a scope: BLAKE2b with 16 bytes, as hexadecimal "
        "digits, of the JSON list of scope and content, each run of white space one space."
    )
    origin_keys: list[str] = Field(
        description="For each product in its metadata that has an `id`: the same digest of the "
        "JSON list of scope, product and id."
    )


class DeletedMemoryPageBody(Answer):
    """A page of deleted memories."""

    items: list[DeletedMemoryBody]
    next_cursor: str | None


def memory_fields(memory: Memory) -> dict[str, object]:
    """Return the fields of a memory that every shape of an answer shows."""
    return {name: getattr(memory, name) for name in MemoryBody.model_fields}
