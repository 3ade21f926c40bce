"""Between Neo4j's values and the domain's: times are aware datetimes in UTC, never naive."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from neo4j.time import DateTime


def moment(value: Any) -> datetime:
    """Return a temporal value of Neo4j as a datetime in UTC (microseconds)."""
    native = value.to_native() if isinstance(value, DateTime) else value
    if native.tzinfo is None:
        return native.replace(tzinfo=UTC)
    return native.astimezone(UTC)


def maybe_moment(value: Any) -> datetime | None:
    """Return the same for a value that may be absent."""
    return None if value is None else moment(value)


def properties(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node's properties with every temporal value as a datetime in UTC."""
    return {
        key: moment(value) if isinstance(value, DateTime) else value for key, value in node.items()
    }
