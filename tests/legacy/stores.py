"""Whole stores as files: taken from a Neo4j and put back, with every type as it was.

Nothing of the service is used: what it reads and writes is what is being tested.
"""

import base64
import gzip
import json
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, LiteralString, cast

from neo4j import AsyncDriver, AsyncGraphDatabase

Record = dict[str, Any]

_TIMES = (
    "[key IN keys({0}) WHERE {0}[key] IS :: ZONED DATETIME | [key, toString({0}[key])]] AS times"
)
"""The driver hands out UTC as a zone of a name and as an offset alike; only the server can tell."""
_NODES = (
    "MATCH (n) RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties, "
    f"{_TIMES.format('n')}"
)
_RELATIONSHIPS = (
    "MATCH (a)-[r]->(b) RETURN elementId(a) AS start, elementId(b) AS end, type(r) AS type, "
    f"properties(r) AS properties, {_TIMES.format('r')}"
)
_CONSTRAINTS = "SHOW CONSTRAINTS YIELD name, createStatement RETURN createStatement ORDER BY name"
_INDEXES = (
    "SHOW INDEXES YIELD name, type, owningConstraint, createStatement "
    "WHERE owningConstraint IS NULL AND type <> 'LOOKUP' RETURN createStatement ORDER BY name"
)


def canonical(records: Iterable[Record]) -> list[Record]:
    """The same store in an order that does not depend on where Neo4j keeps what."""
    records = list(records)
    nodes = sorted((r for r in records if "node" in r), key=_content)
    places = {node["node"]: place for place, node in enumerate(nodes)}
    edges = [
        {**r, "start": places[r["start"]], "end": places[r["end"]]}
        for r in records
        if "start" in r and r["start"] in places and r["end"] in places
    ]
    return [
        *sorted((r for r in records if "schema" in r), key=_content),
        *({**node, "node": place} for place, node in enumerate(nodes)),
        *sorted(edges, key=_content),
    ]


def _content(record: Record) -> str:
    return json.dumps({key: value for key, value in record.items() if key != "node"})


@asynccontextmanager
async def connected(uri: str, user: str, password: str) -> AsyncGenerator[AsyncDriver]:
    async with AsyncGraphDatabase.driver(
        uri, auth=(user, password), notifications_min_severity="OFF"
    ) as driver:
        yield driver


async def take(driver: AsyncDriver) -> list[Record]:
    """Everything in the store: constraints, indexes, nodes, relationships."""
    taken: list[Record] = [
        {"schema": row["createStatement"]}
        for statement in (_CONSTRAINTS, _INDEXES)
        for row in await ask(driver, statement)
    ]
    nodes = sorted(await ask(driver, _NODES), key=lambda row: _number(row["id"]))
    places = {row["id"]: place for place, row in enumerate(nodes)}
    taken += [
        {
            "node": places[row["id"]],
            "labels": sorted(row["labels"]),
            "properties": _told(row),
        }
        for row in nodes
    ]
    edges: list[Record] = [
        {
            "type": row["type"],
            "start": places[row["start"]],
            "end": places[row["end"]],
            "properties": _told(row),
        }
        for row in await ask(driver, _RELATIONSHIPS)
    ]
    taken += sorted(edges, key=lambda edge: (edge["start"], edge["end"], json.dumps(edge)))
    return taken


async def restore(driver: AsyncDriver, records: Iterable[Record]) -> None:
    """Put a store into an empty Neo4j."""
    records = list(records)
    for record in records:
        if "schema" in record:
            await ask(driver, record["schema"])
    await ask(driver, "CREATE CONSTRAINT place FOR (n:Place) REQUIRE n.place IS UNIQUE")
    await ask(
        driver,
        "UNWIND $rows AS row CREATE (n:$(row.labels)) SET n = row.properties, n:Place, "
        "n.place = row.node FOREACH (at IN row.times | SET n[at[0]] = datetime(at[1]))",
        rows=[_made(record) for record in records if "node" in record],
    )
    await ask(
        driver,
        "UNWIND $rows AS row MATCH (a:Place {place: row.start}) MATCH (b:Place {place: row.end}) "
        "CREATE (a)-[r:$(row.type)]->(b) SET r = row.properties "
        "FOREACH (at IN row.times | SET r[at[0]] = datetime(at[1]))",
        rows=[_made(record) for record in records if "start" in record],
    )
    await ask(driver, "MATCH (n:Place) REMOVE n:Place, n.place")
    await ask(driver, "DROP CONSTRAINT place")
    await ask(driver, "CALL db.awaitIndexes(60)")


async def empty(driver: AsyncDriver) -> None:
    """Take everything out of a Neo4j that belongs to a test alone."""
    await ask(driver, "MATCH (n) DETACH DELETE n")
    for row in await ask(driver, "SHOW CONSTRAINTS YIELD name RETURN name"):
        await ask(driver, f"DROP CONSTRAINT `{row['name']}`")
    for row in await ask(
        driver, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name"
    ):
        await ask(driver, f"DROP INDEX `{row['name']}`")


async def ask(driver: AsyncDriver, statement: str, **parameters: Any) -> list[Record]:
    async with driver.session() as session:
        result = await session.run(cast("LiteralString", statement), parameters)
        return [record.data() for record in [each async for each in result]]


def write(folder: Path, name: str, stored: list[Record], answers: Record) -> None:
    """Keep a store, and what the code that wrote it read of it, as two files."""
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in stored)
    (folder / f"{name}.store.jsonl.gz").write_bytes(gzip.compress(lines.encode(), mtime=0))
    said = json.dumps(answers, ensure_ascii=False).encode()
    (folder / f"{name}.answers.json.gz").write_bytes(gzip.compress(said, mtime=0))


def read(folder: Path, name: str) -> tuple[list[Record], Record]:
    """A store and the answers of its time."""
    lines = gzip.decompress((folder / f"{name}.store.jsonl.gz").read_bytes()).decode()
    said = gzip.decompress((folder / f"{name}.answers.json.gz").read_bytes())
    return [json.loads(line) for line in lines.split("\n") if line], json.loads(said)


def _number(element_id: str) -> int:
    return int(element_id.rsplit(":", 1)[1])


def _told(row: Record) -> dict[str, Any]:
    properties, times = row["properties"], dict(row["times"])
    return {
        key: {"datetime": times[key]} if key in times else _value_told(properties[key])
        for key in sorted(properties)
    }


def _value_told(value: Any) -> Any:
    if isinstance(value, bytes | bytearray):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, list):
        return [_value_told(each) for each in cast("list[Any]", value)]
    assert isinstance(value, str | bool | int | float), f"{value!r} has a type of its own"
    return value


def _made(record: Record) -> Record:
    properties: dict[str, Any] = {}
    times: list[list[str]] = []
    for key, value in record["properties"].items():
        if isinstance(value, dict) and "datetime" in value:
            times.append([key, cast("dict[str, str]", value)["datetime"]])
        else:
            properties[key] = _value_made(value)
    return {**record, "properties": properties, "times": times}


def _value_made(value: Any) -> Any:
    if isinstance(value, list):
        return [_value_made(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return base64.b64decode(cast("dict[str, str]", value)["bytes"])
    return value
