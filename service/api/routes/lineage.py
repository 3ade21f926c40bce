"""Supersession: which memory replaces which."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from service.api.dependencies import (
    ACCEPTED,
    IdempotencyKey,
    MemoryId,
    TheService,
    chosen_scope,
    chosen_wait,
)
from service.api.idempotency import Rendered, answer, answer_write
from service.api.schemas.fields import ScopeParameter, Word, WriteParameters
from service.api.schemas.lineage import LineageBody, LineageEdgeBody, SupersedeRequest
from service.domain.memory import LineageEdge

router = APIRouter(prefix="/v1/memories", tags=["memories"])


@router.get(
    "/{memory_id}/lineage",
    summary="Show what replaced what",
    response_model=LineageBody,
    responses={404: {"description": "No such memory in the scope"}},
)
async def get_lineage(
    service: TheService, memory_id: MemoryId, query: Annotated[ScopeParameter, Query()]
) -> Response:
    """Show the whole chain of replacements around a memory, in both directions."""
    lineage = await service.memories.lineage(chosen_scope(query.scope), memory_id)
    return answer(LineageBody.model_validate(lineage))


@router.post(
    "/{memory_id}/supersedes",
    status_code=201,
    summary="Replace a memory by this one",
    response_model=LineageEdgeBody,
    response_description="The target is superseded now",
    responses={
        200: {"model": LineageEdgeBody, "description": "It was superseded by this one already"},
        202: {"model": LineageEdgeBody, **ACCEPTED},
        404: {"description": "One of the two is not in the scope"},
        409: {"description": "It would close a circle"},
    },
)
async def supersede(
    request: Request,
    service: TheService,
    memory_id: MemoryId,
    body: SupersedeRequest,
    query: Annotated[WriteParameters, Query()],
    key: IdempotencyKey = None,
) -> Response:
    """Say that this memory replaces the target, which stays and stands behind it from now on."""
    scope = chosen_scope(query.scope, body.scope)
    wait = chosen_wait(query.wait, body.wait)

    def render(result: tuple[LineageEdge, bool]) -> Rendered:
        edge, made = result
        return (201 if made else 200) if wait else 202, LineageEdgeBody.model_validate(edge)

    return await answer_write(
        request,
        key,
        scope,
        lambda bound: service.memories.supersede(
            scope, memory_id, body.target_id, reason=body.reason, wait=wait, idempotency=bound
        ),
        render,
    )


@router.delete(
    "/{memory_id}/supersedes/{target_id}",
    status_code=204,
    summary="Take a replacement back",
    responses={
        202: ACCEPTED,
        404: {"description": "There is no such replacement in the scope"},
        409: {"description": "The idempotency key came with another request"},
    },
)
async def retract_supersession(
    request: Request,
    service: TheService,
    memory_id: MemoryId,
    target_id: Word,
    query: Annotated[WriteParameters, Query()],
    key: IdempotencyKey = None,
) -> Response:
    """Say that this memory does not replace the target after all."""
    scope = chosen_scope(query.scope)
    wait = chosen_wait(query.wait)

    def render(_: None) -> Rendered:
        return 204 if wait else 202, None

    return await answer_write(
        request,
        key,
        scope,
        lambda bound: service.memories.retract_supersession(
            scope, memory_id, target_id, wait=wait, idempotency=bound
        ),
        render,
    )
