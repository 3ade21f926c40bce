"""Taking purged memories out of the audit log."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from service.ontology.workspace import Workspace
from service.stores.neo4j.driver import Row, Transaction, fetch
from service.stores.neo4j.statements import statement

_TOUCHING = statement("operation/touching")
_ENDS = ("entity", "source", "target")
_OF_ENTITIES = frozenset({"upsert_entity", "rename_entity", "delete_entity", "merge_entities"})
_REMOVED = "(removed with a purged memory)"


async def records_of(tx: Transaction, memory_ids: Sequence[str]) -> list[Row]:
    """Return the records that memories are in; to be asked before they are erased."""
    return await fetch(tx, _TOUCHING, ids=list(memory_ids))


def redact(ws: Workspace, records: Sequence[Row], memory_ids: Sequence[str]) -> None:
    """Take out of records what names purged memories, or entities that are gone with them.

    A set that rests on such a memory loses its reason and what it did with it; a record of which
    nothing is left goes itself.
    """
    ids = set(memory_ids)
    for record in records:
        rests_on = not ids.isdisjoint(record["evidence"])
        results = [
            {"op": one["op"], "before": None, "after": None, "note": _REMOVED}
            if rests_on or _names(one, ids) or _of_gone(ws, one)
            else one
            for one in orjson.loads(record["results"])
        ]
        if not record["is_set"]:
            results = [one for one in results if one.get("note") != _REMOVED]
        # What a remember made is nobody's once its memories are gone.
        if not record["is_set"] and all(one["op"] in _OF_ENTITIES for one in results):
            ws.write("operation/remove", {"id": record["id"]})
            continue
        ws.write(
            "operation/redact",
            {
                "id": record["id"],
                "results": orjson.dumps(results).decode(),
                "evidence": [one for one in record["evidence"] if one not in ids],
                "reason": _REMOVED if rests_on else None,
            },
        )


def _names(value: object, ids: set[str]) -> bool:
    """Whether one of the ids stands anywhere in a value of JSON."""
    text = orjson.dumps(value).decode()
    return any(one in text for one in ids)


def _of_gone(ws: Workspace, result: Mapping[str, Any]) -> bool:
    """Whether a result shows an entity that is no more: its name may be a purged memory's word."""
    for view in (result["before"], result["after"]):
        if view is None:
            continue
        ids = [view.get("entity_id")]
        ids += [view[end]["id"] for end in _ENDS if isinstance(view.get(end), dict)]
        ids += [one["id"] for one in view.get("entities", ())]
        if result["op"] in _OF_ENTITIES and "id" in view:
            ids.append(view["id"])
        if any(one is not None and ws.entity(one) is None for one in ids):
            return True
    return False
