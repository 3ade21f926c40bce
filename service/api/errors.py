"""Every error as a problem of RFC 9457; the only place that knows HTTP status codes of errors."""

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, cast

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException
from starlette.responses import Response

from service.api.schemas.problem import FieldProblem, Problem
from service.domain.errors import (
    Conflict,
    EmbeddingRejected,
    FieldError,
    Forbidden,
    IndexDamaged,
    InvalidInput,
    NotFound,
    PalimpsestError,
    QueryTimedOut,
    StoreHeld,
    Unauthenticated,
    Unavailable,
)

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 1

_KINDS: tuple[tuple[type[PalimpsestError], int, str, str], ...] = (
    (InvalidInput, 422, "invalid-input", "The input is not valid"),
    (Unauthenticated, 401, "unauthenticated", "A key is needed"),
    (Forbidden, 403, "forbidden", "The key does not allow it"),
    (NotFound, 404, "not-found", "Not found"),
    (Conflict, 409, "conflict", "The state of the store does not allow it"),
    (Unavailable, 503, "unavailable", "A part of the service does not answer"),
    (QueryTimedOut, 504, "query-timed-out", "The query took too long"),
    (EmbeddingRejected, 503, "unavailable", "The embedding model answered no usable vector"),
    (IndexDamaged, 503, "unavailable", "An index has to be rebuilt"),
    (StoreHeld, 503, "unavailable", "Another process holds the data folder"),
)
_PLACES = frozenset({"body", "query", "path", "header", "cookie"})
_JSON = re.compile(r"application/(?:.+\+)?json")
_log = structlog.get_logger("palimpsest.api")


class ProblemResponse(Response):
    """A problem as a response."""

    media_type = MEDIA_TYPE

    def __init__(self, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(problem.to_json(), problem.status, headers)


def problem_of_status(status: int, detail: str) -> Problem:
    """Return the problem of a plain HTTP status."""
    return Problem(
        type="about:blank", title=HTTPStatus(status).phrase, status=status, detail=clean(detail)
    )


def problem_of(error: Exception) -> Problem:
    """Return the problem that tells a caller of an error; a fault of the service tells nothing."""
    for kind, status, slug, title in _KINDS:
        if isinstance(error, kind):
            errors = None
            if isinstance(error, InvalidInput):
                errors = [
                    FieldProblem(field=clean(each.field), message=clean(each.message))
                    for each in error.errors
                ]
            return Problem(
                type=f"urn:palimpsest:problem:{slug}",
                title=title,
                status=status,
                detail=clean(str(error)),
                errors=errors,
                index=error.index,
                offer=dict(error.offer) if error.offer is not None else None,
            )
    return problem_of_status(
        500, "The service met a fault of its own; its log tells more under this request's id."
    )


def invalid_input(error: ValidationError) -> InvalidInput:
    """Return what a schema refused as the domain's error."""
    return InvalidInput.of(field_errors(error.errors(include_url=False, include_input=False)))


def field_errors(errors: Iterable[ErrorDetails]) -> list[FieldError]:
    """Return the path and the message of each error, the path without the part of the request."""
    found: list[FieldError] = []
    for error in errors:
        path = list(error["loc"])
        if path and path[0] in _PLACES:
            path = path[1:] or path
        found.append(FieldError(".".join(str(step) for step in path) or "body", error["msg"]))
    return found or [FieldError("body", "is not valid")]


def clean(text: str) -> str:
    """Return the text with lone surrogates replaced, so that it can be sent as UTF-8."""
    return text.encode("utf-8", "replace").decode()


def add_error_handlers(app: FastAPI) -> None:
    """Make the app answer every error of its routes as a problem."""
    app.add_exception_handler(PalimpsestError, _on_own_error)
    app.add_exception_handler(RequestValidationError, _on_refused_request)
    app.add_exception_handler(HTTPException, _on_http_error)


async def _on_own_error(_request: Request, error: Exception) -> Response:
    problem = problem_of(error)
    if isinstance(error, Unavailable):
        _log.warning("request not served", error=type(error).__name__, reason=str(error))
    elif problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("request failed", error=type(error).__name__, exc_info=error)
    headers: dict[str, str] = {}
    if problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = str(RETRY_AFTER_S)
    return ProblemResponse(problem, headers)


async def _on_refused_request(request: Request, error: Exception) -> Response:
    refused = cast("RequestValidationError", error)
    errors = cast("list[ErrorDetails]", list(refused.errors()))
    broken = next((each for each in errors if each["type"] == "json_invalid"), None)
    if broken is not None:
        context: dict[str, Any] = broken.get("ctx") or {}
        return ProblemResponse(
            problem_of_status(
                400, f"The body is no JSON: {context.get('error')} at position {broken['loc'][-1]}"
            )
        )
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if isinstance(refused.body, bytes) and not _JSON.fullmatch(media_type):
        return ProblemResponse(
            problem_of_status(415, f"Send the body as application/json, not {media_type!r}.")
        )
    return ProblemResponse(problem_of(InvalidInput.of(field_errors(errors))))


async def _on_http_error(_request: Request, error: Exception) -> Response:
    found = cast("HTTPException", error)
    return ProblemResponse(problem_of_status(found.status_code, found.detail), found.headers)
