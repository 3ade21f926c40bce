"""Rules of entities: found by name or id, made once, counted by the memories that mention them."""

from service.domain.entity import Entity, MentionedEntity
from service.domain.errors import NotFound
from service.domain.memory import EntityRef
from service.domain.names import canonical_name
from service.ontology.workspace import MemoryRow, Workspace, new_id

LINKER = "linker"
"""Who links a memory to the entities that its text names."""


def require_known(ws: Workspace, scope: str, ref: EntityRef) -> None:
    """Raise NotFound when the entity is given by an id that the scope does not have."""
    if ref.id is None:
        return
    entity = ws.entity(ref.id)
    if entity is None or entity.scope != scope:
        raise NotFound(f"there is no entity {ref.id!r} in scope {scope!r}")


def resolve(ws: Workspace, scope: str, ref: EntityRef, entity_type: str | None = None) -> Entity:
    """Return the entity, made now when it is named and unknown.

    The casing and the type first given stay; an entity without a type takes the first one named.
    """
    require_known(ws, scope, ref)
    if ref.id is not None:
        known = ws.entity(ref.id)
    else:
        known = ws.names.by_canonical(scope, canonical_name(ref.name or ""))
        known = ws.touched.get(known.id, known) if known else None
    if known is None:
        return _create(ws, scope, ref.name or "", entity_type)
    if known.entity_type is None and entity_type is not None:
        known = Entity(
            known.id, scope, known.name, known.canonical_name, entity_type, known.mentions
        )
        ws.touched[known.id] = known
        ws.write(
            "entity/set_type",
            {"id": known.id, "entity_type": entity_type, "revision": ws.next_revision()},
        )
    return known


def mention(
    ws: Workspace,
    memory: MemoryRow,
    entity: Entity,
    mention_text: str,
    confidence: float,
    by: str,
) -> MentionedEntity | None:
    """Link a memory to an entity; None when it was linked already, which changes nothing."""
    if entity.id in memory.mentions:
        if entity.id in memory.linked and by != LINKER:
            # Its caller names it too: it stays when the text no longer does.
            memory.linked.discard(entity.id)
            row = {"memory_id": memory.id, "entity_id": entity.id, "by": by}
            ws.write("memory/claim_mention", row)
        return None
    memory.mentions.add(entity.id)
    if by == LINKER:
        memory.linked.add(entity.id)
    ws.stir(memory)
    count(ws, entity.id, +1)
    ws.write(
        "memory/mention",
        {
            "memory_id": memory.id,
            "entity_id": entity.id,
            "mention_text": mention_text,
            "confidence": confidence,
            "by": by,
        },
    )
    return MentionedEntity(entity.id, entity.name, entity.entity_type, mention_text, confidence)


def count(ws: Workspace, entity_id: str, delta: int) -> None:
    """Move the number of memories that mention an entity."""
    ws.deltas[entity_id] = ws.deltas.get(entity_id, 0) + delta
    entity = ws.entity(entity_id)
    if entity is not None:
        ws.touched[entity_id] = Entity(
            entity.id,
            entity.scope,
            entity.name,
            entity.canonical_name,
            entity.entity_type,
            entity.mentions + delta,
        )


def link_names(ws: Workspace, memory: MemoryRow) -> list[MentionedEntity]:
    """Link a memory to the entities of its scope that its text names (actor `linker`)."""
    if not ws.link_names:
        return []
    linked: list[MentionedEntity] = []
    for link in ws.names.link(memory.scope, memory.properties["content"]):
        entity = ws.entity(link.entity_id)
        if entity is not None:
            made = mention(ws, memory, entity, link.mention_text, 1.0, LINKER)
            linked += [made] if made else []
    return linked


def _create(ws: Workspace, scope: str, name: str, entity_type: str | None) -> Entity:
    entity = Entity(new_id(), scope, name, canonical_name(name), entity_type, 0)
    ws.touched[entity.id] = entity
    ws.created_entities.append(entity.id)
    ws.names.apply([entity], [], ws.names.revision)
    ws.write(
        "entity/create",
        {
            "id": entity.id,
            "scope": scope,
            "name": name,
            "canonical_name": entity.canonical_name,
            "entity_type": entity_type,
            "mentions": 0,
            "created_at": ws.now,
            "updated_at": ws.now,
            "revision": ws.next_revision(),
        },
    )
    return entity
