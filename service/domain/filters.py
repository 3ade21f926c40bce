"""Filters of a recall that every channel applies before its cut, never after."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
LATEST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
"""Bounds of a list where the caller gives none: no time that is kept lies beyond them."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class TextFilters:
    """Which memories a text search may return; the default lets every memory of the scope in."""

    since_us: int | None = None
    """Created at or after this moment, in microseconds since 1970 (UTC)."""
    until_us: int | None = None
    """Created before this moment, in microseconds since 1970 (UTC)."""
    types: tuple[str, ...] | None = None
    """Only these types; None for all, an empty tuple for none."""
    entity_id: str | None = None
    """Only memories that mention this entity."""
    include_superseded: bool = True
    as_of_us: int | None = None
    """Happened (`occurred_at`, else `created_at`) at or before this moment, in microseconds."""


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970 (UTC), exact."""
    return (moment - _EPOCH) // _MICROSECOND


def moment_at(at_us: int) -> datetime:
    """The moment that many microseconds after 1970 (UTC): the inverse of `microseconds`."""
    return _EPOCH + at_us * _MICROSECOND
