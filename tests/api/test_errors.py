"""Every error is a problem of RFC 9457, and none tells of the inside."""

import httpx
import pytest

from tests.api.client import Api

JSON = {"content-type": "application/json"}


def problem(response: httpx.Response, status: int) -> dict:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == status
    assert body["type"]
    assert body["title"]
    assert body["detail"]
    assert "Traceback" not in response.text
    assert ".py" not in response.text
    return body


async def test_an_unknown_path_and_a_wrong_method(http: httpx.AsyncClient) -> None:
    problem(await http.get("/v1/nothing"), 404)
    problem(await http.get("/v1/memories/"), 404)
    problem(await http.get("/"), 404)
    refused = await http.put("/v1/memories", json={})
    problem(refused, 405)
    assert refused.headers["allow"]


@pytest.mark.parametrize(
    "body", [b"{", b"[" * 50_000, b"\xff\xfe", b'{"content": "a"', b"{'a': 1}", b"9" * 5_000 + b"x"]
)
async def test_a_body_that_is_no_json(http: httpx.AsyncClient, body: bytes) -> None:
    problem(await http.post("/v1/memories", content=body, headers=JSON), 400)


@pytest.mark.parametrize("body", [b"", b"[]", b"1", b"null", b'"text"', b"true"])
async def test_a_body_that_is_no_object(http: httpx.AsyncClient, body: bytes) -> None:
    for path in ("/v1/memories", "/v1/memories/batch", "/v1/recall"):
        found = problem(await http.post(path, content=body, headers=JSON), 422)
        assert [error["field"] for error in found["errors"]] == ["body"]


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_a_body_that_is_not_sent_as_json(http: httpx.AsyncClient, media_type: str) -> None:
    answer = await http.post(
        "/v1/memories", content=b'{"content": "a"}', headers={"content-type": media_type}
    )

    problem(answer, 415)


async def test_a_body_that_is_too_large(http: httpx.AsyncClient) -> None:
    async def endless():
        for _ in range(9):
            yield b" " * 1_048_576

    problem(await http.post("/v1/memories", content=endless(), headers=JSON), 413)
    big = b'{"content": "' + b"x" * 8_388_609 + b'"}'
    problem(await http.post("/v1/memories", content=big, headers=JSON), 413)


@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test", "evil.test:8321", "10.0.0.1"])
async def test_a_host_name_that_is_not_this_machine_s(http: httpx.AsyncClient, host: str) -> None:
    problem(await http.get("/v1/memories", headers={"host": host}), 421)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "[::1]", "[::1]:8321", "127.0.0.1:9"])
async def test_a_host_name_of_this_machine(http: httpx.AsyncClient, host: str) -> None:
    assert (await http.get("/healthz", headers={"host": host})).status_code == 200


async def test_a_request_id_is_given_back_or_made(http: httpx.AsyncClient) -> None:
    given = await http.get("/healthz", headers={"X-Request-ID": "abc-1"})
    made = await http.get("/healthz")
    odd = await http.get("/v1/nothing", headers={"X-Request-ID": "a b"})

    assert given.headers["X-Request-ID"] == "abc-1"
    assert len(made.headers["X-Request-ID"]) == 32
    assert odd.headers["X-Request-ID"] != "a b"


async def test_no_page_of_another_origin_is_let_in(http: httpx.AsyncClient) -> None:
    answer = await http.options(
        "/v1/memories",
        headers={"Origin": "https://evil.test", "Access-Control-Request-Method": "POST"},
    )

    problem(answer, 405)
    read = await http.get("/healthz", headers={"Origin": "https://evil.test"})
    assert "access-control-allow-origin" not in read.headers


async def test_unknown_parameters_are_refused(api: Api) -> None:
    for path in ("/v1/memories", "/v1/entities", "/v1/jobs", "/v1/memories/x"):
        answer = await api.call("GET", path, params={"colour": "red"})
        found = problem(answer, 422)
        assert [error["field"] for error in found["errors"]] == ["colour"]


async def test_what_is_missing_says_what(api: Api) -> None:
    for path in ("memories/nope", "memories/nope/lineage", "entities/nope", "jobs/nope"):
        assert "nope" in problem(await api.call("GET", f"/v1/{path}"), 404)["detail"]
