"""Jobs: durable work in the background, found again after a crash."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class JobStatus(StrEnum):
    """Where a job stands; `dead` has failed too often to be tried again by itself."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of background work as the store keeps it."""

    id: str
    scope: str
    kind: str
    status: JobStatus
    attempts: int
    last_error: str | None
    created_at: datetime
    updated_at: datetime
    progress: Mapping[str, int]
    """Counts by name, such as `deleted` and `total`."""
