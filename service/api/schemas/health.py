"""What the routes of health answer."""

from typing import Literal

from service.api.schemas.fields import Answer


class AliveBody(Answer):
    """The process answers."""

    status: Literal["ok"] = "ok"


class ReadyBody(Answer):
    """Whether requests can be served, and how each part stands."""

    ready: bool
    parts: dict[str, str]
