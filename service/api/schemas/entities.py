"""What the routes of entities take and answer."""

from typing import Annotated, Self

from pydantic import Field

from service.api.schemas.fields import Answer, PageParameters, ScopeParameter, UtcTime, Word
from service.domain.attribute import AttributeKind, AttributeStatus, Cardinality
from service.domain.entity import EntityDetail, EntityOrder

_EntityType = Annotated[str | None, Field(validation_alias="entity_type")]


class EntityListParameters(PageParameters):
    """Filters and order of the list of entities."""

    query: Word | None = Field(
        default=None, description="Part of a name; special characters are ordinary text."
    )
    type: Word | None = None
    order: EntityOrder = EntityOrder.MENTIONS


class NeighborParameters(ScopeParameter):
    """How far around an entity to look."""

    depth: int = Field(default=1, ge=1, le=3, description="Steps along relations.")
    limit: int = Field(default=100, ge=1, le=1_000, description="The most nodes to answer.")


class AttributeListParameters(PageParameters):
    """Which attributes of an entity are listed."""

    include_superseded: bool = False


class EntityBody(Answer):
    """An entity: a named thing of a scope."""

    id: str
    scope: str
    name: str
    canonical_name: str
    type: _EntityType
    mentions: int = Field(description="The number of memories that mention it.")
    aliases: list[str] = Field(default=[], description="Other names that resolve to it.")


class MentionedEntityBody(Answer):
    """An entity and how one memory names it."""

    id: str
    name: str
    type: _EntityType
    mention_text: str
    confidence: float


class AttributeBody(Answer):
    """A claim about an entity, and the memories that state it."""

    id: str
    entity_id: str
    entity: str
    aspect: str
    group_key: str | None
    claim_key: str | None
    value: str
    kind: AttributeKind
    cardinality: Cardinality
    status: AttributeStatus
    confidence: float
    importance: float
    valid_from: UtcTime
    valid_to: UtcTime | None
    memory_ids: list[str]


class AspectBody(Answer):
    """A facet of an entity with its active attributes."""

    id: str
    name: str
    weight: float
    updated_at: UtcTime
    attributes: list[AttributeBody]


class EntityCountsBody(Answer):
    """How much hangs on the entity."""

    memories: int
    relations: int
    aspects: int
    active_attributes: int
    superseded_attributes: int


class EntityDetailBody(EntityBody):
    """An entity with its aspects, heaviest first, and its counts."""

    aspects: list[AspectBody]
    counts: EntityCountsBody

    @classmethod
    def of(cls, detail: EntityDetail) -> Self:
        """Return the answer to a reading of one entity."""
        entity = detail.entity
        return cls.model_validate(
            {
                "id": entity.id,
                "scope": entity.scope,
                "name": entity.name,
                "canonical_name": entity.canonical_name,
                "type": entity.entity_type,
                "mentions": entity.mentions,
                "aliases": entity.aliases,
                "aspects": detail.aspects,
                "counts": detail.counts,
            }
        )


class EntityPageBody(Answer):
    """A page of entities."""

    items: list[EntityBody]
    next_cursor: str | None


class AttributePageBody(Answer):
    """A page of attributes."""

    items: list[AttributeBody]
    next_cursor: str | None


class NeighborEdgeBody(Answer):
    """A relation between two entities, by their ids."""

    source: str
    target: str
    type: str
    mentions: int
    confidence: float


class NeighborhoodBody(Answer):
    """Entities and the relations among them."""

    nodes: list[EntityBody]
    edges: list[NeighborEdgeBody]
    truncated: bool
