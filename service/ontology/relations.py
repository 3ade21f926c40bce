"""Rules of relations: native types from a bounded registry, running averages, kept evidence."""

from dataclasses import dataclass

from service.domain.journal import EvidenceStep
from service.domain.names import FALLBACK_RELATION_TYPE, relation_type
from service.ontology.workspace import Relation, RelationKey, Workspace


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


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one author says of a relation."""

    author_id: str
    """The memory that says it, or the operation set where no memory does."""
    key: RelationKey
    confidence: float
    from_operation: bool = False


def assert_relation(ws: Workspace, evidence: Evidence, given: str) -> bool:
    """Count an author's evidence for a relation once: n mentions become n + 1.

    `confidence` stays the mean over the evidence: the sum is kept, so that it is exact.
    False where the author says so already, which changes nothing.
    """
    author_id, key = evidence.author_id, evidence.key
    if (author_id, key) in ws.evidence:
        return False
    ws.evidence.add((author_id, key))
    relation = ws.relations.setdefault(key, Relation(given))
    relation.mentions += 1
    relation.confidence_sum += evidence.confidence
    relation.changed = True
    ws.journal.append(_step(evidence, relation, added=True))
    ws.write(
        "relation/assert_by_operation" if evidence.from_operation else "relation/assert",
        {
            "memory_id": author_id,
            "source_id": key[0],
            "target_id": key[1],
            "type": key[2],
            "confidence": evidence.confidence,
        },
    )
    return True


def withdraw(ws: Workspace, evidence: Evidence) -> None:
    """Take an author's evidence for a relation away; without any left the relation goes."""
    ws.evidence.discard((evidence.author_id, evidence.key))
    relation = ws.relations.get(evidence.key)
    if relation is None:
        return
    relation.mentions -= 1
    relation.confidence_sum -= evidence.confidence
    relation.changed = True
    ws.journal.append(_step(evidence, relation, added=False))


def retract(ws: Workspace, evidence: Evidence) -> None:
    """Take an author's evidence away while its author stays."""
    withdraw(ws, evidence)
    ws.write(
        "relation/unassert",
        {
            "author_id": evidence.author_id,
            "source_id": evidence.key[0],
            "target_id": evidence.key[1],
            "type": evidence.key[2],
        },
    )


def _step(evidence: Evidence, relation: Relation, *, added: bool) -> EvidenceStep:
    source_id, target_id, name = evidence.key
    return EvidenceStep(
        author_id=evidence.author_id,
        from_operation=evidence.from_operation,
        source_id=source_id,
        target_id=target_id,
        type=name,
        given=relation.given,
        confidence=evidence.confidence,
        added=added,
    )
