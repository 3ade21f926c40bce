"""A write under a key happens once, however often it is sent."""

import asyncio

import pytest

from tests.api.client import Api, fields


def keyed(key: str = "k-1") -> dict[str, str]:
    return {"Idempotency-Key": key}


async def test_the_same_request_again_gets_the_first_answer(api: Api) -> None:
    body = {"content": "once", "entities": [{"name": "E"}]}
    first = await api.post("/v1/memories", body, **keyed())
    again = await api.post("/v1/memories", dict(reversed(body.items())), **keyed())

    assert first.status_code == again.status_code == 201
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json() == first.json()
    assert (await api.entity("E"))["mentions"] == 1


async def test_another_request_under_the_key_is_a_conflict(api: Api) -> None:
    relation = {"source": "A", "target": "B", "type": "calls"}
    body = {"content": "once", "relations": [relation]}
    await api.post("/v1/memories", body, **keyed())
    other = {"content": "once", "relations": [{**relation, "target": "C"}]}

    answer = await api.post("/v1/memories", other, **keyed())
    assert answer.status_code == 409
    assert {entity["name"] for entity in await api.every("/v1/entities")} == {"A", "B"}


async def test_a_key_belongs_to_its_scope_and_its_route(api: Api) -> None:
    other = api.within(f"{api.scope}-other")
    first = await api.post("/v1/memories", {"content": "a"}, **keyed())
    elsewhere = await other.post("/v1/memories", {"content": "b"}, **keyed())
    batch = await api.post("/v1/memories/batch", {"memories": [{"content": "c"}]}, **keyed())

    assert first.status_code == elsewhere.status_code == 201
    assert batch.status_code == 200


async def test_requests_at_once_under_one_key_write_once(api: Api) -> None:
    answers = await asyncio.gather(
        *(api.post("/v1/memories", {"content": "once"}, **keyed()) for _ in range(8))
    )

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    replayed = [answer.headers.get("Idempotency-Replayed") for answer in answers]
    assert replayed.count("true") == 7


async def test_every_write_takes_a_key(api: Api) -> None:
    old = (await api.remember("old"))["id"]
    new = (await api.remember("new"))["id"]
    requests = [
        ("POST", "/v1/memories/batch", {"memories": [{"content": "x"}, {"content": ""}]}, 200),
        ("PATCH", f"/v1/memories/{new}", {"importance": 0.9}, 200),
        ("POST", f"/v1/memories/{new}/supersedes", {"target_id": old}, 201),
        ("DELETE", f"/v1/memories/{new}/supersedes/{old}", None, 204),
        ("DELETE", f"/v1/memories/{old}", None, 204),
    ]
    for at, (method, path, body, status) in enumerate(requests):
        options = {} if body is None else {"json": body}
        first = await api.call(method, path, headers=keyed(f"k{at}"), **options)
        again = await api.call(method, path, headers=keyed(f"k{at}"), **options)
        assert first.status_code == again.status_code == status, first.text + again.text
        assert first.content == again.content
        assert again.headers["Idempotency-Replayed"] == "true"


async def test_a_refused_request_leaves_its_key_free(api: Api) -> None:
    refused = await api.post("/v1/memories", {"content": ""}, **keyed())
    missing = await api.post("/v1/memories", {"content": "a", "supersedes": ["x"]}, **keyed())
    accepted = await api.post("/v1/memories", {"content": "a"}, **keyed())

    assert [refused.status_code, missing.status_code, accepted.status_code] == [422, 404, 201]


@pytest.mark.parametrize("key", ["", "a b", "x" * 201, "caf\u00e9".encode("latin-1"), "\x7f"])
async def test_a_key_of_other_characters_is_refused(api: Api, key: str | bytes) -> None:
    answer = await api.call(
        "POST", "/v1/memories", json={"content": "a"}, headers={"Idempotency-Key": key}
    )

    assert fields(answer) == ["Idempotency-Key"]


@pytest.mark.parametrize("key", ["x" * 200, "!", "~", "a:b/c?d=e&f#g", "`)DELETEn//"])
async def test_a_key_of_visible_characters_is_taken(api: Api, key: str) -> None:
    for replayed in (None, "true"):
        answer = await api.post("/v1/memories", {"content": "a"}, **keyed(key))
        assert answer.status_code == 201
        assert answer.headers.get("Idempotency-Replayed") == replayed
