"""Who may do what: every route of the document, with every role, in own and foreign scope."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
import pytest
from fastapi import APIRouter
from pydantic import SecretStr
from starlette.types import Receive, Scope, Send

from service.api.access import RULES, Reach, require_rules
from service.api.app import create_app
from service.config import AccessSettings, Settings
from service.domain.access import Role
from service.memory.access import Keys
from service.stores.neo4j.driver import Graph
from tests.api.conftest import service_settings
from tests.neo4j_servers import test_server as own_server
from tests.waiting import until

SETTINGS_KEY = "a-key-of-the-settings-that-is-long-enough"
OWN, FOREIGN = "acme/own", "acme-other"
SOMETHING = "00000000-0000-0000-0000-000000000001"
PARAMETERS = {
    "memory_id": SOMETHING, "target_id": SOMETHING, "entity_id": SOMETHING, "job_id": SOMETHING,
    "operation_id": SOMETHING, "query": "MATCH", "entity": "a", "aspect": "b", "reason": "why",
}  # fmt: skip
BODIES: dict[str, dict[str, Any]] = {
    "POST /v1/memories": {"content": "A fact."},
    "POST /v1/memories/batch": {"memories": [{"content": "A fact."}]},
    "PATCH /v1/memories/{memory_id}": {"content": "Another fact."},
    "POST /v1/memories/{memory_id}/supersedes": {"target_id": SOMETHING},
    "POST /v1/recall": {"query": "fact"},
    "POST /v1/operations": {
        "actor": "someone",
        "reason": "why",
        "operations": [{"op": "upsert_entity", "name": "a"}],
    },
    "POST /v1/operations/{operation_id}/undo": {"actor": "someone", "reason": "why"},
    "POST /v1/cypher": {"query": "RETURN 1 AS one"},
}


@dataclass(frozen=True, slots=True)
class Guarded:
    """A service with keys."""

    http: httpx.AsyncClient
    keys: Keys
    tokens: dict[str, str]
    document: dict[str, Any]

    async def get(self, token: str | None, path: str = "/v1/memories", **params: str) -> int:
        """The status of a reading."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return (await self.http.get(path, headers=headers, params=params)).status_code


@pytest.fixture(scope="module")
async def guarded(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Guarded]:
    async with own_server(tmp_path_factory.mktemp("neo4j")) as server:
        settings = service_settings(server, tmp_path_factory.mktemp("service")).model_copy(
            update={"access": AccessSettings(key=SecretStr(SETTINGS_KEY))}
        )
        async with (
            await Graph.connect(server.uri, server.user, server.password) as graph,
            opened(settings) as (http, document),
        ):
            keys = Keys(graph)
            tokens = {"settings": SETTINGS_KEY}
            for role in Role:
                _, tokens[role.value] = await keys.create(role.value, role, ["acme/*"])
            _, tokens["everywhere"] = await keys.create("everywhere", Role.ADMIN, ["*"])
            _, tokens["reader"] = await keys.create("reader", Role.READ, ["*"])
            yield Guarded(http, keys, tokens, document)


@asynccontextmanager
async def opened(settings: Settings) -> AsyncGenerator[tuple[httpx.AsyncClient, dict[str, Any]]]:
    """The application, called without a network."""
    app = create_app(settings)
    async with app.router.lifespan_context(app) as state:

        async def served(scope: Scope, receive: Receive, send: Send) -> None:
            scope["state"] = dict(state or {})
            await app(scope, receive, send)

        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(served), base_url="http://127.0.0.1", timeout=60.0
        ) as http:
            yield http, app.openapi()


def rule_of(method: str, path: str) -> Any:
    return next(
        rule for route, rule in RULES.items() if route.replace(":path", "") == f"{method} {path}"
    )


async def test_every_route_asks_what_its_rule_says(guarded: Guarded) -> None:
    wrong: list[str] = []
    count = 0
    for path, operations in guarded.document["paths"].items():
        for verb, operation in operations.items():
            method = verb.upper()
            if f"{method} {path}" == "POST /v1/maintenance/reindex":
                continue
            rule = rule_of(method, path)
            for who in (None, "wrong", "read", "write", "admin", "everywhere"):
                for scope in (OWN, FOREIGN):
                    expected = _expected(rule, who, scope)
                    status = await _ask(guarded, method, path, operation, who, scope)
                    count += 1
                    ok = status == expected if expected else status not in (401, 403, 500)
                    if not ok:
                        wrong.append(f"{method} {path} {who} {scope}: {status}, not {expected}")
    assert not wrong, "\n".join(wrong)
    assert count > 300


def _expected(rule: Any, who: str | None, scope: str) -> int | None:
    """The status that the rule gives, None for whatever is neither 401 nor 403."""
    if rule.reach is Reach.NOTHING:
        return None
    if who in (None, "wrong"):
        return 401
    role = Role.ADMIN if who == "everywhere" else Role(who)
    if not role.includes(rule.role):
        return 403
    if who == "everywhere":
        return None
    if rule.reach is Reach.EVERY_SCOPE or scope == FOREIGN:
        return 403
    return None


async def _ask(
    guarded: Guarded, method: str, path: str, operation: Any, who: str | None, scope: str
) -> int:
    headers: dict[str, str] = {}
    if who is not None:
        token = guarded.tokens.get(who, f"pal_{'0' * 12}_{'A' * 43}")
        headers["Authorization"] = f"Bearer {token}"
    url, params = path.replace("{scope}", scope), {}
    for parameter in operation.get("parameters", ()):
        name = parameter["name"]
        if name == "scope" and parameter["in"] == "query":
            params["scope"] = scope
        elif name == "confirm":
            params["confirm"] = "another"
        elif parameter["in"] == "path" and name != "scope":
            url = url.replace(f"{{{name}}}", PARAMETERS[name])
        elif parameter.get("required") and parameter["in"] == "query":
            params[name] = PARAMETERS[name]
    body = BODIES[f"{method} {path}"] if "requestBody" in operation else None
    answer = await guarded.http.request(method, url, headers=headers, params=params, json=body)
    if answer.status_code in (401, 403):
        assert answer.headers["content-type"] == "application/problem+json"
        assert ("www-authenticate" in answer.headers) == (answer.status_code == 401)
    return answer.status_code


def test_a_route_without_a_rule_is_not_served() -> None:
    router = APIRouter()

    @router.get("/v1/forgotten")
    async def forgotten() -> None: ...

    with pytest.raises(LookupError, match="GET /v1/forgotten"):
        require_rules([router])


async def test_the_scope_of_a_body_is_held_to_the_key(guarded: Guarded) -> None:
    headers = {"Authorization": f"Bearer {guarded.tokens['write']}"}
    for params, body, status in (
        ({}, FOREIGN, 403),
        ({}, None, 403),
        ({"scope": OWN}, FOREIGN, 422),
        ({}, OWN, 200),
    ):
        answer = await guarded.http.post(
            "/v1/recall", params=params, json={"query": "a", "scope": body}, headers=headers
        )
        assert answer.status_code == status, answer.text
    answer = await guarded.http.post(
        "/v1/memories/batch",
        params={"scope": OWN},
        json={"memories": [{"content": "a", "scope": FOREIGN}]},
        headers=headers,
    )
    assert answer.json()["results"][0]["status"] == "failed"


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("Bearer {}", 200),
        ("bearer {}", 200),
        ("BEARER   {}", 200),
        ("{}", 401),
        ("Basic {}", 401),
        ("Bearer", 401),
        ("Bearer {} x", 401),
        ("Bearer {},{}", 401),
        ("Bearer {}x", 401),
    ],
)
async def test_how_a_key_is_sent(guarded: Guarded, header: str, status: int) -> None:
    token = guarded.tokens["reader"]
    answer = await guarded.http.get(
        "/v1/memories", headers={"aUTHORIZATION": header.format(token, token)}
    )
    assert answer.status_code == status


async def test_two_keys_and_a_key_in_the_query_are_refused(guarded: Guarded) -> None:
    given = ("Authorization", f"Bearer {guarded.tokens['reader']}")
    assert (await guarded.http.get("/v1/memories", headers=[given, given])).status_code == 401
    for name in ("key", "api_key", "access_token", "authorization"):
        assert await guarded.get(None, **{name: guarded.tokens["reader"]}) == 401


async def test_an_unknown_path_asks_for_a_key_and_the_documents_do_not(guarded: Guarded) -> None:
    assert await guarded.get(None, "/v1/nothing") == 401
    assert await guarded.get(guarded.tokens["read"], "/v1/nothing") == 404
    for path in ("/docs", "/openapi.json", "/healthz", "/readyz"):
        assert await guarded.get(None, path) == 200
    for path in ("/docs/", "//v1/status", "/healthz/../v1/status", "/static-offline-docs/../v1"):
        assert await guarded.get(None, path) in (401, 404)


async def test_the_settings_key_may_do_everything(guarded: Guarded) -> None:
    assert await guarded.get(SETTINGS_KEY, "/v1/status") == 200
    assert await guarded.get(SETTINGS_KEY + "x", "/v1/status") == 401


async def test_jobs_of_other_scopes_are_not_there(guarded: Guarded) -> None:
    answer = await guarded.http.delete(
        "/v1/scopes/gone",
        params={"confirm": "gone"},
        headers={"Authorization": f"Bearer {SETTINGS_KEY}"},
    )
    path = f"/v1/jobs/{answer.json()['id']}"
    assert await guarded.get(SETTINGS_KEY, path) == 200
    assert await guarded.get(guarded.tokens["admin"], path) == 404
    assert await guarded.get(guarded.tokens["admin"], path, scope="gone") == 403
    assert await guarded.get(guarded.tokens["admin"], "/v1/jobs") == 403
    assert await guarded.get(guarded.tokens["admin"], "/v1/jobs", scope=OWN) == 200


async def test_a_key_is_rotated_revoked_and_expires(guarded: Guarded) -> None:
    _, first = await guarded.keys.create("short", Role.READ, ["*"])
    assert await guarded.get(first) == 200
    _, second = await guarded.keys.rotate("short")
    assert await guarded.get(second) == 200
    assert await guarded.get(first) == 401
    await guarded.keys.revoke("short")

    async def is_refused() -> bool:
        return await guarded.get(second) == 401

    await until(is_refused, "the revocation")
    _, brief = await guarded.keys.create("brief", Role.READ, ["*"], timedelta(microseconds=1))
    assert await guarded.get(brief) == 401


async def test_the_audit_log_names_the_key(guarded: Guarded) -> None:
    headers = {"Authorization": f"Bearer {guarded.tokens['write']}"}
    scope = {"scope": "acme/log"}
    body = {**BODIES["POST /v1/operations"], **scope}
    applied = await guarded.http.post("/v1/operations", json=body, headers=headers)
    assert applied.status_code == 201, applied.text
    assert (applied.json()["actor"], applied.json()["key"]) == ("someone", "write")
    told = {"content": "The cache.", "entities": [{"name": "cache"}], **scope}
    assert (await guarded.http.post("/v1/memories", json=told, headers=headers)).is_success
    log = (await guarded.http.get("/v1/operations", params=scope, headers=headers)).json()["items"]
    assert [(one["actor"], one["key"]) for one in log] == [("write", None), ("someone", "write")]
