"""Liveness, readiness and metrics, for those who run the service."""

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST

from service.api.dependencies import TheMetrics, TheService
from service.api.errors import ProblemResponse, problem_of_status
from service.api.idempotency import answer
from service.api.schemas.health import AliveBody, ReadyBody

router = APIRouter(tags=["service"])


@router.get("/healthz", summary="Is the process alive?", response_model=AliveBody)
async def get_liveness() -> Response:
    """Answer as long as the process can answer at all."""
    return answer(AliveBody())


@router.get("/readyz", summary="Can requests be served?", response_model=ReadyBody)
async def get_readiness(service: TheService) -> Response:
    """Answer 200 when Neo4j and both indexes can serve, else 503 with what is missing."""
    readiness = await service.status.readiness()
    if readiness.ready:
        return answer(ReadyBody.model_validate(readiness))
    missing = [f"{part}: {state}" for part, state in readiness.parts.items() if state != "ok"]
    problem = problem_of_status(503, "Not ready. " + "; ".join(missing))
    shown = problem.model_copy(update={"ready": False, "parts": dict(readiness.parts)})
    return ProblemResponse(shown, {"Retry-After": "1"})


@router.get(
    "/metrics",
    summary="Show counts for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def get_metrics(metrics: TheMetrics) -> Response:
    """Show counts and times of requests and of recall's sources, in Prometheus' text format."""
    return Response(metrics.exposition(), headers={"Content-Type": CONTENT_TYPE_LATEST})
