"""What a query may cost, and what it answers."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a query may cost: rows and bytes (as JSON) of its answer, its time in seconds, and how
    many run at a time."""

    rows: int
    answer_bytes: int
    timeout_s: float
    concurrency: int


@dataclass(frozen=True, slots=True)
class Table:
    """What a query answered; `truncated` when there was more than its bounds let through."""

    columns: tuple[str, ...]
    rows: list[list[Any]]
    truncated: bool
    took_ms: float
