"""Every statement planned by a real server: no typo, no scan, no cartesian product."""

from collections.abc import AsyncGenerator, Iterator
from typing import Any, cast

import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase

from service.stores.neo4j.driver import Graph
from service.stores.neo4j.statements import StatementFile, all_statements
from tests.cypher.vocabulary import LABELS, PROPERTIES, TYPES
from tests.neo4j_servers import Neo4jServer

FAULTS = {
    "01N50": "an unknown label",
    "01N51": "an unknown relationship type",
    "01N52": "an unknown property",
    "03N90": "a cartesian product",
    "01N01": "a deprecated feature",
}
SCANS = (
    "AllNodesScan",
    "NodeByLabelScan",
    "UnionNodeByLabelsScan",
    "IntersectionNodeByLabelsScan",
    "AllRelationshipsScan",
    "RelationshipTypeScan",
    "UnionRelationshipTypesScan",
)
NODES_A_LABEL = 400
QUERY_TYPES = {"read": {"r"}, "write": {"rw", "w"}, "schema": {"s"}}

every_plan = pytest.mark.parametrize(
    "file",
    [file for file in all_statements() if not file.name.startswith("schema/")],
    ids=lambda file: file.name,
)


@pytest.fixture(scope="module")
async def planner(graph: Graph, neo4j_server: Neo4jServer) -> AsyncGenerator[AsyncDriver]:
    """A driver of a server that knows the whole vocabulary, as a used store does."""
    async with AsyncGraphDatabase.driver(
        neo4j_server.uri, auth=(neo4j_server.user, neo4j_server.password)
    ) as driver:
        for procedure, words in (
            ("createLabel", LABELS),
            ("createRelationshipType", TYPES),
            ("createProperty", PROPERTIES),
        ):
            text = f"UNWIND $words AS word CALL db.{procedure}(word) RETURN count(*)"
            await driver.execute_query(cast(Any, text), words=sorted(words))
        # The planner goes by counts: in an empty store a scan costs nothing.
        for label in LABELS:
            await driver.execute_query(
                "UNWIND [$label] AS label UNWIND range(1, $count) AS i CREATE (n:$(label))",
                label=label,
                count=NODES_A_LABEL,
            )
        for name, (start, end) in TYPES.items():
            await driver.execute_query(
                "UNWIND [$start] AS start UNWIND [$end] AS end UNWIND range(1, $count) AS i "
                "CREATE (:$(start))-[:$($name)]->(:$(end))",
                start=start,
                end=end,
                name=name,
                count=NODES_A_LABEL,
            )
        yield driver
        await driver.execute_query("MATCH (n) WHERE size(keys(n)) = 0 DETACH DELETE n")


@every_plan
async def test_the_plan_is_sound(file: StatementFile, planner: AsyncDriver) -> None:
    async with planner.session() as session:
        result = await session.run(cast(Any, f"EXPLAIN {file.text}"))
        columns = tuple(result.keys())
        summary = await result.consume()

    told = [status for status in summary.gql_status_objects if status.gql_status in FAULTS]
    assert not told, "; ".join(
        f"{FAULTS[status.gql_status]}: {status.status_description}" for status in told
    )
    assert summary.query_type in QUERY_TYPES[file.mode]
    assert columns == file.returns
    scans = [name for name in operators(summary.plan) if name.endswith(SCANS)]
    assert not scans or file.scan, "say in the header why it may scan, or use an index"


def operators(plan: dict[str, Any] | None) -> Iterator[str]:
    """The names of all steps of a plan, without the database's name after the `@`."""
    if plan is not None:
        yield str(plan["operatorType"]).partition("@")[0]
        for child in plan.get("children", ()):
            yield from operators(child)
