"""What a source of candidates is asked, what it finds, and how it is run beside the others."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
import structlog
from numpy.typing import NDArray

from service.domain.deadline import Deadline
from service.domain.errors import GraphTimedOut, PalimpsestError
from service.domain.filters import TextFilters
from service.domain.recall import ChannelReport, ChannelStatus

_log = structlog.stdlib.get_logger("palimpsest.recall")

Ordinals = NDArray[np.int64]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ChannelRequest:
    """One question, prepared for every channel alike."""

    scope: str
    query: str
    tokens: tuple[str, ...]
    """The query's search words, stop words left out."""
    limit: int
    """How many memories a channel brings at most."""
    filters: TextFilters
    allowed: Ordinals | None
    """The memories that pass the filters, sorted; None when all of the scope's do."""
    graph: bool = True


def _no_ordinals() -> Ordinals:
    return np.empty(0, np.int64)


def _no_scores() -> Scores:
    return np.empty(0, np.float64)


@dataclass(slots=True)
class Found:
    """What a channel found so far: it fills this in as it goes, so that being late costs only
    what is still missing."""

    ordinals: Ordinals = field(default_factory=_no_ordinals)
    scores: Scores = field(default_factory=_no_scores)
    """One score a memory, in the channel's own measure."""
    beyond: dict[int, float] = field(default_factory=dict[int, float])
    """Scores of memories past the cut: no candidates, but neighbours of candidates perhaps."""
    maximum: float = 0.0
    """What no score of the channel can pass for this query, where it has such a bound."""
    vector: NDArray[np.float32] | None = None
    """The query's embedding, where the channel made one."""


class Channel(Protocol):
    """A source of candidates."""

    @property
    def name(self) -> str:
        """The key of its report in the answer."""
        ...

    def off(self, request: ChannelRequest) -> str | None:
        """Why it does not take part in this request, in one sentence; None when it does."""
        ...

    async def search(self, request: ChannelRequest, deadline: Deadline, found: Found) -> None:
        """Put what it finds into `found`, all filters applied before its cut.

        It may be cancelled when the deadline has passed. Whatever it raises is reported as its
        failure, a GraphTimedOut or TimeoutError as its being late; `found` counts all the same.
        """
        ...


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the channels brought, by their names."""

    found: dict[str, Found]
    reports: dict[str, ChannelReport]

    @property
    def timed_out(self) -> bool:
        """Whether any channel was late."""
        return any(report.status is ChannelStatus.TIMED_OUT for report in self.reports.values())


LATE: Final = "was not done within the deadline"
_CANCELLING_S: Final = 0.05
_abandoned: set[asyncio.Task[None]] = set()


async def gather(
    channels: Sequence[Channel], request: ChannelRequest, deadline: Deadline
) -> Gathered:
    """Run all channels at once until the last is done or the deadline has passed.

    What is late is cancelled, and awaited, so that nothing of it goes on behind the answer. A
    channel never costs another anything, and its exceptions end in its report.
    """
    started = deadline.clock()
    found = {channel.name: Found() for channel in channels}
    reasons = {channel.name: channel.off(request) for channel in channels}
    ended: dict[str, float] = {}
    tasks = {
        channel.name: asyncio.create_task(
            _timed(channel, request, deadline, found[channel.name], ended), name=channel.name
        )
        for channel in channels
        if reasons[channel.name] is None
    }
    late: set[str] = set()
    try:
        if tasks:
            await asyncio.wait(tasks.values(), timeout=deadline.remaining())
        late = {name for name, task in tasks.items() if not task.done()}
    finally:
        await _end([task for task in tasks.values() if not task.done()])
    reports: dict[str, ChannelReport] = {}
    for channel in channels:
        name = channel.name
        reason = reasons[name]
        if reason is not None:
            reports[name] = ChannelReport(ChannelStatus.OFF, 0, 0.0, reason)
            continue
        error = None if name in late else tasks[name].exception()
        status, detail = _outcome(name, error, is_late=name in late)
        took_ms = max(0.0, ended.get(name, deadline.clock()) - started) * 1_000
        reports[name] = ChannelReport(status, len(found[name].ordinals), took_ms, detail)
    return Gathered(found, reports)


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    """Cancel tasks and await them; one that does not even end when cancelled is left behind."""
    for task in tasks:
        task.cancel()
    if not tasks:
        return
    done, abandoned = await asyncio.wait(tasks, timeout=_CANCELLING_S)
    for task in done:
        if not task.cancelled():
            task.exception()
    for task in abandoned:
        _log.warning("a recall channel does not end", channel=task.get_name())
        _abandoned.add(task)
        task.add_done_callback(_forget)


def _forget(task: asyncio.Task[None]) -> None:
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()


async def _timed(
    channel: Channel,
    request: ChannelRequest,
    deadline: Deadline,
    found: Found,
    ended: dict[str, float],
) -> None:
    try:
        await channel.search(request, deadline, found)
    finally:
        ended[channel.name] = deadline.clock()


def _outcome(
    name: str, error: BaseException | None, *, is_late: bool
) -> tuple[ChannelStatus, str | None]:
    if is_late:
        return ChannelStatus.TIMED_OUT, LATE
    if error is None:
        return ChannelStatus.OK, None
    if isinstance(error, TimeoutError | GraphTimedOut):
        return ChannelStatus.TIMED_OUT, str(error) or LATE
    if isinstance(error, PalimpsestError):
        return ChannelStatus.FAILED, str(error)
    _log.error("recall channel failed", channel=name, exc_info=error)
    return ChannelStatus.FAILED, f"an unexpected {type(error).__name__}; see the log"
