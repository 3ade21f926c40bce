"""Jobs: durable work in the background."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from service.api.access import TheCaller, checked
from service.api.dependencies import JobId, TheService
from service.api.idempotency import answer
from service.api.schemas.fields import PageParameters, ScopeParameter
from service.api.schemas.jobs import JobBody, JobPageBody
from service.bootstrap import Service
from service.domain.access import Caller
from service.domain.errors import NotFound
from service.domain.job import Job

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])

_MISSING: dict[int | str, dict[str, Any]] = {404: {"description": "No such job"}}


@router.get("", summary="List jobs", response_model=JobPageBody)
async def list_jobs(
    service: TheService, caller: TheCaller, query: Annotated[PageParameters, Query()]
) -> Response:
    """List jobs, newest first; without a scope those of every scope, for keys of all scopes."""
    if query.scope is None:
        caller.require_everywhere()
    else:
        checked(query.scope)
    page = await service.jobs.page(query.scope, query.limit, query.cursor)
    return answer(JobPageBody.model_validate(page))


@router.get("/{job_id}", summary="Read a job", response_model=JobBody, responses=_MISSING)
async def get_job(
    service: TheService,
    caller: TheCaller,
    job_id: JobId,
    query: Annotated[ScopeParameter, Query()],
) -> Response:
    """Show where a job stands, how often it was tried, and its last error."""
    job = await _found(service, caller, job_id, query.scope)
    return answer(JobBody.model_validate(job))


@router.post(
    "/{job_id}/retry",
    summary="Try a job again",
    response_model=JobBody,
    responses={**_MISSING, 409: {"description": "The job has not failed"}},
)
async def retry_job(
    service: TheService,
    caller: TheCaller,
    job_id: JobId,
    query: Annotated[ScopeParameter, Query()],
) -> Response:
    """Queue a job again that has failed."""
    await _found(service, caller, job_id, query.scope)
    return answer(JobBody.model_validate(await service.jobs.retry(job_id)))


async def _found(service: Service, caller: Caller, job_id: str, scope: str | None) -> Job:
    """Return a job of the scope, or of any that the caller may touch; others do not exist."""
    if scope is not None:
        checked(scope)
    job = await service.jobs.get(job_id)
    if scope is not None and job.scope != scope:
        raise NotFound(f"There is no job {job.id!r} in the scope {scope!r}.")
    if not caller.may_touch(job.scope):
        raise NotFound(f"there is no job {job_id!r}")
    return job
