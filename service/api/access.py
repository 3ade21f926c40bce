"""Who calls, and what each route asks of them: every rule of the HTTP interface in one place.

`Access` tells who calls and lets nobody else through; `authorise`, which every router brings,
holds the caller to the rule of the route; `checked` is the one way to a scope, and checks it.
"""

import re
from collections.abc import Collection, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Final, cast

from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from service.api.errors import ProblemResponse, problem_of
from service.api.guide import GUIDE_PATH, STYLE_PATH
from service.domain.access import ANYBODY, OWNER, Caller, Role, acting
from service.domain.errors import Forbidden, Unauthenticated
from service.domain.names import checked_scope
from service.memory.key_ring import KeyRing

CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="palimpsest"'}


class Reach(Enum):
    """What a route is about, and so how a caller's scopes bound it."""

    NOTHING = "public"
    ONE_SCOPE = "one scope, which the route takes through `checked`"
    EVERY_SCOPE = "all scopes"
    OWN_SCOPES = "what the caller's scopes hold: the route leaves the rest out"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a route asks of a caller."""

    role: Role
    reach: Reach


_READ: Final = Rule(Role.READ, Reach.ONE_SCOPE)
_WRITE: Final = Rule(Role.WRITE, Reach.ONE_SCOPE)
PUBLIC: Final = Rule(Role.READ, Reach.NOTHING)

RULES: Final = {
    "POST /v1/memories": _WRITE,
    "POST /v1/memories/batch": _WRITE,
    "GET /v1/memories": _READ,
    "GET /v1/memories/deleted": _READ,
    "GET /v1/memories/{memory_id}": _READ,
    "PATCH /v1/memories/{memory_id}": _WRITE,
    "DELETE /v1/memories/{memory_id}": _WRITE,
    "GET /v1/memories/{memory_id}/lineage": _READ,
    "POST /v1/memories/{memory_id}/supersedes": _WRITE,
    "DELETE /v1/memories/{memory_id}/supersedes/{target_id}": _WRITE,
    "POST /v1/recall": _READ,
    "GET /v1/recall": _READ,
    "GET /v1/entities": _READ,
    "GET /v1/entities/{entity_id}": _READ,
    "GET /v1/entities/{entity_id}/neighbors": _READ,
    "GET /v1/entities/{entity_id}/memories": _READ,
    "GET /v1/entities/{entity_id}/attributes": _READ,
    "GET /v1/slots": _READ,
    "POST /v1/operations": _WRITE,
    "POST /v1/operations/{operation_id}/undo": _WRITE,
    "GET /v1/operations": _READ,
    "GET /v1/operations/{operation_id}": _READ,
    "DELETE /v1/scopes/{scope:path}": Rule(Role.ADMIN, Reach.ONE_SCOPE),
    "GET /v1/export": _READ,
    "POST /v1/cypher": Rule(Role.ADMIN, Reach.EVERY_SCOPE),
    "GET /v1/jobs": Rule(Role.READ, Reach.OWN_SCOPES),
    "GET /v1/jobs/{job_id}": Rule(Role.READ, Reach.OWN_SCOPES),
    "POST /v1/jobs/{job_id}/retry": Rule(Role.ADMIN, Reach.OWN_SCOPES),
    "GET /v1/status": Rule(Role.READ, Reach.EVERY_SCOPE),
    "POST /v1/maintenance/doctor": Rule(Role.ADMIN, Reach.EVERY_SCOPE),
    "POST /v1/maintenance/reindex": Rule(Role.ADMIN, Reach.EVERY_SCOPE),
    "GET /metrics": Rule(Role.READ, Reach.EVERY_SCOPE),
    f"GET {GUIDE_PATH}": PUBLIC,
    f"HEAD {GUIDE_PATH}": PUBLIC,
    f"OPTIONS {GUIDE_PATH}": PUBLIC,
    f"GET {STYLE_PATH}": PUBLIC,
    f"HEAD {STYLE_PATH}": PUBLIC,
    f"OPTIONS {STYLE_PATH}": PUBLIC,
    "GET /healthz": PUBLIC,
    "GET /readyz": PUBLIC,
}
"""The rule of each route, by method and path; an app with a route that has none is not built."""

_DOCUMENTS: Final = frozenset({"/docs", "/docs/oauth2-redirect", "/openapi.json"})
_DOCUMENT_FILES: Final = "/static-offline-docs/"
_BEARER: Final = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([\x21-\x7e]{1,512})")
_caller: ContextVar[Caller] = ContextVar("caller")


class Access:
    """Lets a request through to its route when its key is known, else answers 401.

    Everything asks for a key but the public routes and the pages of the API's documentation; an
    unknown path does too. On a service without keys everybody is its owner.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._public = _DOCUMENTS | {route.partition(" ")[2] for route in public_routes()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope.get("path", "")
        if (
            scope["type"] != "http"
            or path in self._public
            or (path.startswith(_DOCUMENT_FILES) and ".." not in path)
        ):
            await self._app(scope, receive, send)
            return
        ring = cast("KeyRing", scope["state"]["service"].key_ring)
        try:
            caller = await ring.caller(_token(Headers(scope=scope)))
        except Unauthenticated as error:
            await ProblemResponse(problem_of(error), CHALLENGE)(scope, receive, send)
            return
        token = _caller.set(caller)
        name = acting.set(ANYBODY if caller is OWNER else caller.name)
        try:
            await self._app(scope, receive, send)
        finally:
            acting.reset(name)
            _caller.reset(token)


def public_routes() -> frozenset[str]:
    """Return the routes that ask for no key."""
    return frozenset(route for route, rule in RULES.items() if rule.reach is Reach.NOTHING)


async def authorise(request: Request) -> None:
    """Hold the caller to the rule of the route. Raises Forbidden."""
    rule = rule_of(request.method, request.scope["route"].path)
    if rule.reach is Reach.NOTHING:
        return
    caller = _caller.get()
    caller.require_role(rule.role)
    if rule.reach is Reach.EVERY_SCOPE:
        caller.require_everywhere()


def rule_of(method: str, path: str) -> Rule:
    """Return the rule of a route. Raises Forbidden where there is none."""
    rule = RULES.get(f"{method} {path}")
    if rule is None:
        raise Forbidden(f"{method} {path} has no rule of access, so nobody may call it.")
    return rule


def require_rules(routers: Iterable[APIRouter]) -> None:
    """Raise LookupError unless every route has a rule, and every rule a route."""
    served = {
        f"{method} {route.path}"
        for router in routers
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in cast("Collection[str]", route.methods)
    }
    if served != RULES.keys():
        raise LookupError(
            "routes and rules of access differ (service/api/access.py): "
            f"{sorted(served.symmetric_difference(RULES))}"
        )


async def _the_caller() -> Caller:
    return _caller.get()


TheCaller = Annotated[Caller, Depends(_the_caller)]
"""Who sent the request."""


def checked(scope: str) -> str:
    """Return the scope if it is one and the caller of this request may touch it.

    Raises InvalidInput, Forbidden.
    """
    found = checked_scope(scope)
    _caller.get().require_scope(found)
    return found


def _token(headers: Headers) -> str | None:
    """Return the key that a request carries. Raises Unauthenticated for more than one."""
    given = headers.getlist("authorization")
    if not given:
        return None
    found = _BEARER.fullmatch(given[0]) if len(given) == 1 else None
    if found is None:
        raise Unauthenticated("Send one header, Authorization: Bearer and the key.")
    return found[1]
