"""Opaque, URL-safe cursors: where a list goes on."""

import base64
import json
from datetime import datetime
from typing import Any, cast

from service.domain.errors import InvalidInput


def encode(place: list[Any]) -> str:
    """Return a cursor for a place: a list of plain JSON values."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def decode(cursor: str, kinds: tuple[type, ...]) -> list[Any]:
    """Return the place a cursor stands for; raises InvalidInput for one that is not ours."""
    try:
        place: Any = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        json.dumps(place, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        place = None
    if not isinstance(place, list) or not _fits(cast("list[Any]", place), kinds):
        raise InvalidInput("cursor", f"{cursor[:80]!r} is not a cursor of this list")
    return cast("list[Any]", place)


def moment(text: str) -> datetime:
    """Return a time that a cursor holds; raises InvalidInput for one that is none."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput("cursor", f"{text[:80]!r} in it is no time") from None


def _fits(place: list[Any], kinds: tuple[type, ...]) -> bool:
    return len(place) == len(kinds) and all(
        type(value) is kind and (kind is not int or -(2**63) <= value < 2**63)
        for value, kind in zip(place, kinds, strict=True)
    )
