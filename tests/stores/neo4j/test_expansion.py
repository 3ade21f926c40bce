"""The one hop of recall: what it reads, what it never crosses, and what it costs on a hub."""

from collections.abc import AsyncGenerator, Iterable
from typing import Any, LiteralString

import pytest
from neo4j import AsyncGraphDatabase

from service.domain.errors import GraphFailed
from service.domain.names import RESERVED_RELATION_TYPES
from service.stores.neo4j.driver import Graph
from service.stores.neo4j.expansion import contents, neighbors, neighbors_statement
from tests.neo4j_servers import Neo4jServer

TYPES = frozenset({"RUNS_ON", "由组成", "DEPENDS_ON"})


def test_types_stand_in_the_statement_quoted_and_in_one_order() -> None:
    text = neighbors_statement(TYPES)
    assert "-[r:`DEPENDS_ON`|`RUNS_ON`|`由组成`]-" in text
    assert "RELATED_TO" not in text
    assert neighbors_statement(frozenset(reversed(sorted(TYPES)))) == text


@pytest.mark.parametrize(
    "name",
    [
        "A`) MATCH (m) DETACH DELETE m //",
        "A`",
        "A B",
        "A]-() DELETE r //",
        "A\\u0060",
        "A|B",
        "",
        "A\n",
        *sorted(RESERVED_RELATION_TYPES),
    ],
)
def test_nothing_but_a_valid_type_gets_into_the_statement(name: str) -> None:
    with pytest.raises(GraphFailed, match="not valid"):
        neighbors_statement(frozenset({"RUNS_ON", name}))


def test_no_type_gives_no_statement() -> None:
    with pytest.raises(GraphFailed, match="no relation type"):
        neighbors_statement(frozenset())


class Store:
    """The test's own nodes, written past the service."""

    def __init__(self, server: Neo4jServer, scope: str) -> None:
        self.scope = scope
        self._driver = AsyncGraphDatabase.driver(server.uri, auth=(server.user, server.password))

    async def run(self, statement: LiteralString, **params: Any) -> Any:
        """Run a statement and return its summary."""
        async with self._driver.session() as session:
            return await (await session.run(statement, scope=self.scope, **params)).consume()

    async def profiled_hits(self, statement: LiteralString, **params: Any) -> int:
        """How many steps in the store the statement takes."""

        def total(plan: Any) -> int:
            own = plan.get("args", {}).get("DbHits", 0)
            return own + sum(map(total, plan.get("children", ())))

        summary = await self.run("PROFILE " + statement, **params)
        return total(summary.profile)

    async def close(self) -> None:
        async with self._driver:
            await self.run(
                # The hub last, when nothing hangs on it any more: one transaction stays small.
                "MATCH (n) WHERE n.test_scope = $scope WITH n ORDER BY COUNT { (n)--() }"
                " CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS"
            )


@pytest.fixture
async def store(neo4j_server: Neo4jServer, graph: Graph, scope: str) -> AsyncGenerator[Store]:
    made = Store(neo4j_server, scope)
    yield made
    await made.close()


async def make_entities(store: Store, names: Iterable[str]) -> None:
    await store.run(
        "UNWIND $names AS name CREATE (:Entity {id: $scope + name, scope: $scope,"
        " canonical_name: name, name: name, mentions: 1, revision: 0, test_scope: $scope})",
        names=list(names),
    )


async def test_relations_are_read_in_both_directions_most_mentioned_first(
    store: Store, graph: Graph
) -> None:
    await make_entities(store, "abcd")
    await store.run(
        "MATCH (a:Entity {id: $scope + 'a'}), (b:Entity {id: $scope + 'b'}),"
        " (c:Entity {id: $scope + 'c'}), (d:Entity {id: $scope + 'd'})"
        " CREATE (a)-[:RUNS_ON {mentions: 1, confidence: 0.5}]->(b),"
        " (c)-[:`由组成` {mentions: 3, confidence: 0.9}]->(a),"
        " (a)-[:UNREGISTERED {mentions: 9, confidence: 1.0}]->(d)"
    )
    found = await neighbors(graph, TYPES, [store.scope + "a"], limit=50, timeout_s=10)
    assert [(one.entity_id, one.relation_type, one.mentions, one.confidence) for one in found] == [
        (store.scope + "c", "由组成", 3, 0.9),
        (store.scope + "b", "RUNS_ON", 1, 0.5),
    ]
    assert {one.seed_id for one in found} == {store.scope + "a"}
    assert len(await neighbors(graph, TYPES, [store.scope + "a"], limit=1, timeout_s=10)) == 1
    assert await neighbors(graph, frozenset(), [store.scope + "a"], limit=1, timeout_s=10) == []
    assert await neighbors(graph, TYPES, [], limit=1, timeout_s=10) == []
    assert await neighbors(graph, TYPES, ["unknown"], limit=1, timeout_s=10) == []


async def test_a_hub_costs_no_more_than_is_read_of_it(store: Store, graph: Graph) -> None:
    await make_entities(store, ["hub", "near"])
    await store.run(
        "MATCH (hub:Entity {id: $scope + 'hub'}), (near:Entity {id: $scope + 'near'})"
        " CREATE (hub)-[:DEPENDS_ON {mentions: 2, confidence: 1.0}]->(near)"
    )
    await store.run(
        "MATCH (hub:Entity {id: $scope + 'hub'}) UNWIND range(1, 10000) AS i"
        " CALL (hub, i) { CREATE (:Crowd {test_scope: $scope})-[:MENTIONS]->(hub) }"
        " IN TRANSACTIONS OF 5000 ROWS"
    )
    given = {"ids": [store.scope + "hub"], "per_entity": 250, "limit": 200}
    mentioned = await store.profiled_hits(neighbors_statement(TYPES), **given)
    assert mentioned < 500
    await store.run(
        "MATCH (hub:Entity {id: $scope + 'hub'}) UNWIND range(1, 5000) AS i"
        " CALL (hub, i) { CREATE (hub)-[:RUNS_ON {mentions: 1, confidence: 1.0}]->"
        " (:Entity {id: $scope + i, scope: $scope, canonical_name: toString(i), mentions: 1,"
        " revision: 0, test_scope: $scope}) } IN TRANSACTIONS OF 5000 ROWS"
    )
    related = await store.profiled_hits(neighbors_statement(TYPES), **given)
    assert related < 2_500
    found = await neighbors(graph, TYPES, given["ids"], limit=200, timeout_s=10)
    assert len(found) == 200


async def test_contents_are_those_of_live_memories(store: Store, graph: Graph) -> None:
    await store.run(
        "CREATE (:Memory {id: $scope + '1', content: 'birch', test_scope: $scope}),"
        " (:DeletedMemory {id: $scope + '2', content: 'oak', test_scope: $scope})"
    )
    ids = [store.scope + one for one in "123"]
    assert await contents(graph, ids, 10) == {store.scope + "1": "birch"}
    assert await contents(graph, [], 10) == {}
