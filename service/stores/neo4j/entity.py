"""Reading entities for the index of names."""

from service.domain.entity import Entity
from service.stores.neo4j.driver import Transaction, fetch
from service.stores.neo4j.statements import statement
from service.stores.neo4j.views import entity_view

_CHANGED = statement("entity/changed_since")


async def changed_entities(tx: Transaction, after: int) -> list[Entity]:
    """Return the entities that changed after a revision, as they are now."""
    return [entity_view(record) for record in await fetch(tx, _CHANGED, after=after)]
