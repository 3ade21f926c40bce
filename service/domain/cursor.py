"""Opaque, URL-safe cursors: where a list goes on."""

import base64
import binascii
import json
from datetime import datetime
from typing import Any

from service.domain.errors import InvalidInput


def encode(place: list[Any]) -> str:
    """Return a cursor for a place: a list of plain JSON values."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def decode(cursor: str, kinds: tuple[type, ...]) -> list[Any]:
    """Return the place a cursor stands for; raises InvalidInput for one that is not ours."""
    try:
        place = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error):
        place = None
    fits = (
        isinstance(place, list)
        and len(place) == len(kinds)
        and all(type(value) is kind for value, kind in zip(place, kinds, strict=True))
    )
    if not fits:
        raise InvalidInput("cursor", f"{cursor[:80]!r} is not a cursor of this list")
    return place


def moment(text: str) -> datetime:
    """Return a time that a cursor holds; raises InvalidInput for one that is none."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput("cursor", f"{text[:80]!r} in it is no time") from None
