"""The body of every error: a problem of RFC 9457."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class FieldProblem(BaseModel):
    """What is wrong with one field of a request."""

    model_config = ConfigDict(from_attributes=True)

    field: str = Field(description="The dotted path, such as `entities.0.name`.")
    message: str


class Problem(BaseModel):
    """Why a request was not served."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:palimpsest:problem:invalid-input",
                    "title": "The input is not valid",
                    "status": 422,
                    "detail": "content: is empty",
                    "errors": [{"field": "content", "message": "is empty"}],
                }
            ]
        },
    )

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldProblem] | None = Field(
        default=None, description="Present with 422: one entry for each field that is wrong."
    )
    index: int | None = Field(
        default=None, description="Of a set of operations: the one refused, counted from 0."
    )
    offer: dict[str, Any] | None = Field(
        default=None, description="An operation that would do what was probably meant."
    )

    def to_json(self) -> bytes:
        """Return the body; absent members are left out, whatever a caller sent is valid UTF-8."""
        return self.model_dump_json(exclude_none=True).encode()
