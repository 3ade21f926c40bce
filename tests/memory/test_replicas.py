"""Two services over one Neo4j, each with a folder of its own."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from service.domain.memory import NewMemory
from service.stores.neo4j.driver import Graph
from tests.memory.conftest import Opener
from tests.memory.story import Store, in_city, named, related
from tests.waiting import until


@pytest.fixture
async def other(opener: Opener, graph: Graph, store: Store) -> AsyncGenerator[Store]:
    """The same scope, as a second replica serves it."""
    async with opener() as service:
        yield Store(service, graph, store.scope)


async def seen(store: Store, query: str, content: str) -> None:
    """Wait until a replica finds what another one wrote."""

    async def found() -> bool:
        return content in await store.found(query)

    await until(found, f"{content!r} is found by the other replica")


async def test_what_one_writes_the_other_finds_links_and_forgets(
    store: Store, other: Store
) -> None:
    kept = await store.remember(NewMemory("Birch Host is new.", entities=named("Birch Host")))
    await seen(other, "birch host", "Birch Host is new.")
    linked = await other.remember("The cache moved to birch host today.")
    assert [entity.name for entity in linked.entities] == ["Birch Host"]
    assert (await other.entity("Birch Host")).mentions == 2
    await seen(store, "cache", "The cache moved to birch host today.")
    await store.forget(kept.memory.id)
    await store.forget(linked.memory.id)

    async def gone() -> bool:
        return await other.found("birch host") == []

    await until(gone, "the other replica forgets too")
    assert await store.mentions() == {}


async def test_a_name_that_the_other_replica_removed_is_made_anew(
    store: Store, other: Store
) -> None:
    for turn in range(5):
        one, two = (store, other) if turn % 2 else (other, store)
        kept = await one.remember(NewMemory(f"note {turn}", entities=named("Zed")))
        await seen(two, f"note {turn}", f"note {turn}")
        await one.forget(kept.memory.id)
        again = await two.remember(NewMemory(f"again {turn}", entities=named("Zed")))
        assert await two.mentions() == {"zed": 1}
        await two.forget(again.memory.id)


async def test_both_write_at_once_without_losing_a_count(store: Store, other: Store) -> None:
    await asyncio.gather(
        *(
            told.remember(
                NewMemory(
                    f"note {n} of {at}",
                    entities=named("shared", f"name {n}"),
                    relations=[related("shared", f"name {n}", "knows")],
                )
            )
            for n in range(15)
            for at, told in enumerate((store, other))
        )
    )
    mentions = await store.mentions()
    assert mentions == await store.counted_mentions()
    assert mentions == {"shared": 30} | {f"name {n}": 2 for n in range(15)}
    pairs = [in_city(value, n) for n, value in enumerate("abcdef")]
    await asyncio.gather(*((store, other)[n % 2].remember(one) for n, one in enumerate(pairs)))
    assert await store.line() == list("abcdef")
    await asyncio.gather(store.is_sound(), other.is_sound())
