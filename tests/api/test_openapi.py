"""The OpenAPI document says what the service does."""

import httpx
import pytest

from service.api.schemas.health import ReadyBody
from tests.api.client import Api


@pytest.fixture
async def document(http: httpx.AsyncClient) -> dict:
    return (await http.get("/openapi.json")).json()


async def test_every_operation_is_described(document: dict) -> None:
    assert document["openapi"].startswith("3.1")
    tags = {tag["name"] for tag in document["tags"]}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            where = f"{method} {path}"
            assert operation["summary"], where
            assert operation["description"], where
            assert set(operation["tags"]) <= tags, where
            assert operation["operationId"], where


async def test_every_error_is_a_problem(document: dict) -> None:
    for operations in document["paths"].values():
        for operation in operations.values():
            assert {"422", "500", "503"} <= set(operation["responses"])
            for status, response in operation["responses"].items():
                if int(status) >= 400:
                    (media_type,) = response["content"]
                    assert media_type == "application/problem+json"


async def test_every_reference_leads_somewhere(document: dict) -> None:
    schemas = document["components"]["schemas"]
    assert "HTTPValidationError" not in schemas

    def walk(node: object) -> None:
        if isinstance(node, dict):
            reference = node.get("$ref")
            if isinstance(reference, str):
                assert reference.removeprefix("#/components/schemas/") in schemas
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(document)


async def test_every_example_is_accepted(document: dict, api: Api) -> None:
    schemas = document["components"]["schemas"]
    for name, path in (("RememberRequest", "/v1/memories"), ("BatchRequest", "/v1/memories/batch")):
        for example in schemas[name]["examples"]:
            answer = await api.post(path, {**example, "scope": api.scope})
            assert answer.status_code in (200, 201), answer.text
    for example in schemas["RecallRequest"]["examples"]:
        answer = await api.post("/v1/recall", {**example, "scope": api.scope})
        assert answer.status_code == 200


async def test_the_docs_need_no_other_host(http: httpx.AsyncClient) -> None:
    page = (await http.get("/docs")).text

    assert "https://" not in page
    assert (await http.get("/static-offline-docs/swagger-ui-bundle.js")).status_code == 200


async def test_health_readiness_and_status(http: httpx.AsyncClient) -> None:
    assert (await http.get("/healthz")).json() == {"status": "ok"}
    ready = await http.get("/readyz")
    assert ready.status_code == 200
    assert ReadyBody.model_validate(ready.json()).ready
    status = (await http.get("/v1/status")).json()
    assert status["version"]


async def test_metrics_count_requests_by_route_and_channels_by_outcome(api: Api) -> None:
    await api.recall("anything")
    await api.call("GET", "/v1/memories/nope")
    answer = await api.http.get("/metrics")

    assert answer.headers["content-type"].startswith("text/plain")
    assert 'route="/v1/memories/{memory_id}",status="404"' in answer.text
    assert 'palimpsest_recall_channel_outcomes_total{channel="content",status="ok"}' in answer.text
    assert "nope" not in answer.text
