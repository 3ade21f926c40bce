"""A client of the running service that keeps to one scope and reads answers."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx

GENEROUS_MS = 20_000
"""A deadline that a busy machine keeps: what is tested is the answer, not the time."""


@dataclass(frozen=True, slots=True)
class Api:
    """Calls within one scope; the methods named after a use case insist on success."""

    http: httpx.AsyncClient
    scope: str

    def within(self, scope: str) -> "Api":
        """The same service in another scope."""
        return Api(self.http, scope)

    async def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        """A request with the scope in its query string."""
        params = {"scope": self.scope, **options.pop("params", {})}
        return await self.http.request(method, path, params=params, **options)

    async def get(self, path: str, **params: Any) -> Any:
        """What a successful reading answers."""
        response = await self.call("GET", path, params=params)
        assert response.status_code == 200, response.text
        return response.json()

    async def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        """A request with a JSON body, which may hold what no JSON library writes."""
        return await self.call(
            "POST",
            path,
            content=json.dumps(body).encode(),
            headers={"content-type": "application/json", **headers},
        )

    async def remember(self, content: str, **more: Any) -> dict[str, Any]:
        """The answer to a remember that was accepted."""
        response = await self.post("/v1/memories", {"content": content, **more})
        assert response.status_code in (200, 201), response.text
        return response.json()

    async def batch(self, memories: Sequence[object]) -> list[dict[str, Any]]:
        """The results of a batch."""
        response = await self.post("/v1/memories/batch", {"memories": memories})
        assert response.status_code == 200, response.text
        return response.json()["results"]

    async def recall(self, query: str, **more: Any) -> dict[str, Any]:
        """The answer to a recall that every source had the time for."""
        body = {"query": query, "deadline_ms": GENEROUS_MS, **more}
        response = await self.post("/v1/recall", body)
        assert response.status_code == 200, response.text
        return response.json()

    async def found(self, query: str, **more: Any) -> list[str]:
        """The contents that a recall finds, best first."""
        return [result["content"] for result in (await self.recall(query, **more))["results"]]

    async def by_words(self, query: str, **more: Any) -> list[str]:
        """The contents that a recall finds by the text of the memories themselves."""
        results = (await self.recall(query, **more))["results"]
        return [result["content"] for result in results if "content" in result["sources"]]

    async def supersede(self, new: str, old: str, **more: Any) -> httpx.Response:
        """The answer to a request that one memory replace another."""
        return await self.post(f"/v1/memories/{new}/supersedes", {"target_id": old, **more})

    async def entity(self, name: str) -> dict[str, Any]:
        """The one entity that the search offers under exactly this name."""
        items = (await self.get("/v1/entities", query=name))["items"]
        named = [item for item in items if item["name"] == name]
        assert len(named) == 1, items
        return named[0]

    async def every(self, path: str, **params: Any) -> list[dict[str, Any]]:
        """All items of a paged list."""
        items: list[dict[str, Any]] = []
        cursor: dict[str, str] = {}
        while True:
            page = await self.get(path, **params, **cursor)
            items += page["items"]
            if page["next_cursor"] is None:
                return items
            cursor = {"cursor": page["next_cursor"]}


def fields(response: httpx.Response) -> list[str]:
    """The fields that a refusal names."""
    assert response.status_code == 422, response.text
    assert response.headers["content-type"] == "application/problem+json"
    return [error["field"] for error in response.json()["errors"]]
