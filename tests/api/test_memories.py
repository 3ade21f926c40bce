"""Remember, read, revise and forget over HTTP."""

import asyncio

import pytest

from service.api.schemas.memories import MemoryDetailBody, RememberedBody
from tests.api.client import Api, fields

WHOLE = {
    "type": "fact",
    "created_at": "2026-03-02T09:00:00Z",
    "occurred_at": "2026-03-01T09:00:00+01:00",
    "session": "standup-2026-03-02",
    "speaker": "Ines",
    "source": "chat",
    "importance": 0.7,
    "pinned": True,
    "metadata": {"ticket": "OPS-7", "nested": {"list": [1, 2.5, None, True]}},
    "entities": [
        {
            "name": "build cache",
            "type": "system",
            "mention_text": "the build cache",
            "confidence": 0.9,
        }
    ],
    "relations": [
        {"source": "build cache", "target": "birch", "type": "runs on", "confidence": 0.9}
    ],
    "attributes": [
        {
            "entity": "build cache",
            "aspect": "deployment",
            "group_key": "location",
            "claim_key": "host",
            "value": "birch",
            "kind": "attribute",
            "cardinality": "one",
            "confidence": 0.9,
            "importance": 0.5,
            "valid_from": None,
            "valid_to": None,
        }
    ],
    "hints": ["Where does the build cache run?"],
}


async def test_what_is_remembered_is_read_back_whole(api: Api) -> None:
    answer = await api.remember("The build cache moved to host birch.", **WHOLE)

    RememberedBody.model_validate(answer)
    assert answer["deduplicated"] is False
    assert answer["scope"] == api.scope
    assert answer["occurred_at"] == "2026-03-01T08:00:00Z"
    assert {entity["name"] for entity in answer["entities"]} == {"build cache", "birch", "Ines"}
    detail = await api.get(f"/v1/memories/{answer['id']}")
    MemoryDetailBody.model_validate(detail)
    for name in ("type", "created_at", "session", "speaker", "source", "importance", "pinned"):
        assert detail[name] == WHOLE[name]
    assert detail["metadata"] == WHOLE["metadata"]
    assert detail["hints"] == WHOLE["hints"]
    (attribute,) = detail["attributes"]
    assert attribute["value"] == "birch"
    assert attribute["status"] == "active"
    assert attribute["valid_from"] == "2026-03-01T08:00:00Z"
    assert attribute["memory_ids"] == [answer["id"]]
    assert detail["superseded"] is False
    assert detail["superseded_by"] == detail["supersedes"] == []


async def test_content_alone_is_enough(api: Api) -> None:
    answer = await api.remember("Ines looks after the build cache.")

    assert answer["type"] == "fact"
    assert answer["importance"] == 0.5
    assert answer["metadata"] == {}
    assert answer["created_at"].endswith("Z")


async def test_the_same_content_is_kept_once_and_takes_what_is_new(api: Api) -> None:
    first = await api.post("/v1/memories", {"content": "Ines  leads the team."})
    again = await api.post(
        "/v1/memories", {"content": "Ines leads the\tteam.", "entities": [{"name": "Ines"}]}
    )

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["deduplicated"] is True
    assert again.json()["id"] == first.json()["id"]
    detail = await api.get(f"/v1/memories/{first.json()['id']}")
    assert [entity["name"] for entity in detail["entities"]] == ["Ines"]
    assert len(await api.every("/v1/memories")) == 1


async def test_scope_may_stand_in_body_or_query_but_only_the_same(api: Api) -> None:
    in_body = await api.http.post("/v1/memories", json={"content": "a", "scope": api.scope})
    other = await api.post("/v1/memories", {"content": "a", "scope": "elsewhere"})
    same = await api.post("/v1/memories", {"content": "b", "scope": api.scope})

    assert in_body.status_code == 201
    assert in_body.json()["scope"] == api.scope
    assert fields(other) == ["scope"]
    assert same.status_code == 201


async def test_without_a_scope_it_is_the_default_one(api: Api) -> None:
    answer = await api.http.post("/v1/memories", json={"content": f"to {api.scope}"})

    assert answer.json()["scope"] == "default"
    read = await api.http.get(f"/v1/memories/{answer.json()['id']}")
    assert read.status_code == 200
    elsewhere = await api.call("GET", f"/v1/memories/{answer.json()['id']}")
    assert elsewhere.status_code == 404


async def test_nothing_waited_for_is_accepted_and_found_later(api: Api) -> None:
    in_body = await api.post("/v1/memories", {"content": "first of two", "wait": False})
    in_query = await api.call(
        "POST", "/v1/memories", params={"wait": "false"}, json={"content": "second of two"}
    )

    assert in_body.status_code == in_query.status_code == 202
    RememberedBody.model_validate(in_body.json())
    await api.remember("a write that is waited for")
    assert {"first of two", "second of two"} <= set(await api.found("of two"))


async def test_wait_given_twice_must_be_the_same(api: Api) -> None:
    answer = await api.call(
        "POST", "/v1/memories", params={"wait": "true"}, json={"content": "a", "wait": False}
    )

    assert fields(answer) == ["wait"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"unknown": 1}, "unknown"),
        ({"importance": 1.01}, "importance"),
        ({"importance": -0.01}, "importance"),
        ({"importance": "0.5"}, "importance"),
        ({"importance": True}, "importance"),
        ({"importance": float("nan")}, "importance"),
        ({"pinned": "yes"}, "pinned"),
        ({"type": ""}, "type"),
        ({"type": "x" * 65}, "type"),
        ({"type": None}, "type"),
        ({"content": 5}, "content"),
        ({"content": ["a"]}, "content"),
        ({"content": "x" * 100_001}, "content"),
        ({"created_at": "2026-13-40"}, "created_at"),
        ({"created_at": 1_770_000_000}, "created_at"),
        ({"created_at": "yesterday"}, "created_at"),
        ({"created_at": "0001-01-01T00:00:00+08:00"}, "created_at"),
        ({"occurred_at": "9999-12-31T23:59:59-08:00"}, "occurred_at"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {"k": float("inf")}}, "metadata.k"),
        ({"metadata": {"k": 2**64}}, "metadata.k"),
        ({"metadata": {"k": "x" * 70_000}}, "metadata.k"),
        ({"entities": {}}, "entities"),
        ({"entities": [{}]}, "entities.0"),
        ({"entities": [{"name": "a", "id": "b"}]}, "entities.0"),
        ({"entities": [{"name": "a"}, {"name": " "}]}, "entities.1.name"),
        ({"entities": [{"name": "x" * 513}]}, "entities.0.name"),
        ({"entities": [{"name": "a", "confidence": 2}]}, "entities.0.confidence"),
        ({"entities": [{"name": "a", "nickname": "b"}]}, "entities.0.nickname"),
        ({"entities": [{"name": f"e{n}"} for n in range(201)]}, "entities"),
        ({"relations": [{"source": "a", "target": "b"}]}, "relations.0.type"),
        ({"relations": [{"source": "a", "target": 5, "type": "t"}]}, "relations.0.target"),
        ({"relations": [{"source": "a", "target": "b", "type": "→!"}]}, "relations.0.type"),
        ({"attributes": [{"entity": "a", "aspect": "b"}]}, "attributes.0.value"),
        (
            {"attributes": [{"entity": "a", "aspect": "b", "value": "c", "kind": "law"}]},
            "attributes.0.kind",
        ),
        (
            {
                "attributes": [
                    {
                        "entity": "a",
                        "aspect": "b",
                        "value": "c",
                        "valid_from": "2026-02-01T00:00:00Z",
                        "valid_to": "2026-01-01T00:00:00Z",
                    }
                ]
            },
            "attributes.0.valid_to",
        ),
        ({"hints": ["fine", ""]}, "hints.1"),
        ({"hints": ["h"] * 51}, "hints"),
        ({"supersedes": "abc"}, "supersedes"),
        ({"scope": "a b"}, "scope"),
        ({"scope": ""}, "scope"),
        ({"scope": "x" * 129}, "scope"),
    ],
)
async def test_a_wrong_field_is_refused_by_its_name(
    api: Api, wrong: dict[str, object], field: str
) -> None:
    body = {"content": "right", **wrong}
    answer = await api.http.post(
        "/v1/memories", content=_json(body), headers={"content-type": "application/json"}
    )

    assert field in fields(answer)


def _json(body: object) -> bytes:
    import json

    return json.dumps(body).encode()


async def test_one_bad_item_of_a_batch_fails_alone(api: Api) -> None:
    results = await api.batch(
        [
            {"content": "good"},
            {"content": ""},
            "not even an object",
            {"content": "good too", "importance": 5},
            {"content": "elsewhere", "scope": "elsewhere"},
            {"content": "names nobody", "entities": [{"id": "nobody"}]},
            {"content": "good"},
            {"content": "good again", "scope": api.scope, "wait": True},
        ]
    )

    assert [result["index"] for result in results] == list(range(8))
    assert [result["status"] for result in results] == [
        "created",
        "failed",
        "failed",
        "failed",
        "failed",
        "failed",
        "deduplicated",
        "created",
    ]
    assert results[0]["memory"]["id"] == results[6]["memory"]["id"]
    assert results[0]["error"] is None
    assert results[1]["memory"] is None
    errors = [results[at]["error"] for at in (1, 2, 3, 4, 5)]
    assert [error["status"] for error in errors] == [422, 422, 422, 422, 404]
    assert [error["errors"][0]["field"] for error in errors[:4]] == [
        "content",
        "body",
        "importance",
        "scope",
    ]
    assert len(await api.every("/v1/memories")) == 2


@pytest.mark.parametrize("memories", [[], [{"content": "x"}] * 1_001, "x", None])
async def test_a_batch_of_none_or_too_many_is_refused(api: Api, memories: object) -> None:
    answer = await api.post("/v1/memories/batch", {"memories": memories})

    assert fields(answer) == ["memories"]


async def test_a_batch_not_waited_for_is_accepted(api: Api) -> None:
    answer = await api.post(
        "/v1/memories/batch", {"memories": [{"content": "later"}], "wait": False}
    )

    assert answer.status_code == 202
    assert answer.json()["results"][0]["status"] == "created"


async def test_a_revision_changes_what_it_names_and_nothing_else(api: Api) -> None:
    made = await api.remember("The cache is on alder.", hints=["old hint"], importance=0.2)
    answer = await api.call(
        "PATCH",
        f"/v1/memories/{made['id']}",
        json={"content": "The cache is on rowan.", "metadata": {"a": 1}, "hints": ["new hint"]},
    )

    assert answer.status_code == 200
    revised = answer.json()
    assert revised["content"] == "The cache is on rowan."
    assert revised["importance"] == 0.2
    assert revised["contradictions"] == []
    assert revised["revision"] > made["revision"]
    assert revised["created_at"] == made["created_at"]
    assert await api.by_words("rowan") == ["The cache is on rowan."]
    assert await api.by_words("alder") == []
    hints = (await api.get(f"/v1/memories/{made['id']}"))["hints"]
    assert hints == ["new hint"]


@pytest.mark.parametrize(
    ("change", "field"),
    [({"id": "x"}, "id"), ({"content": " "}, "content"), ({"importance": 9}, "importance")],
)
async def test_a_revision_of_a_wrong_kind_is_refused(
    api: Api, change: dict[str, object], field: str
) -> None:
    made = await api.remember("as it was")
    answer = await api.call("PATCH", f"/v1/memories/{made['id']}", json=change)

    assert fields(answer) == [field]
    assert (await api.get(f"/v1/memories/{made['id']}"))["content"] == "as it was"


async def test_another_scope_s_memory_is_not_there(api: Api) -> None:
    made = await api.remember("mine", entities=[{"name": "thing"}])
    entity = made["entities"][0]["id"]
    other = api.within(f"{api.scope}-other")
    path = f"/v1/memories/{made['id']}"

    for method, where, body in (
        ("GET", path, None),
        ("PATCH", path, {"importance": 0.1}),
        ("DELETE", path, None),
        ("GET", f"{path}/lineage", None),
        ("POST", f"{path}/supersedes", {"target_id": made["id"]}),
        ("DELETE", f"{path}/supersedes/{made['id']}", None),
        ("GET", f"/v1/entities/{entity}", None),
        ("GET", f"/v1/entities/{entity}/neighbors", None),
        ("GET", f"/v1/entities/{entity}/memories", None),
        ("GET", f"/v1/entities/{entity}/attributes", None),
    ):
        options = {} if body is None else {"json": body}
        answer = await other.call(method, where, **options)
        assert answer.status_code in (404, 422), (method, where, answer.text)
        if "supersedes" not in where:
            assert answer.status_code == 404, (method, where)
    assert (await api.get(path))["content"] == "mine"


async def test_lists_filter_by_type_entity_time_and_currentness(api: Api) -> None:
    old = await api.remember(
        "old", type="decision", created_at="2026-01-01T00:00:00Z", entities=[{"name": "Dock"}]
    )
    new = await api.remember("new", created_at="2026-02-01T00:00:00Z", supersedes=[old["id"]])

    async def listed(**params: object) -> list[str]:
        return [item["content"] for item in await api.every("/v1/memories", **params)]

    assert await listed() == ["new", "old"]
    assert await listed(type="decision") == ["old"]
    assert await listed(entity="dock") == ["old"]
    assert await listed(entity=old["entities"][0]["id"]) == ["old"]
    assert await listed(since="2026-02-01T00:00:00Z") == ["new"]
    assert await listed(until="2026-02-01") == ["old"]
    assert await listed(include_superseded="false") == ["new"]
    assert await listed(limit=1) == ["new", "old"]
    assert new["superseded_memories"] == [old["id"]]


async def test_a_foreign_cursor_is_refused(api: Api) -> None:
    for path in ("/v1/memories", "/v1/entities", "/v1/jobs"):
        for cursor in ("nonsense", "AAAA", "%00", "🚀", "e30"):
            answer = await api.call("GET", path, params={"cursor": cursor})
            assert fields(answer) == ["cursor"], (path, cursor)


async def test_what_is_read_while_it_is_written_is_never_half(api: Api) -> None:
    made = await api.remember("version 0", metadata={"version": 0})
    path = f"/v1/memories/{made['id']}"

    async def revise(version: int) -> None:
        change = {"content": f"version {version}", "metadata": {"version": version}}
        assert (await api.call("PATCH", path, json=change)).status_code == 200

    async def read() -> None:
        detail = await api.get(path)
        assert detail["content"] == f"version {detail['metadata']['version']}"

    await asyncio.gather(*(revise(n) for n in range(1, 9)), *(read() for _ in range(16)))
