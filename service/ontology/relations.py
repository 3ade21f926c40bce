"""Rules of relations: native types from a bounded registry, running averages, kept evidence."""

from service.domain.names import FALLBACK_RELATION_TYPE, relation_type
from service.ontology.workspace import MemoryRow, Relation, RelationKey, Workspace


def native_type(ws: Workspace, given: str) -> str:
    """Return the native type of a given spelling, registered when it is new.

    Past the bound on distinct types of a store a new one becomes `RELATED_TO`.
    """
    name = relation_type(given)
    if name in ws.relation_types:
        return name
    if len(ws.relation_types - {FALLBACK_RELATION_TYPE}) >= ws.relation_type_limit:
        name = FALLBACK_RELATION_TYPE
    if name not in ws.relation_types:
        ws.relation_types.add(name)
        ws.write("relation/register_types", {"name": name})
    return name


def assert_relation(
    ws: Workspace, memory: MemoryRow, source_id: str, target_id: str, given: str, confidence: float
) -> None:
    """Count a memory's evidence for a relation once: n mentions become n + 1.

    `confidence` stays the mean over the evidence: the sum is kept, so that it is exact.
    """
    key: RelationKey = (source_id, target_id, native_type(ws, given))
    if (memory.id, key) in ws.evidence:
        return
    ws.evidence.add((memory.id, key))
    relation = ws.relations.setdefault(key, Relation(given))
    relation.mentions += 1
    relation.confidence_sum += confidence
    relation.changed = True
    ws.write(
        "relation/assert",
        {
            "memory_id": memory.id,
            "source_id": source_id,
            "target_id": target_id,
            "type": key[2],
            "confidence": confidence,
        },
    )


def withdraw(ws: Workspace, memory_id: str, key: RelationKey, confidence: float) -> None:
    """Take a memory's evidence for a relation away; without any left the relation goes."""
    ws.evidence.discard((memory_id, key))
    relation = ws.relations.get(key)
    if relation is None:
        return
    relation.mentions -= 1
    relation.confidence_sum -= confidence
    relation.changed = True
