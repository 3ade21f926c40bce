"""What the service says about its own state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether requests can be served, and how each part stands."""

    ready: bool
    parts: Mapping[str, str]
    """By part (neo4j, text, vectors, …): `ok`, or in one sentence what is wrong."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a projection does not hold what the graph does, or the graph breaks a promise."""

    projection: Literal["catalogue", "text", "vectors", "graph"]
    memory_id: str | None
    """None where only the projection knows the memory."""
    ordinal: int
    what: str


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """What a comparison of the graph with its projections found."""

    memories: int
    """The number of live memories compared."""
    differences: tuple[Difference, ...]
