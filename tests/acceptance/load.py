"""Writers that remember without a pause, and what was acknowledged to them."""

import asyncio
import itertools
from types import TracebackType
from typing import Any, Self

import httpx

from tests.acceptance.served import Caller
from tests.waiting import until


class Load:
    """Writes until it is left; an answer that did not arrive is asked for again, under its key."""

    def __init__(self, caller: Caller, writers: int = 4) -> None:
        self.acknowledged: dict[str, str] = {}
        """The contents of acknowledged memories, by id."""
        self._caller = caller
        self._writers = writers
        self._numbers = itertools.count()
        self._over = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._over.clear()
        self._tasks = [asyncio.create_task(self._write(at)) for at in range(self._writers)]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End what has no answer by now: whether it was kept is not known, and not asked."""
        self._over.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def more(self, count: int) -> None:
        """Wait until this many more memories were acknowledged."""
        goal = len(self.acknowledged) + count

        async def reached() -> bool:
            for task in self._tasks:
                if task.done():
                    task.result()
            return len(self.acknowledged) >= goal

        await until(reached, f"{count} more memories are acknowledged", 240.0)

    async def _write(self, writer: int) -> None:
        while not self._over.is_set():
            number = next(self._numbers)
            body = memory(writer, number)
            headers = {"Idempotency-Key": f"load-{number}"}
            while True:
                try:
                    response = await self._caller.post("/v1/memories", body, headers)
                except httpx.TransportError:
                    response = None
                if response is not None and response.status_code < 500:
                    break
                await asyncio.sleep(0.05)
            assert response.status_code == 201, response.text
            self.acknowledged[response.json()["id"]] = body["content"]


def memory(writer: int, number: int) -> dict[str, Any]:
    """A memory with a word of its own, names that others share, and a value of a shared slot."""
    return {
        "content": f"Shelf {number % 7} of writer {writer} holds item zq{number}x since then.",
        "entities": [{"name": f"shelf {number % 7}"}, {"name": f"writer {writer}"}],
        "attributes": [
            {
                "entity": f"shelf {number % 7}",
                "aspect": "stock",
                "group_key": "item",
                "claim_key": "last",
                "value": f"item {number}",
                "valid_from": f"2026-01-01T00:{number // 60 % 60:02}:{number % 60:02}Z",
            }
        ],
        "hints": [f"Where is zq{number}x?"],
    }
