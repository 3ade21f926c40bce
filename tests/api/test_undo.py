"""An operation set is taken back as if it had never been, unless something later rests on it."""

from typing import Any

import pytest

from service.stores.neo4j.driver import Graph
from tests.api.client import Api
from tests.api.operating import HOST, applied, apply, names, neighbors, set_host, slot
from tests.operations.graph import changed, picture


async def undo(api: Api, operation_id: str, **more: Any) -> Any:
    body = {"actor": "ines", "reason": "it was wrong", **more}
    return await api.post(f"/v1/operations/{operation_id}/undo", body)


SETS: dict[str, list[dict[str, Any]]] = {
    "upsert": [
        {"op": "upsert_entity", "name": "birch", "type": "host"},
        {"op": "upsert_entity", "name": "build cache", "type": "system"},
    ],
    "rename": [{"op": "rename_entity", "entity": "build cache", "name": "the cache"}],
    "rename twice": [
        {"op": "rename_entity", "entity": "build cache", "name": "the cache"},
        {"op": "rename_entity", "entity": "the cache", "name": "build cache", "keep_alias": False},
        {"op": "rename_entity", "entity": "build cache", "name": "BUILD CACHE"},
    ],
    "delete": [{"op": "delete_entity", "entity": "build cache"}],
    "merge": [{"op": "merge_entities", "source": "buildcache", "target": "build cache"}],
    "merge the other way": [
        {"op": "merge_entities", "source": "build cache", "target": "buildcache"}
    ],
    "alias": [{"op": "upsert_alias", "entity": "build cache", "name": "the store"}],
    "relation": [
        {"op": "upsert_relation", "source": "build cache", "target": "oak", "type": "likes"},
        {"op": "upsert_relation", "source": "build cache", "target": "alder", "type": "runs on"},
    ],
    "delete relation": [
        {"op": "delete_relation", "source": "build cache", "target": "alder", "type": "runs on"}
    ],
    "aspect": [{"op": "upsert_aspect", "entity": "build cache", "aspect": "cost"}],
    "delete aspect": [{"op": "delete_aspect", "entity": "build cache", "aspect": "deployment"}],
    "attribute": [set_host("birch"), set_host("cedar", valid_from="2026-01-15T00:00:00Z")],
    "supersede": [{"op": "supersede_claim_value", **HOST, "value": "birch"}],
    "retract": [{"op": "retract_attribute", **HOST, "value": "elm"}],
    "everything": [
        {"op": "upsert_entity", "name": "birch"},
        {"op": "upsert_relation", "source": "birch", "target": "buildcache", "type": "hosts"},
        set_host("birch"),
        {"op": "merge_entities", "source": "buildcache", "target": "build cache"},
        {"op": "rename_entity", "entity": "build cache", "name": "store"},
        {"op": "retract_attribute", **HOST, "entity": "store", "value": "elm"},
        {"op": "upsert_aspect", "entity": "alder", "aspect": "cost"},
        {"op": "delete_entity", "entity": "alder"},
    ],
}


async def tell(api: Api) -> tuple[str, str]:
    """Two names for one thing, each with relations, a history and an aspect."""
    first = await api.remember(
        "The build cache runs on alder.",
        created_at="2026-01-01T00:00:00Z",
        relations=[
            {"source": "build cache", "target": "alder", "type": "runs on", "confidence": 0.5},
            {"source": "build cache", "target": "buildcache", "type": "is", "confidence": 0.5},
        ],
        attributes=[{**HOST, "value": "alder"}],
    )
    second = await api.remember(
        "The buildcache moved to elm.",
        created_at="2026-02-01T00:00:00Z",
        relations=[
            {"source": "buildcache", "target": "alder", "type": "runs on", "confidence": 1.0},
            {"source": "alder", "target": "buildcache", "type": "hosts", "confidence": 1.0},
        ],
        attributes=[
            {**HOST, "entity": "buildcache", "value": "elm"},
            {**HOST, "value": "elm"},
            {"entity": "buildcache", "aspect": "owner", "claim_key": "team", "value": "infra"},
        ],
    )
    return first["id"], second["id"]


@pytest.mark.parametrize("name", SETS)
async def test_a_set_is_taken_back_without_a_trace_but_the_log(
    api: Api, graph: Graph, name: str
) -> None:
    await tell(api)
    before = await picture(graph, api.scope)
    mark = await applied(api, *SETS[name])
    after = await picture(graph, api.scope)

    shown = await undo(api, mark, dry_run=True)
    assert shown.status_code == 200, shown.text
    assert changed(after, await picture(graph, api.scope)) == []

    undone = await undo(api, mark)
    assert undone.status_code == 201, undone.text
    assert changed(before, await picture(graph, api.scope)) == []
    assert undone.json()["undoes"] == mark
    assert (await api.get(f"/v1/operations/{mark}"))["undone_by"] == undone.json()["id"]
    assert (await undo(api, mark)).status_code == 409

    redone = await undo(api, undone.json()["id"])
    assert redone.status_code == 201, redone.text
    assert changed(after, await picture(graph, api.scope)) == []


async def test_links_and_replacements_are_taken_back(api: Api, graph: Graph) -> None:
    first, second = await tell(api)
    before = await picture(graph, api.scope)
    mark = await applied(
        api,
        {"op": "supersede_memory", "memory_id": second, "target_id": first},
        {"op": "link_memory", "memory_id": first, "entity": "oak"},
    )
    assert (await api.get(f"/v1/memories/{first}"))["superseded"] is True
    assert (await undo(api, mark)).status_code == 201
    assert changed(before, await picture(graph, api.scope)) == []
    mark = await applied(
        api,
        {"op": "link_memory", "memory_id": first, "entity": "oak"},
        {"op": "supersede_memory", "memory_id": second, "target_id": first},
        {"op": "retract_supersession", "memory_id": second, "target_id": first},
        {"op": "unlink_memory", "memory_id": first, "entity": "oak"},
    )
    assert (await undo(api, mark)).status_code == 201
    assert changed(before, await picture(graph, api.scope)) == []


@pytest.mark.parametrize(
    ("done", "later", "told"),
    [
        ([set_host("birch")], [set_host("cedar")], "cedar"),
        (
            [{"op": "upsert_entity", "name": "birch"}],
            [{"op": "upsert_relation", "source": "birch", "target": "elm", "type": "near"}],
            "1 relations",
        ),
        (
            [{"op": "rename_entity", "entity": "alder", "name": "oak", "keep_alias": False}],
            [{"op": "upsert_entity", "name": "alder"}],
            "alder",
        ),
        (
            [{"op": "rename_entity", "entity": "alder", "name": "oak"}],
            [{"op": "rename_entity", "entity": "oak", "name": "ash"}],
            "ash",
        ),
        (
            [{"op": "delete_entity", "entity": "alder"}],
            [{"op": "upsert_entity", "name": "alder"}],
            "alder",
        ),
        (
            [{"op": "merge_entities", "source": "buildcache", "target": "build cache"}],
            [{"op": "delete_alias", "entity": "build cache", "name": "buildcache"}],
            "alias",
        ),
        (
            [{"op": "merge_entities", "source": "buildcache", "target": "build cache"}],
            [
                {
                    "op": "set_attribute",
                    "entity": "build cache",
                    "aspect": "owner",
                    "claim_key": "team",
                    "value": "platform",
                }
            ],
            "platform",
        ),
        (
            [{"op": "upsert_relation", "source": "alder", "target": "elm", "type": "near"}],
            [{"op": "delete_relation", "source": "alder", "target": "elm", "type": "near"}],
            "near",
        ),
    ],
)
async def test_what_something_later_rests_on_stays(
    api: Api, graph: Graph, done: list[dict[str, Any]], later: list[dict[str, Any]], told: str
) -> None:
    await tell(api)
    mark = await applied(api, *done)
    second = await applied(api, *later)
    before = await picture(graph, api.scope)
    response = await undo(api, mark)
    assert response.status_code == 409, response.text
    assert told in response.json()["detail"]
    assert changed(before, await picture(graph, api.scope)) == []
    assert (await undo(api, second)).status_code == 201
    assert (await undo(api, mark)).status_code == 201


async def test_only_operation_sets_are_undone(api: Api) -> None:
    await api.remember("cache", entities=[{"name": "cache"}])
    (record,) = (await api.get("/v1/operations"))["items"]
    assert record["actor"] == "caller"
    assert (await undo(api, record["id"])).status_code == 409
    assert (await undo(api, "nothing")).status_code == 404
    assert (await names(api), await neighbors(api, "cache")) == (["cache"], [])
    assert (await slot(api))[0] is None
    assert (await apply(api, {"op": "upsert_entity", "name": "x"}))[0]["before"] is None
