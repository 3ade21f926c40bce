"""Fakes for time and slowness only: channels that are fast, late or broken, and a manual clock."""

import asyncio
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from service.domain.deadline import Deadline
from service.recall.channel import ChannelRequest, Found


class ManualClock:
    """Stands still until it is told to move; in seconds."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class FastChannel:
    """Finds the given memories at once."""

    def __init__(
        self, name: str, scores: Mapping[int, float] | None = None, maximum: float = 0.0
    ) -> None:
        self.name = name
        self.scores = dict(scores or {})
        self.maximum = maximum
        self.vector: NDArray[np.float32] | None = None
        self.requests: list[ChannelRequest] = []

    def off(self, request: ChannelRequest) -> str | None:
        return None

    async def search(self, request: ChannelRequest, deadline: Deadline, found: Found) -> None:
        self.requests.append(request)
        found.ordinals = np.array(list(self.scores), np.int64)
        found.scores = np.array(list(self.scores.values()), np.float64)
        found.maximum = self.maximum
        found.vector = self.vector


class OffChannel(FastChannel):
    """Takes no part."""

    def off(self, request: ChannelRequest) -> str | None:
        return "switched off"


class SlowChannel(FastChannel):
    """Takes its time by a manual clock."""

    def __init__(
        self, name: str, clock: ManualClock, seconds: float, scores: Mapping[int, float]
    ) -> None:
        super().__init__(name, scores)
        self._clock = clock
        self._seconds = seconds

    async def search(self, request: ChannelRequest, deadline: Deadline, found: Found) -> None:
        await super().search(request, deadline, found)
        self._clock.now += self._seconds


class HangingChannel(FastChannel):
    """Finds the given memories and then waits for something that never comes."""

    def __init__(self, name: str, scores: Mapping[int, float] | None = None) -> None:
        super().__init__(name, scores)
        self.began = asyncio.Event()
        self.was_cleaned_up = False

    async def search(self, request: ChannelRequest, deadline: Deadline, found: Found) -> None:
        await super().search(request, deadline, found)
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.was_cleaned_up = True


class StubbornChannel(FastChannel):
    """Does not even end when it is cancelled, until `release` is set."""

    def __init__(self, name: str, scores: Mapping[int, float] | None = None) -> None:
        super().__init__(name, scores)
        self.release = asyncio.Event()

    async def search(self, request: ChannelRequest, deadline: Deadline, found: Found) -> None:
        while not self.release.is_set():
            try:
                await self.release.wait()
            except asyncio.CancelledError:
                continue


class FailingChannel(FastChannel):
    """Finds the given memories and then raises."""

    def __init__(
        self, name: str, error: Exception, scores: Mapping[int, float] | None = None
    ) -> None:
        super().__init__(name, scores)
        self._error = error

    async def search(self, request: ChannelRequest, deadline: Deadline, found: Found) -> None:
        await super().search(request, deadline, found)
        raise self._error
