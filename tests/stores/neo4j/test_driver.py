"""`Graph` against a real server: rows, retries, time limits, and the errors of the service."""

import time

import pytest
from neo4j import AsyncManagedTransaction
from neo4j.exceptions import TransientError

from service.domain.errors import (
    ConfigurationError,
    Conflict,
    GraphFailed,
    GraphTimedOut,
    GraphUnavailable,
)
from service.stores.neo4j.driver import Graph, fetch
from tests.neo4j_servers import Neo4jServer

ENDLESS = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(a * b) AS n"
CREATE = "CREATE (n:TestThing {scope: $scope}) RETURN n.scope AS scope"
COUNT = "MATCH (n:TestThing {scope: $scope}) RETURN count(n) AS n"


async def test_rows_are_dicts_of_columns(graph: Graph) -> None:
    async def work(tx: AsyncManagedTransaction, first: int) -> list[dict[str, object]]:
        return await fetch(tx, "UNWIND [$first, 2] AS x RETURN x, x * 2 AS twice", first=first)

    assert await graph.read(work, 1) == [{"x": 1, "twice": 2}, {"x": 2, "twice": 4}]
    once = await graph.read_once("RETURN $a AS a", {"a": [1, "x"]}, 10.0)
    assert once == [{"a": [1, "x"]}]


async def test_an_error_in_the_work_rolls_everything_back(graph: Graph, scope: str) -> None:
    async def work(tx: AsyncManagedTransaction) -> None:
        await fetch(tx, CREATE, scope=scope)
        raise Conflict("not like this")

    with pytest.raises(Conflict, match="not like this"):
        await graph.write(work)
    assert await graph.read_once(COUNT, {"scope": scope}, 10.0) == [{"n": 0}]


async def test_what_may_pass_is_tried_again(graph: Graph, scope: str) -> None:
    runs: list[int] = []

    async def work(tx: AsyncManagedTransaction) -> None:
        runs.append(1)
        await fetch(tx, CREATE, scope=scope)
        if len(runs) < 3:
            error = TransientError("a deadlock")
            assert error.is_retryable()
            raise error

    await graph.write(work)
    assert len(runs) == 3
    assert await graph.read_once(COUNT, {"scope": scope}, 10.0) == [{"n": 1}]


async def test_a_read_does_not_write(graph: Graph, scope: str) -> None:
    with pytest.raises(GraphFailed):
        await graph.read_once(CREATE, {"scope": scope}, 10.0)


async def test_a_runaway_statement_ends_with_the_time_given(graph: Graph) -> None:
    started = time.monotonic()
    with pytest.raises(GraphTimedOut):
        await graph.read_once(ENDLESS, {}, 0.3)
    assert time.monotonic() - started < 10, "the statement itself would take minutes"
    assert await graph.read_once("RETURN 1 AS one", {}, 10.0) == [{"one": 1}]


async def test_a_runaway_unit_of_work_ends_with_the_time_given(graph: Graph) -> None:
    async def work(tx: AsyncManagedTransaction) -> list[dict[str, object]]:
        return await fetch(tx, ENDLESS)

    with pytest.raises(GraphTimedOut):
        await graph.read(work, timeout_s=0.3)


async def test_a_broken_statement_is_a_failure_that_names_it(graph: Graph) -> None:
    with pytest.raises(GraphFailed, match="RETRUN"):
        await graph.read_once("RETRUN 1", {}, 10.0)


async def test_a_second_node_of_a_unique_value_is_a_conflict(graph: Graph, scope: str) -> None:
    async def work(tx: AsyncManagedTransaction) -> None:
        await fetch(
            tx, "CREATE (:Scope {name: $scope}) CREATE (:Scope {name: $scope})", scope=scope
        )

    with pytest.raises(Conflict, match="already exists"):
        await graph.write(work)


async def test_a_wrong_password_is_a_matter_of_settings(neo4j_server: Neo4jServer) -> None:
    with pytest.raises(ConfigurationError, match="NEO4J_PASSWORD"):
        await Graph.connect(neo4j_server.uri, neo4j_server.user, "not the password")


async def test_nobody_at_the_address(unused_tcp_port: int) -> None:
    with pytest.raises(GraphUnavailable, match=str(unused_tcp_port)):
        await Graph.connect(f"bolt://127.0.0.1:{unused_tcp_port}", "neo4j", "none")


@pytest.mark.parametrize("uri", ["http//nowhere", "ftp://127.0.0.1", "bolt://"])
async def test_an_address_of_another_kind_is_a_matter_of_settings(uri: str) -> None:
    with pytest.raises((ConfigurationError, GraphUnavailable)):
        await Graph.connect(uri, "neo4j", "none")
