"""The feed follower: keeps the projections in step with Neo4j (docs/architecture.md, "Feed")."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

import structlog

from service.domain.change import Change, Commit, Projection
from service.domain.errors import PalimpsestError
from service.projection.handed import Handed
from service.projection.names import NameIndex
from service.stores.neo4j.driver import Graph
from service.stores.neo4j.feed import (
    FeedPage,
    newest_revision,
    read_entities,
    read_memories,
    read_page,
    settled_revision,
)

_log = structlog.stdlib.get_logger(__name__)

_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0


@dataclass(slots=True)
class _Followed:
    projection: Projection
    failure: str | None = None
    pause_s: float = 0.0
    paused_until: float = 0.0


class Follower:
    """Reads what comes after each projection's own revision and applies it.

    It reads up to a revision of which everything is visible: one that this process committed, or
    one that it waited for (`settled_revision`). What this process has just committed is handed
    over by its writer and not read back.

    A projection that fails (a full disk) is tried again with growing pauses and never holds up
    the others. Changes of other processes are looked for every `poll_s` seconds.
    """

    def __init__(
        self,
        graph: Graph,
        names: NameIndex,
        projections: Sequence[Projection],
        *,
        page: int,
        poll_s: float,
        refresh: Callable[[], Awaitable[None]],
    ) -> None:
        """`refresh` reads again what else other processes may have changed, with each look."""
        self._graph = graph
        self._names = names
        self._followed = [_Followed(projection) for projection in projections]
        self._page = page
        self._poll_s = poll_s
        self._refresh = refresh
        self._handed = Handed(page)
        self._settled = 0
        """The newest revision up to which everything can be read."""
        self._wake = asyncio.Event()
        self._moved = asyncio.Condition()
        self._busy = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._graph_failure: str | None = None

    async def start(self) -> None:
        """Bring every projection up to date, then go on following in the background."""
        self._settled = await self._graph.write(settled_revision)
        await self._refresh()
        await self._refresh_names()
        while await self._step():
            pass
        self._task = asyncio.create_task(self._run(), name="feed-follower")

    async def close(self) -> None:
        """Stop following; what was applied stays applied."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def notify(self, commit: Commit) -> None:
        """Say what this process has committed: everything up to it can be read."""
        self._handed.add(commit)
        self._settled = max(self._settled, commit.upto)
        self._wake.set()

    async def wait_for(self, revision: int, timeout_s: float) -> bool:
        """Wait until every projection that works holds a revision; tell whether all do."""
        try:
            async with asyncio.timeout(timeout_s), self._moved:
                await self._moved.wait_for(lambda: self._is_settled(revision))
        except TimeoutError:
            return False
        return all(one.projection.applied_revision >= revision for one in self._followed)

    async def rebuild(self) -> None:
        """Throw every projection away and make it anew from Neo4j; writes wait in the feed."""
        async with self._busy:
            for one in self._followed:
                await asyncio.to_thread(one.projection.clear)
                one.failure, one.paused_until = None, 0.0
        while await self._step():
            pass

    async def reapply(self, name: str, changes: Sequence[Change]) -> None:
        """Apply changes out of their turn to a projection that lost them."""
        async with self._busy:
            for one in self._followed:
                if one.projection.name == name:
                    await asyncio.to_thread(
                        one.projection.apply, changes, one.projection.applied_revision
                    )

    def lag(self) -> dict[str, int]:
        """Return how many revisions each projection is behind what is known to be committed."""
        return {
            one.projection.name: max(0, self._settled - one.projection.applied_revision)
            for one in self._followed
        }

    def failures(self) -> dict[str, str]:
        """Return what keeps a projection, or the feed itself, from going on."""
        found = {one.projection.name: one.failure for one in self._followed if one.failure}
        return found | ({"feed": self._graph_failure} if self._graph_failure else {})

    def _is_settled(self, revision: int) -> bool:
        return all(
            one.projection.applied_revision >= revision or one.failure is not None
            for one in self._followed
        )

    async def _run(self) -> None:
        pause = self._poll_s
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), pause)
            polled = not self._wake.is_set()
            self._wake.clear()
            try:
                if polled:
                    await self._look_around()
                if self._names.revision < self._settled:
                    await self._refresh_names()
                while await self._step():
                    pass
                self._graph_failure, pause = None, self._poll_s
            except PalimpsestError as error:
                self._graph_failure = str(error)
                pause = min(2 * pause, _LONGEST_PAUSE_S)
                _log.warning("the change feed cannot be read", error=str(error))
            except Exception as error:
                # A fault of the code: said aloud, and following goes on.
                self._graph_failure = repr(error)
                pause = min(2 * pause, _LONGEST_PAUSE_S)
                _log.exception("the change feed cannot be followed")

    async def _look_around(self) -> None:
        """Take notice of what other processes have committed."""
        await self._refresh()
        if await self._graph.read(newest_revision) > self._settled:
            settled = await self._graph.write(settled_revision)
            self._settled = max(self._settled, settled)

    async def _refresh_names(self) -> None:
        page = await self._graph.read(read_entities, self._names.revision, self._settled)
        if page.upto > self._names.revision:
            self._names.apply(page.entities, page.removed, page.upto)

    async def _step(self) -> bool:
        """Move the foremost projections that are behind one page on; False when none is."""
        async with self._busy:
            now = monotonic()
            ready = [one for one in self._followed if one.paused_until <= now]
            for after in sorted({one.projection.applied_revision for one in ready}, reverse=True):
                group = [one for one in ready if one.projection.applied_revision == after]
                page = await self._next_page(after, {one.projection.name for one in group})
                if page.upto > after:
                    await asyncio.gather(*(self._apply(one, page) for one in group))
                    async with self._moved:
                        self._moved.notify_all()
                    return True
            return False

    async def _next_page(self, after: int, wanted: set[str]) -> FeedPage:
        handed = self._handed.take(after)
        if handed is None:
            return await self._graph.read(
                read_page, after, self._settled, self._page, "text" in wanted, "vectors" in wanted
            )
        made, reread = handed.changes or (), handed.reread
        changed = await self._graph.read(read_memories, reread) if reread else []
        changes = sorted((*made, *changed), key=lambda change: change.revision)
        return FeedPage(tuple(changes), handed.upto)

    async def _apply(self, one: _Followed, page: FeedPage) -> None:
        try:
            await asyncio.to_thread(one.projection.apply, page.changes, page.upto)
        except Exception as error:
            # Whatever it is (a full disk, a fault of the code): the others go on.
            one.failure = str(error) or repr(error)
            one.pause_s = min(max(2 * one.pause_s, _FIRST_PAUSE_S), _LONGEST_PAUSE_S)
            one.paused_until = monotonic() + one.pause_s
            known = isinstance(error, (PalimpsestError, OSError))
            _log.error(
                "a projection fell behind",
                projection=one.projection.name,
                error=one.failure,
                exc_info=not known,
            )
        else:
            if one.failure is not None:
                _log.info("a projection recovered", projection=one.projection.name)
            one.failure, one.pause_s = None, 0.0
