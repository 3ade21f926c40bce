"""Rules of an entity's identity: its names, its end, and two that become one."""

from dataclasses import replace

from service.domain.entity import Entity
from service.domain.errors import Conflict
from service.domain.journal import AliasStep, EntityStep, NameStep
from service.domain.names import canonical_name
from service.ontology.workspace import Workspace


def require_free(ws: Workspace, entity: Entity, name: str) -> None:
    """Raise Conflict when a name belongs to another entity; the conflict offers the merge."""
    other = ws.by_name(entity.scope, canonical_name(name))
    if other is not None and other.id != entity.id:
        raise Conflict(
            f"the name {name!r} belongs to the entity {other.name!r} ({other.id!r}); if both are "
            "the same, merge them: merge_entities",
            offer={
                "op": "merge_entities",
                "source": {"id": entity.id},
                "target": {"id": other.id},
            },
        )


def rename(ws: Workspace, entity: Entity, name: str, *, keep_alias: bool) -> Entity:
    """Give an entity another name, which must be free; the old one may stay as an alias."""
    old = entity.name
    kept = [one for one in entity.aliases if canonical_name(one) != canonical_name(name)]
    if keep_alias and canonical_name(old) != canonical_name(name):
        kept.append(old)
    ws.journal.append(NameStep(entity.id, old, name))
    _note_aliases(ws, entity, kept)
    return _write(ws, entity, replace(entity, name=name, canonical_name=canonical_name(name)), kept)


def set_aliases(ws: Workspace, entity: Entity, aliases: list[str]) -> Entity:
    """Let these other names, which must be free, and no more resolve to an entity."""
    _note_aliases(ws, entity, aliases)
    return _write(ws, entity, entity, aliases)


def retire(ws: Workspace, entity: Entity) -> None:
    """Hide an entity of which nothing is left but what the audit log says."""
    for alias in entity.aliases:
        ws.journal.append(AliasStep(entity.id, alias, False))
    ws.journal.append(EntityStep(entity.id, entity.name, entity.entity_type, False))
    free_names(ws, entity)
    ws.deltas.pop(entity.id, None)
    ws.removed_entities.add(entity.id)
    ws.write(
        "entity/retire",
        {"id": entity.id, "deleted_at": ws.now, "revision": ws.next_revision()},
    )


def free_names(ws: Workspace, entity: Entity) -> None:
    """Let the names that an entity still holds be given to others."""
    for name in (entity.name, *entity.aliases):
        holder = ws.by_name(entity.scope, canonical_name(name))
        if holder is None or holder.id == entity.id:
            ws.named[entity.scope, canonical_name(name)] = None


def revive(ws: Workspace, entity: Entity) -> None:
    """Bring an entity back that was retired; its name must be free."""
    ws.journal.append(EntityStep(entity.id, entity.name, entity.entity_type, True))
    ws.named[entity.scope, entity.canonical_name] = entity.id
    ws.touched[entity.id] = entity
    ws.write(
        "entity/revive",
        {
            "id": entity.id,
            "scope": entity.scope,
            "name": entity.name,
            "canonical_name": entity.canonical_name,
            "entity_type": entity.entity_type,
            "revision": ws.next_revision(),
            "updated_at": ws.now,
        },
    )


def _note_aliases(ws: Workspace, entity: Entity, aliases: list[str]) -> None:
    for name in entity.aliases:
        if name not in aliases:
            ws.journal.append(AliasStep(entity.id, name, False))
    for name in aliases:
        if name not in entity.aliases:
            ws.journal.append(AliasStep(entity.id, name, True))


def _write(ws: Workspace, before: Entity, after: Entity, aliases: list[str]) -> Entity:
    after = replace(after, aliases=tuple(aliases))
    for name in (before.name, *before.aliases):
        ws.named[before.scope, canonical_name(name)] = None
    for name in (after.name, *after.aliases):
        ws.named[after.scope, canonical_name(name)] = after.id
    ws.touched[after.id] = after
    ws.write(
        "entity/rename",
        {
            "id": after.id,
            "name": after.name,
            "canonical_name": after.canonical_name,
            "aliases": aliases or None,
            "revision": ws.next_revision(),
            "updated_at": ws.now,
        },
    )
    return after
