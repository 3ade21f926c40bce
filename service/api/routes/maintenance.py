"""Comparing the projections with the graph, and making them anew."""

import time

from fastapi import APIRouter, Response

from service.api.dependencies import TheService
from service.api.idempotency import answer
from service.api.schemas.maintenance import DoctorBody, ReindexBody

router = APIRouter(prefix="/v1/maintenance", tags=["service"])


@router.post("/doctor", summary="Compare the indexes with the graph", response_model=DoctorBody)
async def examine(service: TheService) -> Response:
    """Compare every memory of the graph with what each projection holds of it.

    No difference is the normal state; any is repaired by a reindex.
    """
    return answer(DoctorBody.model_validate(await service.doctor.examine()))


@router.post("/reindex", summary="Make the indexes anew", response_model=ReindexBody)
async def reindex(service: TheService) -> Response:
    """Throw the projections away and make them anew from Neo4j; answers once they are complete.

    Nothing is embedded again. Until then recall finds what is indexed so far.
    """
    started = time.perf_counter()
    await service.follower.rebuild()
    return answer(ReindexBody(took_ms=(time.perf_counter() - started) * 1_000))
