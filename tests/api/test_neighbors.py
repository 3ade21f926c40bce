"""What stands around an entity: steps, edges among what was found, and bounds."""

from typing import Any

import pytest

from tests.api.client import Api


def tie(source: str, target: str, type: str = "feeds") -> dict[str, str]:
    return {"source": source, "target": target, "type": type}


async def around(api: Api, name: str, **query: Any) -> tuple[list[str], set[tuple[str, str]], bool]:
    """The names of the nodes in their order, the edges between names, and whether it is all."""
    entity = await api.entity(name)
    found = await api.get(f"/v1/entities/{entity['id']}/neighbors", **query)
    names = {node["id"]: node["name"] for node in found["nodes"]}
    edges = {(names[edge["source"]], names[edge["target"]]) for edge in found["edges"]}
    return list(names.values()), edges, found["truncated"]


@pytest.fixture
async def river(api: Api) -> Api:
    """spring → brook → river → delta → sea, and a mill beside the brook and the river."""
    await api.remember(
        "the water",
        relations=[
            tie("spring", "brook"),
            tie("brook", "river"),
            tie("river", "delta"),
            tie("delta", "sea"),
            tie("brook", "mill", "drives"),
            tie("river", "mill", "drives"),
        ],
    )
    return api


@pytest.mark.parametrize(
    ("depth", "nodes"),
    [
        (1, {"spring", "brook"}),
        (2, {"spring", "brook", "river", "mill"}),
        (3, {"spring", "brook", "river", "mill", "delta"}),
    ],
)
async def test_as_many_steps_as_asked_for(river: Api, depth: int, nodes: set[str]) -> None:
    names, edges, truncated = await around(river, "spring", depth=depth)
    assert names[0] == "spring"
    assert set(names) == nodes
    assert not truncated
    every = {("spring", "brook"), ("brook", "river"), ("brook", "mill"), ("river", "mill")}
    every |= {("river", "delta"), ("delta", "sea")}
    # Also those between two of the farthest nodes.
    assert edges == {edge for edge in every if set(edge) <= nodes}


async def test_nearer_ones_come_first_when_there_is_no_room_for_all(river: Api) -> None:
    names, edges, truncated = await around(river, "spring", depth=3, limit=3)
    assert names[:2] == ["spring", "brook"]
    assert len(names) == 3
    assert truncated
    assert all(set(edge) <= set(names) for edge in edges)


async def test_what_is_mentioned_most_comes_first(api: Api) -> None:
    for n in range(3):
        await api.remember(f"note {n}", relations=[tie("hub", "often")])
    await api.remember("once", relations=[tie("hub", "rarely")])
    names, _, _ = await around(api, "hub", depth=2)
    assert names == ["hub", "often", "rarely"]


async def test_an_entity_alone_has_nothing_around_it(api: Api) -> None:
    await api.remember("alone", entities=[{"name": "island"}])
    assert await around(api, "island", depth=3) == (["island"], set(), False)


@pytest.mark.parametrize("depth", [0, 4, "far"])
async def test_other_depths_are_refused(river: Api, depth: int | str) -> None:
    entity = await river.entity("spring")
    answer = await river.http.get(
        f"/v1/entities/{entity['id']}/neighbors", params={"scope": river.scope, "depth": depth}
    )
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "depth"
