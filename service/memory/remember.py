"""Remember: what one new memory does to the graph (docs/architecture.md, "Remember")."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

import orjson

from service.domain.change import Vectors
from service.domain.entity import MentionedEntity
from service.domain.errors import InvalidInput, NotFound
from service.domain.memory import (
    Contradiction,
    EntityRef,
    Memory,
    NewMemory,
    Remembered,
    SupersededAttribute,
)
from service.domain.names import canonical_name, collapsed, content_key, session_key
from service.domain.slots import Claim
from service.memory.judge import judge
from service.ontology import attributes, entities, relations
from service.ontology.supersession import supersede
from service.ontology.workspace import MemoryRow, Workspace, new_id
from service.stores.neo4j.driver import Transaction

_CAPTION = 60


@dataclass(frozen=True, slots=True)
class Prepared:
    """A new memory with its embedding, ready for the transaction."""

    scope: str
    new: NewMemory
    vectors: Vectors | None
    """Shape (passages, dimension); None while the embedder cannot be reached."""
    model: str


async def remember(tx: Transaction, ws: Workspace, prepared: Prepared) -> Remembered:
    """Decide what a new memory changes.

    Everything that can be refused is looked at first, so that an error has changed nothing.
    Raises NotFound (an entity or a superseded memory by id) and InvalidInput (`supersedes` names
    the memory that it would be stored as).
    """
    new, scope = prepared.new, prepared.scope
    key = content_key(scope, new.content)
    twin_id = ws.by_content.get(key)
    _require(ws, scope, new, twin_id)
    if twin_id is None:
        row = _create(ws, prepared)
        ws.by_content[key] = row.id
    else:
        row = ws.memories[twin_id]
    mentioned = _mention_all(ws, row, new)
    replaced, contradictions = _state_all(ws, row, new, mentioned)
    for relation in new.relations:
        source = entities.resolve(ws, scope, relation.source)
        target = entities.resolve(ws, scope, relation.target)
        key = (source.id, target.id, relations.native_type(ws, relation.type))
        evidence = relations.Evidence(row.id, key, relation.confidence)
        relations.assert_relation(ws, evidence, relation.type)
    mentioned += entities.link_names(ws, row)
    for target_id in dict.fromkeys(new.supersedes):
        supersede(ws, row, ws.memories[target_id], None)
    if twin_id is not None:
        _add_hints(ws, row, new)
    stale = await judge(tx, ws)
    return Remembered(
        memory=view(row),
        deduplicated=twin_id is not None,
        entities=tuple(mentioned),
        superseded_attributes=tuple(replaced),
        superseded_memories=tuple(other for other in stale if other != row.id),
        contradictions=tuple(contradictions),
    )


def references(new: NewMemory) -> Iterator[tuple[str, EntityRef, str | None]]:
    """Yield every entity that a memory brings: the field, the reference and the type given."""
    for at, mention in enumerate(new.entities):
        yield f"entities.{at}", mention.entity, mention.type
    for at, relation in enumerate(new.relations):
        yield f"relations.{at}.source", relation.source, None
        yield f"relations.{at}.target", relation.target, None
    for at, attribute in enumerate(new.attributes):
        yield f"attributes.{at}.entity", attribute.entity, None


def event_time(new: NewMemory, now: datetime) -> datetime:
    """Return when what the memory tells happened: `occurred_at`, else `created_at`."""
    return new.occurred_at or new.created_at or now


def view(row: MemoryRow) -> Memory:
    """Return a memory as answers show it."""
    kept: dict[str, Any] = row.properties
    return Memory(
        id=row.id,
        ordinal=kept["ordinal"],
        scope=row.scope,
        content=kept["content"],
        type=kept["type"],
        created_at=kept["created_at"],
        occurred_at=kept.get("occurred_at"),
        updated_at=kept["updated_at"],
        session=kept.get("session"),
        speaker=kept.get("speaker"),
        source=kept.get("source"),
        importance=kept["importance"],
        pinned=kept["pinned"],
        metadata=orjson.loads(kept["metadata"]),
        revision=kept["revision"],
        superseded=row.superseded,
        embedded=row.embedded,
    )


def caption(content: str) -> str:
    """Return the beginning of a content, for the caption of its node."""
    text = collapsed(content[: 4 * _CAPTION])
    return text if len(text) <= _CAPTION else text[: _CAPTION - 1].rstrip() + "…"


def embedding_rows(memory_id: str, vectors: Vectors | None, model: str) -> list[dict[str, Any]]:
    """Return the row of a memory's embedding node: little-endian float32, passage by passage."""
    if vectors is None:
        return []
    return [
        {
            "memory_id": memory_id,
            "name": model,
            "model": model,
            "passages": vectors.shape[0],
            "dimension": vectors.shape[1],
            "vectors": vectors.astype("<f4").tobytes(),
        }
    ]


def hint_rows(texts: Iterator[str]) -> list[dict[str, Any]]:
    """Return the rows of hint nodes, each text once."""
    return [
        {"id": new_id(), "name": caption(text), "text": text}
        for text in dict.fromkeys(collapsed(text) for text in texts)
    ]


def _require(ws: Workspace, scope: str, new: NewMemory, twin_id: str | None) -> None:
    for _, ref, _ in references(new):
        entities.require_known(ws, scope, ref)
    for at, target_id in enumerate(new.supersedes):
        target = ws.memories.get(target_id)
        if target is None or target.scope != scope:
            raise NotFound(f"supersedes.{at}: there is no memory {target_id!r} in scope {scope!r}")
        if target_id == twin_id or collapsed(target.properties["content"]) == collapsed(
            new.content
        ):
            raise InvalidInput(
                f"supersedes.{at}", f"{target_id!r} is the very memory that this text is stored as"
            )


def _create(ws: Workspace, prepared: Prepared) -> MemoryRow:
    new, scope = prepared.new, prepared.scope
    created_at = new.created_at or ws.now
    row = MemoryRow(
        properties={
            "id": new_id(),
            "ordinal": ws.next_ordinal(),
            "scope": scope,
            "content": new.content,
            "name": caption(new.content),
            "type": new.type,
            "created_at": created_at,
            "occurred_at": new.occurred_at,
            "updated_at": ws.now,
            "session": new.session,
            "session_key": session_key(scope, new.session) if new.session else None,
            "speaker": new.speaker,
            "source": new.source,
            "importance": new.importance,
            "pinned": new.pinned,
            "metadata": orjson.dumps(dict(new.metadata)).decode(),
            "revision": 0,
        },
        is_new=True,
        superseded=False,
        embedded=prepared.vectors is not None,
        embedding=None if prepared.vectors is None else (prepared.model, prepared.vectors),
    )
    hints = hint_rows(iter(new.hints))
    row.hints = [hint["text"] for hint in hints]
    row.properties["revision"] = ws.next_revision()
    ws.memories[row.id] = row
    ws.stir(row)
    ws.write(
        "memory/create",
        {
            "id": row.id,
            "embeddings": embedding_rows(row.id, prepared.vectors, prepared.model),
            "hints": hints,
        },
    )
    return row


def _mention_all(ws: Workspace, row: MemoryRow, new: NewMemory) -> list[MentionedEntity]:
    mentioned: list[MentionedEntity] = []
    for mention in new.entities:
        entity = entities.resolve(ws, row.scope, mention.entity, mention.type)
        text = mention.mention_text or mention.entity.name or entity.name
        made = entities.mention(ws, row, entity, text, mention.confidence, "caller")
        mentioned += [made] if made else []
    for _, ref, _ in islice(references(new), len(new.entities), None):
        entity = entities.resolve(ws, row.scope, ref)
        made = entities.mention(ws, row, entity, ref.name or entity.name, 1.0, "caller")
        mentioned += [made] if made else []
    if new.speaker is not None:
        entity = entities.resolve(ws, row.scope, EntityRef(name=new.speaker))
        made = entities.mention(ws, row, entity, new.speaker, 1.0, "speaker")
        mentioned += [made] if made else []
    return mentioned


def _state_all(
    ws: Workspace, row: MemoryRow, new: NewMemory, mentioned: list[MentionedEntity]
) -> tuple[list[SupersededAttribute], list[Contradiction]]:
    replaced: list[SupersededAttribute] = []
    contradictions: list[Contradiction] = []
    for attribute in new.attributes:
        entity = entities.resolve(ws, row.scope, attribute.entity)
        claim = Claim(
            memory_id=row.id,
            value=attribute.value,
            at=attribute.valid_from or event_time(new, ws.now),
            until=attribute.valid_to,
            kind=attribute.kind,
            confidence=attribute.confidence,
            importance=attribute.importance,
        )
        dated = (attribute.valid_from or new.occurred_at or new.created_at) is not None
        outcome = attributes.state(ws, row, entity, attribute, claim, dated=dated)
        if isinstance(outcome, Contradiction):
            contradictions.append(outcome)
        else:
            replaced += outcome
    return replaced, contradictions


def _add_hints(ws: Workspace, row: MemoryRow, new: NewMemory) -> None:
    known = {canonical_name(text) for text in row.hints}
    for hint in hint_rows(text for text in new.hints if canonical_name(text) not in known):
        row.hints.append(hint["text"])
        ws.stir(row)
        ws.write("hint/add", {"memory_id": row.id, "hint": hint})
