"""Jobs: claim, run, record, back off."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import structlog

from service.domain import cursor as cursors
from service.domain.errors import Conflict, NotFound, PalimpsestError
from service.domain.job import Job, JobStatus
from service.domain.memory import Page
from service.stores.neo4j.driver import Graph
from service.stores.neo4j.jobs import (
    claim_job,
    count_jobs,
    finish_job,
    get_job,
    jobs_due,
    page_jobs,
    renew_job,
    retry_job,
)

_log = structlog.stdlib.get_logger(__name__)

MOST_TRIES = 5
_LEASE = timedelta(seconds=60)
_FIRST_PAUSE = timedelta(seconds=2)
_LATEST = datetime(9999, 12, 31, tzinfo=UTC)

Report = Callable[[Mapping[str, int]], Awaitable[None]]
"""Writes a job's progress and renews its lease."""


class Work(Protocol):
    """What a kind of job does; run again after a crash, it goes on from what it finds."""

    async def __call__(self, job: Job, payload: Mapping[str, Any], report: Report) -> None: ...


class Jobs:
    """Reads jobs, and runs those that wait, one at a time in this process.

    A job whose process died is taken again once its lease is over; one that fails is tried again
    with growing pauses and is dead after 5 tries, with its last error kept.
    """

    def __init__(self, graph: Graph, kinds: Mapping[str, Work], *, poll_s: float) -> None:
        self._graph = graph
        self._kinds = kinds
        self._poll_s = poll_s
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Run jobs in the background from now on."""
        self._task = asyncio.create_task(self._run(), name="jobs")

    async def close(self) -> None:
        """Stop; a job under way is taken again later, by whoever comes."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def notify(self) -> None:
        """Say that a job was queued."""
        self._wake.set()

    async def get(self, job_id: str) -> Job:
        """Return a job. Raises NotFound."""
        job = await self._graph.read(get_job, job_id)
        if job is None:
            raise NotFound(f"there is no job {job_id!r}")
        return job

    async def page(self, scope: str | None, limit: int, cursor: str | None) -> Page[Job]:
        """Return jobs of a scope, or of all, newest first."""
        before_at, before_id = _LATEST, ""
        if cursor is not None:
            at, before_id = cursors.decode(cursor, (str, str))
            before_at = cursors.moment(at)
        found = await self._graph.read(page_jobs, scope, before_at, before_id, limit + 1)
        more = found[limit - 1] if len(found) > limit else None
        place = [more.created_at.isoformat(), more.id] if more else None
        return Page(tuple(found[:limit]), cursors.encode(place) if place else None)

    async def retry(self, job_id: str) -> Job:
        """Queue a job again. Raises NotFound, and Conflict unless it failed or died."""
        job = await self._graph.write(retry_job, job_id)
        if job is None:
            known = await self.get(job_id)
            raise Conflict(f"the job {job_id!r} is {known.status.value}: nothing to try again")
        self.notify()
        return job

    async def counts(self) -> dict[str, int]:
        """Return the number of jobs by status."""
        return await self._graph.read(count_jobs)

    async def _run(self) -> None:
        while True:
            try:
                while await self._graph.read(jobs_due):
                    claimed = await self._graph.write(claim_job, _LEASE)
                    if claimed is not None:
                        await self._try(*claimed)
            except PalimpsestError as error:
                _log.warning("jobs cannot be read", error=str(error))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), self._poll_s)
            self._wake.clear()

    async def _try(self, job: Job, payload: dict[str, Any]) -> None:
        async def report(progress: Mapping[str, int]) -> None:
            await self._graph.write(renew_job, job.id, progress, _LEASE)

        try:
            await self._kinds[job.kind](job, payload, report)
        except Exception as error:
            dead = job.attempts >= MOST_TRIES
            status = JobStatus.DEAD if dead else JobStatus.FAILED
            pause = _FIRST_PAUSE * 2 ** (job.attempts - 1)
            _log.error(
                "job failed", job=job.id, kind=job.kind, attempts=job.attempts, exc_info=True
            )
            await self._graph.write(finish_job, job.id, status, str(error), pause)
        else:
            await self._graph.write(finish_job, job.id, JobStatus.SUCCEEDED, None, timedelta())
