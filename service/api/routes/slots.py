"""Slots: the place that one current value can hold."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from service.api.dependencies import TheService, chosen_scope
from service.api.idempotency import answer
from service.api.schemas.slots import SlotBody, SlotParameters

router = APIRouter(prefix="/v1/slots", tags=["entities"])


@router.get(
    "",
    summary="Read a slot",
    response_model=SlotBody,
    responses={404: {"description": "No such entity in the scope"}},
)
async def get_slot(service: TheService, query: Annotated[SlotParameters, Query()]) -> Response:
    """Show the current value of a slot and the ones before it, newest first."""
    slot = await service.entities.slot(
        chosen_scope(query.scope),
        entity=query.entity,
        aspect=query.aspect,
        group_key=query.group_key,
        claim_key=query.claim_key,
    )
    return answer(SlotBody.model_validate(slot))
