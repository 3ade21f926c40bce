"""The schema: made by several services at once, made once, and refused when it is newer."""

import asyncio
from pathlib import Path

import pytest
from neo4j import AsyncManagedTransaction

from service.domain.errors import IncompatibleStore
from service.stores.neo4j.driver import Graph, fetch
from service.stores.neo4j.migrations import migrate, migrations, version_of
from tests.neo4j_servers import quick_neo4j

NAMES = [each.name.removeprefix("schema/") for each in migrations()]


def test_migrations_are_numbered_without_gaps() -> None:
    assert [version_of(name) for name in NAMES] == list(range(len(NAMES)))


async def test_a_migrated_store_is_left_alone(graph: Graph) -> None:
    assert await migrate(graph) == []


async def test_three_services_start_at_once_on_an_empty_store(
    tmp_path: Path, download_cache: Path
) -> None:
    async with quick_neo4j(tmp_path, download_cache) as neo4j:
        graphs = [await Graph.connect(neo4j.uri, neo4j.user, neo4j.password) for _ in range(3)]
        applied = await asyncio.gather(*map(migrate, graphs))
        assert sorted(name for names in applied for name in names) == NAMES

        first = graphs[0]
        assert await migrate(first) == []
        await first.write(run, "MATCH (m:Migration) WHERE m.version = 1 SET m.checksum = 'other'")
        with pytest.raises(IncompatibleStore, match=NAMES[1]):
            await migrate(first)
        await first.write(run, "CREATE (:Migration {name: '9999_later', version: 9999})")
        with pytest.raises(IncompatibleStore, match="9999"):
            await migrate(first)
        for each in graphs:
            await each.close()


async def run(tx: AsyncManagedTransaction, statement: str) -> None:
    await fetch(tx, statement)  # pyright: ignore[reportArgumentType]
