"""Operations on the graph, and the audit log."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from service.api.dependencies import (
    ACCEPTED,
    IdempotencyKey,
    TheService,
    chosen_scope,
    chosen_wait,
)
from service.api.idempotency import Rendered, answer, answer_write
from service.api.schemas.fields import ScopeParameter, Word, WriteParameters
from service.api.schemas.operations import (
    AppliedBody,
    OperationListParameters,
    OperationPageBody,
    OperationSetRequest,
    UndoRequest,
)
from service.domain.idempotency import Idempotency, Replay
from service.domain.operation import AppliedSet

router = APIRouter(prefix="/v1/operations", tags=["operations"])

OperationId = Annotated[Word, Path(description="The id of a record of the audit log.")]

_MISSING: dict[int | str, dict[str, Any]] = {404: {"description": "No such record in the scope"}}


async def _answered(
    request: Request,
    key: str | None,
    scope: str,
    wait: bool,
    call: Callable[[Idempotency | None], Awaitable[AppliedSet | Replay]],
) -> Response:
    def render(result: AppliedSet) -> Rendered:
        status = 200 if result.dry_run else 201 if wait and result.recallable else 202
        return status, AppliedBody.model_validate(result)

    return await answer_write(request, key, scope, call, render)


@router.post(
    "",
    status_code=201,
    summary="Apply operations",
    response_model=AppliedBody,
    response_description="All of them are applied",
    responses={
        200: {"model": AppliedBody, "description": "A dry run: nothing was changed"},
        202: {"model": AppliedBody, **ACCEPTED},
        404: {"description": "Something that an operation names is not in the scope"},
        409: {
            "description": "An operation conflicts with the state, or the idempotency key came "
            "with another request; `index` names the operation, `offer` what may be meant"
        },
    },
)
async def apply_operations(
    request: Request,
    service: TheService,
    body: OperationSetRequest,
    query: Annotated[WriteParameters, Query()],
    key: IdempotencyKey = None,
) -> Response:
    """Apply operations to the graph in one transaction, in the order given: all or none.

    The answer tells of each what it changed, before and after; the audit log keeps it.
    """
    scope = chosen_scope(query.scope, body.scope)
    wait = chosen_wait(query.wait, body.wait)
    return await _answered(
        request,
        key,
        scope,
        wait,
        lambda bound: service.operations.apply(
            scope, body.to_domain(), wait=wait, idempotency=bound
        ),
    )


@router.post(
    "/{operation_id}/undo",
    status_code=201,
    summary="Take operations back",
    response_model=AppliedBody,
    response_description="A compensating set is applied",
    responses={
        200: {"model": AppliedBody, "description": "A dry run: nothing was changed"},
        202: {"model": AppliedBody, **ACCEPTED},
        404: {"description": "No such record in the scope"},
        409: {"description": "Something later depends on it, or it was undone already"},
    },
)
async def undo_operations(
    request: Request,
    service: TheService,
    operation_id: OperationId,
    body: UndoRequest,
    query: Annotated[WriteParameters, Query()],
    key: IdempotencyKey = None,
) -> Response:
    """Apply the mirror image of a set, where nothing later depends on what it did."""
    scope = chosen_scope(query.scope, body.scope)
    wait = chosen_wait(query.wait, body.wait)
    return await _answered(
        request,
        key,
        scope,
        wait,
        lambda bound: service.operations.undo(
            scope,
            operation_id,
            actor=body.actor,
            reason=body.reason,
            dry_run=body.dry_run,
            wait=wait,
            idempotency=bound,
        ),
    )


@router.get("", summary="List the audit log", response_model=OperationPageBody)
async def list_operations(
    service: TheService, query: Annotated[OperationListParameters, Query()]
) -> Response:
    """List what was done to the graph of a scope, by whom and why, newest first."""
    page = await service.audit.page(
        chosen_scope(query.scope),
        actor=query.actor,
        entity=query.entity,
        since=query.since,
        until=query.until,
        limit=query.limit,
        cursor=query.cursor,
    )
    return answer(OperationPageBody.model_validate(page))


@router.get(
    "/{operation_id}",
    summary="Read a record of the audit log",
    response_model=AppliedBody,
    responses=_MISSING,
)
async def get_operation(
    service: TheService, operation_id: OperationId, query: Annotated[ScopeParameter, Query()]
) -> Response:
    """Show who did what, when, why and on which evidence, with each state before and after."""
    scope = chosen_scope(query.scope)
    return answer(AppliedBody.model_validate(await service.audit.get(scope, operation_id)))
