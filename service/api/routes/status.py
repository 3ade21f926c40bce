"""What the service says about itself."""

from fastapi import APIRouter, Response

from service.api.dependencies import TheService
from service.api.idempotency import answer
from service.api.schemas.status import StatusBody

router = APIRouter(prefix="/v1/status", tags=["service"])


@router.get("", summary="Show the state of the service", response_model=StatusBody)
async def get_status(service: TheService) -> Response:
    """Show versions, counts, index lag, queue depth, and the model and channel configuration."""
    return answer(StatusBody.model_validate(await service.status.status()))
