"""The connection to Neo4j: `Graph` runs units of work, bounded in time, with the driver's retry."""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Final, LiteralString, Self, TypeVar, TypeVarTuple

from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncSession,
    Query,
    unit_of_work,
)

from service.domain.errors import GraphTimedOut, IncompatibleStore
from service.stores.neo4j.errors import mapped_errors

T = TypeVar("T")
Args = TypeVarTuple("Args")
Row = dict[str, Any]
Transaction = AsyncManagedTransaction
"""What a unit of work is given; the name that code above the stores uses."""

OLDEST_SERVER: Final = (5, 26)
"""The first Neo4j with dynamic relationship types, which the write path needs."""

_FIRST_RETRY_S: Final = 0.05
_RETRY_GROWTH: Final = 1.2
"""A server that is back is noticed within a fifth of the time that it was away."""
_IDLE_S: Final = 5.0
"""A connection idle for longer is tried before it is used: the server may have restarted."""
_SERVER_SHARE: Final = 0.9
"""A read's limit on the server, as a share of the client's: the server's answer that time is over
then mostly comes first, and the connection survives."""


class Graph:
    """A pool of connections to one Neo4j database.

    Every call is bounded by its `timeout_s`, also when the server hangs, and raises the errors of
    `service.domain.errors` only: GraphUnavailable, GraphTimedOut, GraphFailed, Conflict,
    ConfigurationError, and whatever the unit of work itself raises.
    """

    def __init__(self, driver: AsyncDriver, server: str, database: str | None = None) -> None:
        self._driver = driver
        self._database = database
        self.server: Final = server
        """What the server calls itself, for example `Neo4j/5.26.30`."""

    @classmethod
    async def connect(
        cls,
        uri: str,
        user: str,
        password: str,
        *,
        acquisition_timeout_s: float = 5.0,
        connection_timeout_s: float = 5.0,
        pool_size: int = 32,
        database: str | None = None,
    ) -> Self:
        """Open the pool and make sure that the server answers and is new enough.

        `pool_size` is the most connections at a time; a call waits `acquisition_timeout_s` for one.
        Raises GraphUnavailable, ConfigurationError (uri, user or password), IncompatibleStore.
        """
        doing = f"connecting to {uri}"
        driver = open_driver(
            uri,
            user,
            password,
            acquisition_timeout_s=acquisition_timeout_s,
            connection_timeout_s=connection_timeout_s,
            pool_size=pool_size,
        )
        try:
            async with bounded(doing, 4 * connection_timeout_s):
                with mapped_errors(doing):
                    info = await driver.get_server_info()  # pyright: ignore[reportUnknownMemberType]
            require_supported(info.agent)
        except BaseException:
            await driver.close()
            raise
        return cls(driver, info.agent, database)

    async def close(self) -> None:
        """Close all connections; calls that are under way fail."""
        await self._driver.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def read(
        self,
        work: Callable[[AsyncManagedTransaction, *Args], Awaitable[T]],
        *args: *Args,
        timeout_s: float = 30.0,
    ) -> T:
        """What `work(tx, *args)` returns, run in a read transaction.

        `work` may run several times: the driver retries what may pass (with growing, jittered
        pauses) while `timeout_s`, the limit of the whole call, lasts.
        """
        async with self._session(READ_ACCESS, "reading", timeout_s) as session:
            return await session.execute_read(unit_of_work(timeout=timeout_s)(work), *args)

    async def write(
        self,
        work: Callable[[AsyncManagedTransaction, *Args], Awaitable[T]],
        *args: *Args,
        timeout_s: float = 30.0,
    ) -> T:
        """What `work(tx, *args)` returns, committed.

        `work` may run several times, but at most one run is committed; an exception in it rolls
        everything back. After GraphTimedOut or GraphUnavailable it is not known whether the last
        run was committed.
        """
        async with self._session(WRITE_ACCESS, "writing", timeout_s) as session:
            return await session.execute_write(unit_of_work(timeout=timeout_s)(work), *args)

    async def read_once(
        self, statement: LiteralString, params: Mapping[str, Any], timeout_s: float
    ) -> list[Row]:
        """The rows of one reading statement: one attempt, one round trip, never over `timeout_s`.

        Raises GraphTimedOut when the time is over, whatever the server does.
        """
        query = Query(statement, timeout=timeout_s * _SERVER_SHARE)
        async with self._session(READ_ACCESS, "reading", timeout_s, timeout_s) as session:
            result = await session.run(query, dict(params))
            return [
                dict(zip(record.keys(), record.values(), strict=True)) async for record in result
            ]

    async def apply(self, statement: LiteralString, timeout_s: float = 30.0) -> None:
        """Run one statement in a transaction of its own, once; for changes of the schema."""
        async with self._session(WRITE_ACCESS, "changing the schema", timeout_s) as session:
            await (await session.run(Query(statement, timeout=timeout_s))).consume()

    @asynccontextmanager
    async def _session(
        self, access: str, doing: str, timeout_s: float, acquisition_timeout_s: float | None = None
    ) -> AsyncGenerator[AsyncSession]:
        """A session whose use is bounded and whose errors are the service's."""
        options: dict[str, Any] = {}
        if acquisition_timeout_s is not None:
            options["connection_acquisition_timeout"] = acquisition_timeout_s
        async with bounded(doing, timeout_s):
            with mapped_errors(doing):
                async with self._driver.session(  # pyright: ignore[reportUnknownMemberType]
                    database=self._database,
                    default_access_mode=access,
                    max_transaction_retry_time=timeout_s,
                    disable_auto_commit_retries=True,
                    notifications_min_severity="OFF",
                    **options,
                ) as session:
                    yield session


async def fetch(
    tx: AsyncManagedTransaction, statement: LiteralString, /, **params: Any
) -> list[Row]:
    """All rows of a statement run in a transaction, each as a dict of its columns."""
    result = await tx.run(statement, params)
    return [dict(zip(record.keys(), record.values(), strict=True)) async for record in result]


def require_supported(server: str) -> None:
    """Raise IncompatibleStore unless `server` (`Neo4j/5.26.30`) is Neo4j 5.26 or newer."""
    needed = ".".join(map(str, OLDEST_SERVER))
    found = re.match(r"Neo4j/(\d+)\.(\d+)", server)
    if found is None:
        raise IncompatibleStore(
            f"the server calls itself {server!r}; Palimpsest needs Neo4j {needed} or newer"
        )
    if (int(found[1]), int(found[2])) < OLDEST_SERVER:
        raise IncompatibleStore(
            f"the server is {server}; Palimpsest needs Neo4j {needed} or newer: upgrade it, or "
            "leave NEO4J_URI unset to use the embedded one"
        )


def open_driver(
    uri: str,
    user: str,
    password: str,
    *,
    acquisition_timeout_s: float,
    connection_timeout_s: float = 5.0,
    pool_size: int,
) -> AsyncDriver:
    """A pool of connections, none of them opened yet.

    Raises ConfigurationError for an address that is none.
    """
    with mapped_errors(f"connecting to {uri}"):
        return AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType]
            uri,
            auth=(user, password),
            connection_acquisition_timeout=max(acquisition_timeout_s, connection_timeout_s),
            connection_timeout=connection_timeout_s,
            max_connection_pool_size=pool_size,
            initial_retry_delay=_FIRST_RETRY_S,
            retry_delay_multiplier=_RETRY_GROWTH,
            liveness_check_timeout=_IDLE_S,
            telemetry_disabled=True,
            user_agent="palimpsest",
        )


@asynccontextmanager
async def bounded(doing: str, timeout_s: float) -> AsyncGenerator[None]:
    """Raise GraphTimedOut when what is done within takes longer than `timeout_s`."""
    limit = asyncio.timeout(timeout_s)
    try:
        async with limit:
            yield
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise GraphTimedOut(f"{doing}: Neo4j did not finish within {timeout_s:g} s") from error
