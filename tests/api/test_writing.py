"""Many writers at once leave one node, exact counts, and nobody an error."""

import asyncio
from itertools import pairwise

import httpx
import pytest

from tests.api.client import Api


async def test_a_new_entity_named_at_once_is_one_node(api: Api) -> None:
    await asyncio.gather(
        *(
            api.remember(f"note {n}", entities=[{"name": "Dock 9" if n % 2 else "DOCK  9"}])
            for n in range(30)
        )
    )

    (entity,) = await api.every("/v1/entities")
    assert entity["mentions"] == 30
    assert len(await api.every(f"/v1/entities/{entity['id']}/memories", limit=7)) == 30


async def test_relations_in_both_directions_meet_no_deadlock(api: Api) -> None:
    async def write(n: int) -> None:
        source, target = ("A", "B") if n % 2 else ("B", "A")
        relation = {"source": source, "target": target, "type": "calls", "confidence": (n + 1) / 32}
        await api.remember(f"note {n}", relations=[relation])

    await asyncio.gather(*(write(n) for n in range(32)))

    entity = await api.entity("A")
    around = await api.get(f"/v1/entities/{entity['id']}/neighbors")
    names = {node["id"]: node["name"] for node in around["nodes"]}
    found = {names[edge["source"]]: edge for edge in around["edges"]}
    assert found["A"]["mentions"] == found["B"]["mentions"] == 16
    odd = sum((n + 1) / 32 for n in range(1, 32, 2)) / 16
    even = sum((n + 1) / 32 for n in range(0, 32, 2)) / 16
    assert found["A"]["confidence"] == pytest.approx(odd, abs=1e-9)
    assert found["B"]["confidence"] == pytest.approx(even, abs=1e-9)


async def test_many_relations_on_one_hub_at_once(api: Api) -> None:
    await asyncio.gather(
        *(
            api.remember(
                f"note {n}", relations=[{"source": "hub", "target": f"leaf {n}", "type": "feeds"}]
            )
            for n in range(50)
        )
    )

    hub = await api.entity("hub")
    assert hub["mentions"] == 50
    around = await api.get(f"/v1/entities/{hub['id']}/neighbors", limit=1_000)
    assert len(around["edges"]) == 50
    assert len(around["nodes"]) == 51
    assert around["truncated"] is False
    some = await api.get(f"/v1/entities/{hub['id']}/neighbors", limit=10)
    assert len(some["nodes"]) == 10
    assert some["truncated"] is True


async def test_the_same_memory_again_counts_nothing_twice(api: Api) -> None:
    body = {
        "relations": [{"source": "A", "target": "B", "type": "calls", "confidence": 0.5}],
        "entities": [{"name": "A"}, {"name": "a"}],
    }
    await asyncio.gather(*(api.remember("the one note", **body) for _ in range(10)))

    assert len(await api.every("/v1/memories")) == 1
    a = await api.entity("A")
    assert a["mentions"] == 1
    around = await api.get(f"/v1/entities/{a['id']}/neighbors")
    assert [(edge["mentions"], edge["confidence"]) for edge in around["edges"]] == [(1, 0.5)]


async def test_two_scopes_written_in_turn_keep_their_own(api: Api) -> None:
    other = api.within(f"{api.scope}-other")
    await asyncio.gather(
        *(
            where.remember(f"note {n}", entities=[{"name": "shared name"}])
            for n in range(50)
            for where in (api, other)
        )
    )

    for where in (api, other):
        assert len(await where.every("/v1/memories", limit=20)) == 50
        assert (await where.entity("shared name"))["mentions"] == 50


async def test_a_relation_to_an_unknown_id_writes_nothing(api: Api) -> None:
    unknown = "00000000-0000-0000-0000-000000000000"
    for body in (
        {"relations": [{"source": "A", "target": {"id": unknown}, "type": "calls"}]},
        {"relations": [{"source": {"id": unknown}, "target": "A", "type": "calls"}]},
        {"entities": [{"name": "A"}, {"id": unknown}]},
        {"attributes": [{"entity": {"id": unknown}, "aspect": "a", "value": "v"}]},
    ):
        answer = await api.post("/v1/memories", {"content": "never", **body})
        assert answer.status_code == 404
        assert unknown in answer.json()["detail"]

    assert await api.every("/v1/memories") == []
    assert await api.every("/v1/entities") == []


async def test_a_relation_by_ids_ties_the_entities_that_are_there(api: Api) -> None:
    made = await api.remember("first", entities=[{"name": "A"}, {"name": "B"}])
    a, b = [entity["id"] for entity in made["entities"]]
    await api.remember(
        "second", relations=[{"source": {"id": a}, "target": {"id": b}, "type": "calls"}]
    )

    around = await api.get(f"/v1/entities/{a}/neighbors")
    assert [(edge["source"], edge["target"]) for edge in around["edges"]] == [(a, b)]


async def test_long_values_and_contents_are_stored(api: Api) -> None:
    value = "ü" * 5_000
    content = ("lighthouse " * 9_091)[:99_990] + " heron"
    made = await api.remember(
        content,
        attributes=[
            {"entity": "E", "aspect": "a", "group_key": "g", "claim_key": "c", "value": value},
            {"entity": "E", "aspect": "a", "value": "w" * 10_000},
        ],
        entities=[{"name": "n" * 512}, {"name": "界" * 512}],
    )

    detail = await api.get(f"/v1/memories/{made['id']}")
    assert detail["content"] == content
    assert {each["value"] for each in detail["attributes"]} == {value, "w" * 10_000}
    assert await api.by_words("heron") == [content]


async def test_a_session_is_told_in_order_of_time_whatever_arrives_first(api: Api) -> None:
    days = [3, 1, 5, 2, 4]
    for day in days:
        await api.remember(
            f"turn {day}", session="talk", speaker="Ines", created_at=f"2026-01-0{day}T00:00:00Z"
        )

    listed = [item["created_at"] for item in await api.every("/v1/memories")]
    assert all(newer > older for newer, older in pairwise(listed))
    assert (await api.entity("Ines"))["mentions"] == 5


async def test_paging_shows_each_memory_once_while_others_arrive(api: Api) -> None:
    for start in range(0, 5_000, 1_000):
        await api.batch([{"content": f"note {start + n}"} for n in range(1_000)])
    before = {f"note {n}" for n in range(5_000)}

    async def write() -> None:
        for n in range(100):
            await api.remember(f"meanwhile {n}")

    listed, _ = await asyncio.gather(api.every("/v1/memories", limit=100), write())
    contents = [item["content"] for item in listed]
    assert sorted(content for content in contents if content in before) == sorted(before)


async def test_an_entity_of_very_many_mentions_does_not_hold_recall_up(
    api: Api, http: httpx.AsyncClient
) -> None:
    for start in range(0, 3_000, 1_000):
        await api.batch(
            [
                {"content": f"hub note {start + n}", "entities": [{"name": "hub"}]}
                for n in range(1_000)
            ]
        )

    answer = await api.recall("hub", deadline_ms=50)
    assert set(answer["channels"]) >= {"content", "hints", "vector", "graph", "currentness"}
    for report in answer["channels"].values():
        assert report["status"] in ("ok", "timed_out", "off")
    assert (await api.entity("hub"))["mentions"] == 3_000
