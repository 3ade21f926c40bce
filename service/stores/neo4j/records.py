"""Between Neo4j's values and the domain's: times are aware datetimes in UTC, never naive.

Where many rows go through at once, times travel as ISO 8601 text (`datetime(row.at)`,
`toString(m.at)`): the driver's own conversion of a temporal value takes tens of microseconds.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from types import NoneType
from typing import Any, cast

from neo4j.time import DateTime

_LEAVES = (str, int, float, bytes, NoneType)


def moment(value: Any) -> datetime:
    """Return a temporal value of Neo4j, or its text, as a datetime in UTC (microseconds)."""
    if isinstance(value, str):
        native = datetime.fromisoformat(value)
    else:
        native = value.to_native() if isinstance(value, DateTime) else value
    if native.tzinfo is None:
        return native.replace(tzinfo=UTC)
    return native.astimezone(UTC)


def maybe_moment(value: Any) -> datetime | None:
    """Return the same for a value that may be absent."""
    return None if value is None else moment(value)


def properties(node: Mapping[str, Any], times: Collection[str]) -> dict[str, Any]:
    """Return a node's properties with those named in `times` as datetimes in UTC."""
    return {
        key: maybe_moment(value) if key in times else value
        for key, value in node.items()
        if value is not None or key not in times
    }


def as_text(value: Any) -> Any:
    """Return plain data with every datetime in it as ISO 8601 text."""
    if isinstance(value, _LEAVES):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {
            key: item if isinstance(item, _LEAVES) else as_text(item)
            for key, item in cast("dict[str, Any]", value).items()
        }
    if isinstance(value, list):
        return [as_text(item) for item in cast("list[Any]", value)]
    return value
