"""The search for entities: any script, the best fit first, and pages that lose nothing."""

import asyncio
from collections.abc import Sequence

import pytest

from tests.api.client import Api, fields

ORDERS = ("mentions", "name", "updated")


async def make(api: Api, *names: str, times: int = 1) -> None:
    """Entities of these names, each mentioned so many times."""
    await api.batch(
        [
            {"content": f"about {name} {n}", "entities": [{"name": name}]}
            for name in names
            for n in range(times)
        ]
    )


async def names(api: Api, query: str, **more: object) -> list[str]:
    return [one["name"] for one in (await api.get("/v1/entities", query=query, **more))["items"]]


@pytest.mark.parametrize(
    ("name", "queries"),
    [
        ("tb-1", ["tb-", "TB", "tb-1", "tb 1"]),
        ("Dock / Pier|9", ["dock /", "Dock / Pier|9", "pier", "|", "9"]),
        ("Café Zürich", ["cafe", "CAFÉ", "zur", "Zürich Café", "Cafe\u0301"]),
        ("зубчатое колесо", ["зуб", "КОЛ", "колесо зубчатое"]),
        ("Οδός Ερμού", ["οδος", "ερμ"]),
        ("跨境运输规则", ["跨", "运输", "规则"]),
        ("ศูนย์ข้อมูลกลาง", ["ศูนย์", "ข้อมูล"]),
        ("مركز البيانات", ["مركز", "البيا"]),
        ("डेटा केंद्र", ["डेटा", "केंद्र"]),
        ("데이터 센터", ["데이", "센터", "이터"]),
        ("🚀🚀", ["🚀"]),
    ],
)
async def test_a_name_of_any_script_is_found_by_its_parts(
    api: Api, name: str, queries: Sequence[str]
) -> None:
    await make(api, name, "another thing")
    for query in queries:
        assert await names(api, query) == [name], query
    assert await names(api, "nothing of it") == []


async def test_the_best_fit_comes_first_then_what_is_mentioned_most(api: Api) -> None:
    await make(api, "the cache", times=9)
    await make(api, "cache server", "cache of alder", times=2)
    await make(api, "cache", "cache of birch")
    assert await names(api, "cache") == [
        "cache",
        "cache of alder",
        "cache server",
        "cache of birch",
        "the cache",
    ]
    assert await names(api, "cache", order="name") == [
        "cache",
        "cache of alder",
        "cache of birch",
        "cache server",
        "the cache",
    ]
    assert await names(api, "cache", order="updated", limit=2) == ["cache", "cache of birch"]
    assert await names(api, "ache") == []


async def test_a_type_narrows_the_search(api: Api) -> None:
    await api.remember(
        "two Thalias",
        entities=[{"name": "Thalia", "type": "person"}, {"name": "Thalia Road", "type": "street"}],
    )
    assert await names(api, "thalia", type="street") == ["Thalia Road"]
    assert await names(api, "thalia", type="nobody") == []


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("query", [None, "unit"])
async def test_pages_hold_each_once_while_others_are_made(
    api: Api, order: str, query: str | None
) -> None:
    await api.batch(
        [
            {
                "content": f"note {n}",
                "entities": [{"name": f"unit {at}"} for at in range(60) if at % (n + 1) == 0],
            }
            for n in range(5)
        ]
    )
    asked = {"order": order} | ({} if query is None else {"query": query})

    async def write() -> None:
        for n in range(12):
            await make(api, f"unit {n} of another kind", f"a new unit {n}")

    listed, _ = await asyncio.gather(api.every("/v1/entities", limit=7, **asked), write())
    found = [one["name"] for one in listed]
    assert len(found) == len(set(found))
    assert {f"unit {at}" for at in range(60)} <= set(found)


async def test_a_cursor_belongs_to_its_list(api: Api) -> None:
    await make(api, "unit 1", "unit 2", "unit 3")
    cursors = {
        (order, query): (
            await api.get(
                "/v1/entities", order=order, limit=1, **({"query": query} if query else {})
            )
        )["next_cursor"]
        for order in ORDERS
        for query in ("", "unit")
    }
    assert None not in cursors.values()
    for order, query in (("mentions", "unit"), ("name", "unit")):
        answer = await api.call(
            "GET",
            "/v1/entities",
            params={"order": order, "query": query, "cursor": cursors["updated", ""]},
        )
        assert fields(answer) == ["cursor"]


@pytest.mark.parametrize("limit", [0, -1, 1_001])
async def test_a_limit_out_of_range_is_refused(api: Api, limit: int) -> None:
    assert fields(await api.call("GET", "/v1/entities", params={"limit": limit})) == ["limit"]
    answer = await api.call("GET", "/v1/entities", params={"limit": limit, "query": "a"})
    assert fields(answer) == ["limit"]
