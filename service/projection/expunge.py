"""Making sure that what was purged is in no file of a projection."""

import asyncio
from typing import Protocol


class Expungeable(Protocol):
    """A projection on disk that can rewrite its files without what was removed."""

    def expunge(self) -> None:
        """Rewrite the files so that nothing removed is left in them."""
        ...


class Expunger:
    """Runs one expunging at a time; what is purged while one runs goes into the next."""

    def __init__(self, stores: list[Expungeable]) -> None:
        self._stores = stores
        self._lock = asyncio.Lock()
        self._asked = 0
        self._done = 0

    async def expunge(self) -> None:
        """Return once everything removed before the call is in no file any more."""
        self._asked += 1
        mine = self._asked
        async with self._lock:
            if self._done >= mine:
                return
            covered = self._asked
            for store in self._stores:
                await asyncio.to_thread(store.expunge)
            self._done = covered
