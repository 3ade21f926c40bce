"""What the routes of jobs take and answer."""

from pydantic import Field

from service.api.schemas.fields import Answer, UtcTime
from service.domain.job import JobStatus


class JobBody(Answer):
    """A piece of background work."""

    id: str
    scope: str
    kind: str
    status: JobStatus
    attempts: int
    last_error: str | None
    created_at: UtcTime
    updated_at: UtcTime
    progress: dict[str, int] = Field(description="Counts by name.")


class JobPageBody(Answer):
    """A page of jobs, newest first."""

    items: list[JobBody]
    next_cursor: str | None
