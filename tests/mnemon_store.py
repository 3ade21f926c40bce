"""Stores of mnemon as its versions made them, of our own making: tables as they are documented."""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

FIRST_EDGES = ("temporal", "semantic", "causal", "entity", "narrative")
LATER_EDGES = ("temporal", "semantic", "causal", "entity")
PRESENT_EDGES = (*LATER_EDGES, "supersedes")


class Version(Enum):
    """What the product's upgrades brought, one after the other."""

    FIRST = "insights and edges"
    COLUMNS = "time of last access, embedding, worth that fades; no narrative edges"
    SUPERSEDES = "edges of the type supersedes"
    SINGLE_PRECISION = "embeddings in single precision, told by user_version 1"


@dataclass(frozen=True)
class Insight:
    id: str
    content: str | bytes
    created_at: object = "2025-03-01T10:00:00Z"
    category: str = "fact"
    importance: object = 3
    tags: str = "[]"
    entities: str = "[]"
    source: str = "user"
    deleted_at: str | None = None


@dataclass(frozen=True)
class Edge:
    source: str
    target: str
    type: str = "supersedes"
    metadata: str = '{"created_by": "an agent"}'


def both_ways(source: str, target: str, reason: str | None = None) -> list[Edge]:
    """What the link command writes: an edge in each direction."""
    metadata = json.dumps({"created_by": "an agent"} | ({"reason": reason} if reason else {}))
    return [
        Edge(source, target, metadata=metadata),
        Edge(target, source, metadata=metadata),
    ]


def make(
    path: Path,
    insights: Iterable[Insight],
    edges: Iterable[Edge] = (),
    *,
    version: Version = Version.SINGLE_PRECISION,
    links_logged: Iterable[tuple[str, str]] = (),
) -> Path:
    """Write a store; `links_logged` are the supersedes links that its log of operations has."""
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(_tables(version))
        for each in insights:
            db.execute(
                "INSERT INTO insights (id, content, category, importance, tags, entities, source, "
                "created_at, updated_at, deleted_at) VALUES (?,?,?,?,?,?,?,?,?,?)",
                (each.id, each.content, each.category, each.importance, each.tags, each.entities,
                 each.source, each.created_at, each.created_at, each.deleted_at),
            )  # fmt: skip
        for edge in edges:
            db.execute(
                "INSERT INTO edges (source_id, target_id, edge_type, weight, metadata, created_at) "
                "VALUES (?,?,?,?,?,?)",
                (edge.source, edge.target, edge.type, 0.5, edge.metadata, "2025-06-01T00:00:00Z"),
            )
        for source, target in links_logged:
            db.execute(
                "INSERT INTO oplog (operation, insight_id, detail, created_at) VALUES (?,?,?,?)",
                ("link", source, f"{source[:8]}→{target[:8]} type=supersedes weight=0.50",
                 "2025-06-01T00:00:00Z"),
            )  # fmt: skip
    return path


def _tables(version: Version) -> str:
    at = list(Version).index(version)
    edge_types = (FIRST_EDGES, LATER_EDGES, PRESENT_EDGES, PRESENT_EDGES)[at]
    later = "last_accessed_at TEXT, embedding BLOB, effective_importance REAL DEFAULT 0.5,"
    return f"""
        CREATE TABLE insights (
            id TEXT PRIMARY KEY, content TEXT NOT NULL, category TEXT DEFAULT 'general',
            importance INTEGER DEFAULT 3, tags TEXT DEFAULT '[]', entities TEXT DEFAULT '[]',
            source TEXT DEFAULT 'user', access_count INTEGER DEFAULT 0,
            {later if at else ""} created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
            deleted_at TEXT);
        CREATE TABLE edges (
            source_id TEXT NOT NULL, target_id TEXT NOT NULL,
            edge_type TEXT NOT NULL CHECK (edge_type IN {edge_types}),
            weight REAL DEFAULT 1.0, metadata TEXT DEFAULT '{{}}', created_at TEXT NOT NULL,
            PRIMARY KEY (source_id, target_id, edge_type));
        CREATE TABLE oplog (
            id INTEGER PRIMARY KEY AUTOINCREMENT, operation TEXT NOT NULL, insight_id TEXT,
            detail TEXT DEFAULT '', created_at TEXT NOT NULL);
        PRAGMA user_version = {1 if version is Version.SINGLE_PRECISION else 0};
    """
