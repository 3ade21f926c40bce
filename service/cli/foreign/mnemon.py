"""Reading a store of mnemon: insights, and the edges between them.

Its file has had the table `insights` with `edges` from the start; columns came later (time of last
access, embedding, worth that fades), and so did the edge `supersedes`. `PRAGMA user_version` counts
one change: 1 once embeddings are kept in single precision. Its command for linking two insights
writes an edge in each direction, whatever the type: so `supersedes` edges come in pairs, which are
decided by the log of operations where that still tells, else by the times of the insights.
"""

import json
import re
from collections import Counter, defaultdict
from datetime import datetime
from typing import Any, cast

from service.cli.foreign.model import ForeignStore, Losses, Replacement, Row
from service.cli.foreign.sqlite_file import SqliteFile
from service.cli.foreign.supersession import KIND, decided
from service.cli.foreign.values import (
    LIMITS,
    is_name,
    kept,
    moment,
    names,
    rfc3339,
    share,
    short,
    text,
    why_no_memory,
)
from service.domain.errors import IncompatibleStore

PRODUCT = "mnemon"

_NEWEST_VERSION = 1
_NEEDED = {
    "insights": {"id", "content", "created_at"},
    "edges": {"source_id", "target_id", "edge_type"},
}
_INSIGHT: dict[str, object] = {
    "id": None, "content": None, "category": "general", "importance": 3, "tags": "[]",
    "entities": "[]", "source": "", "access_count": 0, "created_at": None, "updated_at": None,
    "deleted_at": None, "last_accessed_at": None,
}  # fmt: skip
_EDGE: dict[str, object] = {
    "source_id": None, "target_id": None, "edge_type": None, "metadata": "{}",
}  # fmt: skip
_LEAST_IMPORTANCE, _MOST_IMPORTANCE = 1, 5
_ORDINARY = 0.5
_LINKED = re.compile(r"^(\S+?)→(\S+) type=supersedes\b")
_SHORT = 8
"""How much of an id the log of operations has."""
_PROBE = re.compile(r"^__(probe|test)")
_SUPERSEDES = "supersedes"
_MADE_ANEW = {
    "temporal": "the order of time comes from the times",
    "semantic": "likeness comes from the embeddings, which are made anew",
    "entity": "the entities that they share are carried over",
    "causal": "memories have no edge of cause and effect",
    "narrative": "mnemon itself has given them up",
}


def read(file: SqliteFile) -> ForeignStore:
    """Read a whole store.

    Raises InvalidInput for another file, IncompatibleStore for a version that is not known.
    """
    version = _require_known(file)
    losses = Losses()
    rows = _rows(file, losses)
    at = {row.id: row.at for row in rows}
    edges = _replacements(file, at, losses)
    chosen, reverse = decided(edges, at, _asked(file, set(at)), losses)
    notes: list[str] = []
    if reverse:
        losses.add(
            "reverse edge",
            "was written by mnemon beside the true one",
            *(f"{edge.source} → {edge.target}" for edge in reverse),
        )
        notes.append(
            "Where an edge stood in each direction, as mnemon's link command writes them, the "
            "direction that was asked for counts, or else the newer insight replaces the older."
        )
    return ForeignStore(PRODUCT, version, "insight", rows, chosen, losses, notes)


def _require_known(file: SqliteFile) -> str:
    file.require("mnemon", _NEEDED)
    version = file.number("PRAGMA user_version")
    if not 0 <= version <= _NEWEST_VERSION:
        raise IncompatibleStore(
            f"{file.path} is a store of mnemon with user_version {version}; known are 0 to "
            f"{_NEWEST_VERSION}: it was written by a newer mnemon than this import knows"
        )
    return f"user_version {version}"


def _rows(file: SqliteFile, losses: Losses) -> list[Row]:
    rows: list[Row] = []
    for insight in file.every("insights", _INSIGHT):
        insight_id, content = text(insight["id"]), text(insight["content"])
        at = moment(insight["created_at"])
        unfit = why_no_memory(content)
        if insight["deleted_at"] is not None:
            losses.add("insight", "was deleted in mnemon", insight_id)
        elif unfit is not None:
            losses.add("insight", unfit, insight_id)
        elif at is None:
            losses.add("insight", "has no readable time", insight_id)
        else:
            rows.append(Row(insight_id, at, _body(insight, content, at, losses)))
    return sorted(rows, key=lambda row: (row.at, row.id))


def _body(insight: dict[str, Any], content: str, at: datetime, losses: Losses) -> dict[str, Any]:
    insight_id = text(insight["id"])
    entities = names(insight["entities"])
    good = [name for name in entities if is_name(name)][: LIMITS.entities]
    if len(good) < len(entities):
        losses.add(
            "entity",
            "its name is too long or empty, or there are more than one memory may bring",
            insight_id,
            count=len(entities) - len(good),
        )
    category = text(insight["category"]).strip()
    source = short(insight["source"])
    origin = kept(
        (
            ("id", insight_id),
            ("category", category),
            ("importance", insight["importance"]),
            ("tags", names(insight["tags"])),
            ("updated_at", insight["updated_at"]),
            ("access_count", insight["access_count"]),
            ("last_accessed_at", insight["last_accessed_at"]),
        )
    )
    body: dict[str, Any] = {
        "content": content,
        "type": "fact" if category in ("", "general") else category[: LIMITS.type].strip(),
        "created_at": rfc3339(at),
        "importance": share(
            insight["importance"], _ORDINARY, least=_LEAST_IMPORTANCE, most=_MOST_IMPORTANCE
        ),
        "metadata": {PRODUCT: origin},
        "entities": [{"name": name} for name in good],
    }
    return {**body, "source": source} if source else body


def _replacements(file: SqliteFile, at: dict[str, datetime], losses: Losses) -> list[Replacement]:
    found: list[Replacement] = []
    others: Counter[str] = Counter()
    for edge in file.every("edges", _EDGE):
        source, target, kind = (text(edge[key]) for key in ("source_id", "target_id", "edge_type"))
        shown = f"{source} → {target}"
        if _PROBE.match(source) or _PROBE.match(target):
            losses.add("edge", "was left behind by a probe of mnemon's own upgrade", shown)
        elif kind != _SUPERSEDES:
            others[kind] += 1
        elif source not in at or target not in at:
            losses.add(KIND, "an insight of it is gone or not carried over", shown)
        else:
            found.append(Replacement(source, target, _reason(edge["metadata"])))
    for kind, count in sorted(others.items()):
        why = _MADE_ANEW.get(kind, "is of a type that is not known here")
        losses.add(f"edge {kind}", why, count=count)
    return found


def _reason(metadata: object) -> str | None:
    try:
        found: object = json.loads(text(metadata) or "{}")
    except ValueError:
        return None
    reason = cast("dict[str, object]", found).get("reason") if isinstance(found, dict) else None
    return (short(reason) or None) if isinstance(reason, str) else None


def _asked(file: SqliteFile, ids: set[str]) -> set[tuple[str, str]]:
    """Return the directions in which links were asked for, as far as the log of operations tells.

    The log shortens ids to their first characters: one that several insights begin with tells
    nothing.
    """
    if not {"operation", "insight_id", "detail"} <= file.columns("oplog"):
        return set()
    beginnings: dict[str, list[str]] = defaultdict(list)
    for each in ids:
        beginnings[each[:_SHORT]].append(each)
    asked: set[tuple[str, str]] = set()
    for row in file.rows("SELECT insight_id, detail FROM oplog WHERE operation = 'link'"):
        found = _LINKED.match(text(row["detail"]))
        source = text(row["insight_id"])
        if found is None or source not in ids:
            continue
        meant = beginnings.get(found[2], [])
        if len(meant) == 1:
            asked.add((source, meant[0]))
    return asked
