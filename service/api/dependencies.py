"""What routes get from the app and from the request."""

from typing import Annotated, TypedDict, TypeVar, cast

from fastapi import Depends, Header, Path, Request

from service.api.access import checked
from service.api.metrics import Metrics
from service.api.schemas.fields import Word
from service.bootstrap import Service
from service.domain.errors import InvalidInput

DEFAULT_SCOPE = "default"
ACCEPTED = {
    "description": "Accepted: durable, and recalled a little later (`wait=false`, or an index lags)"
}

Value = TypeVar("Value")


class State(TypedDict):
    """What the app holds while it runs."""

    service: Service
    metrics: Metrics


async def _service(request: Request) -> Service:
    return cast("Service", request.state.service)


async def _metrics(request: Request) -> Metrics:
    return cast("Metrics", request.state.metrics)


TheService = Annotated[Service, Depends(_service)]
TheMetrics = Annotated[Metrics, Depends(_metrics)]
MemoryId = Annotated[Word, Path(description="The memory's id.")]
EntityId = Annotated[Word, Path(description="The entity's id.")]
JobId = Annotated[Word, Path(description="The job's id.")]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[\x21-\x7e]{1,200}$",
        description="Makes a retry safe: the same request again, within 24 hours, gets the first "
        "answer; another request under the same key gets 409.",
    ),
]


def chosen_scope(in_query: str | None, in_body: str | None = None) -> str:
    """Return the scope of a request, which its caller may touch; given twice it must be the same.

    Raises InvalidInput, Forbidden.
    """
    return checked(_agreed("scope", in_query, in_body) or DEFAULT_SCOPE)


def chosen_wait(in_query: bool | None, in_body: bool | None = None) -> bool:
    """Return whether an answer waits for the change to be recalled; true when absent."""
    return _agreed("wait", in_query, in_body) is not False


def _agreed(field: str, in_query: Value | None, in_body: Value | None) -> Value | None:
    if in_query is None:
        return in_body
    if in_body is not None and in_body != in_query:
        raise InvalidInput(
            field, f"is {in_query!r} in the query string and {in_body!r} in the body"
        )
    return in_query
