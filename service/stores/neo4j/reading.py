"""Running a query that somebody wrote by hand: planned first, read only, bounded in every way."""

import time
from collections.abc import Mapping
from typing import Any, Final, LiteralString, Self, cast

import orjson
from neo4j import READ_ACCESS, AsyncDriver, AsyncSession, Query
from neo4j import exceptions as vendor

from service.domain.cypher.allowed import PROCEDURES, refused_steps
from service.domain.cypher.answer import Bounds, Table
from service.domain.cypher.tokens import refusal
from service.domain.errors import GraphTimedOut, PalimpsestError, QueryTimedOut
from service.stores.neo4j.driver import bounded, open_driver
from service.stores.neo4j.errors import translate
from service.stores.neo4j.values import plain

_ROWS_AT_A_TIME: Final = 10
"""What is under way when a result is cut is read to its end, so it is little."""
_GRACE_S: Final = 1.0
"""How much later than the server the client gives up: the server's answer mostly comes first."""


class Reading:
    """A small pool of connections of its own, for nothing but reading."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    @classmethod
    def open(cls, uri: str, user: str, password: str, *, pool_size: int) -> Self:
        """Make the pool; connections are opened when they are needed."""
        return cls(open_driver(uri, user, password, pool_size=pool_size, acquisition_timeout_s=5.0))

    async def close(self) -> None:
        """Close all connections."""
        await self._driver.close()

    async def run(self, query: str, parameters: Mapping[str, Any], bounds: Bounds) -> Table:
        """Plan a query, run it if every step of the plan is allowed, and read what bounds allow.

        `query` has passed `check_query`. Raises InvalidInput for what the plan shows, for what
        Neo4j refuses and for too much memory; QueryTimedOut; GraphUnavailable.
        """
        started = time.perf_counter()
        try:
            async with (
                bounded("reading", bounds.timeout_s + _GRACE_S),
                self._driver.session(  # pyright: ignore[reportUnknownMemberType]
                    default_access_mode=READ_ACCESS,
                    fetch_size=_ROWS_AT_A_TIME,
                    disable_auto_commit_retries=True,
                    notifications_min_severity="OFF",
                ) as session,
            ):
                await _plan(session, query, parameters, bounds.timeout_s)
                columns, rows, truncated = await _read(session, query, parameters, bounds)
        except GraphTimedOut as error:
            raise _late(bounds.timeout_s) from error
        except vendor.Neo4jError as error:
            raise _explained(error, bounds.timeout_s) from error
        except (vendor.GqlError, vendor.DriverError) as error:
            raise translate(error, "reading") from error
        took_ms = (time.perf_counter() - started) * 1000
        return Table(columns, rows, truncated, round(took_ms, 3))


async def _plan(
    session: AsyncSession, query: str, parameters: Mapping[str, Any], timeout_s: float
) -> None:
    result = await session.run(_statement("EXPLAIN " + query, timeout_s), dict(parameters))
    summary = await result.consume()
    plan = cast("dict[str, Any] | None", summary.plan)
    steps = {} if plan is None else _steps(plan)
    refused = refused_steps(frozenset(steps))
    if refused:
        raise refusal(
            f"needs the step {', '.join(refused)}, which is not allowed; only known steps that "
            "read are"
        )
    for step, details in steps.items():
        if step.startswith("ProcedureCall"):
            names = {each.partition("(")[0].lower() for each in details}
            if names - PROCEDURES:
                raise refusal(f"calls the procedure {', '.join(sorted(names))}: not allowed")
    if summary.query_type != "r" or not steps:
        raise refusal(f"is of type {summary.query_type!r}; only reading (`r`) is allowed")


def _steps(plan: Mapping[str, Any]) -> dict[str, set[str]]:
    """Every step of a plan, with what stands beside it."""
    found: dict[str, set[str]] = {}
    waiting = [plan]
    while waiting:
        step = waiting.pop()
        details = str(step.get("args", {}).get("Details", ""))
        found.setdefault(str(step["operatorType"]), set()).add(details)
        waiting += step.get("children", [])
    return found


async def _read(
    session: AsyncSession, query: str, parameters: Mapping[str, Any], bounds: Bounds
) -> tuple[tuple[str, ...], list[list[Any]], bool]:
    result = await session.run(_statement(query, bounds.timeout_s), dict(parameters))
    columns = tuple(result.keys())
    rows: list[list[Any]] = []
    size = 0
    async for record in result:
        if len(rows) >= bounds.rows:
            break
        row = [plain(value) for value in record.values()]
        size += len(orjson.dumps(row, default=str))
        if size > bounds.answer_bytes:
            # What is still on its way may be as large again: the connection is given up.
            session.cancel()
            return columns, rows, True
        rows.append(row)
    else:
        await result.consume()
        return columns, rows, False
    await result.consume()
    return columns, rows, True


def _statement(text: str, timeout_s: float) -> Query:
    # The one query that is not of the service's own files; `check_query` has looked at it.
    return Query(cast(LiteralString, text), timeout=timeout_s)


def _explained(error: vendor.Neo4jError, timeout_s: float) -> PalimpsestError:
    code = error.code or ""
    said = " ".join((error.message or str(error)).split())[:600]
    if "TransactionTimedOut" in code or code.endswith("Transaction.Terminated"):
        return _late(timeout_s)
    if "OutOfMemory" in code or "StackOverFlow" in code:
        return refusal(
            "needs more memory than a transaction may take (db.memory.transaction.max of Neo4j); "
            "narrow it, or put a LIMIT before collect() and ORDER BY"
        )
    if isinstance(error, vendor.AuthError | vendor.TransientError):
        return translate(error, "reading")
    return refusal(f"was refused by Neo4j ({code}): {said}")


def _late(timeout_s: float) -> QueryTimedOut:
    return QueryTimedOut(
        f"the query was ended after {timeout_s:g} s (cypher.timeout_ms); narrow it: fewer steps, "
        "a property that has an index, a LIMIT in the middle"
    )
