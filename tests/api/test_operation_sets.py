"""An operation set: all or nothing, tried beforehand, on evidence, in the log, in its scope."""

import asyncio
from typing import Any

import pytest

from service.client import Client
from tests.api.client import Api, fields
from tests.api.operating import HOST, applied, apply, names, neighbors, post, set_host


async def test_a_cycle_within_one_set_is_refused_whole(api: Api) -> None:
    a, b, c = [(await api.remember(f"note {one}"))["id"] for one in "abc"]
    response = await post(
        api,
        {"op": "supersede_memory", "memory_id": a, "target_id": b},
        {"op": "supersede_memory", "memory_id": b, "target_id": c},
        {"op": "supersede_memory", "memory_id": c, "target_id": a},
    )
    assert response.status_code == 409
    assert response.json()["index"] == 2
    for one in (a, b, c):
        assert (await api.get(f"/v1/memories/{one}"))["superseded"] is False


async def test_a_dry_run_shows_and_changes_nothing(api: Api) -> None:
    operations = (
        {"op": "upsert_entity", "name": "cache"},
        {"op": "rename_entity", "entity": "cache", "name": "store"},
        set_host("birch"),
        {"op": "upsert_relation", "source": "store", "target": "birch", "type": "runs on"},
    )
    response = await post(api, *operations, dry_run=True)
    assert response.status_code == 200
    shown = response.json()
    assert shown["dry_run"] is True
    assert shown["results"][1]["after"]["name"] == "store"
    assert await names(api) == []
    assert (await api.get("/v1/operations"))["items"] == []
    assert (await api.call("GET", f"/v1/operations/{shown['id']}")).status_code == 404
    done = await apply(api, *operations)
    assert [one["op"] for one in done] == [one["op"] for one in shown["results"]]


async def test_one_wrong_operation_refuses_the_whole_set(api: Api) -> None:
    good = {"op": "upsert_entity", "name": "cache"}
    for wrong, status in (
        ({"op": "delete_entity", "entity": "nobody"}, 404),
        ({"op": "delete_entity", "entity": {"id": "nobody"}}, 404),
        ({"op": "merge_entities", "source": "cache", "target": "CACHE"}, 422),
        ({"op": "retract_attribute", "attribute_id": "nothing"}, 404),
        ({"op": "link_memory", "memory_id": "nothing", "entity": "cache"}, 404),
        ({"op": "upsert_relation", "source": "a", "target": "b", "type": "MENTIONS"}, 422),
        ({"op": "upsert_relation", "source": {"id": "x"}, "target": "b", "type": "likes"}, 404),
        ({"op": "explode"}, 422),
        ({"op": "upsert_entity", "name": "a\u0000b"}, 422),
        ({"op": "upsert_entity", "name": "x", "extra": 1}, 422),
        (set_host("x", valid_from="2026-13-40"), 422),
    ):
        response = await post(api, good, good, wrong)
        assert response.status_code == status, response.text
        problem = response.json()
        assert "operations.2" in problem["detail"] or all(
            error["field"].startswith("operations.2") for error in problem["errors"]
        ), problem
        if status != 422:
            assert problem["index"] == 2
    assert await names(api) == []
    assert (await api.get("/v1/operations"))["items"] == []


async def test_evidence_must_be_in_the_scope(api: Api) -> None:
    other = (await api.within(f"{api.scope}-b").remember("elsewhere"))["id"]
    response = await post(api, {"op": "upsert_entity", "name": "x"}, evidence=[other])
    assert response.status_code == 404
    assert "evidence.0" in response.json()["detail"]
    empty = await post(api)
    assert fields(empty) == ["operations"]


async def test_the_log_tells_who_did_what_and_why(api: Api) -> None:
    memory = (await api.remember("birch it is"))["id"]
    mark = await applied(api, set_host("birch"), actor="bo", evidence=[memory])
    await apply(api, {"op": "upsert_entity", "name": "alder"})
    record = await api.get(f"/v1/operations/{mark}")
    assert (record["actor"], record["reason"]) == ("bo", "it moved")
    assert record["evidence"] == [memory]
    assert record["results"][0]["after"]["memory_ids"] == [memory]
    by_bo = await api.get("/v1/operations", actor="bo")
    assert [one["id"] for one in by_bo["items"]] == [mark]
    about = await api.get("/v1/operations", entity="build cache")
    assert [one["id"] for one in about["items"]] == [mark]
    all_of_it = await api.every("/v1/operations", limit=1)
    times = [one["applied_at"] for one in all_of_it]
    assert len(all_of_it) == 2
    assert times == sorted(times, reverse=True)
    earlier = await api.get("/v1/operations", until=record["applied_at"])
    assert earlier["items"] == []
    assert (
        await api.within(f"{api.scope}-b").call("GET", f"/v1/operations/{mark}")
    ).status_code == 404


async def test_the_same_request_again_gets_the_first_answer(api: Api) -> None:
    body = {
        "actor": "ines",
        "reason": "it moved",
        "operations": [{"op": "upsert_relation", "source": "a", "target": "b", "type": "likes"}],
    }
    key = {"Idempotency-Key": "once"}
    first = await api.post("/v1/operations", body, **key)
    again = await api.post("/v1/operations", body, **key)
    assert (first.status_code, again.json()) == (201, first.json())
    assert again.headers["Idempotency-Replayed"] == "true"
    assert await neighbors(api, "a") == [("a", "likes", "b", 1)]
    body["operations"][0]["target"] = "c"
    assert (await api.post("/v1/operations", body, **key)).status_code == 409


async def test_operations_of_a_set_build_on_each_other(api: Api) -> None:
    await apply(
        api,
        {"op": "upsert_entity", "name": "cache"},
        {"op": "upsert_aspect", "entity": "cache", "aspect": "cost"},
        {"op": "rename_entity", "entity": "cache", "name": "store", "keep_alias": False},
        {"op": "upsert_entity", "name": "cache"},
        {"op": "upsert_relation", "source": "cache", "target": "store", "type": "feeds"},
        {"op": "delete_aspect", "entity": "store", "aspect": "COST"},
        {"op": "merge_entities", "source": "cache", "target": "store"},
        {"op": "upsert_entity", "name": "birch"},
        {"op": "delete_entity", "entity": "birch"},
        {"op": "upsert_entity", "name": "birch", "type": "host"},
    )
    assert await names(api) == ["birch", "store"]
    store = await api.entity("store")
    assert store["aliases"] == ["cache"]
    assert await neighbors(api, "store") == []
    assert (await api.get(f"/v1/entities/{store['id']}"))["aspects"] == []


async def test_many_at_once_make_one_entity_and_exact_averages(api: Api) -> None:
    made = await asyncio.gather(
        *(post(api, {"op": "upsert_entity", "name": f"{' ' * (n % 3)}Hub"}) for n in range(20))
    )
    assert {one.status_code for one in made} == {201}
    assert len({one.json()["results"][0]["after"]["id"] for one in made}) == 1
    pairs = [("hub", "leaf") if n % 2 else ("leaf", "hub") for n in range(50)]
    told = await asyncio.gather(
        *(
            post(
                api,
                {
                    "op": "upsert_relation",
                    "source": source,
                    "target": target,
                    "type": "knows",
                    "confidence": n / 50,
                },
            )
            for n, (source, target) in enumerate(pairs)
        )
    )
    assert {one.status_code for one in told} == {201}
    found = await api.get(f"/v1/entities/{(await api.entity('Hub'))['id']}/neighbors")
    names_of = {node["id"]: node["name"] for node in found["nodes"]}
    for edge in found["edges"]:
        said = [
            n / 50
            for n, (source, _) in enumerate(pairs)
            if source == names_of[edge["source"]].lower()
        ]
        assert edge["mentions"] == len(said) == 25
        assert edge["confidence"] == pytest.approx(sum(said) / 25, abs=1e-9)
    assert len(found["edges"]) == 2


async def test_nothing_of_another_scope_is_reached(api: Api) -> None:
    other = api.within(f"{api.scope}-b")
    await apply(other, {"op": "upsert_entity", "name": "cache"}, set_host("birch"))
    theirs = await other.entity("cache")
    memory = (await other.remember("over there"))["id"]
    for operation in (
        {"op": "rename_entity", "entity": {"id": theirs["id"]}, "name": "x"},
        {"op": "delete_entity", "entity": "cache"},
        {"op": "merge_entities", "source": {"id": theirs["id"]}, "target": "y"},
        {"op": "link_memory", "memory_id": memory, "entity": "cache"},
        {"op": "supersede_memory", "memory_id": memory, "target_id": memory},
        {"op": "retract_attribute", **HOST, "value": "birch"},
    ):
        response = await post(api, {"op": "upsert_entity", "name": "y"}, operation)
        assert response.status_code == 404, response.text
    attribute = (await other.get("/v1/slots", **HOST))["current"]["id"]
    response = await post(api, {"op": "retract_attribute", "attribute_id": attribute})
    assert response.status_code == 404
    assert (await names(api), await names(other)) == ([], ["build cache", "cache"])
    assert (await api.get("/v1/operations"))["items"] == []


async def test_the_client_applies_a_set(api: Api, address: str) -> None:
    def operate() -> dict[str, Any]:
        with Client(address, scope=api.scope) as client:
            return client.operate(
                [{"op": "upsert_entity", "name": "cache"}], actor="ines", reason="a start"
            )

    done = await asyncio.to_thread(operate)
    assert (done["actor"], done["results"][0]["after"]["name"]) == ("ines", "cache")
    assert await names(api) == ["cache"]
