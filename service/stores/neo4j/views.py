"""From rows of Neo4j to the views that answers show."""

from collections.abc import Mapping
from typing import Any

import orjson

from service.domain.attribute import AttributeKind, AttributeStatus, AttributeView, Cardinality
from service.domain.entity import Entity
from service.domain.job import Job, JobStatus
from service.domain.memory import Memory
from service.stores.neo4j.records import maybe_moment, moment


def memory_view(node: Mapping[str, Any], embedded: bool) -> Memory:
    """Return a memory from its node's properties."""
    return Memory(
        id=node["id"],
        ordinal=node["ordinal"],
        scope=node["scope"],
        content=node["content"],
        type=node["type"],
        created_at=moment(node["created_at"]),
        occurred_at=maybe_moment(node.get("occurred_at")),
        updated_at=moment(node["updated_at"]),
        session=node.get("session"),
        speaker=node.get("speaker"),
        source=node.get("source"),
        importance=node["importance"],
        pinned=node["pinned"],
        metadata=orjson.loads(node["metadata"]),
        revision=node["revision"],
        superseded=node["superseded"],
        embedded=embedded,
    )


def attribute_view(record: Mapping[str, Any]) -> AttributeView:
    """Return an attribute from a row of attribute, entity and memory_ids (each named once here)."""
    node = record["attribute"]
    return AttributeView(
        id=node["id"],
        entity_id=node["entity_id"],
        entity=record["entity"],
        aspect=node["aspect"],
        group_key=node.get("group_key"),
        claim_key=node.get("claim_key"),
        value=node["value"],
        kind=AttributeKind(node["kind"]),
        cardinality=Cardinality(node["cardinality"]),
        status=AttributeStatus(node["status"]),
        confidence=node["confidence"],
        importance=node["importance"],
        valid_from=moment(node["valid_from"]),
        valid_to=maybe_moment(node.get("valid_to")),
        memory_ids=tuple(dict.fromkeys(record["memory_ids"])),
    )


def entity_view(node: Mapping[str, Any]) -> Entity:
    """Return an entity from its properties, or from a row of the same names."""
    return Entity(
        id=node["id"],
        scope=node["scope"],
        name=node["name"],
        canonical_name=node["canonical_name"],
        entity_type=node.get("entity_type"),
        mentions=node["mentions"],
        aliases=tuple(node.get("aliases") or ()),
    )


def job_view(node: Mapping[str, Any]) -> Job:
    """Return a job from its node's properties."""
    return Job(
        id=node["id"],
        scope=node["scope"],
        kind=node["kind"],
        status=JobStatus(node["status"]),
        attempts=node["attempts"],
        last_error=node.get("last_error"),
        created_at=moment(node["created_at"]),
        updated_at=moment(node["updated_at"]),
        progress=orjson.loads(node["progress"]),
    )
