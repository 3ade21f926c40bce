"""What the route of the status answers."""

from pydantic import ConfigDict

from service.api.schemas.fields import Answer


class StatusBody(Answer):
    """Versions, counts, index lag, queue depth, model and channel configuration."""

    model_config = ConfigDict(extra="allow")
