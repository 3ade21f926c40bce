"""Types of fields that several schemas share, and the bases of requests and answers."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    PlainValidator,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from service.domain.errors import InvalidInput
from service.domain.limits import Limits, checked_text
from service.domain.memory import EntityRef
from service.domain.names import checked_scope

LIMITS = Limits()
"""The bounds that the service applies, for the descriptions in the OpenAPI document."""

_TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2})"
    r"(?:[Tt ](\d{2}:\d{2})(?::(\d{2})(\.\d+)?)?(Z|z|[+-]\d{2}:\d{2})?)?",
    re.ASCII,
)
_LEAP_SECOND = "60"


class Body(BaseModel):
    """A request body: unknown fields are refused, and nothing is converted to another type."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class Parameters(BaseModel):
    """The query string of a request: unknown parameters are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)


class Answer(BaseModel):
    """An answer, or a part of one, read from the attributes of what a use case returned."""

    model_config = ConfigDict(from_attributes=True, populate_by_name=True, frozen=True)


def storable(text: str) -> str:
    """Return the text, or refuse what no store keeps: a NUL character, a lone surrogate."""
    return _checked(text, lambda: checked_text("", text, len(text), blank=True))


def _scope(text: str) -> str:
    return _checked(text, lambda: checked_scope(text))


def _checked(text: str, check: Callable[[], object]) -> str:
    try:
        check()
    except InvalidInput as error:
        raise PydanticCustomError(
            "refused", "{reason}", {"reason": error.errors[0].message}
        ) from None
    return text


def not_blank(text: str) -> str:
    """Return the text, or refuse one of white space alone."""
    if not text.strip():
        raise PydanticCustomError("blank", "is empty")
    return text


def parsed_time(value: object) -> datetime:
    """Return a moment of RFC 3339 in UTC; without a zone it is read as UTC.

    A date alone is its midnight, and a leap second the second after it.
    """
    found = _TIME.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise PydanticCustomError("time", "is not a time of RFC 3339 such as 2026-03-02T09:00:00Z")
    day, minute, second, fraction, zone = found.groups()
    leap = second == _LEAP_SECOND
    text = f"{day}T{minute or '00:00'}:{'59' if leap else second or '00'}{fraction or ''}"
    offset = "+00:00" if zone in (None, "Z", "z") else zone
    try:
        moment = datetime.fromisoformat(text + offset).astimezone(UTC)
        return moment + timedelta(seconds=1) if leap else moment
    except (ValueError, OverflowError) as error:
        raise PydanticCustomError(
            "time", "is not a time of RFC 3339: {reason}", {"reason": str(error)}
        ) from None


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _entity_ref(value: object) -> EntityRef:
    if isinstance(value, str):
        return EntityRef(name=value)
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        id = fields.get("id")
        if isinstance(id, str) and len(fields) == 1:
            return EntityRef(id=id)
    raise PydanticCustomError("entity", "is neither a name nor an object with an id alone")


def _text_schema(limit: int) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "minLength": 1, "maxLength": limit, "pattern": r"\S"})


Time = Annotated[
    datetime,
    PlainValidator(parsed_time),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
UtcTime = Annotated[datetime, AfterValidator(_in_utc)]
Scope = Annotated[
    str,
    AfterValidator(_scope),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": r"^[A-Za-z0-9._:@/\-]{1,128}$",
            "description": 'The isolation boundary; "default" when absent.',
            "examples": ["acme"],
        }
    ),
]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Word = Annotated[
    str,
    Field(max_length=LIMITS.name),
    AfterValidator(storable),
    AfterValidator(not_blank),
    _text_schema(LIMITS.name),
]
"""Text of a filter or an id: any text that could be stored."""

# The domain checks these against its limits, for every caller; here they only show in the schema.
Content = Annotated[str, _text_schema(LIMITS.content)]
TypeName = Annotated[str, _text_schema(LIMITS.type)]
Name = Annotated[str, _text_schema(LIMITS.name)]
Value = Annotated[str, _text_schema(LIMITS.value)]
Hint = Annotated[str, _text_schema(LIMITS.hint)]
Ref = Annotated[
    EntityRef,
    PlainValidator(_entity_ref),
    WithJsonSchema(
        {
            "description": "An entity by its name, or by its id.",
            "anyOf": [
                {"type": "string", "minLength": 1, "maxLength": LIMITS.name, "pattern": r"\S"},
                {
                    "type": "object",
                    "properties": {"id": {"type": "string", "minLength": 1, "pattern": r"\S"}},
                    "required": ["id"],
                    "additionalProperties": False,
                },
            ],
        }
    ),
]


def at_most(limit: int) -> dict[str, JsonValue]:
    """Return what the schema of a list says about its bound, which the domain checks."""
    return {"maxItems": limit}


class WriteParameters(Parameters):
    """Query parameters of a write without more of its own."""

    scope: Scope | None = None
    wait: bool | None = Field(
        default=None,
        description="Answer once the change can be recalled (true), or at once with 202 (false).",
    )


class ScopeParameter(Parameters):
    """The scope of an object that is read by id."""

    scope: Scope | None = None


class PageParameters(ScopeParameter):
    """Which part of a list is asked for."""

    limit: int = Field(default=100, ge=1, le=1_000)
    cursor: str | None = Field(
        default=None, description="`next_cursor` of the page before.", max_length=4_096
    )
