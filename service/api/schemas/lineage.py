"""What the routes of supersession take and answer."""

from typing import Literal

from pydantic import ConfigDict, Field

from service.api.schemas.fields import Answer, Body, Scope, UtcTime, Word


class SupersedeRequest(Body):
    """The memory that is replaced, and why."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "scope": "acme",
                    "target_id": "7c1f0a52-6d0f-4c8e-9f63-0d6c5f6f2a11",
                    "reason": "moved on 2 March",
                }
            ]
        }
    )

    scope: Scope | None = None
    target_id: Word
    reason: Word | None = None
    wait: bool | None = None


class LineageNodeBody(Answer):
    """A memory of the chain; a deleted one stays, without its content, to tell why."""

    id: str
    content: str | None
    type: str
    created_at: UtcTime
    superseded: bool
    deleted_at: UtcTime | None


class LineageEdgeBody(Answer):
    """`source` replaces `target`."""

    source: str
    target: str
    type: Literal["SUPERSEDES"] = "SUPERSEDES"
    reason: str | None
    created_at: UtcTime


class EndedEdgeBody(LineageEdgeBody):
    """`source` replaced `target` until `ended_at`."""

    ended_at: UtcTime | None
    ended_because: str | None


class LineageBody(Answer):
    """The whole chain around a memory, in both directions."""

    nodes: list[LineageNodeBody]
    edges: list[LineageEdgeBody]
    ended: list[EndedEdgeBody] = Field(
        description="Replacements that hold no longer, with the reason."
    )
