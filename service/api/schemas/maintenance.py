"""What the routes of maintenance answer."""

from typing import Literal

from pydantic import Field

from service.api.schemas.fields import Answer


class DifferenceBody(Answer):
    """Where a projection does not hold what the graph does, or the graph breaks a promise."""

    projection: Literal["catalogue", "text", "vectors", "graph"]
    memory_id: str | None
    ordinal: int
    what: str


class DoctorBody(Answer):
    """What a comparison of the graph with its projections found."""

    memories: int = Field(description="The live memories that were compared.")
    differences: list[DifferenceBody]


class ReindexBody(Answer):
    """The projections were made anew."""

    took_ms: float
