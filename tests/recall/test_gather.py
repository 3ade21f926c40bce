"""The fan-out: what each channel brings and reports, whatever the others do."""

import asyncio
import itertools

import pytest

from service.domain.deadline import Deadline
from service.domain.errors import EmbeddingUnavailable, GraphTimedOut
from service.domain.filters import TextFilters
from service.domain.recall import ChannelStatus
from service.recall.channel import Channel, ChannelRequest, gather
from tests.fakes import (
    FailingChannel,
    FastChannel,
    HangingChannel,
    ManualClock,
    OffChannel,
    SlowChannel,
    StubbornChannel,
)

REQUEST = ChannelRequest("s", "query", ("query",), 100, TextFilters(), None)
OK, LATE, FAILED, OFF = (
    ChannelStatus.OK,
    ChannelStatus.TIMED_OUT,
    ChannelStatus.FAILED,
    ChannelStatus.OFF,
)


def made(kind: str, name: str) -> tuple[Channel, ChannelStatus, int]:
    """A channel of a kind, with the status it must get and the number of its hits."""
    scores = {1: 1.0, 2: 0.5}
    match kind:
        case "fast":
            return FastChannel(name, scores), OK, 2
        case "hanging":
            return HangingChannel(name, scores), LATE, 2
        case "failing":
            return FailingChannel(name, EmbeddingUnavailable("the model is away")), FAILED, 0
        case "late":
            return FailingChannel(name, GraphTimedOut("too slow"), scores), LATE, 2
        case _:
            return OffChannel(name), OFF, 0


KINDS = ("fast", "hanging", "failing", "late", "off")


@pytest.mark.parametrize("kinds", list(itertools.combinations_with_replacement(KINDS, 3)))
async def test_no_channel_costs_another_anything(kinds: tuple[str, ...]) -> None:
    expected = {f"channel {at}": made(kind, f"channel {at}") for at, kind in enumerate(kinds)}
    gathered = await gather(
        [channel for channel, _, _ in expected.values()], REQUEST, Deadline.after(5)
    )
    for name, (_, status, hits) in expected.items():
        assert (gathered.reports[name].status, gathered.reports[name].hits) == (status, hits)
        assert len(gathered.found[name].ordinals) == hits
    assert gathered.timed_out == any(kind in ("hanging", "late") for kind in kinds)


async def test_reports_say_why() -> None:
    gathered = await gather(
        [
            FailingChannel("a", EmbeddingUnavailable("the model is away")),
            FailingChannel("b", KeyError("secret")),
            OffChannel("c"),
            HangingChannel("d"),
            FailingChannel("e", TimeoutError()),
            FastChannel("f"),
        ],
        REQUEST,
        Deadline.after(5),
    )
    assert [gathered.reports[name].detail for name in "abcdef"] == [
        "the model is away",
        "an unexpected KeyError; see the log",
        "switched off",
        "was not done within the deadline",
        "was not done within the deadline",
        None,
    ]


async def test_what_is_late_is_cancelled_and_has_ended_when_the_answer_comes() -> None:
    channel = HangingChannel("graph", {7: 1.0})
    gathered = await gather([channel], REQUEST, Deadline.after(1))
    assert channel.was_cleaned_up
    assert gathered.found["graph"].ordinals.tolist() == [7]


async def test_what_does_not_end_when_cancelled_is_left_behind() -> None:
    channel = StubbornChannel("graph")
    gathered = await gather([channel, FastChannel("content", {1: 1.0})], REQUEST, Deadline.after(1))
    assert gathered.reports["graph"].status is LATE
    assert gathered.reports["content"].status is OK
    channel.release.set()


async def test_a_caller_that_goes_away_takes_the_channels_along() -> None:
    channel = HangingChannel("graph")
    task = asyncio.create_task(gather([channel], REQUEST, Deadline.after(60_000)))
    await channel.began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert channel.was_cleaned_up


async def test_each_channel_reports_its_own_time() -> None:
    clock = ManualClock()
    gathered = await gather(
        [FastChannel("content"), SlowChannel("graph", clock, 0.030, {1: 1.0})],
        REQUEST,
        Deadline.after(250, clock),
    )
    assert gathered.reports["content"].took_ms == 0.0
    assert gathered.reports["graph"].took_ms == pytest.approx(30.0)


async def test_without_any_channel_there_is_nothing_to_wait_for() -> None:
    gathered = await gather([], REQUEST, Deadline.after(60_000))
    assert (gathered.reports, gathered.timed_out) == ({}, False)
