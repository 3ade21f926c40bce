"""Recall."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from service.api.dependencies import TheMetrics, TheService, chosen_scope
from service.api.idempotency import answer
from service.api.metrics import Metrics
from service.api.schemas.fields import ScopeParameter
from service.api.schemas.recall import RecallBody, RecallParameters, RecallRequest
from service.bootstrap import Service
from service.domain.deadline import Deadline

router = APIRouter(prefix="/v1/recall", tags=["recall"])


@router.post("", summary="Recall", response_model=RecallBody)
async def recall(
    service: TheService,
    metrics: TheMetrics,
    body: RecallRequest,
    query: Annotated[ScopeParameter, Query()],
) -> Response:
    """Find memories by text, meaning and graph within a deadline.

    What was replaced stands behind what replaced it, marked `superseded` and with a note.
    `channels` tells how each source fared; one that is late or fails costs the others nothing.
    """
    return await _recall(service, metrics, chosen_scope(query.scope, body.scope), body)


@router.get("", summary="Recall by query string", response_model=RecallBody)
async def recall_by_query_string(
    service: TheService, metrics: TheMetrics, query: Annotated[RecallParameters, Query()]
) -> Response:
    """Find memories as `POST /v1/recall` does, with the request as a query string."""
    return await _recall(service, metrics, chosen_scope(query.scope), query)


async def _recall(service: Service, metrics: Metrics, scope: str, asked: RecallRequest) -> Response:
    deadline = Deadline.after(asked.deadline_ms or service.settings.recall.deadline_ms)
    found = await service.recall.recall(asked.to_domain(scope), deadline)
    metrics.recalled(found)
    return answer(RecallBody.of(found, compact=asked.compact))
