"""The OpenAPI document, with every error as a problem."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from service.api.access import public_routes
from service.api.errors import MEDIA_TYPE
from service.api.schemas.problem import Problem

TAGS: list[dict[str, Any]] = [
    {"name": "memories", "description": "Keep text, change it, replace it, forget it."},
    {"name": "recall", "description": "Find what was kept, the current before the replaced."},
    {"name": "entities", "description": "The graph that memories are tied into."},
    {"name": "operations", "description": "The one door to the graph, and its audit log."},
    {"name": "scopes", "description": "The isolation boundary: nothing crosses it."},
    {"name": "jobs", "description": "Durable work in the background."},
    {"name": "browser", "description": "What Neo4j Browser reads to show the graph."},
    {"name": "service", "description": "The state of the service itself."},
]

_METHODS = frozenset({"get", "post", "put", "patch", "delete"})
_FIRST_ERROR = 400
_GUARDED = {
    "401": "No key, or none that opens (where the service has keys)",
    "403": "The key's role or scopes do not allow it",
}
_ALWAYS = {
    "421": "The host name is not served here",
    "422": "The input is not valid; `errors` names each field",
    "500": "A fault of the service",
    "503": "A part of the service does not answer; try again after `Retry-After` seconds",
}
_WITH_BODY = {
    "400": "The body is no JSON",
    "413": "The body is too large",
    "415": "The body is not sent as application/json",
}


def document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of an app; every error is declared as a problem."""
    made = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=app.description,
        routes=app.routes,
        tags=TAGS,
    )
    schemas: dict[str, Any] = made["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(problem.pop("$defs"))
    schemas["Problem"] = problem
    made["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    for path, operations in made["paths"].items():
        for method, operation in operations.items():
            if method in _METHODS:
                guarded = f"{method.upper()} {path}" not in public_routes()
                # Without keys a service on loopback asks for none: the second one is no key.
                operation["security"] = [{"key": []}, {}] if guarded else []
                _declare_problems(operation, _GUARDED if guarded else {})
    return made


def _declare_problems(operation: dict[str, Any], more: dict[str, str]) -> None:
    responses: dict[str, Any] = operation["responses"]
    always = {**_ALWAYS, **more, **(_WITH_BODY if "requestBody" in operation else {})}
    for status, description in always.items():
        responses[status] = {"description": description}
    for status, response in responses.items():
        if int(status) >= _FIRST_ERROR:
            response["content"] = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
