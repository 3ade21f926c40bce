"""Reading by Cypher, for admins."""

from fastapi import APIRouter, Response

from service.api.dependencies import TheService
from service.api.idempotency import answer
from service.api.schemas.cypher import CypherBody, CypherRequest

router = APIRouter(prefix="/v1/cypher", tags=["service"])


@router.post(
    "",
    summary="Read by Cypher",
    response_model=CypherBody,
    responses={
        404: {"description": "Switched off (`cypher.enabled`)"},
        504: {"description": "The query was ended because its time was over"},
    },
)
async def read_cypher(service: TheService, body: CypherRequest) -> Response:
    """Run one Cypher query that only reads, over all scopes.

    It is planned first; a step, function or procedure that is not known to be harmless is refused
    by its name, and so is what could make a list or a text of any length. Rows, bytes and time are
    bounded.
    """
    found = await service.cypher.read(body.query, dict(body.parameters), body.limit)
    return answer(CypherBody.model_validate(found))
