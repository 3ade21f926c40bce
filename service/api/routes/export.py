"""Reading a whole scope out."""

from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from service.api.dependencies import TheService, chosen_scope
from service.api.schemas.export import ExportedMemoryBody
from service.api.schemas.fields import ScopeParameter
from service.domain.export import ExportedMemory

router = APIRouter(prefix="/v1/export", tags=["scopes"])

MEDIA_TYPE = "application/x-ndjson"
_LINES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A memory a line, in the order in which they were made",
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
    }
}


@router.get("", summary="Export a scope", response_class=StreamingResponse, responses=_LINES)
async def export_scope(
    service: TheService, query: Annotated[ScopeParameter, Query()]
) -> StreamingResponse:
    """Stream every memory of a scope as JSON Lines, each in the shape in which it is remembered.

    An answer that breaks off is not complete: its last chunk is missing, which clients report.
    """
    pages = service.export.pages(chosen_scope(query.scope))
    # The first page is read before the answer begins, so that a failure still is a plain error.
    first = await anext(pages, ())
    return StreamingResponse(_lines(first, pages), media_type=MEDIA_TYPE)


async def _lines(
    first: tuple[ExportedMemory, ...], rest: AsyncGenerator[tuple[ExportedMemory, ...]]
) -> AsyncGenerator[str]:
    yield _text(first)
    async for page in rest:
        yield _text(page)


def _text(page: tuple[ExportedMemory, ...]) -> str:
    return "".join(ExportedMemoryBody.of(memory).line() for memory in page)
