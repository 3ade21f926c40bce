"""The entities of a scope, and what is known of each."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from service.api.dependencies import EntityId, TheService, chosen_scope
from service.api.idempotency import answer
from service.api.schemas.entities import (
    AttributeListParameters,
    AttributePageBody,
    EntityDetailBody,
    EntityListParameters,
    EntityPageBody,
    NeighborhoodBody,
    NeighborParameters,
)
from service.api.schemas.fields import PageParameters, ScopeParameter
from service.api.schemas.memories import MemoryPageBody

router = APIRouter(prefix="/v1/entities", tags=["entities"])

_MISSING: dict[int | str, dict[str, Any]] = {404: {"description": "No such entity in the scope"}}


@router.get("", summary="List or search entities", response_model=EntityPageBody)
async def list_entities(
    service: TheService, query: Annotated[EntityListParameters, Query()]
) -> Response:
    """List the entities of a scope, or those whose name holds the query."""
    page = await service.entities.page(
        chosen_scope(query.scope),
        query=query.query,
        type=query.type,
        order=query.order,
        limit=query.limit,
        cursor=query.cursor,
    )
    return answer(EntityPageBody.model_validate(page))


@router.get(
    "/{entity_id}", summary="Read an entity", response_model=EntityDetailBody, responses=_MISSING
)
async def get_entity(
    service: TheService, entity_id: EntityId, query: Annotated[ScopeParameter, Query()]
) -> Response:
    """Show an entity with its aspects, heaviest first, their active attributes, and counts."""
    detail = await service.entities.get(chosen_scope(query.scope), entity_id)
    return answer(EntityDetailBody.of(detail))


@router.get(
    "/{entity_id}/neighbors",
    summary="Show the entities around one",
    response_model=NeighborhoodBody,
    responses=_MISSING,
)
async def get_neighbors(
    service: TheService, entity_id: EntityId, query: Annotated[NeighborParameters, Query()]
) -> Response:
    """Show the entities that relations connect with this one, in both directions."""
    around = await service.entities.neighbors(
        chosen_scope(query.scope), entity_id, depth=query.depth, limit=query.limit
    )
    return answer(NeighborhoodBody.model_validate(around))


@router.get(
    "/{entity_id}/memories",
    summary="List the memories that mention an entity",
    response_model=MemoryPageBody,
    responses=_MISSING,
)
async def list_entity_memories(
    service: TheService, entity_id: EntityId, query: Annotated[PageParameters, Query()]
) -> Response:
    """List the memories that mention the entity, newest first."""
    page = await service.entities.memories(
        chosen_scope(query.scope), entity_id, limit=query.limit, cursor=query.cursor
    )
    return answer(MemoryPageBody.model_validate(page))


@router.get(
    "/{entity_id}/attributes",
    summary="List what is claimed about an entity",
    response_model=AttributePageBody,
    responses=_MISSING,
)
async def list_entity_attributes(
    service: TheService, entity_id: EntityId, query: Annotated[AttributeListParameters, Query()]
) -> Response:
    """List the attributes of an entity; with `include_superseded` also those that were replaced."""
    page = await service.entities.attributes(
        chosen_scope(query.scope),
        entity_id,
        include_superseded=query.include_superseded,
        limit=query.limit,
        cursor=query.cursor,
    )
    return answer(AttributePageBody.model_validate(page))
