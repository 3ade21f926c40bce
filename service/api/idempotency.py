"""Writes that a caller can send again safely."""

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from service.domain.idempotency import Idempotency, Replay
from service.domain.names import digest

REPLAYED = "Idempotency-Replayed"

Result = TypeVar("Result")
Rendered = tuple[int, BaseModel | None]


async def answer_write(
    request: Request,
    key: str | None,
    scope: str,
    call: Callable[[Idempotency | None], Awaitable[Result | Replay]],
    render: Callable[[Result], Rendered],
) -> Response:
    """Run a write and answer it, or give the answer that the first one under its key got.

    `render` makes status and body from the result of the use case. With a key the answer is kept
    in the transaction of the write. Raises Conflict for a key that came with another request.
    """

    def rendered(result: Any) -> tuple[int, str]:
        status, body = render(result)
        return status, "" if body is None else body.model_dump_json()

    if key is None:
        result = await call(None)
    else:
        result = await call(
            Idempotency(_bound(request, key, scope), await _fingerprint(request), rendered)
        )
    if isinstance(result, Replay):
        return _response(result.status, result.body, {REPLAYED: "true"})
    return _response(*rendered(result), {})


def answer(body: BaseModel, status: int = 200) -> Response:
    """Return a body as a response."""
    return _response(status, body.model_dump_json(), {})


def _response(status: int, body: str, headers: dict[str, str]) -> Response:
    media_type = "application/json" if body else None
    return Response(body, status, headers, media_type)


def _bound(request: Request, key: str, scope: str) -> str:
    return digest(json.dumps([scope, request.method, request.scope["route"].path, key]))


async def _fingerprint(request: Request) -> str:
    body = await request.json() if await request.body() else None
    query = sorted(request.query_params.multi_items())
    return digest(json.dumps([request.method, request.url.path, query, body], sort_keys=True))
