"""Dates and months that a question names, as a soft preference for memories of that time.

Read are ISO dates (`2024-03-05`, `2024-03`), English dates with the month's name (`5 March 2024`,
`March 5th`, `March 2024`, `in March`) and Chinese and Japanese ones (`2024年3月5日`). Without a
year the nearest such day counts. Nothing here filters.
"""

import calendar
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

FADING_DAYS: Final = 7.0
"""A memory so many days off is preferred by 1/e of what one of the very day is."""

_MONTHS: Final = {
    name.casefold(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
} | {"sept": 9}
_NAME: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WORDS: Final = frozenset({"may", "march", "mar", "jan", "dec"})
"""Months whose names, or short forms, are also words: alone they count with a capital letter."""
_DATES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})[-年/](?P<month>\d{1,2})(?:[-月/](?P<day>\d{1,2}))?(?!\d)",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<name>{_NAME})\b\.?,?"
        r"(?:\s+(?P<year>\d{4})\b)?",
        rf"\b(?P<name>{_NAME})\b\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b,?"
        r"(?:\s+(?P<year>\d{4})\b)?",
        rf"\b(?P<name>{_NAME})\b\.?,?(?:\s+(?:of\s+)?(?P<year>\d{{4}})\b)?",
    )
)


@dataclass(frozen=True, slots=True)
class Period:
    """A day, or a month when `day` is None, of one year or of any."""

    year: int | None
    month: int
    day: int | None


def periods(query: str) -> tuple[Period, ...]:
    """The dates and months that a query names, in any order; what is no date is passed over."""
    found: list[Period] = []
    taken: list[tuple[int, int]] = []
    for pattern in _DATES:
        for match in pattern.finditer(query):
            start, end = match.span()
            if any(start < last and first < end for first, last in taken):
                continue
            period = _period(match)
            if period is not None:
                taken.append((start, end))
                found.append(period)
    return tuple(dict.fromkeys(found))


def nearness(wanted: Sequence[Period], day: date) -> float:
    """How near a day is to the nearest of the periods: 1 within it, fading to 0 beside it."""
    return max((math.exp(-_days_off(period, day) / FADING_DAYS) for period in wanted), default=0.0)


def _period(match: re.Match[str]) -> Period | None:
    parts = match.groupdict()
    name, day, year = parts.get("name"), parts.get("day"), parts.get("year")
    month = int(parts["month"]) if name is None else _MONTHS[name.casefold()]
    if name is not None and day is None and year is None:
        is_word = name.casefold() in _WORDS
        if is_word and (not name[0].isupper() or match.start() == 0):
            return None
    period = Period(int(year) if year else None, month, int(day) if day else None)
    return period if _is_real(period) else None


def _is_real(period: Period) -> bool:
    if not 1 <= period.month <= 12 or period.year == 0:
        return False
    longest = calendar.monthrange(period.year or 2024, period.month)[1]
    return period.day is None or 1 <= period.day <= longest


def _days_off(period: Period, day: date) -> int:
    """The days between a day and the period; of any year, the nearest one's."""
    years = (day.year - 1, day.year, day.year + 1) if period.year is None else (period.year,)
    return min(
        (_off(period, year, day) for year in years if date.min.year <= year <= date.max.year),
        default=366,
    )


def _off(period: Period, year: int, day: date) -> int:
    longest = calendar.monthrange(year, period.month)[1]
    first = date(year, period.month, min(period.day or 1, longest))
    last = date(year, period.month, min(period.day or longest, longest))
    if first <= day <= last:
        return 0
    return min(abs((first - day).days), abs((last - day).days))
