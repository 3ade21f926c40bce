"""Idempotency keys: the same request again gives the first answer instead of a second effect."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Idempotency:
    """What makes a retry safe; the record is written in the transaction of the write itself."""

    key: str
    """The caller's key, already bound to its scope and route."""
    fingerprint: str
    """A digest of the request: another one under the same key is a Conflict."""
    render: Callable[[Any], tuple[int, str]]
    """Makes status code and body of the answer from the use case's result."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The answer that the first request under this key got."""

    status: int
    body: str
