"""Waiting for what a test is about, bounded, in the place of a sleep of a guessed length."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

_LOOK_AGAIN_S = 0.02


async def until(
    condition: Callable[[], Awaitable[T | None]], what: str, seconds: float = 60.0
) -> T:
    """Return the first true answer of `condition`; fail naming `what` did not come about."""
    try:
        async with asyncio.timeout(seconds):
            while True:
                if answer := await condition():
                    return answer
                await asyncio.sleep(_LOOK_AGAIN_S)
    except TimeoutError:
        raise AssertionError(f"{what}: not within {seconds:g} s") from None
