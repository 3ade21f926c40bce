"""What has to be done now and then: compare, forget old idempotency keys, write vectors to disk."""

import asyncio
from datetime import UTC, datetime, timedelta

import structlog

from service.domain.errors import PalimpsestError
from service.projection.repair import Repair
from service.stores.hnswlib import VectorStore
from service.stores.neo4j.driver import Graph, Transaction, fetch
from service.stores.neo4j.statements import statement

_EXPIRE = statement("idempotency/expire")
_KEEP_ANSWERS = timedelta(hours=24)

_log = structlog.stdlib.get_logger(__name__)


class Housekeeping:
    """Compares the projections with the graph once, then runs every `snapshot_s` seconds."""

    def __init__(
        self, graph: Graph, vectors: VectorStore, repair: Repair, *, snapshot_s: float
    ) -> None:
        self._graph = graph
        self._vectors = vectors
        self._repair = repair
        self._snapshot_s = snapshot_s
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin."""
        self._task = asyncio.create_task(self._run(), name="housekeeping")

    async def close(self) -> None:
        """Stop, with a last snapshot of the vectors."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._snapshot()

    async def _run(self) -> None:
        try:
            await self._repair.run()
        except PalimpsestError as error:
            _log.warning("the projections could not be compared", error=str(error))
        while True:
            await asyncio.sleep(self._snapshot_s)
            await self._snapshot()
            try:
                while await self._graph.write(_expire, datetime.now(UTC) - _KEEP_ANSWERS):
                    pass
            except PalimpsestError as error:
                _log.warning("old idempotency keys stay a while longer", error=str(error))

    async def _snapshot(self) -> None:
        if self._vectors.snapshot_revision >= self._vectors.applied_revision:
            return
        try:
            await asyncio.to_thread(self._vectors.write_snapshot)
        except OSError as error:
            _log.error("the vectors could not be written to disk", error=str(error))


async def _expire(tx: Transaction, before: datetime) -> int:
    return (await fetch(tx, _EXPIRE, before=before))[0]["forgotten"]
