"""Several processes: over one folder, and starting at once over one Neo4j."""

import asyncio
from pathlib import Path

import pytest

from service.stores.neo4j.driver import Graph, fetch
from service.stores.neo4j.embedded.process import EmbeddedNeo4j
from tests.acceptance.served import Caller, Served
from tests.neo4j_servers import TEST_MEMORY

pytestmark = pytest.mark.acceptance


async def test_a_second_process_over_a_folder_is_told_who_holds_it(served: Served) -> None:
    second = await asyncio.to_thread(
        served.run, "serve", "--port", "0", "--data-dir", str(served.data_dir)
    )
    assert second.returncode != 0
    told = " ".join((second.stdout + second.stderr).split())
    assert f"in use by process {served.pid}" in told
    assert "Traceback" not in told
    assert served.runs


async def test_three_services_start_at_once_on_an_empty_neo4j(
    tmp_path: Path, download_cache: Path
) -> None:
    async with EmbeddedNeo4j(
        tmp_path / "neo4j", download_cache, memory=TEST_MEMORY, bolt_port=0, http_port=0
    ) as neo4j:
        shared = {
            "NEO4J_URI": neo4j.uri,
            "NEO4J_USER": neo4j.user,
            "NEO4J_PASSWORD": neo4j.password,
        }
        replicas = [Served(tmp_path / f"replica-{at}", **shared) for at in range(3)]
        callers = [Caller(replica, "shared") for replica in replicas]
        try:
            await asyncio.gather(*(replica.start() for replica in replicas))
            kept = [await caller.remember(f"said to {at}") for at, caller in enumerate(callers)]
            ids = {memory["id"] for memory in kept}
            for caller in callers:
                assert await caller.every_id() == ids
            async with await Graph.connect(neo4j.uri, neo4j.user, neo4j.password) as graph:
                rows = await graph.read(
                    lambda tx: fetch(
                        tx,
                        "MATCH (m:Migration) "
                        "WITH count(*) AS steps, count(DISTINCT m.name) AS names "
                        "MATCH (c:Counter {name: 'revision'}) "
                        "RETURN steps, names, count(c) AS counters",
                    )
                )
                assert rows[0]["steps"] == rows[0]["names"] > 0
                assert rows[0]["counters"] == 1
            for replica in replicas:
                assert await replica.stop() == 0
        finally:
            for caller in callers:
                await caller.close()
            for replica in replicas:
                await replica.clean_up()
