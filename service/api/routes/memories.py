"""Remembering, reading, revising and forgetting memories."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import ValidationError

from service.api.dependencies import (
    ACCEPTED,
    IdempotencyKey,
    MemoryId,
    TheService,
    chosen_scope,
    chosen_wait,
)
from service.api.errors import invalid_input, problem_of
from service.api.idempotency import Rendered, answer, answer_write
from service.api.schemas.fields import PageParameters, ScopeParameter, WriteParameters
from service.api.schemas.memories import (
    BatchBody,
    BatchRequest,
    BatchResultBody,
    DeletedMemoryPageBody,
    ForgetParameters,
    MemoryDetailBody,
    MemoryListParameters,
    MemoryPageBody,
    RememberedBody,
    RememberRequest,
    RevisedBody,
    UpdateRequest,
)
from service.domain.errors import InvalidInput
from service.domain.memory import BatchItem, NewMemory, Remembered, Revised

router = APIRouter(prefix="/v1/memories", tags=["memories"])


@router.post(
    "",
    status_code=201,
    summary="Remember",
    response_model=RememberedBody,
    response_description="Stored as a new memory",
    responses={
        200: {"model": RememberedBody, "description": "Was there already; what is new was added"},
        202: {"model": RememberedBody, **ACCEPTED},
        404: {"description": "An entity or a memory named by its id is not there"},
        409: {"description": "The idempotency key came with another request"},
    },
)
async def remember(
    request: Request,
    service: TheService,
    body: RememberRequest,
    query: Annotated[WriteParameters, Query()],
    key: IdempotencyKey = None,
) -> Response:
    """Keep a piece of text, and whatever structure comes with it, in one transaction.

    Without `wait=false` the memory can be recalled as soon as the answer arrives.
    """
    scope = chosen_scope(query.scope, body.scope)
    wait = chosen_wait(query.wait, body.wait)
    new = body.to_domain()

    def render(result: Remembered) -> Rendered:
        status = 200 if result.deduplicated else 201
        seen = wait and result.recallable
        return status if seen else 202, RememberedBody.of(result)

    return await answer_write(
        request,
        key,
        scope,
        lambda bound: service.memories.remember(scope, new, wait=wait, idempotency=bound),
        render,
    )


@router.post(
    "/batch",
    summary="Remember many",
    response_model=BatchBody,
    response_description="What became of each item, in the order given",
    responses={
        202: {"model": BatchBody, **ACCEPTED},
        409: {"description": "The idempotency key came with another request"},
    },
)
async def remember_batch(
    request: Request,
    service: TheService,
    body: BatchRequest,
    query: Annotated[WriteParameters, Query()],
    key: IdempotencyKey = None,
) -> Response:
    """Keep up to 1,000 memories; each is checked by itself, and a bad one fails alone.

    An item may name the scope of the batch again, never another one.
    """
    scope = chosen_scope(query.scope, body.scope)
    wait = chosen_wait(query.wait, body.wait)
    items = [_batch_item(raw, scope, wait) for raw in body.memories]

    def render(results: Sequence[BatchItem]) -> Rendered:
        shown = BatchBody(results=[_batch_result(item) for item in results])
        seen = wait and all(item.remembered.recallable for item in results if item.remembered)
        return 200 if seen else 202, shown

    return await answer_write(
        request,
        key,
        scope,
        lambda bound: service.memories.remember_batch(scope, items, wait=wait, idempotency=bound),
        render,
    )


@router.get("", summary="List memories", response_model=MemoryPageBody)
async def list_memories(
    service: TheService, query: Annotated[MemoryListParameters, Query()]
) -> Response:
    """List the memories of a scope, newest first."""
    page = await service.memories.page(
        chosen_scope(query.scope),
        type=query.type,
        entity=query.entity,
        since=query.since,
        until=query.until,
        include_superseded=query.include_superseded,
        limit=query.limit,
        cursor=query.cursor,
    )
    return answer(MemoryPageBody.model_validate(page))


@router.get("/deleted", summary="List deleted memories", response_model=DeletedMemoryPageBody)
async def list_deleted(service: TheService, query: Annotated[PageParameters, Query()]) -> Response:
    """List what was deleted, without its text, so that an import does not bring it back."""
    page = await service.memories.deleted(
        chosen_scope(query.scope), limit=query.limit, cursor=query.cursor
    )
    return answer(DeletedMemoryPageBody.model_validate(page))


@router.get(
    "/{memory_id}",
    summary="Read a memory",
    response_model=MemoryDetailBody,
    responses={404: {"description": "No such memory in the scope"}},
)
async def get_memory(
    service: TheService, memory_id: MemoryId, query: Annotated[ScopeParameter, Query()]
) -> Response:
    """Show a memory with its entities, its attributes, and what it replaces or is replaced by."""
    detail = await service.memories.get(chosen_scope(query.scope), memory_id)
    return answer(MemoryDetailBody.of(detail))


@router.patch(
    "/{memory_id}",
    summary="Revise a memory",
    response_model=RevisedBody,
    responses={
        202: {"model": RevisedBody, **ACCEPTED},
        404: {"description": "No such memory in the scope"},
        409: {"description": "The state of the store does not allow the change"},
    },
)
async def revise_memory(
    request: Request,
    service: TheService,
    memory_id: MemoryId,
    body: UpdateRequest,
    query: Annotated[WriteParameters, Query()],
    key: IdempotencyKey = None,
) -> Response:
    """Change a memory in place; a new content is embedded and indexed again."""
    scope = chosen_scope(query.scope, body.scope)
    wait = chosen_wait(query.wait, body.wait)
    update = body.to_domain()

    def render(result: Revised) -> Rendered:
        return 200 if wait and result.recallable else 202, RevisedBody.of(result)

    return await answer_write(
        request,
        key,
        scope,
        lambda bound: service.memories.revise(
            scope, memory_id, update, wait=wait, idempotency=bound
        ),
        render,
    )


@router.delete(
    "/{memory_id}",
    status_code=204,
    summary="Forget a memory",
    responses={
        202: ACCEPTED,
        404: {"description": "No such memory in the scope"},
        409: {"description": "The idempotency key came with another request"},
    },
)
async def forget_memory(
    request: Request,
    service: TheService,
    memory_id: MemoryId,
    query: Annotated[ForgetParameters, Query()],
    key: IdempotencyKey = None,
) -> Response:
    """Hide a memory at once everywhere; with `purge` remove every trace of it."""
    scope = chosen_scope(query.scope)
    wait = chosen_wait(query.wait)

    def render(_: None) -> Rendered:
        return 204 if wait else 202, None

    return await answer_write(
        request,
        key,
        scope,
        lambda bound: service.memories.forget(
            scope, memory_id, purge=query.purge, wait=wait, idempotency=bound
        ),
        render,
    )


def _batch_item(raw: Any, scope: str, wait: bool) -> NewMemory | InvalidInput:
    try:
        item = RememberRequest.model_validate(raw)
    except ValidationError as error:
        return invalid_input(error)
    if item.scope not in (None, scope):
        return InvalidInput("scope", f"is {item.scope!r} in a batch of the scope {scope!r}")
    if item.wait not in (None, wait):
        return InvalidInput("wait", "differs from that of the batch")
    return item.to_domain()


def _batch_result(item: BatchItem) -> BatchResultBody:
    if item.remembered is None:
        error = item.error or InvalidInput("memories", "was not stored")
        return BatchResultBody(
            index=item.index, status="failed", memory=None, error=problem_of(error)
        )
    return BatchResultBody(
        index=item.index,
        status="deduplicated" if item.remembered.deduplicated else "created",
        memory=RememberedBody.of(item.remembered),
        error=None,
    )
