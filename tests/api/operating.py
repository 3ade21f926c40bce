"""Operation sets as the tests of them post them, and looks at what they left."""

from typing import Any

import httpx

from tests.api.client import Api

HOST = {
    "entity": "build cache",
    "aspect": "deployment",
    "group_key": "location",
    "claim_key": "host",
}


async def post(api: Api, *operations: dict[str, Any], **more: Any) -> httpx.Response:
    body = {"actor": "ines", "reason": "it moved", "operations": list(operations), **more}
    return await api.post("/v1/operations", body)


async def apply(api: Api, *operations: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    """The results of a set that was applied."""
    response = await post(api, *operations, **more)
    assert response.status_code == 201, response.text
    return response.json()["results"]


async def applied(api: Api, *operations: dict[str, Any], **more: Any) -> str:
    """The id of a set that was applied."""
    response = await post(api, *operations, **more)
    assert response.status_code == 201, response.text
    return response.json()["id"]


async def slot(api: Api, **place: str) -> tuple[str | None, list[tuple[str, str]]]:
    found = await api.get("/v1/slots", **{**HOST, **place})
    current = found["current"]
    return (
        current and current["value"],
        [(one["value"], one["status"]) for one in found["history"]],
    )


async def neighbors(api: Api, name: str) -> list[tuple[str, str, str, int]]:
    found = await api.get(f"/v1/entities/{(await api.entity(name))['id']}/neighbors")
    names = {node["id"]: node["name"] for node in found["nodes"]}
    return sorted(
        (names[edge["source"]], edge["type"], names[edge["target"]], edge["mentions"])
        for edge in found["edges"]
    )


async def names(api: Api) -> list[str]:
    return sorted(one["name"] for one in await api.every("/v1/entities"))


def set_host(value: str, **more: Any) -> dict[str, Any]:
    return {"op": "set_attribute", **HOST, "value": value, **more}
