"""Text of a caller is never a statement, a scope or an owner."""

import pytest

from tests.api.client import Api, fields

NASTY = [
    "X`) DETACH DELETE n //",
    "A`) MATCH (m) DETACH DELETE m //",
    "k}) DELETE n //",
    "'; MATCH (n) DETACH DELETE n; //",
    '"}) RETURN n //',
    "\\u0060) DELETE n",
    "$param",
    "{{content}}",
    "`",
    "``",
]


@pytest.mark.parametrize("text", NASTY)
async def test_a_statement_in_any_field_is_text(api: Api, text: str) -> None:
    kept = await api.remember("stays", entities=[{"name": "stays too"}])
    answer = await api.post(
        "/v1/memories",
        {
            "content": text,
            "type": text,
            "source": text,
            "session": text,
            "metadata": {text: text},
            "hints": [text],
            "entities": [{"name": f"a {text}", "type": text, "mention_text": text}],
            "relations": [{"source": "a", "target": "b", "type": f"a {text}"}],
            "attributes": [
                {
                    "entity": "a",
                    "aspect": f"a {text}",
                    "group_key": f"a {text}",
                    "claim_key": f"a {text}",
                    "value": text,
                }
            ],
        },
    )

    assert answer.status_code == 201, answer.text
    detail = await api.get(f"/v1/memories/{answer.json()['id']}")
    assert detail["metadata"] == {text: text}
    assert detail["type"] == text
    assert {item["content"] for item in await api.every("/v1/memories")} == {"stays", text}
    assert (await api.get(f"/v1/memories/{kept['id']}"))["content"] == "stays"
    names = {entity["name"] for entity in await api.every("/v1/entities")}
    assert names == {"stays too", f"a {text}", "a", "b"}
    for params in (
        {"query": text, "type": text},
        {"query": f"a {text}"},
    ):
        await api.get("/v1/entities", **params)
    await api.get("/v1/memories", type=text, entity=text)
    await api.recall(text, types=[text], entity=f"a {text}")


@pytest.mark.parametrize(
    "given", ["non-compliant", "runs on", "由组成", "Läuft auf", "работает на", "a.b/c"]
)
async def test_a_relation_type_is_shown_as_given(api: Api, given: str) -> None:
    await api.remember("one", relations=[{"source": "A1", "target": "B1", "type": given}])

    entity = await api.entity("A1")
    around = await api.get(f"/v1/entities/{entity['id']}/neighbors")
    assert [edge["type"] for edge in around["edges"]] == [given]
    assert {node["name"] for node in around["nodes"]} == {"A1", "B1"}


@pytest.mark.parametrize("given", ["SUPERSEDES", "mentions", "has aspect", "Next"])
async def test_a_relation_type_of_the_service_itself_is_refused(api: Api, given: str) -> None:
    answer = await api.post(
        "/v1/memories",
        {"content": "a", "relations": [{"source": "a", "target": "b", "type": given}]},
    )

    assert fields(answer) == ["relations.0.type"]


@pytest.mark.parametrize("name", ["t1\n", "\nt1", "t1\r\n", "t1 ", "t\u0301", "ｔ1", "t*"])
async def test_a_scope_is_matched_as_a_whole(api: Api, name: str) -> None:
    assert fields(await api.http.post("/v1/memories", json={"content": "a", "scope": name})) == [
        "scope"
    ]
    assert fields(await api.http.get("/v1/memories", params={"scope": name})) == ["scope"]
    assert fields(await api.http.get("/v1/recall", params={"scope": name, "query": "a"})) == [
        "scope"
    ]


async def test_metadata_never_changes_the_owner(api: Api) -> None:
    other = f"{api.scope}-other"
    made = await api.remember("mine", metadata={"scope": other, "id": "x", "superseded": True})

    assert made["scope"] == api.scope
    assert made["id"] != "x"
    assert made["superseded"] is False
    assert await api.within(other).found("mine") == []


async def test_a_batch_keeps_to_its_scope(api: Api) -> None:
    other = api.within(f"{api.scope}-other")
    theirs = await other.remember("theirs", entities=[{"name": "their thing"}])
    results = await api.batch(
        [
            {"content": "mine"},
            {"content": "x", "scope": other.scope},
            {"content": "y", "supersedes": [theirs["id"]]},
            {"content": "z", "entities": [{"id": theirs["entities"][0]["id"]}]},
        ]
    )

    assert [result["status"] for result in results] == ["created", "failed", "failed", "failed"]
    assert [results[at]["error"]["status"] for at in (1, 2, 3)] == [422, 404, 404]
    assert [item["content"] for item in await other.every("/v1/memories")] == ["theirs"]
    assert (await other.get(f"/v1/memories/{theirs['id']}"))["superseded"] is False


async def test_an_entity_of_another_scope_is_not_reached_by_id(api: Api) -> None:
    other = api.within(f"{api.scope}-other")
    theirs = (await other.remember("theirs", entities=[{"name": "Dock"}]))["entities"][0]["id"]

    for body in (
        {"entities": [{"id": theirs}]},
        {"relations": [{"source": {"id": theirs}, "target": "b", "type": "t"}]},
        {"attributes": [{"entity": {"id": theirs}, "aspect": "a", "value": "v"}]},
    ):
        answer = await api.post("/v1/memories", {"content": "a", **body})
        assert answer.status_code == 404
    assert await api.every("/v1/memories") == []
    assert await api.every("/v1/entities") == []
    assert await api.found("theirs", entity=theirs) == []
