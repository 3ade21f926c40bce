"""Whatever stands in the columns of a file, it is read or told: a reader never fails on a row."""

import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from service.cli.foreign.model import ForeignStore
from service.cli.foreign.moving import read
from service.domain.limits import Limits, checked_metadata, checked_name, checked_text

IDS = st.sampled_from(["a", "b", "c"])
ANYTHING = (
    st.none()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=12)
    | st.binary(max_size=12)
    | st.sampled_from([
        "2025-01-01", "2025-01-02T03:04:05Z", 1_740_873_600, "active", "superseded", "default",
        "supersedes", '["x", 1, null]', "{", "[[", '["\\ud800", "\\u0000"]', '{"reason": 7}',
        "host", "\x00", "x" * 600,
    ])
)  # fmt: skip


TEXTS = st.sampled_from(["It rains.", "It snows.", "It rains. ", "\x00", "a\x00b"])
LIKELY: dict[str, st.SearchStrategy[Any]] = {
    "created_at": st.sampled_from(["2025-01-01", "2025-01-02T03:04:05Z", 1_740_873_600]),
    "agent_id": st.just("default"),
    "status": st.sampled_from(["active", "superseded"]),
    "edge_type": st.just("supersedes"),
    "is_deleted": st.just(0),
    "scope": st.none(),
    "deleted_at": st.none(),
    "visibility": st.just("global"),
    "superseded_by": st.none() | IDS,
    "content": st.text(max_size=12) | TEXTS,
}


def rows_of(tables: dict[str, list[str]]) -> st.SearchStrategy[Any]:
    """Rows of each table; mostly such that something comes of them."""

    def values(column: str) -> st.SearchStrategy[Any]:
        likely = IDS if column == "id" or column.endswith(("_id", "_by")) else ANYTHING
        usual = LIKELY.get(column, likely)
        return st.integers(0, 9).flatmap(lambda chance: usual if chance else ANYTHING)

    return st.fixed_dictionaries(
        {
            table: st.lists(st.tuples(*map(values, columns)), max_size=5)
            for table, columns in tables.items()
        }
    )


def told(product: str, tables: dict[str, list[str]], rows: dict[str, Any]) -> ForeignStore:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "some.db"
        with closing(sqlite3.connect(path)) as db, db:
            for table, columns in tables.items():
                db.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
                marks = ", ".join("?" * len(columns))
                db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows[table])
            if product == "signet":
                db.execute("CREATE TABLE schema_migrations (version INTEGER)")
                db.execute("INSERT INTO schema_migrations VALUES (100)")
        return read(product, path)


def can_be_sent(store: ForeignStore) -> None:
    """Insist that the service would take every row."""
    limits = Limits()
    ids = {row.id for row in store.rows}
    for row in store.rows:
        json.dumps(row.body)
        checked_text("content", row.body["content"], limits.content)
        checked_text("type", row.body["type"], limits.type)
        checked_metadata("metadata", row.body["metadata"], limits)
        if "source" in row.body:
            checked_text("source", row.body["source"], limits.name)
        assert 0 <= row.body["importance"] <= 1
        for mention in row.body.get("entities", ()):
            checked_name("entity", mention["name"], limits)
            if "type" in mention:
                checked_text("type", mention["type"], limits.name)
            if "mention_text" in mention:
                checked_text("mention_text", mention["mention_text"], limits.name)
        for attribute in row.body.get("attributes", ()):
            checked_text("value", attribute["value"], limits.value)
            checked_name("aspect", attribute["aspect"], limits)
        for hint in row.body.get("hints", ()):
            checked_text("hint", hint, limits.hint)
    for edge in store.replacements:
        assert {edge.source, edge.target} <= ids


MNEMON = {
    "insights": [
        "id",
        "content",
        "category",
        "importance",
        "tags",
        "entities",
        "source",
        "access_count",
        "created_at",
        "updated_at",
        "deleted_at",
        "last_accessed_at",
    ],
    "edges": ["source_id", "target_id", "edge_type", "metadata"],
    "oplog": ["operation", "insight_id", "detail"],
}
SIGNET = {
    "memories": [
        "id", "content", "type", "category", "confidence", "importance", "source_id", "source_type",
        "tags", "who", "why", "project", "created_at", "updated_at", "pinned", "is_deleted",
        "scope", "agent_id", "visibility", "memory_kind", "superseded_by", "superseded_reason",
    ],
    "entities": ["id", "name", "entity_type", "description", "agent_id", "status"],
    "memory_entity_mentions": ["memory_id", "entity_id", "mention_text", "confidence"],
    "relations": [
        "id", "source_entity_id", "target_entity_id", "relation_type", "strength", "confidence",
    ],
    "entity_dependencies": [
        "id", "source_entity_id", "target_entity_id", "dependency_type", "strength", "confidence",
        "agent_id", "status",
    ],
    "entity_aspects": ["id", "entity_id", "agent_id", "name", "weight", "status"],
    "entity_attributes": [
        "id", "aspect_id", "agent_id", "memory_id", "kind", "content", "confidence", "importance",
        "status", "created_at", "claim_key", "group_key",
    ],
    "memory_hints": ["memory_id", "hint", "agent_id"],
}  # fmt: skip


@settings(max_examples=60)
@given(rows_of(MNEMON))
def test_mnemon(rows: dict[str, Any]) -> None:
    can_be_sent(told("mnemon", MNEMON, rows))


@settings(max_examples=60)
@given(rows_of(SIGNET))
def test_signet(rows: dict[str, Any]) -> None:
    can_be_sent(told("signet", SIGNET, rows))
