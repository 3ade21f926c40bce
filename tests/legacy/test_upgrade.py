"""Stores that earlier versions wrote, opened by this one: all is there, and reads as before."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from service.bootstrap import Service, open_service
from service.config import read_settings
from service.domain.deadline import Deadline
from service.domain.errors import IncompatibleStore
from service.domain.memory import NewMemory, Remembered
from service.domain.recall import RecallQuery
from service.stores.neo4j.migrations import migrations
from tests.legacy import stores
from tests.legacy.freeze import DIMENSION, answers
from tests.neo4j_servers import Neo4jServer, quick_neo4j

FIXTURES = Path(__file__).parent / "fixtures"
FROZEN = {
    "0003-0d76b00.answers.json.gz": (
        "e07841417886ed8c919272f8f5fb2774f003ac2bc50d9076ea01c0fa82c239d9"
    ),
    "0003-0d76b00.store.jsonl.gz": (
        "0016fcd7940ae2a339567addbfd42d22a97895a54adac428f12a50065a915498"
    ),
    "0003-c44a382.answers.json.gz": (
        "694735d2026dd25f1fcedb44649393c5ae6c3644b717e84d9cc9f44750c50e2a"
    ),
    "0003-c44a382.store.jsonl.gz": (
        "e6f7cba1845954de6e781a0262a27581916e32d3fd6049b0123e4d7d0c085ce3"
    ),
    "0003-d653606.answers.json.gz": (
        "008b147bbdfbadc2326328ee8ef9cca74224b7a3448fd6d72f2782b129602113"
    ),
    "0003-d653606.store.jsonl.gz": (
        "dd9dcafb8a3885dc7acbfed182ec455f48b87bdcb30cc79debcfd006983474e1"
    ),
    "0003-e619f32.answers.json.gz": (
        "a8dfe1167a4392ed0943d16b49173e6670435313cab7f7b6845bde203c01eb91"
    ),
    "0003-e619f32.store.jsonl.gz": (
        "bb31753aba8596044c833d372b924127147558a731efbf8f955e6e0775efdaaf"
    ),
}
"""Every file with its SHA-256: a change here means that a witness was replaced."""

STORES = sorted({name.split(".")[0] for name in FROZEN})
TOLD = [name for name in STORES if name != "0003-c44a382"]
"""All but the store from before there was a writer."""

NEWEST = migrations()[-1].name.removeprefix("schema/")


def test_the_fixtures_are_those_that_were_frozen() -> None:
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in FIXTURES.glob("*.gz")
    }
    assert found == FROZEN


@pytest.fixture(scope="module")
async def server(
    tmp_path_factory: pytest.TempPathFactory, download_cache: Path
) -> AsyncGenerator[Neo4jServer]:
    """A Neo4j that holds nothing but what these tests put there: it is emptied for each store."""
    async with quick_neo4j(tmp_path_factory.mktemp("neo4j"), download_cache) as neo4j:
        yield Neo4jServer(neo4j.uri, neo4j.user, neo4j.password, "embedded")


@pytest.fixture
async def driver(server: Neo4jServer) -> AsyncGenerator[AsyncDriver]:
    async with stores.connected(server.uri, server.user, server.password) as driver:
        await stores.empty(driver)
        yield driver


def opened(server: Neo4jServer, folder: Path) -> AbstractAsyncContextManager[Service]:
    """This version's service, with a folder of its own."""
    settings = read_settings(
        data_dir=folder,
        neo4j_uri=server.uri,
        neo4j_user=server.user,
        neo4j_password=server.password,
        embedding={"provider": "hashing", "dimension": DIMENSION},
        projection={"poll_s": 0.05},
    )
    return open_service(settings)


@pytest.mark.parametrize("name", TOLD)
async def test_everything_is_there_and_reads_as_before(
    name: str, server: Neo4jServer, driver: AsyncDriver, tmp_path: Path
) -> None:
    stored, said = stores.read(FIXTURES, name)
    await stores.restore(driver, stored)
    async with opened(server, tmp_path / "data") as service:
        assert lost(said, await answers(service)) == []
        assert (await service.doctor.examine()).differences == ()
        await recalls_by_every_channel(service)
        kept = await stores.take(driver)
    assert of_the_data(kept) == of_the_data(stored)


@pytest.mark.parametrize("name", STORES)
async def test_the_schema_becomes_that_of_a_new_store(
    name: str, server: Neo4jServer, driver: AsyncDriver, tmp_path: Path
) -> None:
    async with opened(server, tmp_path / "new"):
        new = await stores.take(driver)
    await stores.empty(driver)
    await stores.restore(driver, stores.read(FIXTURES, name)[0])
    async with opened(server, tmp_path / "old"):
        upgraded = await stores.take(driver)
    assert schema(upgraded) == schema(new)
    assert NEWEST in {migration["name"] for migration in nodes(upgraded, "Migration")}


@pytest.mark.parametrize("name", STORES)
async def test_a_second_start_changes_nothing(
    name: str, server: Neo4jServer, driver: AsyncDriver, tmp_path: Path
) -> None:
    await stores.restore(driver, stores.read(FIXTURES, name)[0])
    async with opened(server, tmp_path / "data"):
        pass
    first = await stores.take(driver)
    async with opened(server, tmp_path / "data"):
        pass
    assert stores.canonical(await stores.take(driver)) == stores.canonical(first)


@pytest.mark.parametrize("name", STORES)
async def test_two_services_started_at_once_both_come_up(
    name: str, server: Neo4jServer, driver: AsyncDriver, tmp_path: Path
) -> None:
    await stores.restore(driver, stores.read(FIXTURES, name)[0])

    async def start(number: int) -> None:
        async with opened(server, tmp_path / str(number)) as service:
            new = NewMemory(f"Service {number} writes too.")
            kept = await service.memories.remember("acme", new)
            assert isinstance(kept, Remembered)
            assert (await service.doctor.examine()).differences == ()

    await asyncio.gather(start(1), start(2))
    migrated = nodes(await stores.take(driver), "Migration")
    assert len(migrated) == len(migrations())


@pytest.mark.parametrize("name", TOLD)
async def test_an_upgraded_store_goes_on(
    name: str, server: Neo4jServer, driver: AsyncDriver, tmp_path: Path
) -> None:
    await stores.restore(driver, stores.read(FIXTURES, name)[0])
    async with opened(server, tmp_path / "data") as service:
        ordinals = {node["ordinal"] for node in nodes(await stores.take(driver), "Memory")}
        twin = await service.memories.remember("acme", NewMemory("The review is on Friday."))
        assert isinstance(twin, Remembered)
        assert twin.deduplicated
        kept = await service.memories.remember("acme", NewMemory("The review is on Tuesday."))
        assert isinstance(kept, Remembered)
        assert kept.memory.ordinal > max(ordinals)
        await service.memories.supersede("acme", kept.memory.id, twin.memory.id)
        assert (await service.doctor.examine()).differences == ()


async def test_a_newer_store_is_refused_and_left_alone(
    server: Neo4jServer, driver: AsyncDriver, tmp_path: Path
) -> None:
    await stores.restore(driver, stores.read(FIXTURES, TOLD[-1])[0])
    await stores.ask(driver, "CREATE (:Migration {name: '9999_later', version: 9999})")
    before = await stores.take(driver)
    with pytest.raises(IncompatibleStore, match=r"9999.*newer Palimpsest"):
        async with opened(server, tmp_path / "data"):
            pass
    assert stores.canonical(await stores.take(driver)) == stores.canonical(before)


async def test_a_frozen_store_comes_out_as_it_went_in(driver: AsyncDriver) -> None:
    for name in STORES:
        stored, _ = stores.read(FIXTURES, name)
        await stores.empty(driver)
        await stores.restore(driver, stored)
        assert stores.canonical(await stores.take(driver)) == stores.canonical(stored)


async def recalls_by_every_channel(service: Service) -> None:
    """Insist that words, questions, vectors and the graph find what was told then."""
    found: dict[str, set[str]] = {}
    for query in (
        "Which host does the build cache run on?",
        "Where does the compiler keep what it made?",
        "birch",
    ):
        answer = await service.recall.recall(RecallQuery("acme", query), Deadline.after(30_000))
        assert {channel.status for channel in answer.channels.values()} <= {"ok", "off"}
        for result in answer.results:
            for source in result.sources:
                found.setdefault(source, set()).add(result.content)
    told = "The build cache runs on host alder."
    assert told in found["content"]
    assert told in found["hints"]
    assert told in found["vector"]
    assert "The build cache moved to host birch." in found["graph"]
    secret = await service.recall.recall(RecallQuery("acme", "quokka"), Deadline.after(30_000))
    assert all("quokka" not in result.content for result in secret.results)


def lost(then: Any, now: Any, at: str = "") -> list[str]:
    """Where an answer no longer says what it said; more than before is welcome."""
    if isinstance(then, dict) and isinstance(now, dict):
        gone = [f"{at}.{key} is gone" for key in then if key not in now]
        return gone + [
            line for key in then if key in now for line in lost(then[key], now[key], f"{at}.{key}")
        ]
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        pairs = enumerate(zip(then, now, strict=True))
        return [line for place, (a, b) in pairs for line in lost(a, b, f"{at}[{place}]")]
    return [] if then == now else [f"{at}: {then!r} became {now!r}"]


def schema(records: list[stores.Record]) -> set[str]:
    return {record["schema"] for record in records if "schema" in record}


def nodes(records: list[stores.Record], label: str) -> list[dict[str, Any]]:
    return [each["properties"] for each in records if label in each.get("labels", ())]


def of_the_data(records: list[stores.Record]) -> list[stores.Record]:
    """A store without its schema and without what numbers it; what an upgrade leaves behind of its
    own would show."""
    house = {"Migration", "Counter"}
    return stores.canonical(
        record
        for record in records
        if "schema" not in record and not house.intersection(record.get("labels", ()))
    )
