"""Reading a store of Signet: memories, and the graph that was drawn from them.

The file counts its versions in `schema_migrations`. Entities, relations and mentions came with
version 2, aspects, attributes and dependencies with 19, hints with 38, agents with 43, slots
(`claim_key`, `group_key`) with 59 and 60, archiving with 70, and memories that replace others with
83. Several agents may share a file: one of them is read.
"""

from typing import Any

from service.cli.foreign.model import ForeignStore, Losses, Replacement, Row
from service.cli.foreign.signet_graph import read_graph
from service.cli.foreign.sqlite_file import SqliteFile
from service.cli.foreign.supersession import decided
from service.cli.foreign.values import (
    LIMITS,
    kept,
    moment,
    names,
    rfc3339,
    share,
    short,
    text,
    why_no_memory,
)
from service.domain.errors import IncompatibleStore, InvalidInput

PRODUCT = "signet"
KIND = "memory"

_NEWEST_VERSION = 147
_NEEDED = {
    "memories": {"id", "content", "type", "importance", "created_at"},
    "schema_migrations": {"version"},
}
_MEMORY: dict[str, object] = {
    "id": None, "content": None, "type": "fact", "category": None, "confidence": None,
    "importance": 0.5, "source_id": None, "source_type": None, "tags": None, "who": None,
    "why": None, "project": None, "created_at": None, "updated_at": None, "pinned": 0,
    "is_deleted": 0, "scope": None, "agent_id": "default", "visibility": "global",
    "memory_kind": None, "superseded_by": None, "superseded_reason": None,
}  # fmt: skip
_BESIDE = {
    "memories_cold": ("archived memory", "was archived in Signet"),
    "memory_history": ("change of a memory", "the history of changes is Signet's own"),
    "conversations": ("conversation", "summaries of sessions are no memories"),
    "session_summaries": ("session summary", "summaries of sessions are no memories"),
    "session_transcripts": ("transcript", "transcripts are no memories"),
    "documents": ("document", "what was drawn from it is carried over as memories"),
    "epistemic_assertions": ("assertion", "who believes what has no counterpart"),
    "entity_aliases": ("alias of an entity", "aliases come from merging entities here"),
    "entity_communities": ("community of entities", "communities have no counterpart"),
    "temporal_edges": ("temporal edge", "the order of time comes from the times"),
    "task_meta": ("state of a task", "tasks have no counterpart"),
}
"""Tables that are not carried over, with what a row of each is and why."""


def read(file: SqliteFile, agent: str) -> ForeignStore:
    """Read what one agent has in a store.

    Raises InvalidInput for another file and an unknown agent, IncompatibleStore for a version that
    is not known.
    """
    version = _require_known(file)
    _require_agent(file, agent)
    losses = Losses()
    memories = {text(each["id"]): each for each in file.every("memories", _MEMORY)}
    rows = _rows(memories, agent, losses)
    replacements = _replacements(memories, rows, losses)
    graph = read_graph(file, agent, memories.keys() - rows.keys(), losses)
    graph.give_to(rows, losses)
    for table, (kind, why) in _BESIDE.items():
        losses.add(kind, why, count=file.count(table))
    chosen, _ = decided(replacements, {row.id: row.at for row in rows.values()}, set(), losses)
    ordered = sorted(rows.values(), key=lambda row: (row.at, row.id))
    return ForeignStore(PRODUCT, f"version {version}", KIND, ordered, chosen, losses)


def _require_known(file: SqliteFile) -> int:
    file.require("Signet", _NEEDED)
    version = file.number("SELECT max(version) FROM schema_migrations")
    if not 1 <= version <= _NEWEST_VERSION:
        raise IncompatibleStore(
            f"{file.path} is a store of Signet of version {version}; known are 1 to "
            f"{_NEWEST_VERSION}"
        )
    return version


def _require_agent(file: SqliteFile, agent: str) -> None:
    if "agent_id" not in file.columns("memories"):
        found = {"default"}
    else:
        found = {
            text(row["agent_id"] or "default")
            for row in file.rows("SELECT DISTINCT agent_id FROM memories")
        } | {"default"}
    if agent not in found:
        raise InvalidInput("--agent", f"{agent!r} is not in the file; there are {sorted(found)}")


def _rows(memories: dict[str, dict[str, Any]], agent: str, losses: Losses) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for memory_id, memory in memories.items():
        why = _why_not(memory, agent)
        at = moment(memory["created_at"])
        if why is None and at is None:
            why = "has no readable time"
        if why is not None or at is None:
            losses.add(KIND, why or "", memory_id)
        else:
            rows[memory_id] = Row(memory_id, at, _body(memory, rfc3339(at)))
    return rows


def _why_not(memory: dict[str, Any], agent: str) -> str | None:
    owner = text(memory["agent_id"] or "default")
    if owner != agent:
        return f"belongs to the agent {owner!r}: --agent chooses"
    if memory["is_deleted"]:
        return "was deleted in Signet"
    if memory["visibility"] == "archived":
        return "was archived in Signet"
    if memory["scope"] is not None:
        return f"belongs to Signet's scope {text(memory['scope'])!r}, which is kept apart"
    return why_no_memory(text(memory["content"]))


def _body(memory: dict[str, Any], created_at: str) -> dict[str, Any]:
    origin = kept(
        (
            ("id", text(memory["id"])),
            ("tags", names(memory["tags"])),
            *(
                (name, memory[name])
                for name in (
                    "category", "confidence", "who", "why", "project", "source_id", "updated_at",
                    "memory_kind", "visibility",
                )
            ),
        )
    )  # fmt: skip
    source = short(memory["source_type"])
    body: dict[str, Any] = {
        "content": text(memory["content"]),
        "type": (text(memory["type"]).strip() or "fact")[: LIMITS.type].strip(),
        "created_at": created_at,
        "importance": share(memory["importance"], 0.5),
        "pinned": bool(memory["pinned"]),
        "metadata": {PRODUCT: origin},
    }
    return {**body, "source": source} if source else body


def _replacements(
    memories: dict[str, dict[str, Any]], rows: dict[str, Row], losses: Losses
) -> list[Replacement]:
    """Return who replaces whom, past memories that are not carried over.

    A memory whose every successor stays behind would come in as current: it stays behind too.
    """
    while True:
        successors = {each: _successor(memories, rows, each) for each in rows}
        lost = [each for each, successor in successors.items() if successor == ""]
        if not lost:
            break
        losses.add(KIND, "was replaced by one that is not carried over", *lost)
        for each in lost:
            del rows[each]
    return [
        Replacement(successor, each, short(memories[each]["superseded_reason"]) or None)
        for each, successor in successors.items()
        if successor
    ]


def _successor(
    memories: dict[str, dict[str, Any]], rows: dict[str, Row], memory_id: str
) -> str | None:
    """Return the next memory that is carried over, None where there never was one, else ''."""
    next_id = text(memories[memory_id]["superseded_by"])
    if not next_id:
        return None
    seen = {memory_id}
    while next_id and next_id not in seen:
        if next_id in rows:
            return next_id
        seen.add(next_id)
        next_id = text(memories[next_id]["superseded_by"]) if next_id in memories else ""
    return ""
