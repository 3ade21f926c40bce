"""Loading a workspace: what a write has to know, read in a few batched statements."""

from collections.abc import Iterable
from typing import Any

from service.domain.attribute import AttributeKind, AttributeStatus, Cardinality
from service.domain.slots import Claim, derive
from service.ontology.entities import LINKER
from service.ontology.relations import Evidence
from service.ontology.workspace import Line, MemoryRow, Relation, RelationKey, Workspace, new_id
from service.stores.neo4j.driver import Row, Transaction, fetch
from service.stores.neo4j.expansion import over_types
from service.stores.neo4j.records import maybe_moment, moment, properties
from service.stores.neo4j.statements import statement

_MEMORIES = statement("memory/load")
_BY_CONTENT = statement("memory/by_content")
_SLOTS = statement("attribute/load_slots")
_ASPECTS = statement("aspect/load")
_RELATIONS = statement("relation/load")
_RELATION_TYPES = statement("relation/types")
_EVIDENCE = statement("relation/evidence")
_EVIDENCE_FOR = statement("relation/evidence_for")
_EVIDENCE_ABOUT = statement("relation/evidence_about")
_MEMORY_TIMES = frozenset({"created_at", "occurred_at", "updated_at"})
_ATTRIBUTE_TIMES = frozenset({"created_at", "valid_from", "valid_to"})
_AHEAD = 8
"""So many of the memories behind a current value are loaded with its line."""


async def load_memories(tx: Transaction, ws: Workspace, ids: Iterable[str]) -> None:
    """Load live memories that are not loaded yet; ids that are none are passed over.

    One that a line has changed meanwhile is brought in line with it.
    """
    wanted = [memory_id for memory_id in dict.fromkeys(ids) if memory_id not in ws.memories]
    if not wanted:
        return
    for record in await fetch(tx, _MEMORIES, ids=wanted):
        kept = properties(record["memory"], _MEMORY_TIMES)
        row = MemoryRow(
            properties=kept,
            is_new=False,
            superseded=kept["superseded"],
            mentions={mention["entity_id"] for mention in record["mentions"]},
            linked={m["entity_id"] for m in record["mentions"] if m["by"] == LINKER},
            mentioned_as={
                m["entity_id"]: (m["mention_text"], m["confidence"], m["by"])
                for m in record["mentions"]
            },
            statements={
                one["attribute_id"]: AttributeStatus(one["status"]) for one in record["statements"]
            },
            slots={one["slot"] for one in record["statements"]},
            successors=set(record["successors"]),
            targets=set(record["targets"]),
            hints=list(record["hints"]),
            embedded=record["embedded"],
        )
        ws.memories[row.id] = row
        _follow_lines(ws, row)


async def load_affected(tx: Transaction, ws: Workspace) -> None:
    """Load the memories behind changed attributes that nobody needed before."""
    await load_memories(tx, ws, sorted(ws.affected))
    ws.affected.clear()


def _follow_lines(ws: Workspace, row: MemoryRow) -> None:
    for slot in ws.affected.pop(row.id, ()):
        line = ws.lines[slot]
        for attribute_id in line.stored:
            row.statements.pop(attribute_id, None)
        for span in line.spans:
            if any(claim.memory_id == row.id for claim in span.claims):
                row.statements[span.attribute_id] = span.status
        ws.stir(row)


async def load_twins(tx: Transaction, ws: Workspace, keys: Iterable[str]) -> None:
    """Load the current memories that hold one of these contents already."""
    for record in await fetch(tx, _BY_CONTENT, keys=list(dict.fromkeys(keys))):
        ws.by_content.setdefault(record["content_key"], record["id"])
    await load_memories(tx, ws, ws.by_content.values())


async def load_lines(tx: Transaction, ws: Workspace, slots: Iterable[str]) -> None:
    """Load the lines of slots with all their claims.

    Of the memories behind the claims, those of a current value are loaded ahead, as the next
    value replaces it; the others when they turn out to be affected (`load_affected`).
    """
    wanted = [slot for slot in dict.fromkeys(slots) if slot not in ws.lines]
    if not wanted:
        return
    ahead: list[str] = []
    for record in await fetch(tx, _SLOTS, slots=wanted):
        line = _line(record["attributes"])
        ws.lines[line.slot] = line
        if line.cardinality is Cardinality.ONE:
            claims = [claim for span in line.spans[-1:] for claim in span.claims[-_AHEAD:]]
            ahead += [claim.memory_id for claim in claims if not claim.from_operation]
    await load_memories(tx, ws, ahead)


def _line(attributes: list[dict[str, Any]]) -> Line:
    line = _empty_line(attributes[0])
    for record in attributes:
        claims, replaced = record.pop("claims"), record.pop("replaced")
        stored = properties(record, _ATTRIBUTE_TIMES)
        if stored["cardinality"] == Cardinality.MANY:
            line.cardinality = Cardinality.MANY
        line.stored[stored["id"]] = stored
        line.ties |= {(stored["id"], old) for old in replaced}
        for row in claims:
            claim = _claim(row, stored["id"])
            line.stored_claims[claim.memory_id, stored["id"], claim.at] = claim
            line.claims.append(claim)
    line.spans = derive(line.claims, line.cardinality, new_id)
    return line


async def load_aspects(tx: Transaction, ws: Workspace, keys: Iterable[tuple[str, str]]) -> None:
    """Load the ids of aspects by entity id and key."""
    wanted = [list(key) for key in dict.fromkeys(keys) if key not in ws.aspects]
    if wanted:
        for record in await fetch(tx, _ASPECTS, keys=wanted):
            ws.aspects[record["entity_id"], record["key"]] = record["id"]


async def load_relation_types(tx: Transaction, ws: Workspace) -> None:
    """Load the registry of relation types."""
    ws.relation_types |= {record["name"] for record in await fetch(tx, _RELATION_TYPES)}


async def load_relations(tx: Transaction, ws: Workspace, keys: Iterable[RelationKey]) -> None:
    """Load the running averages of relations that are in the store."""
    wanted = [key for key in dict.fromkeys(keys) if key not in ws.relations]
    # Of a type that is not registered there are none; all registered ones make one statement.
    types = frozenset(ws.relation_types or {name for _, _, name in wanted})
    wanted = [key for key in wanted if key[2] in types]
    if not wanted:
        return
    rows = [
        {"key": at, "source_id": source, "target_id": target, "type": name}
        for at, (source, target, name) in enumerate(wanted)
    ]
    for record in await fetch(tx, over_types(_RELATIONS, types), rows=rows):
        ws.relations[wanted[record["key"]]] = Relation(
            given=record["given"],
            id=record["id"],
            mentions=record["mentions"],
            confidence_sum=record["confidence_sum"],
        )


async def load_evidence(
    tx: Transaction, ws: Workspace, author_ids: Iterable[str]
) -> list[Evidence]:
    """Load which relations memories and operation sets assert; also into the workspace."""
    rows = await fetch(tx, _EVIDENCE, author_ids=list(dict.fromkeys(author_ids)))
    return _evidence(ws, rows)


async def load_evidence_for(
    tx: Transaction, ws: Workspace, keys: Iterable[RelationKey]
) -> list[Evidence]:
    """Load all evidence for relations, whoever gives it."""
    rows = [{"source_id": key[0], "target_id": key[1], "type": key[2]} for key in keys]
    return _evidence(ws, await fetch(tx, _EVIDENCE_FOR, rows=rows))


async def load_evidence_about(
    tx: Transaction, ws: Workspace, entity_ids: Iterable[str]
) -> list[Evidence]:
    """Load all evidence for relations that begin or end at these entities, whoever gives it.

    The registry of relation types must be loaded.
    """
    if not ws.relation_types:
        return []
    text = over_types(_EVIDENCE_ABOUT, frozenset(ws.relation_types))
    return _evidence(ws, await fetch(tx, text, entity_ids=list(dict.fromkeys(entity_ids))))


def _evidence(ws: Workspace, rows: list[Row]) -> list[Evidence]:
    found = [
        Evidence(
            row["author_id"],
            (row["source_id"], row["target_id"], row["type"]),
            row["confidence"],
            row["from_operation"],
        )
        for row in rows
    ]
    ws.evidence |= {(one.author_id, one.key) for one in found}
    return found


def _empty_line(stored: dict[str, Any]) -> Line:
    return Line(
        slot=stored["slot"],
        entity_id=stored["entity_id"],
        aspect_id=stored["aspect_id"],
        aspect=stored["aspect"],
        group_key=stored.get("group_key"),
        claim_key=stored.get("claim_key"),
        cardinality=Cardinality(stored["cardinality"]),
        claims=[],
        stored={},
        stored_claims={},
        ties=set(),
    )


def _claim(row: dict[str, Any], attribute_id: str) -> Claim:
    return Claim(
        memory_id=row["memory_id"],
        value=row["value"],
        at=moment(row["at"]),
        until=maybe_moment(row["until"]),
        kind=AttributeKind(row["kind"]),
        confidence=row["confidence"],
        importance=row["importance"],
        attribute_id=attribute_id,
        from_operation=row["from_operation"],
    )
