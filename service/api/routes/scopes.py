"""Scopes: the isolation boundary."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from service.api.access import checked
from service.api.dependencies import IdempotencyKey, TheService
from service.api.idempotency import Rendered, answer_write
from service.api.schemas.fields import Scope
from service.api.schemas.jobs import JobBody
from service.api.schemas.scopes import DeleteScopeParameters
from service.domain.errors import InvalidInput
from service.domain.job import Job

router = APIRouter(prefix="/v1/scopes", tags=["scopes"])


@router.delete(
    "/{scope:path}",
    status_code=202,
    summary="Delete a scope",
    response_model=JobBody,
    response_description="The job that deletes it",
    responses={409: {"description": "The idempotency key came with another request"}},
)
async def delete_scope(
    request: Request,
    service: TheService,
    scope: Annotated[Scope, Path()],
    query: Annotated[DeleteScopeParameters, Query()],
    key: IdempotencyKey = None,
) -> Response:
    """Delete all of a scope in the background; `GET /v1/jobs/{id}` tells how far it is."""
    checked(scope)
    if query.confirm != scope:
        raise InvalidInput("confirm", f"is {query.confirm!r}, not the scope's name {scope!r}")

    def render(job: Job) -> Rendered:
        return 202, JobBody.model_validate(job)

    return await answer_write(
        request,
        key,
        scope,
        lambda bound: service.scopes.delete(scope, purge=query.purge, idempotency=bound),
        render,
    )
