"""Two scopes with the same names, relations, slots and sessions: no reading route mixes them."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.api.client import Api

MINE, THEIRS = "larkspur", "quince"
SLOT = {"aspect": "deployment", "group_key": "location", "claim_key": "host"}


async def plant(api: Api, mark: str) -> dict[str, str]:
    """The same story in each scope, apart from one word; ids by what they belong to."""
    told: list[dict[str, Any]] = []
    for day, host in ((1, "alder"), (2, "birch")):
        told.append(
            await api.remember(
                f"The build cache runs on {host} {mark}.",
                created_at=f"2026-01-0{day}T00:00:00Z",
                session="standup",
                speaker="Ines",
                entities=[{"name": "build cache", "type": f"system {mark}"}],
                relations=[
                    {"source": "build cache", "target": "shared hub", "type": "runs on"},
                    {"source": "shared hub", "target": f"only {mark}", "type": "feeds"},
                ],
                attributes=[{"entity": "build cache", **SLOT, "value": f"{host} {mark}"}],
                hints=[f"Where is the cache {mark}?"],
            )
        )
    correction = await api.remember(
        f"The build cache is gone {mark}.", supersedes=[told[0]["id"]], session="standup"
    )
    cache, hub = [await api.entity(name) for name in ("build cache", "shared hub")]
    return {
        "memory": told[0]["id"],
        "correction": correction["id"],
        "cache": cache["id"],
        "hub": hub["id"],
    }


@dataclass(frozen=True, slots=True)
class Planted:
    """A scope, and what the other one holds."""

    api: Api
    ids: dict[str, str]
    foreign: dict[str, str]
    other: str


@pytest.fixture
async def planted(api: Api) -> Planted:
    """Two scopes with one story."""
    other = api.within(f"{api.scope}-other")
    return Planted(api, await plant(api, MINE), await plant(other, THEIRS), other.scope)


async def read_everything(api: Api, ids: dict[str, str]) -> list[Any]:
    """What every reading route answers."""
    entity, hub, memory = ids["cache"], ids["hub"], ids["memory"]
    lists: dict[str, dict[str, Any]] = {
        "/v1/memories": {"include_superseded": True},
        "/v1/entities": {"limit": 2},
        f"/v1/entities/{entity}/memories": {},
        f"/v1/entities/{entity}/attributes": {"include_superseded": True},
    }
    answers: list[Any] = [await api.every(path, **query) for path, query in lists.items()]
    answers += [await api.every("/v1/memories", entity="build cache")]
    for query in ("build", "cache", "only", "shared hub", MINE, THEIRS):
        for order in ("mentions", "name", "updated"):
            answers.append(await api.every("/v1/entities", query=query, order=order))
    for start in (entity, hub):
        answers.append(await api.get(f"/v1/entities/{start}"))
        answers += [
            await api.get(f"/v1/entities/{start}/neighbors", depth=depth) for depth in (1, 2, 3)
        ]
    answers.append(await api.get(f"/v1/memories/{memory}"))
    answers.append(await api.get(f"/v1/memories/{memory}/lineage"))
    answers.append(await api.get("/v1/slots", entity="build cache", **SLOT))
    answers.append(await api.get("/v1/slots", entity=entity, **SLOT))
    for query in ("where does the build cache run", "shared hub", f"only {MINE} {THEIRS}", "Ines"):
        for more in ({}, {"entity": "build cache"}, {"as_of": "2026-01-01T12:00:00Z"}):
            answer = await api.recall(query, explain=True, limit=50, graph=True, **more)
            answers.append(answer["results"])
    exported = await api.call("GET", "/v1/export")
    assert exported.status_code == 200, exported.text
    answers += [json.loads(line) for line in exported.text.splitlines()]
    answers.append(await api.every("/v1/operations"))
    return answers


async def test_nothing_of_another_scope_is_in_any_answer(planted: Planted) -> None:
    answers = await read_everything(planted.api, planted.ids)
    for answer in answers:
        text = json.dumps(answer, ensure_ascii=False)
        assert THEIRS not in text, text
        assert planted.other not in text, text
        assert not any(one in text for one in planted.foreign.values()), text
    assert sum(MINE in json.dumps(answer) for answer in answers) > len(answers) / 2


async def test_an_id_of_another_scope_is_not_there(planted: Planted) -> None:
    api, ids = planted.api, planted.ids
    entity, memory = planted.foreign["cache"], planted.foreign["memory"]
    calls: list[tuple[str, str, Any]] = [
        ("GET", f"/v1/entities/{entity}", None),
        ("GET", f"/v1/entities/{entity}/neighbors", None),
        ("GET", f"/v1/entities/{entity}/memories", None),
        ("GET", f"/v1/entities/{entity}/attributes", None),
        ("GET", f"/v1/memories/{memory}", None),
        ("GET", f"/v1/memories/{memory}/lineage", None),
        ("PATCH", f"/v1/memories/{memory}", {"importance": 0.1}),
        ("POST", f"/v1/memories/{memory}/supersedes", {"target_id": ids["memory"]}),
        ("POST", f"/v1/memories/{ids['memory']}/supersedes", {"target_id": memory}),
        ("DELETE", f"/v1/memories/{planted.foreign['correction']}/supersedes/{memory}", None),
        ("DELETE", f"/v1/memories/{memory}", None),
    ]
    for method, path, body in calls:
        answer = await api.call(method, path, **({} if body is None else {"json": body}))
        assert answer.status_code == 404, (method, path, answer.text)
    slot = await api.get("/v1/slots", entity=entity, **SLOT)
    assert slot == {"current": None, "history": []}
    assert (await api.recall("build cache", entity=entity))["results"] == []
