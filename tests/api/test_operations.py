"""The one door to the graph: what each operation does, refuses and records."""

import pytest

from tests.api.client import Api, fields
from tests.api.operating import HOST, apply, names, neighbors, post, set_host, slot


async def test_an_entity_is_made_and_keeps_its_first_type(api: Api) -> None:
    first = await apply(api, {"op": "upsert_entity", "name": "THALIA", "type": "animal"})
    assert first[0]["before"] is None
    assert first[0]["after"]["type"] == "animal"
    again = await apply(api, {"op": "upsert_entity", "name": "Thalia", "type": "person"})
    assert again[0]["after"]["name"] == "THALIA"
    assert again[0]["after"]["type"] == "animal"
    assert "person" in again[0]["note"]
    assert (await api.entity("THALIA"))["type"] == "animal"
    log = await api.get("/v1/operations", entity="thalia")
    assert [one["results"][0]["note"] is not None for one in log["items"]] == [True, False]


async def test_a_second_type_in_a_remember_is_kept_in_the_audit_log(api: Api) -> None:
    await api.remember("THALIA sings.", entities=[{"name": "THALIA", "type": "animal"}])
    await api.remember("Thalia acts.", entities=[{"name": "Thalia", "type": "person"}])
    assert (await api.entity("THALIA"))["type"] == "animal"
    notes = [
        result["note"]
        for one in (await api.get("/v1/operations", entity="THALIA"))["items"]
        for result in one["results"]
        if result["note"] is not None
    ]
    assert len(notes) == 1
    assert "'person'" in notes[0]


async def test_a_renamed_entity_is_found_by_both_names(api: Api) -> None:
    await apply(api, {"op": "upsert_entity", "name": "buildcache"})
    result = (await apply(api, {"op": "rename_entity", "entity": "buildcache", "name": "cache"}))[0]
    assert result["before"]["name"] == "buildcache"
    assert (result["after"]["name"], result["after"]["aliases"]) == ("cache", ["buildcache"])
    told = await api.remember("The buildcache is slow.")
    assert [one["name"] for one in told["entities"]] == ["cache"]
    more = await api.remember("More.", entities=[{"name": "BuildCache"}])
    assert [one["name"] for one in more["entities"]] == ["cache"]
    assert (await api.entity("cache"))["mentions"] == 2
    assert await names(api) == ["cache"]


async def test_a_name_that_is_taken_offers_the_merge(api: Api) -> None:
    await apply(
        api, {"op": "upsert_entity", "name": "cache"}, {"op": "upsert_entity", "name": "birch"}
    )
    response = await post(api, {"op": "rename_entity", "entity": "cache", "name": "Birch "})
    assert response.status_code == 409
    problem = response.json()
    assert problem["index"] == 0
    assert "birch" in problem["detail"]
    assert problem["offer"]["op"] == "merge_entities"
    await apply(api, problem["offer"])
    assert (await api.entity("birch"))["aliases"] == ["cache"]


async def test_an_alias_is_given_and_taken(api: Api) -> None:
    await apply(
        api,
        {"op": "upsert_entity", "name": "cache"},
        {"op": "upsert_alias", "entity": "cache", "name": "the store"},
        {"op": "upsert_entity", "name": "birch"},
    )
    assert (await api.remember("x", entities=[{"name": "The Store"}]))["entities"][0][
        "name"
    ] == "cache"
    taken = await post(api, {"op": "upsert_alias", "entity": "birch", "name": "the store"})
    assert taken.status_code == 409
    await apply(api, {"op": "delete_alias", "entity": "cache", "name": "THE STORE"})
    gone = await post(api, {"op": "delete_alias", "entity": "cache", "name": "the store"})
    assert gone.status_code == 404
    assert (await api.entity("cache"))["aliases"] == []


async def test_a_deleted_entity_takes_what_is_said_of_it_and_leaves_the_memories(api: Api) -> None:
    told = await api.remember(
        "The cache runs on birch.",
        relations=[{"source": "cache", "target": "birch", "type": "runs on"}],
        attributes=[{"entity": "cache", "aspect": "a", "claim_key": "host", "value": "birch"}],
    )
    before = (await apply(api, {"op": "delete_entity", "entity": "cache"}))[0]["before"]
    assert (before["name"], before["relations"], before["attributes"]) == ("cache", 1, 1)
    assert await names(api) == ["birch"]
    memory = await api.get(f"/v1/memories/{told['id']}")
    assert [one["name"] for one in memory["entities"]] == ["birch"]
    assert memory["attributes"] == []
    assert await neighbors(api, "birch") == []
    log = await api.get("/v1/operations", entity=before["id"])
    assert log["items"][0]["results"][0]["op"] == "delete_entity"


async def test_relations_count_their_evidence(api: Api) -> None:
    memory = (await api.remember("They like each other."))["id"]
    likes = {"op": "upsert_relation", "source": "a", "target": "b", "type": "likes"}
    first = await apply(api, {**likes, "confidence": 0.5}, evidence=[memory])
    assert (first[0]["after"]["mentions"], first[0]["after"]["confidence"]) == (1, 0.5)
    again = await apply(api, {**likes, "confidence": 1.0}, evidence=[memory])
    assert again[0]["after"] == again[0]["before"] == first[0]["after"]
    other = await apply(api, {**likes, "confidence": 1.0})
    assert (other[0]["after"]["mentions"], other[0]["after"]["confidence"]) == (2, 0.75)
    assert await neighbors(api, "a") == [("a", "likes", "b", 2)]
    assert sorted(one["name"] for one in (await api.get(f"/v1/memories/{memory}"))["entities"]) == [
        "a",
        "b",
    ]
    gone = {"op": "delete_relation", "source": "a", "target": "b", "type": "LIKES"}
    result = (await apply(api, gone))[0]
    assert (result["before"]["mentions"], result["after"]) == (2, None)
    assert await neighbors(api, "a") == []
    assert (await post(api, gone)).status_code == 404


async def test_a_slot_is_decided_by_time(api: Api) -> None:
    await apply(api, set_host("alder", valid_from="2026-01-01T00:00:00Z"))
    result = (await apply(api, set_host("birch", valid_from="2026-02-01T00:00:00Z")))[0]
    assert (result["before"]["value"], result["after"]["value"]) == ("alder", "birch")
    late = (await apply(api, set_host("cedar", valid_from="2026-01-15T00:00:00Z")))[0]
    assert late["after"]["status"] == "superseded"
    assert await slot(api) == (
        "birch",
        [("birch", "active"), ("cedar", "superseded"), ("alder", "superseded")],
    )


async def test_evidence_states_what_a_set_claims(api: Api) -> None:
    old = (await api.remember("It runs on alder.", created_at="2026-01-01T00:00:00Z"))["id"]
    new = (await api.remember("It runs on birch.", created_at="2026-02-01T00:00:00Z"))["id"]
    await apply(api, set_host("birch"), evidence=[new])
    await apply(api, set_host("alder"), evidence=[old])
    assert await slot(api) == ("birch", [("birch", "active"), ("alder", "superseded")])
    assert (await api.get(f"/v1/memories/{old}"))["superseded"] is True
    assert (await api.get(f"/v1/memories/{new}"))["superseded"] is False
    assert (await api.recall("It runs on alder."))["results"][0]["id"] == new


async def test_a_constraint_ends_by_an_explicit_operation_only(api: Api) -> None:
    rule = await api.remember(
        "Never move the cache off alder.",
        created_at="2026-01-01T00:00:00Z",
        attributes=[{**HOST, "value": "alder", "kind": "constraint"}],
    )
    refused = await post(api, set_host("birch"))
    assert refused.status_code == 409
    assert refused.json()["offer"]["op"] == "supersede_claim_value"
    done = (await apply(api, {"op": "supersede_claim_value", **HOST, "value": "birch"}))[0]
    assert (done["before"]["value"], done["after"]["value"]) == ("alder", "birch")
    assert (done["after"]["kind"], done["after"]["status"]) == ("constraint", "active")
    assert (await slot(api))[0] == "birch"
    assert (await api.get(f"/v1/memories/{rule['id']}"))["superseded"] is True


async def test_an_explicit_supersession_ends_what_claims_to_begin_later(api: Api) -> None:
    await apply(api, set_host("alder", valid_from="2999-01-01T00:00:00Z"))
    await apply(api, {"op": "supersede_claim_value", **HOST, "value": "birch"})
    assert await slot(api) == ("birch", [("birch", "active"), ("alder", "superseded")])


@pytest.mark.parametrize("by_id", [True, False])
async def test_a_retracted_value_leaves_its_slot_to_be_decided_again(api: Api, by_id: bool) -> None:
    old = await api.remember(
        "alder", created_at="2026-01-01T00:00:00Z", attributes=[{**HOST, "value": "alder"}]
    )
    await api.remember(
        "birch", created_at="2026-02-01T00:00:00Z", attributes=[{**HOST, "value": "birch"}]
    )
    current = (await api.get("/v1/slots", **HOST))["current"]
    what = {"attribute_id": current["id"]} if by_id else {**HOST, "value": "Birch"}
    result = (await apply(api, {"op": "retract_attribute", **what}))[0]
    assert (result["before"]["status"], result["after"]["status"]) == ("active", "retracted")
    assert (await slot(api))[0] == "alder"
    assert (await api.get(f"/v1/memories/{old['id']}"))["superseded"] is False
    again = await post(api, {"op": "retract_attribute", "attribute_id": current["id"]})
    assert again.status_code == 409


async def test_memories_are_linked_and_unlinked(api: Api) -> None:
    memory = (await api.remember("It is slow."))["id"]
    link = {"op": "link_memory", "memory_id": memory, "entity": "cache", "mention_text": "It"}
    result = (await apply(api, link))[0]
    assert (result["before"], result["after"]["mention_text"]) == (None, "It")
    assert (await api.entity("cache"))["mentions"] == 1
    unlink = {"op": "unlink_memory", "memory_id": memory, "entity": "cache"}
    assert (await apply(api, unlink))[0]["before"]["mention_text"] == "It"
    assert (await api.get(f"/v1/memories/{memory}"))["entities"] == []
    assert (await post(api, unlink)).status_code == 404


async def test_name_linking_keeps_to_an_unlink(api: Api) -> None:
    await apply(api, {"op": "upsert_entity", "name": "Gopher"})
    memory = (await api.remember("Gopher is a burrowing rodent."))["id"]
    await apply(api, {"op": "unlink_memory", "memory_id": memory, "entity": "Gopher"})
    await api.remember("Gopher is a burrowing rodent.")
    assert (await api.get(f"/v1/memories/{memory}"))["entities"] == []
    assert (await api.entity("Gopher"))["mentions"] == 0


async def test_what_a_memory_states_of_an_entity_keeps_it_linked(api: Api) -> None:
    memory = (await api.remember("birch", attributes=[{**HOST, "value": "birch"}]))["id"]
    refused = await post(api, {"op": "unlink_memory", "memory_id": memory, "entity": "build cache"})
    assert refused.status_code == 409


async def test_a_memory_is_replaced_and_that_is_taken_back(api: Api) -> None:
    a, b = [(await api.remember(f"note {one}"))["id"] for one in "ab"]
    result = (await apply(api, {"op": "supersede_memory", "memory_id": b, "target_id": a}))[0]
    assert result["after"] == {"memory_id": b, "target_id": a, "reason": "it moved"}
    assert (await api.get(f"/v1/memories/{a}"))["superseded"] is True
    cycle = await post(api, {"op": "supersede_memory", "memory_id": a, "target_id": b})
    assert cycle.status_code == 409
    itself = await post(api, {"op": "supersede_memory", "memory_id": a, "target_id": a})
    assert fields(itself) == ["operations.0.target_id"]
    await apply(api, {"op": "retract_supersession", "memory_id": b, "target_id": a})
    assert (await api.get(f"/v1/memories/{a}"))["superseded"] is False


@pytest.mark.parametrize(
    "text", ["X`) DETACH DELETE n //", "A`) MATCH (m) DETACH DELETE m //", "k}) DELETE n //"]
)
async def test_names_and_types_are_text(api: Api, text: str) -> None:
    await api.remember("something that stays")
    await apply(
        api,
        {"op": "upsert_entity", "name": text, "type": text},
        {"op": "upsert_relation", "source": text, "target": "b", "type": text},
        {"op": "upsert_aspect", "entity": text, "aspect": text},
        {"op": "set_attribute", "entity": text, "aspect": text, "claim_key": text, "value": text},
        {"op": "upsert_alias", "entity": text, "name": f"other {text}"},
    )
    assert await names(api) == sorted([text, "b"])
    ((source, type_, target, mentions),) = await neighbors(api, "b")
    assert (source, type_, target, mentions) == (text, text, "b", 1)
    assert len(await api.every("/v1/memories")) == 1


async def test_a_value_that_only_an_operation_states_demotes_the_memory_of_the_old_one(
    api: Api,
) -> None:
    old = await api.remember("It runs on alder.", attributes=[{**HOST, "value": "alder"}])
    await apply(api, {"op": "supersede_claim_value", **HOST, "value": "birch"})
    (found,) = (await api.recall("It runs on alder."))["results"]
    assert (found["id"], found["superseded"]) == (old["id"], True)
    assert found["currentness"]["replaced_by"] is None
    assert "operation" in found["currentness"]["note"]
