"""A thousand hostile queries leave Neo4j's memory, threads, work and data where they were."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from tests.api.client import Api
from tests.api.conftest import service_settings, serving
from tests.neo4j_servers import test_server as neo4j_server_at
from tests.waiting import until

SLACK_BYTES = 64 * 2**20
SLACK_THREADS = 8

REFUSED = [
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) DELETE n RETURN 1",
    "CREATE (n:Planted) RETURN n",
    "MATCH (n) CREATE (n)-[:PLANTED]->(n) RETURN n",
    "MERGE (n:Planted) RETURN n",
    "MATCH (n) SET n.planted = 1 RETURN n",
    "MATCH (n) REMOVE n.name RETURN n",
    "MATCH (n) FOREACH (x IN [1] | SET n.planted = x) RETURN n",
    "MATCH (n) CALL (n) { SET n.planted = 1 } IN TRANSACTIONS RETURN 1",
    "CALL { MATCH (n) RETURN n } IN TRANSACTIONS OF 1 ROWS RETURN n",
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "LOAD CSV WITH HEADERS FROM 'http://127.0.0.1/' AS line RETURN line",
    "CALL db.index.fulltext.drop('x')",
    "CALL db.index.fulltext.queryNodes('x', 'y') YIELD node RETURN node",
    "CALL db.clearQueryCaches()",
    "CALL dbms.listConfig() YIELD name, value RETURN name, value",
    "CALL dbms.killQuery('query-1')",
    "CALL apoc.cypher.run('RETURN 1', {}) YIELD value RETURN value",
    "RETURN apoc.text.repeat('a', 1000000000) AS t",
    "RETURN genai.vector.encode('a', 'OpenAI', {}) AS v",
    "SHOW USERS",
    "SHOW TRANSACTIONS YIELD transactionId RETURN transactionId",
    "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "DROP CONSTRAINT planted IF EXISTS",
    "CREATE INDEX planted FOR (n:Planted) ON (n.name)",
    "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'",
    "USE system MATCH (n) RETURN n",
    "CYPHER runtime=slotted MATCH (n) RETURN n",
    "PROFILE MATCH (n) RETURN n",
    "RETURN range(1, 1000000000) AS l",
    "RETURN size(range(1, 1000000000)) AS l",
    "WITH 1000000000 AS n RETURN range(1, n) AS l",
    "RETURN [x IN range(1, 1000000000) | x] AS l",
    "RETURN all(x IN range(1, 300000000) WHERE x > 0) AS a",
    "RETURN [x IN range(1, 5000) | [y IN range(1, 5000) | y]] AS l",
    "WITH range(1, 9999) AS l RETURN [x IN l | l] AS m",
    "WITH range(1, 9999) AS l RETURN [x IN l[..1000] | l] AS m",
    "WITH range(1, 9999) AS l RETURN any(x IN l WHERE any(y IN l WHERE x + y < 0)) AS a",
    "WITH range(1, 9999) AS l RETURN size([x IN l WHERE x IN reverse(l)]) AS s",
    "RETURN reduce(s = 'a', i IN range(1, 31) | s + s) AS s",
    "RETURN reduce(n = 0, i IN range(1, 300000000) | n + i) AS s",
    "WITH 'a' AS s " + "WITH s + s AS s " * 31 + "RETURN s",
    "WITH 'a' AS s " + "WITH s || s AS s " * 31 + "RETURN s",
    "WITH [1] AS a " + "WITH [a, a] AS a " * 40 + "RETURN a",
    "WITH {a: 1} AS a " + "WITH {a: a, b: a} AS a " * 40 + "RETURN a",
    "WITH [1] AS a " + "WITH a + a AS a " * 40 + "RETURN size(a) AS s",
    "WITH 'aaaaaaaaaa' AS s " + "WITH replace(s, 'a', s) AS s " * 5 + "RETURN s",
    "RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '(a+)+b' AS m",
    "MATCH p=SHORTEST 100000 (a)-[*]-(b) RETURN p",
    "WITH range(1, 9999) AS l MATCH (x) RETURN [(x)-[*1..3]-(b) | l] AS m",
    "WITH range(1, 9999) AS l MATCH (x) RETURN COLLECT { MATCH (b) RETURN l } AS m",
    "RETURN COLLECT { UNWIND range(1, 20000000) AS i RETURN {a: i} } AS m",
    "MATCH (n:$(['Entity'])) RETURN n",
    "RETURN " + "(" * 5_000 + "1" + ")" * 5_000 + " AS x",
    "RETURN " + "[" * 5_000 + "]" * 5_000 + " AS x",
]
"""Each of these is refused before it runs, however it is written."""

BOUNDED = [
    "UNWIND range(1, 1000000000) AS i RETURN count(i) AS n",
    "UNWIND range(1, 1000000000) AS i RETURN i",
    "UNWIND range(1, 1000000000) AS i WITH i ORDER BY -i RETURN i",
    "UNWIND range(1, 1000000000) AS i RETURN DISTINCT i % 1000000007 AS d ORDER BY d",
    "UNWIND range(1, 100000) AS i UNWIND range(1, 100000) AS j RETURN count(*) AS n",
    "UNWIND range(1, 1000000000) AS i RETURN size(collect(i)) AS n",
    "UNWIND range(1, 1000000000) AS i RETURN i % 1000 AS k, collect({a: i}) AS l",
    "MATCH (a:Entity), (b:Entity), (c:Entity), (d:Entity), (e:Entity), (f:Entity) "
    "RETURN count(*) AS n, sum(a.mentions * b.mentions) AS s, max(f.name + e.name) AS m",
    "MATCH p=(:Entity)-[*1..30]-() RETURN count(DISTINCT p) AS n",
    "MATCH p=(:Entity)-[*1..30]-() RETURN collect(p) AS l",
    "MATCH p=(:Entity)(()--()){1,20}() RETURN count(p) AS n, max(length(p)) AS m",
    "MATCH (a:Entity) RETURN sum(COUNT { (a)-[*1..20]-() }) AS n",
    "MATCH p=allShortestPaths((a:Entity)-[*..40]-(b:Entity)) WHERE a <> b RETURN count(p) AS n",
    "MATCH (n) WITH collect(n) AS l UNWIND range(1, 1000000) AS i RETURN collect(l) AS m",
    "MATCH (n) UNWIND range(1, 100000) AS i RETURN collect(n) AS l",
]
"""These run, and are ended by one of their bounds."""


def manglings(query: str) -> Iterator[str]:
    """The same query, written in other ways."""
    first, _, rest = query.partition(" ")
    yield query
    yield query + " ;"
    yield f"/* harmless */ {query} // RETURN 1"
    yield f"\n\t{query}\r\n"
    yield query.replace(" ", "\u00a0")
    yield query.replace(" ", "/**/")
    yield query.replace(" ", "\n// it's\n")
    yield query.replace("(", " (").replace(")", " )")
    yield "".join(c.lower() if i % 2 else c for i, c in enumerate(query))
    yield query.swapcase()
    yield f"\\u{ord(query[0]):04x}{query[1:]}"
    yield f"{first} {rest[:1]}\\u{ord((rest + '  ')[1]):04X}{rest[2:]}"
    yield f"MATCH (zz) WITH zz LIMIT 1 {query}"
    yield f"CALL {{ {query} }} RETURN 1"
    yield f"UNWIND [1, 2] AS zz CALL (zz) {{ {query} }} RETURN 1"
    yield f"EXPLAIN {query}"
    yield f"CYPHER 5 {query}"
    yield f"RETURN 1 AS x; {query}"
    yield f"RETURN 1 AS x UNION {query}"
    yield f"MATCH (zz) WHERE EXISTS {{ {query} }} RETURN zz"


def fuzzed(seed: int) -> Iterator[str]:
    """Readings with pieces of hostile queries put into them at random places."""
    dice = random.Random(seed)
    pieces = [
        piece for query in (*REFUSED, *BOUNDED) if len(query) < 200 for piece in query.split()
    ]
    readings = [
        "MATCH (n) WHERE n.name = 'a' RETURN n.name AS name, count(*) AS c ORDER BY c LIMIT 5",
        "MATCH p=(a)-[*1..2]-(b) RETURN [n IN nodes(p) | n.name] AS names LIMIT 5",
        "UNWIND range(1, 10) AS i WITH collect(i)[..5] AS l RETURN {l: l, s: size(l)} AS m",
        "MATCH (a) RETURN a{.*, d: COUNT { (a)--() }} AS m, COLLECT { MATCH (a)--(b) "
        "RETURN b.name LIMIT 5 } AS names LIMIT 5",
    ]
    while True:
        words = dice.choice(readings).split()
        for _ in range(dice.randint(1, 3)):
            start = dice.randrange(len(words))
            piece = dice.choice(dice.choice([pieces, words]))
            words[start : start + dice.randint(0, 1)] = [piece] * dice.randint(0, 2)
            words = words or ["RETURN"]
        yield " ".join(words)


class Watched:
    """What Neo4j itself says of its memory, threads, transactions and data."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def data(self) -> tuple[int, int, int]:
        """Nodes, relationships and indexes."""
        return (
            (await self._one("MATCH (n) RETURN count(n) AS it"))["it"],
            (await self._one("MATCH ()-[r]->() RETURN count(r) AS it"))["it"],
            (await self._one("SHOW INDEXES YIELD name RETURN count(name) AS it"))["it"],
        )

    async def threads(self) -> int:
        """Live threads of the server."""
        row = await self._one(
            "CALL dbms.queryJmx('java.lang:type=Threading') YIELD attributes "
            "RETURN attributes.ThreadCount.value AS it"
        )
        return row["it"]

    async def heap(self) -> int:
        """The least heap in use while garbage is made, and so collected now and then."""
        await self._one("CALL db.clearQueryCaches() YIELD value RETURN value AS it")
        least = 2**62
        for _ in range(12):
            await self._one("UNWIND range(1, 300000) AS i RETURN sum(size(toString(i))) AS it")
            row = await self._one(
                "CALL dbms.queryJmx('java.lang:type=Memory') YIELD attributes "
                "RETURN attributes.HeapMemoryUsage.value.properties.used AS it"
            )
            least = min(least, row["it"])
        return least

    async def heap_is_back_under(self, most: int) -> bool:
        """Whether the heap in use is at most so large, after lists that made the old part full.

        What outlives a few collections of the young part is collected only then.
        """
        await self._one("UNWIND range(1, 300000) AS i RETURN size(collect(toString(i))) AS it")
        return await self.heap() <= most

    async def idle(self) -> bool:
        """Whether nothing but this question runs."""
        row = await self._one("SHOW TRANSACTIONS YIELD transactionId RETURN count(*) AS it")
        return row["it"] <= 1

    async def _one(self, query: Any) -> Row:
        async def work(tx: Transaction) -> list[Row]:
            return await fetch(tx, query)

        return (await self._graph.read(work))[0]


async def test_a_thousand_hostile_queries_leave_nothing_behind(tmp_path: Path) -> None:
    refused = {text for query in REFUSED for text in manglings(query)}
    assert len(refused) >= 1_000
    fuzz = fuzzed(4)
    async with neo4j_server_at(tmp_path / "neo4j") as server:
        settings = service_settings(server, tmp_path / "service", cypher={"timeout_ms": 400})
        with serving(settings) as address:
            async with (
                httpx.AsyncClient(base_url=address, timeout=120.0) as http,
                await Graph.connect(server.uri, server.user, server.password) as graph,
            ):
                api, watched = Api(http, "hostile"), Watched(graph)
                await _fill(api)
                # Pools of the server start threads when they are first needed, and keep them.
                for query in BOUNDED:
                    await http.post("/v1/cypher", json={"query": query, "limit": 1_000})
                heap, threads = await watched.heap(), await watched.threads()
                data = await watched.data()

                for query in sorted(refused):
                    answer = await http.post("/v1/cypher", json={"query": query, "limit": 1_000})
                    assert answer.status_code == 422, (query[:200], answer.text[:200])
                for query in (*BOUNDED, *(next(fuzz) for _ in range(200))):
                    answer = await http.post("/v1/cypher", json={"query": query, "limit": 1_000})
                    assert answer.status_code in (200, 422, 504), (query, answer.text[:200])

                await until(watched.idle, "an end of all that ran")
                assert await watched.data() == data
                assert await watched.threads() <= threads + SLACK_THREADS
                await until(
                    lambda: watched.heap_is_back_under(heap + SLACK_BYTES), "a heap as before"
                )
                assert (await api.by_words("where is elm?"))[0] == "The runner elm is host 7."


async def _fill(api: Api) -> None:
    """A graph that is dense enough for a path to have no end."""
    names = ["alder", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine"]
    results = await api.batch(
        [
            {
                "content": f"The runner {name} is host {4 + at}.",
                "relations": [
                    {"source": name, "target": other, "type": "talks to"}
                    for other in names
                    if other != name
                ],
            }
            for at, name in enumerate(names)
        ]
    )
    assert {result["status"] for result in results} == {"created"}
