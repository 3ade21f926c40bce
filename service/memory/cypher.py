"""Reading by Cypher that an analyst wrote: checked, planned, bounded, a few at a time."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from service.domain.cypher.answer import Bounds, Table
from service.domain.cypher.guard import check_parameters, check_query
from service.domain.errors import NotFound, QueriesBusy
from service.stores.neo4j.reading import Reading

_WAIT_S: Final = 2.0


class Cypher:
    """Runs queries that only read, each within `bounds`."""

    def __init__(self, reading: Reading, bounds: Bounds, *, enabled: bool) -> None:
        self._reading = reading
        self._bounds = bounds
        self._enabled = enabled
        self._turns = asyncio.Semaphore(bounds.concurrency)

    async def read(self, query: str, parameters: Mapping[str, Any], limit: int) -> Table:
        """Return the first `limit` rows of a query, fewer where the answer would be too large.

        Raises InvalidInput (what is refused, why, and what to do), QueryTimedOut, QueriesBusy
        where no turn came within 2 s, NotFound where the operator switched it off, and
        GraphUnavailable.
        """
        if not self._enabled:
            raise NotFound("Cypher over HTTP is switched off here (cypher.enabled is false)")
        check_parameters(parameters)
        check_query(query, parameters)
        bounds = replace(self._bounds, rows=min(limit, self._bounds.rows))
        try:
            async with asyncio.timeout(_WAIT_S):
                await self._turns.acquire()
        except TimeoutError:
            raise QueriesBusy(
                f"other queries have been running for {_WAIT_S:g} s; try again"
            ) from None
        try:
            return await self._reading.run(query, parameters, bounds)
        finally:
            self._turns.release()
