"""Cypher over HTTP: what an analyst gets, and what nobody gets."""

import asyncio
from pathlib import Path
from typing import Any, LiteralString, cast

import httpx
import pytest

from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.statements import all_statements
from service.stores.neo4j.values import plain
from tests.api.client import Api, fields
from tests.api.conftest import service_settings, serving
from tests.neo4j_servers import Neo4jServer

LIBRARY = [file for file in all_statements() if file.name.startswith("analyst/")]
PARAMETERS: dict[str, Any] = {
    "entity": "build cache",
    "claim": "host",
    "value": "cedar",
    "limit": 20,
    "memory_id": "none",
    "since": "2025-01-01T00:00:00Z",
    "speaker": "tomás",
    "session": "kickoff-2025-01-07",
    "from": "booking api",
    "to": "maple",
}


async def read(http: httpx.AsyncClient, query: str, **more: Any) -> dict[str, Any]:
    """The answer to a query that is served."""
    answer = await http.post("/v1/cypher", json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def refusal(http: httpx.AsyncClient, query: str, **more: Any) -> str:
    """Why a query is refused."""
    answer = await http.post("/v1/cypher", json={"query": query, **more})
    assert fields(answer) == ["query"]
    return answer.json()["errors"][0]["message"]


@pytest.mark.parametrize("file", LIBRARY, ids=lambda file: file.name)
async def test_the_ready_queries_give_what_neo4j_gives(
    file: Any, http: httpx.AsyncClient, graph: Graph, sample_scope: str
) -> None:
    given = {"scope": sample_scope} | PARAMETERS
    parameters = {name: given[name] for name in file.params}

    async def work(tx: Transaction) -> list[Row]:
        return await fetch(tx, cast(LiteralString, file.text), **parameters)

    expected = [[plain(value) for value in row.values()] for row in await graph.read(work)]
    answer = await read(http, file.text, parameters=parameters, limit=1_000)

    assert answer["columns"] == list(file.returns)
    assert sorted(map(repr, answer["rows"])) == sorted(map(repr, expected))
    assert answer["truncated"] is False


async def test_values_of_every_kind(http: httpx.AsyncClient) -> None:
    answer = await read(
        http,
        "RETURN 1 AS i, 9007199254740993 AS big, 1.5 AS f, true AS b, null AS n, 'é' AS s, "
        "[1, 'a', [2]] AS l, {a: {b: 1}} AS m, 0.0 / 0.0 AS nan, 1.0 / 0.0 AS inf, "
        "-1.0 / 0.0 AS minus, date('2026-03-02') AS d, "
        "datetime('2026-03-02T09:00:00+01:00') AS at, "
        "localdatetime('2026-03-02T09:00:00') AS lt, time('09:00:00Z') AS t, "
        "duration('P1DT2H') AS du, point({x: 1, y: 2}) AS p, $given AS g",
        parameters={"given": {"list": [1, None, 2.5, "x", False]}},
    )

    (row,) = answer["rows"]
    assert dict(zip(answer["columns"], row, strict=True)) == {
        "i": 1,
        "big": 9007199254740993,
        "f": 1.5,
        "b": True,
        "n": None,
        "s": "é",
        "l": [1, "a", [2]],
        "m": {"a": {"b": 1}},
        "nan": "NaN",
        "inf": "Infinity",
        "minus": "-Infinity",
        "d": "2026-03-02",
        "at": "2026-03-02T08:00:00Z",
        "lt": "2026-03-02T09:00:00.000000000",
        "t": "09:00:00.000000000+00:00",
        "du": "P1DT2H",
        "p": {"srid": 7203, "coordinates": [1.0, 2.0]},
        "g": {"list": [1, None, 2.5, "x", False]},
    }
    assert answer["took_ms"] > 0


async def test_nodes_relationships_and_paths(api: Api) -> None:
    await api.remember(
        "The build cache runs on alder.",
        relations=[{"source": "build cache", "target": "alder", "type": "runs on"}],
    )
    answer = await read(
        api.http,
        "MATCH path = (a:Entity {scope: $scope})-[r:RUNS_ON]->(b:Entity) RETURN a, r, path",
        parameters={"scope": api.scope},
    )

    ((a, r, path),) = answer["rows"]
    assert (a["labels"], a["properties"]["name"]) == (["Entity"], "build cache")
    assert (r["type"], r["start"], r["properties"]["relation_type"]) == (
        "RUNS_ON",
        a["element_id"],
        "runs on",
    )
    assert [node["properties"]["name"] for node in path["nodes"]] == ["build cache", "alder"]
    assert path["relationships"] == [r]


async def test_vectors_show_their_length_only(api: Api) -> None:
    await api.remember("The build cache runs on alder.")
    answer = await read(
        api.http,
        "MATCH (:Memory {scope: $scope})-[:HAS_EMBEDDING]->(e) RETURN e",
        parameters={"scope": api.scope},
    )

    properties = answer["rows"][0][0]["properties"]
    assert [value["bytes"] > 0 for value in properties.values() if isinstance(value, dict)] == [
        True
    ]


async def test_more_rows_than_asked_for_are_cut(http: httpx.AsyncClient) -> None:
    query = "UNWIND range(1, 1000000000) AS i RETURN i"

    assert len((await read(http, query))["rows"]) == 100
    some = await read(http, query, limit=3)
    assert (some["rows"], some["truncated"]) == ([[1], [2], [3]], True)
    assert len((await read(http, query, limit=10_000))["rows"]) == 1_000
    exact = await read(http, "UNWIND range(1, 3) AS i RETURN i", limit=3)
    assert (len(exact["rows"]), exact["truncated"]) == (3, False)


async def test_more_bytes_than_an_answer_may_have_are_cut(http: httpx.AsyncClient) -> None:
    answer = await http.post(
        "/v1/cypher",
        json={
            "query": "UNWIND range(1, 1000000) AS i RETURN $text + i AS t",
            "parameters": {"text": "x" * 100_000},
            "limit": 1_000,
        },
    )

    assert answer.json()["truncated"] is True
    assert 10 < len(answer.json()["rows"]) < 42
    assert len(answer.content) < 4_300_000


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("MATCH (n) DETACH DELETE n", "DETACH"),
        ("CREATE (n) RETURN n", "CREATE"),
        ("CALL { MATCH (n) RETURN n } IN TRANSACTIONS OF 1 ROWS RETURN n", "TRANSACTIONS"),
        ("MATCH (n) CALL (n) { DELETE n } IN TRANSACTIONS", "DELETE"),
        ("LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line", "LOAD"),
        ("LOAD CSV FROM 'http://169.254.169.254/' AS line RETURN line", "LOAD"),
        ("CALL db.index.fulltext.drop('x')", "db.index.fulltext.drop"),
        ("CALL db.index.fulltext.createNodeIndex('x', ['A'], ['a'])", "fulltext"),
        ("SHOW USERS", "SHOW"),
        ("TERMINATE TRANSACTIONS 'neo4j-transaction-1'", "TERMINATE"),
        ("RETURN range(1, 1000000000)", "range()"),
    ],
)
async def test_what_reads_nothing_is_refused_before_it_runs(
    http: httpx.AsyncClient, query: str, named: str
) -> None:
    assert named in await refusal(http, query)


async def test_what_neo4j_refuses_is_told_in_its_words(http: httpx.AsyncClient) -> None:
    assert "SyntaxError" in await refusal(http, "MATCH (n RETURN n)")
    assert "nobody" in await refusal(http, "RETURN nobody")
    assert "missing" in await refusal(http, "RETURN $missing")
    assert "/ by zero" in await refusal(http, "RETURN 1 / 0")
    assert "tomorrow" in await refusal(http, "RETURN date('tomorrow')")


async def test_a_slow_query_is_ended(http: httpx.AsyncClient) -> None:
    query = "UNWIND range(1, 1000000000) AS i RETURN count(i)"
    answer = await http.post("/v1/cypher", json={"query": query})

    assert answer.status_code == 504
    problem = answer.json()
    assert problem["type"] == "urn:palimpsest:problem:query-timed-out"
    assert "cypher.timeout_ms" in problem["detail"]


async def test_a_query_that_needs_too_much_memory_is_ended(http: httpx.AsyncClient) -> None:
    query = "UNWIND range(1, 100000000) AS i WITH collect({a: i, b: [i]}) AS l RETURN size(l)"

    assert "db.memory.transaction.max" in await refusal(http, query)


async def test_a_third_query_waits_its_turn_and_is_told_when_none_comes(
    http: httpx.AsyncClient,
) -> None:
    slow = {"query": "UNWIND range(1, 1000000000) AS i RETURN count(i)"}
    answers = await asyncio.gather(*(http.post("/v1/cypher", json=slow) for _ in range(3)))

    assert sorted(answer.status_code for answer in answers) == [503, 504, 504]
    (busy,) = [answer for answer in answers if answer.status_code == 503]
    assert busy.headers["retry-after"] == "1"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": "RETURN 1", "limit": 0}, "limit"),
        ({"query": "RETURN 1", "limit": 10_001}, "limit"),
        ({"query": "RETURN 1", "write": True}, "write"),
        ({"query": "RETURN $a", "parameters": {"a": 2**63}}, "parameters.a"),
        ({"query": "RETURN $a", "parameters": {"a": [0] * 10_001}}, "parameters"),
        ({"query": "RETURN $a", "parameters": [1]}, "parameters"),
        ({"query": "x" * 20_001}, "query"),
    ],
)
async def test_a_request_that_is_not_valid(
    http: httpx.AsyncClient, body: dict[str, Any], field: str
) -> None:
    assert fields(await http.post("/v1/cypher", json=body)) == [field]


async def test_it_can_be_switched_off(neo4j_server: Neo4jServer, tmp_path: Path) -> None:
    settings = service_settings(neo4j_server, tmp_path, cypher={"enabled": False})
    with serving(settings) as address:
        async with httpx.AsyncClient(base_url=address, timeout=120.0) as client:
            answer = await client.post("/v1/cypher", json={"query": "RETURN 1"})

    assert answer.status_code == 404
    assert "cypher.enabled" in answer.json()["detail"]
