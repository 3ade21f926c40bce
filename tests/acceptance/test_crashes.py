"""Whatever dies under a writing load, and whenever: what was acknowledged is there afterwards."""

import asyncio
import json
import os
import random

import pytest

from tests.acceptance.load import Load
from tests.acceptance.served import Caller, Served
from tests.waiting import until

pytestmark = pytest.mark.acceptance

ROUNDS = int(os.environ.get("PALIMPSEST_CRASH_ROUNDS", "5"))
"""How often the service and its Neo4j are killed, in turn; 20 for the full run."""


async def test_a_kill_at_any_moment_loses_nothing_acknowledged(
    served: Served, caller: Caller
) -> None:
    dice = random.Random(f"crash {ROUNDS}")
    checked: set[str] = set()
    load = Load(caller)
    for turn in range(ROUNDS):
        async with load:
            await load.more(dice.randint(1, 25))
            if turn % 2:
                neo4j = served.neo4j()
                assert neo4j is not None
                neo4j.kill()
            else:
                served.kill()
                await served.start()
            await load.more(5)
        await until(caller.is_ready, "the service is ready again", 240.0)
        await _all_is_found(caller, {**load.acknowledged}, checked)
        checked |= load.acknowledged.keys()
    report = await asyncio.to_thread(served.run, "doctor", "--url", served.address, "--json")
    assert (report.returncode, json.loads(report.stdout)["differences"]) == (0, [])


async def test_a_stop_under_load_is_clean_and_loses_nothing(served: Served, caller: Caller) -> None:
    async with Load(caller) as load:
        await load.more(20)
        assert await served.stop() == 0
        assert served.neo4j() is None
        acknowledged = dict(load.acknowledged)
    await served.start()
    await _all_is_found(caller, acknowledged, set())
    assert await caller.differences() == []


async def _all_is_found(caller: Caller, acknowledged: dict[str, str], known: set[str]) -> None:
    """Insist on every memory by GET, and on new ones by word and by meaning."""
    assert acknowledged.keys() <= await caller.every_id()
    for memory_id, content in acknowledged.items():
        if memory_id in known:
            continue
        got = await caller.get(f"/v1/memories/{memory_id}")
        assert got.status_code == 200, got.text
        assert got.json()["content"] == content
        results = (await caller.recall(content, limit=100))["results"]
        (found,) = [result for result in results if result["id"] == memory_id]
        assert {"content", "vector", "hints"} <= set(found["sources"]), found
