"""What Neo4j Browser reads from here: a guide and a style sheet, neither with data of a scope."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response

from service.api.guide import GUIDE_PATH, SAMPLE_SCOPE, STYLE_PATH, guide, style_sheet
from service.api.schemas.fields import ScopeParameter

router = APIRouter(tags=["browser"])

_ANY_ORIGIN: Final = {"Access-Control-Allow-Origin": "*"}
"""Pages of every origin may read these two, as the Browser of any Neo4j has to; nothing else."""
_READABLE: Final = {**_ANY_ORIGIN, "Cache-Control": "no-cache"}
# The Browser asks with the headers Cache-Control and Pragma, so browsers ask beforehand.
_PREFLIGHT: Final = {
    **_ANY_ORIGIN,
    "Access-Control-Allow-Methods": "GET, HEAD",
    "Access-Control-Allow-Headers": "cache-control, pragma",
    "Access-Control-Max-Age": "600",
}
_HTML = "text/html; charset=utf-8"
_GRASS = "text/plain; charset=utf-8"


def _answers(description: str, media_type: str) -> dict[int | str, dict[str, Any]]:
    content = {media_type.partition(";")[0]: {"schema": {"type": "string"}}}
    return {200: {"description": description, "content": content}}


@router.get(
    GUIDE_PATH,
    summary="Guide Neo4j Browser",
    response_class=Response,
    responses=_answers("Slides for Neo4j Browser", _HTML),
)
async def get_guide(request: Request, query: Annotated[ScopeParameter, Query()]) -> Response:
    """Answer the guide that `:play` shows, its parameters preset for `scope` (`sample`)."""
    address = str(request.base_url).rstrip("/")
    text = guide(address, query.scope or SAMPLE_SCOPE)
    return Response(text, media_type=_HTML, headers=_READABLE)


@router.get(
    STYLE_PATH,
    summary="Style Neo4j Browser",
    response_class=Response,
    responses=_answers("A style sheet in GraSS", _GRASS),
)
async def get_style() -> Response:
    """Answer the style sheet that `:style` applies: captions, colours and sizes."""
    return Response(style_sheet(), media_type=_GRASS, headers=_READABLE)


router.add_api_route(GUIDE_PATH, get_guide, methods=["HEAD"], include_in_schema=False)
router.add_api_route(STYLE_PATH, get_style, methods=["HEAD"], include_in_schema=False)


@router.options(GUIDE_PATH, include_in_schema=False)
@router.options(STYLE_PATH, include_in_schema=False)
async def allow_reading() -> Response:
    """Answer what a browser asks before it reads from another origin."""
    return Response(status_code=204, headers=_PREFLIGHT)
