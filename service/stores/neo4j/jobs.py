"""Jobs in Neo4j: queued, leased by one process at a time, tried again with growing pauses."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from service.domain.job import Job, JobStatus
from service.stores.neo4j.driver import Transaction, fetch
from service.stores.neo4j.statements import statement
from service.stores.neo4j.views import job_view

_GET = statement("job/get")
_PAGE = statement("job/page")
_DUE = statement("job/due")
_CLAIM = statement("job/claim")
_PROGRESS = statement("job/progress")
_FINISH = statement("job/finish")
_RETRY = statement("job/retry")
_DEPTH = statement("job/depth")


def job_row(job_id: str, scope: str, kind: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of a new job, due now."""
    now = datetime.now(UTC)
    return {
        "id": job_id,
        "name": f"{kind} {scope}"[:60],
        "scope": scope,
        "kind": kind,
        "status": JobStatus.QUEUED.value,
        "attempts": 0,
        "payload": orjson.dumps(dict(payload)).decode(),
        "progress": "{}",
        "created_at": now,
        "updated_at": now,
        "due_at": now,
    }


async def get_job(tx: Transaction, job_id: str) -> Job | None:
    """Return a job, or None."""
    rows = await fetch(tx, _GET, id=job_id)
    return job_view(rows[0]["job"]) if rows else None


async def page_jobs(
    tx: Transaction, scope: str | None, before_at: datetime, before_id: str, limit: int
) -> list[Job]:
    """Return jobs, newest first."""
    rows = await fetch(
        tx, _PAGE, scope=scope, before_at=before_at, before_id=before_id, limit=limit
    )
    return [job_view(row["job"]) for row in rows]


async def jobs_due(tx: Transaction) -> bool:
    """Tell whether a job waits for a process to take it."""
    return bool(await fetch(tx, _DUE, now=datetime.now(UTC)))


async def claim_job(tx: Transaction, lease: timedelta) -> tuple[Job, dict[str, Any]] | None:
    """Lease the job that waits longest; returns it with its payload."""
    now = datetime.now(UTC)
    rows = await fetch(tx, _CLAIM, now=now, leased_until=now + lease)
    if not rows:
        return None
    return job_view(rows[0]["job"]), orjson.loads(rows[0]["job"]["payload"])


async def renew_job(
    tx: Transaction, job_id: str, progress: Mapping[str, int], lease: timedelta
) -> None:
    """Write how far a job is, and keep it leased."""
    now = datetime.now(UTC)
    await fetch(
        tx,
        _PROGRESS,
        id=job_id,
        progress=orjson.dumps(dict(progress)).decode(),
        now=now,
        leased_until=now + lease,
    )


async def finish_job(
    tx: Transaction, job_id: str, status: JobStatus, error: str | None, pause: timedelta
) -> None:
    """Write how a try ended; after a failure the next one is due after the pause."""
    now = datetime.now(UTC)
    await fetch(
        tx,
        _FINISH,
        id=job_id,
        status=status.value,
        last_error=error,
        due_at=now + pause,
        now=now,
    )


async def retry_job(tx: Transaction, job_id: str) -> Job | None:
    """Queue a job again that failed or died; None when it did neither."""
    rows = await fetch(tx, _RETRY, id=job_id, now=datetime.now(UTC))
    return job_view(rows[0]["job"]) if rows else None


async def count_jobs(tx: Transaction) -> dict[str, int]:
    """Return the number of jobs by status."""
    return {row["status"]: row["jobs"] for row in await fetch(tx, _DEPTH)}
