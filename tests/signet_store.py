"""Stores of Signet as its versions made them, of our own making: tables as they are documented."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

AT = "2025-03-01T10:00:00.000Z"

_TABLES: dict[str, list[tuple[int, str]]] = {
    "memories": [
        (1, "id TEXT PRIMARY KEY, type TEXT NOT NULL DEFAULT 'fact', category TEXT, "
            "content TEXT NOT NULL, confidence REAL DEFAULT 1.0, importance REAL DEFAULT 0.5, "
            "source_id TEXT, source_type TEXT, tags TEXT, who TEXT, why TEXT, project TEXT, "
            "created_at TEXT NOT NULL, updated_at TEXT NOT NULL, pinned INTEGER DEFAULT 0"),
        (2, "content_hash TEXT, is_deleted INTEGER DEFAULT 0, deleted_at TEXT"),
        (33, "scope TEXT DEFAULT NULL"),
        (43, "agent_id TEXT DEFAULT 'default', visibility TEXT DEFAULT 'global'"),
        (83, "superseded_by TEXT, superseded_at TEXT, superseded_reason TEXT"),
        (94, "memory_kind TEXT"),
    ],
    "entities": [
        (2, "id TEXT PRIMARY KEY, name TEXT NOT NULL, entity_type TEXT NOT NULL, "
            "description TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL"),
        (5, "canonical_name TEXT, mentions INTEGER DEFAULT 0"),
        (19, "agent_id TEXT NOT NULL DEFAULT 'default'"),
        (70, "status TEXT NOT NULL DEFAULT 'active'"),
    ],
    "relations": [
        (2, "id TEXT PRIMARY KEY, source_entity_id TEXT NOT NULL, target_entity_id TEXT NOT NULL, "
            "relation_type TEXT NOT NULL, strength REAL DEFAULT 1.0, created_at TEXT NOT NULL"),
        (5, "mentions INTEGER DEFAULT 1, confidence REAL DEFAULT 0.5"),
    ],
    "memory_entity_mentions": [
        (2, "memory_id TEXT NOT NULL, entity_id TEXT NOT NULL"),
        (5, "mention_text TEXT, confidence REAL"),
    ],
    "entity_aspects": [
        (19, "id TEXT PRIMARY KEY, entity_id TEXT NOT NULL, "
             "agent_id TEXT NOT NULL DEFAULT 'default', name TEXT NOT NULL, "
             "weight REAL NOT NULL DEFAULT 0.5"),
        (70, "status TEXT NOT NULL DEFAULT 'active'"),
    ],
    "entity_attributes": [
        (19, "id TEXT PRIMARY KEY, aspect_id TEXT, agent_id TEXT NOT NULL DEFAULT 'default', "
             "memory_id TEXT, kind TEXT NOT NULL, content TEXT NOT NULL, "
             "confidence REAL NOT NULL DEFAULT 0.0, importance REAL NOT NULL DEFAULT 0.5, "
             "status TEXT NOT NULL DEFAULT 'active', superseded_by TEXT, created_at TEXT NOT NULL"),
        (59, "claim_key TEXT"),
        (60, "group_key TEXT"),
    ],
    "entity_dependencies": [
        (19, "id TEXT PRIMARY KEY, source_entity_id TEXT NOT NULL, target_entity_id TEXT NOT NULL, "
             "agent_id TEXT NOT NULL DEFAULT 'default', dependency_type TEXT NOT NULL, "
             "strength REAL NOT NULL DEFAULT 0.5"),
        (36, "confidence REAL"),
        (70, "status TEXT NOT NULL DEFAULT 'active'"),
    ],
    "memory_hints": [
        (38, "id TEXT PRIMARY KEY, memory_id TEXT NOT NULL, agent_id TEXT NOT NULL, "
             "hint TEXT NOT NULL"),
    ],
    "epistemic_assertions": [(71, "id TEXT PRIMARY KEY, content TEXT")],
    "memories_cold": [(28, "archive_id TEXT PRIMARY KEY, content TEXT")],
}  # fmt: skip
"""Columns of each table, with the version that brought them."""

_GIVEN: dict[str, dict[str, Any]] = {
    "memories": {"created_at": AT, "updated_at": AT},
    "entities": {"entity_type": "system", "created_at": AT, "updated_at": AT},
    "relations": {"created_at": AT},
    "entity_attributes": {"kind": "attribute", "created_at": AT, "confidence": 1.0},
    "memory_hints": {"agent_id": "default"},
}


def make(
    path: Path, rows: Mapping[str, Sequence[Mapping[str, Any]]], *, version: int = 147
) -> Path:
    """Write a store of a version; a row says what differs from the ordinary."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at TEXT)")
        db.executemany(
            "INSERT INTO schema_migrations VALUES (?, ?)",
            [(number, AT) for number in range(1, version + 1)],
        )
        for table, columns in _TABLES.items():
            there = ", ".join(text for since, text in columns if since <= version)
            if there:
                db.execute(f"CREATE TABLE {table} ({there})")
        for table, members in rows.items():
            for given in members:
                row = {**_GIVEN.get(table, {}), **given}
                names = ", ".join(row)
                marks = ", ".join("?" * len(row))
                db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values()))
    return path
