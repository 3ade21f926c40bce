"""What stands in columns of files that no one checked: texts, numbers, times and lists of names."""

import json
import math
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, cast

from service.domain.errors import InvalidInput
from service.domain.limits import Limits, checked_name, checked_text
from service.domain.names import relation_type

LIMITS = Limits()
"""The service may be set to take more; what is over these is told before anything is sent."""

_SHORTEST_EPOCH = 9
"""Digits of seconds since 1970 as text; eight are a date."""


def text(value: object) -> str:
    """Return a column's value as text that can be stored; nothing is the empty text."""
    if value is None:
        return ""
    return storable(value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value))


def storable(raw: str) -> str:
    """Return a text without the characters that no store keeps: NUL, and halves of pairs."""
    return raw.replace("\x00", "").encode("utf-8", "replace").decode()


def short(value: object) -> str:
    """Return a column's value as a text that fits where a name does; it may be empty."""
    return text(value).strip()[: LIMITS.name].strip()


def share(value: object, default: float, *, least: float = 0.0, most: float = 1.0) -> float:
    """Return where a number lies between two, from 0 to 1; the default for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return default
    return min(1.0, max(0.0, (value - least) / (most - least)))


def moment(value: object) -> datetime | None:
    """Return a time in UTC; None for what is none.

    Taken are RFC 3339, SQLite's own `YYYY-MM-DD HH:MM:SS` (which is in UTC), and seconds or
    milliseconds since 1970.
    """
    try:
        raw = text(value).strip()
        if raw.isdecimal() and len(raw) >= _SHORTEST_EPOCH:
            value = int(raw)
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1_000 if abs(value) > 100_000_000_000 else value
            return datetime.fromtimestamp(seconds, UTC)
        found = datetime.fromisoformat(raw)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def rfc3339(at: datetime) -> str:
    """Return a time as the service takes it."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def names(value: object) -> list[str]:
    """Return the texts of a list that is kept as JSON, or separated by commas, each once."""
    raw = text(value).strip()
    try:
        found: object = json.loads(raw) if raw else []
    except ValueError:
        found = raw.split(",")
    if not isinstance(found, list):
        return []
    texts = (
        storable(each).strip() for each in cast("list[object]", found) if isinstance(each, str)
    )
    return list(dict.fromkeys(each for each in texts if each))


def why_no_memory(content: str) -> str | None:
    """Return why the service would not keep a text; None where it would."""
    try:
        checked_text("content", content, LIMITS.content)
    except InvalidInput as error:
        return f"the text {error.errors[0].message}"
    return None


def is_name(name: str) -> bool:
    """Tell whether an entity, an aspect or a key of a slot may have this name."""
    try:
        checked_name("name", name, LIMITS)
    except InvalidInput:
        return False
    return True


def is_relation_type(name: str) -> bool:
    """Tell whether a relation may be of this type."""
    try:
        relation_type(checked_text("type", name, LIMITS.name), field="type")
    except InvalidInput:
        return False
    return True


def kept(fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields that say something, as values that JSON has."""
    return {
        key: value if _is_plain(value) else text(value)
        for key, value in fields
        if value is not None and value not in ("", [], {})
    }


def _is_plain(value: object) -> bool:
    """Tell whether JSON can hold a value as it is; texts are made storable first."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int | list)
