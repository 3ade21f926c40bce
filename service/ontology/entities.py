"""Rules of entities: found by name or id, made once, counted by the memories that mention them."""

from dataclasses import replace

from service.domain.entity import Entity, MentionedEntity
from service.domain.errors import NotFound
from service.domain.journal import EntityStep, MentionStep, RefusedTypeStep, TypeStep
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


def known(ws: Workspace, scope: str, ref: EntityRef) -> Entity | None:
    """Return the entity that is meant, None for a name that nothing has. Raises NotFound."""
    require_known(ws, scope, ref)
    if ref.id is not None:
        return ws.entity(ref.id)
    return ws.by_name(scope, canonical_name(ref.name or ""))


def require(ws: Workspace, scope: str, ref: EntityRef) -> Entity:
    """Return the entity that is meant, or raise NotFound."""
    entity = known(ws, scope, ref)
    if entity is None:
        raise NotFound(f"there is no entity named {ref.name!r} in scope {scope!r}")
    return entity


def resolve(ws: Workspace, scope: str, ref: EntityRef, entity_type: str | None = None) -> Entity:
    """Return the entity, made now when it is named and unknown.

    The casing and the type first given stay; an entity without a type takes the first one named,
    and another one is noted in the journal only.
    """
    entity = known(ws, scope, ref)
    if entity is None:
        return _create(ws, scope, ref.name or "", entity_type)
    if entity_type is None or entity.entity_type == entity_type:
        return entity
    if entity.entity_type is not None:
        ws.journal.append(RefusedTypeStep(entity.id, entity.entity_type, entity_type))
        return entity
    return set_type(ws, entity, entity_type)


def set_type(ws: Workspace, entity: Entity, entity_type: str | None) -> Entity:
    """Give an entity a type, or none."""
    ws.journal.append(TypeStep(entity.id, entity.entity_type, entity_type))
    changed = replace(entity, entity_type=entity_type)
    ws.touched[entity.id] = changed
    ws.write(
        "entity/set_type",
        {"id": entity.id, "entity_type": entity_type, "revision": ws.next_revision()},
    )
    return changed


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
    ws.journal.append(MentionStep(memory.id, entity.id, mention_text, confidence, by, True))
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


def unmention(ws: Workspace, memory: MemoryRow, entity_id: str) -> MentionStep:
    """Take the link between a memory and an entity away; both must be loaded as they are stored."""
    mention_text, confidence, by = memory.mentioned_as[entity_id]
    memory.mentions.discard(entity_id)
    memory.linked.discard(entity_id)
    ws.stir(memory)
    count(ws, entity_id, -1)
    step = MentionStep(memory.id, entity_id, mention_text, confidence, by, False)
    ws.journal.append(step)
    ws.write("memory/unmention", {"memory_id": memory.id, "entity_id": entity_id})
    return step


def count(ws: Workspace, entity_id: str, delta: int) -> None:
    """Move the number of memories that mention an entity."""
    ws.deltas[entity_id] = ws.deltas.get(entity_id, 0) + delta
    entity = ws.entity(entity_id)
    if entity is not None:
        ws.touched[entity_id] = replace(entity, mentions=entity.mentions + delta)


def link_names(ws: Workspace, memory: MemoryRow) -> list[MentionedEntity]:
    """Link a memory to the entities of its scope that its text names (actor `linker`).

    Left out are those that an operation unlinked from it.
    """
    if not ws.link_names:
        return []
    refused = memory.properties.get("unlinked", ())
    linked: list[MentionedEntity] = []
    for link in ws.names.link(memory.scope, memory.properties["content"]):
        entity = ws.entity(link.entity_id)
        if entity is not None and entity.id not in refused:
            made = mention(ws, memory, entity, link.mention_text, 1.0, LINKER)
            linked += [made] if made else []
    return linked


def _create(ws: Workspace, scope: str, name: str, entity_type: str | None) -> Entity:
    entity = Entity(new_id(), scope, name, canonical_name(name), entity_type, 0)
    ws.touched[entity.id] = entity
    ws.created_entities.append(entity.id)
    if (scope, entity.canonical_name) in ws.named:
        ws.named[scope, entity.canonical_name] = entity.id
    else:
        ws.names.apply([entity], [], ws.names.revision)
    ws.journal.append(EntityStep(entity.id, name, entity_type, True))
    ws.write("entity/create", entity_row(ws, entity))
    return entity


def entity_row(ws: Workspace, entity: Entity) -> dict[str, object]:
    """Return the properties of an entity's node when it is made."""
    return {
        "id": entity.id,
        "scope": entity.scope,
        "name": entity.name,
        "canonical_name": entity.canonical_name,
        "entity_type": entity.entity_type,
        "mentions": 0,
        "created_at": ws.now,
        "updated_at": ws.now,
        "revision": ws.next_revision(),
    }
