"""The HTTP application."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import Depends, FastAPI
from fastapi_offline import FastAPIOffline

from service.api.access import Access, authorise, require_rules
from service.api.dependencies import State
from service.api.errors import add_error_handlers
from service.api.metrics import Metrics
from service.api.middleware import Edge
from service.api.openapi import document
from service.api.routes import (
    browser,
    cypher,
    entities,
    export,
    health,
    jobs,
    lineage,
    maintenance,
    memories,
    operations,
    recall,
    scopes,
    slots,
    status,
)
from service.bootstrap import open_service
from service.config import Settings
from service.providers.embedding.protocol import Embedder

_DESCRIPTION = """\
Agents remember here, a graph keeps it, and recall finds it by text, meaning and graph under a
deadline. What was replaced stays, behind what replaced it, marked.

Errors are problems of RFC 9457. Times are of RFC 3339; one without a zone is read as UTC.
"""


def create_app(settings: Settings, embedder: Embedder | None = None) -> FastAPI:
    """Return the application; it opens the service when it starts and closes it when it stops.

    `embedder` takes the place of the model that is set.
    """
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[State]:
        async with open_service(settings, embedder) as service:
            yield State(service=service, metrics=metrics)

    app = FastAPIOffline(
        title="Palimpsest",
        summary="A memory service for agents on a real graph.",
        description=_DESCRIPTION,
        version=version("palimpsest-memory"),
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.add_middleware(Access)
    app.add_middleware(
        Edge,
        allowed_hosts=settings.http.allowed_hosts,
        max_body_bytes=settings.http.max_body_bytes,
        metrics=metrics,
    )
    add_error_handlers(app)
    modules = (
        memories,
        lineage,
        recall,
        entities,
        slots,
        operations,
        cypher,
        scopes,
        export,
        jobs,
        status,
        maintenance,
        health,
        browser,
    )
    require_rules(module.router for module in modules)
    for module in modules:
        app.include_router(module.router, dependencies=[Depends(authorise)])

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = document(app)
        return app.openapi_schema

    app.openapi = openapi
    return app
