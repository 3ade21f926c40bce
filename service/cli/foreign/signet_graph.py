"""The graph of a Signet store, given to the memories that tell of it.

Relations carry no memory in Signet: the earliest memory that mentions both ends says them here. An
attribute that names no memory is told by one of its own, of its text.
"""

from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from service.cli.foreign.model import Losses, Row
from service.cli.foreign.sqlite_file import SqliteFile
from service.cli.foreign.values import (
    LIMITS,
    is_name,
    is_relation_type,
    moment,
    rfc3339,
    share,
    short,
    text,
)
from service.domain.names import canonical_name

_PRODUCT = "signet"
_ENTITY: dict[str, object] = {
    "id": None, "name": None, "entity_type": None, "description": None, "agent_id": "default",
    "status": "active",
}  # fmt: skip
_MENTION: dict[str, object] = {
    "memory_id": None, "entity_id": None, "mention_text": None, "confidence": None,
}  # fmt: skip
_RELATION: dict[str, object] = {
    "id": None, "source_entity_id": None, "target_entity_id": None, "relation_type": None,
    "strength": None, "confidence": None, "agent_id": None, "status": "active",
}  # fmt: skip
_DEPENDENCY = {name: value for name, value in _RELATION.items() if name != "relation_type"} | {
    "dependency_type": None
}
_ASPECT: dict[str, object] = {
    "id": None, "entity_id": None, "agent_id": "default", "name": None, "weight": 0.5,
    "status": "active",
}  # fmt: skip
_ATTRIBUTE: dict[str, object] = {
    "id": None, "aspect_id": None, "agent_id": "default", "memory_id": None, "kind": "attribute",
    "content": None, "confidence": 1.0, "importance": 0.5, "status": "active", "created_at": None,
    "claim_key": None, "group_key": None,
}  # fmt: skip
_HINT: dict[str, object] = {"memory_id": None, "hint": None, "agent_id": "default"}
_ORDINARY_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two entities, by their ids."""

    id: str
    source: str
    target: str
    type: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Claim:
    """An attribute with the entity that it is about."""

    id: str
    entity: str
    memory_id: str | None
    """None where it names no memory."""
    at: datetime
    active: bool
    body: dict[str, Any]
    """As a remember takes it."""

    @property
    def slot(self) -> tuple[str, ...] | None:
        """The place of one value; None where nothing says which place."""
        if self.body.get("claim_key") is None:
            return None
        keys = (self.body["aspect"], self.body.get("group_key") or "", self.body["claim_key"])
        return (self.entity, *map(canonical_name, keys))


@dataclass(slots=True)
class Graph:
    """What an agent's graph holds that may be carried over."""

    entities: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """By id: `name`, and `type` if it has one."""
    mentions: dict[str, list[tuple[str, dict[str, Any]]]] = field(
        default_factory=dict[str, list[tuple[str, dict[str, Any]]]]
    )
    """By memory: the entity's id with how it is mentioned."""
    relations: list[Relation] = field(default_factory=list[Relation])
    claims: list[Claim] = field(default_factory=list[Claim])
    hints: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def give_to(self, rows: dict[str, Row], losses: Losses) -> None:
        """Put everything into the memories that tell of it; adds rows for attributes alone."""
        used = self._mention(rows, losses)
        said: list[Claim] = []
        for claim in self.claims:
            if claim.memory_id is None or claim.memory_id in rows:
                said.append(claim)
            else:
                losses.add("attribute", "the memory that says it is not carried over", claim.id)
        for claim in _settled(said, losses):
            row = rows[claim.memory_id] if claim.memory_id else _own_row(rows, claim)
            if _put(row, "attributes", claim.body, LIMITS.attributes):
                used.add(claim.entity)
            else:
                losses.add("attribute", "its memory has more than one may bring", claim.id)
        used |= self._relate(rows, losses)
        for memory_id, hints in self.hints.items():
            row = rows.get(memory_id)
            for hint in hints:
                if row is None:
                    losses.add("hint", "its memory is not carried over", memory_id)
                elif not _put(row, "hints", hint, LIMITS.hints):
                    losses.add("hint", "its memory has more than one may bring", memory_id)
        alone = [entity_id for entity_id in self.entities if entity_id not in used]
        if alone:
            losses.add("entity", "nothing that is carried over tells of it", *alone)

    def _mention(self, rows: dict[str, Row], losses: Losses) -> set[str]:
        used: set[str] = set()
        for memory_id, mentions in self.mentions.items():
            row = rows.get(memory_id)
            for entity_id, mention in mentions:
                if row is None:
                    continue
                body = {**self.entities[entity_id], **mention}
                if _put(row, "entities", body, LIMITS.entities):
                    used.add(entity_id)
                else:
                    losses.add("mention", "its memory has more than one may bring", memory_id)
        return used

    def _relate(self, rows: dict[str, Row], losses: Losses) -> set[str]:
        used: set[str] = set()
        tellers: dict[str, set[str]] = defaultdict(set)
        for memory_id, mentions in self.mentions.items():
            for entity_id, _ in mentions:
                if memory_id in rows:
                    tellers[entity_id].add(memory_id)
        for relation in self.relations:
            both = tellers[relation.source] & tellers[relation.target]
            body = {
                "source": self.entities[relation.source]["name"],
                "target": self.entities[relation.target]["name"],
                "type": relation.type,
                "confidence": relation.confidence,
            }
            for memory_id in sorted(both, key=lambda each: (rows[each].at, each)):
                if _put(rows[memory_id], "relations", body, LIMITS.relations):
                    used |= {relation.source, relation.target}
                    break
            else:
                why = "no memory that is carried over mentions both of its ends"
                losses.add("relation", why, relation.id)
        return used


def read_graph(file: SqliteFile, agent: str, left: Set[str], losses: Losses) -> Graph:
    """Read an agent's graph; `left` are the memories that stay behind."""
    graph = Graph()
    _read_entities(file, agent, graph, losses)
    _read_mentions(file, graph, losses)
    _read_relations(file, agent, graph, losses)
    graph.claims = _read_claims(file, agent, graph, left, losses)
    for hint in file.every("memory_hints", _HINT):
        said = text(hint["hint"]).strip()
        if 0 < len(said) <= LIMITS.hint:
            graph.hints.setdefault(text(hint["memory_id"]), []).append(said)
        else:
            losses.add("hint", "is empty or too long", text(hint["memory_id"]))
    return graph


def _read_entities(file: SqliteFile, agent: str, graph: Graph, losses: Losses) -> None:
    described: list[str] = []
    for entity in file.every("entities", _ENTITY):
        entity_id, name = text(entity["id"]), text(entity["name"]).strip()
        if text(entity["agent_id"]) != agent:
            losses.add("entity", "belongs to another agent", entity_id)
        elif entity["status"] != "active":
            losses.add("entity", "was archived in Signet", entity_id)
        elif not is_name(name):
            losses.add("entity", "its name is empty or too long", entity_id)
        else:
            kind = short(entity["entity_type"])
            graph.entities[entity_id] = {"name": name} | ({"type": kind} if kind else {})
            described += [entity_id] if text(entity["description"]).strip() else []
    if described:
        losses.add("description of an entity", "entities have none here", *described)


def _read_mentions(file: SqliteFile, graph: Graph, losses: Losses) -> None:
    for mention in file.every("memory_entity_mentions", _MENTION):
        entity_id, memory_id = text(mention["entity_id"]), text(mention["memory_id"])
        if entity_id not in graph.entities:
            losses.add("mention", "its entity is not carried over", memory_id)
            continue
        said = short(mention["mention_text"])
        body = {"confidence": share(mention["confidence"], 1.0)}
        graph.mentions.setdefault(memory_id, []).append(
            (entity_id, body | ({"mention_text": said} if said else {}))
        )


def _read_relations(file: SqliteFile, agent: str, graph: Graph, losses: Losses) -> None:
    """Read both tables of relations; the later one repeats what the earlier one had."""
    seen: set[tuple[str, str, str]] = set()
    for table, wanted, named in (
        ("entity_dependencies", _DEPENDENCY, "dependency_type"),
        ("relations", _RELATION, "relation_type"),
    ):
        for relation in file.every(table, wanted):
            relation_id, kind = text(relation["id"]), text(relation[named]).strip()
            source, target = (text(relation[f"{end}_entity_id"]) for end in ("source", "target"))
            owner = relation["agent_id"]
            if owner is not None and text(owner) != agent:
                losses.add("relation", "belongs to another agent", relation_id)
            elif relation["status"] != "active":
                losses.add("relation", "was archived in Signet", relation_id)
            elif source not in graph.entities or target not in graph.entities:
                losses.add("relation", "an entity of it is not carried over", relation_id)
            elif not is_relation_type(kind):
                losses.add("relation", f"its type {kind[:40]!r} is none", relation_id)
            elif (source, target, canonical_name(kind)) not in seen:
                seen.add((source, target, canonical_name(kind)))
                said = relation["confidence"]
                sure = share(said if said is not None else relation["strength"], 1.0)
                graph.relations.append(Relation(relation_id, source, target, kind, sure))


def _read_claims(
    file: SqliteFile, agent: str, graph: Graph, left: Set[str], losses: Losses
) -> list[Claim]:
    aspects = {text(each["id"]): each for each in file.every("entity_aspects", _ASPECT)}
    weighed = [
        aspect_id
        for aspect_id, aspect in aspects.items()
        if aspect["agent_id"] == agent and aspect["weight"] != _ORDINARY_WEIGHT
    ]
    if weighed:
        why = f"aspects begin at {_ORDINARY_WEIGHT} here, and are weighed anew"
        losses.add("weight of an aspect", why, *weighed)
    claims: list[Claim] = []
    told: set[str] = set()
    for attribute in file.every("entity_attributes", _ATTRIBUTE):
        attribute_id = text(attribute["id"])
        aspect = aspects.get(text(attribute["aspect_id"]))
        why = _why_no_claim(attribute, aspect, agent, graph)
        at = moment(attribute["created_at"])
        if why is not None or aspect is None or at is None:
            losses.add("attribute", why or "has no readable time", attribute_id)
            continue
        told.add(text(aspect["id"]))
        claims.append(_claim(attribute, aspect, at, graph, left))
    bare = [
        aspect_id
        for aspect_id, aspect in aspects.items()
        if aspect["agent_id"] == agent and aspect_id not in told
    ]
    if bare:
        losses.add("aspect", "nothing that is carried over is claimed under it", *bare)
    return claims


def _why_no_claim(
    attribute: dict[str, Any], aspect: dict[str, Any] | None, agent: str, graph: Graph
) -> str | None:
    if text(attribute["agent_id"]) != agent:
        return "belongs to another agent"
    if attribute["status"] not in ("active", "superseded"):
        return "was deleted or archived in Signet"
    if aspect is None or aspect["status"] != "active":
        return "its aspect is gone or was archived in Signet"
    if text(aspect["entity_id"]) not in graph.entities:
        return "its entity is not carried over"
    value = text(attribute["content"])
    if not value.strip() or len(value) > LIMITS.value:
        return "its value is empty or too long"
    keys = (attribute["claim_key"], attribute["group_key"], aspect["name"])
    if not all(key is None or is_name(text(key)) for key in keys):
        return "its aspect or a key of its slot is empty or too long"
    return None


def _claim(
    attribute: dict[str, Any],
    aspect: dict[str, Any],
    at: datetime,
    graph: Graph,
    left: Set[str],
) -> Claim:
    entity_id = text(aspect["entity_id"])
    attribute_id, memory_id = text(attribute["id"]), text(attribute["memory_id"]) or None
    if memory_id == attribute_id and memory_id in left:
        # A memory that Signet made of the attribute itself, deleted since it was replaced.
        memory_id = None
    body: dict[str, Any] = {
        "entity": graph.entities[entity_id]["name"],
        "aspect": text(aspect["name"]),
        "value": text(attribute["content"]),
        "kind": "constraint" if attribute["kind"] == "constraint" else "attribute",
        "confidence": share(attribute["confidence"], 1.0),
        "importance": share(attribute["importance"], 0.5),
        "valid_from": rfc3339(at),
    }
    for key in ("group_key", "claim_key"):
        if attribute[key] is not None:
            body[key] = text(attribute[key])
    active = attribute["status"] == "active"
    return Claim(attribute_id, entity_id, memory_id, at, active, body)


def _settled(claims: Iterable[Claim], losses: Losses) -> list[Claim]:
    """Leave what would be current here and is not in Signet; let several active values stand."""
    slots: dict[tuple[str, ...] | None, list[Claim]] = defaultdict(list)
    for claim in claims:
        slots[claim.slot].append(claim)
    kept: list[Claim] = []
    for slot, members in slots.items():
        active = [claim for claim in members if claim.active]
        values = {canonical_name(claim.body["value"]) for claim in active}
        several = slot is not None and len(values) > 1
        for claim in members:
            if claim.active:
                more = {"cardinality": "many"} if several else {}
                kept.append(
                    Claim(claim.id, claim.entity, claim.memory_id, claim.at, True,
                          claim.body | more)
                )  # fmt: skip
            elif slot is None:
                losses.add("attribute", "was replaced, and has no key that would say it", claim.id)
            elif several or not any(claim.at < other.at for other in active):
                losses.add("attribute", "was replaced, by nothing newer in its slot", claim.id)
            else:
                kept.append(claim)
    return kept


def _own_row(rows: dict[str, Row], claim: Claim) -> Row:
    """Make the memory that tells an attribute which names none."""
    row_id = f"attribute:{claim.id}"
    body: dict[str, Any] = {
        "content": claim.body["value"],
        "type": "constraint" if claim.body["kind"] == "constraint" else "fact",
        "created_at": rfc3339(claim.at),
        "importance": claim.body["importance"],
        "metadata": {_PRODUCT: {"id": row_id, "memory_kind": "attribute"}},
    }
    rows[row_id] = Row(row_id, claim.at, body)
    return rows[row_id]


def _put(row: Row, name: str, value: object, limit: int) -> bool:
    """Give a memory one more of something, unless it has as many as it may."""
    there: list[object] = row.body.setdefault(name, [])
    if value in there:
        return True
    if len(there) >= limit:
        return False
    there.append(value)
    return True
