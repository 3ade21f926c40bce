"""Taking purged memories out of the audit log."""

from collections.abc import Sequence

import orjson

from service.ontology.workspace import Workspace
from service.stores.neo4j.driver import Row, Transaction, fetch
from service.stores.neo4j.statements import statement

_TOUCHING = statement("operation/touching")
_REMOVED = "(removed with a purged memory)"


async def records_of(tx: Transaction, memory_ids: Sequence[str]) -> list[Row]:
    """Return the records that memories are in; to be asked before they are erased."""
    return await fetch(tx, _TOUCHING, ids=list(memory_ids))


def redact(ws: Workspace, records: Sequence[Row], gone: Sequence[str]) -> None:
    """Take out of records what names one of the memories, or entities, that are gone.

    A set that rests on such a memory loses its reason and what it did with it; a record of which
    nothing is left goes itself.
    """
    ids = set(gone)
    for record in records:
        rests_on = not ids.isdisjoint(record["evidence"])
        results = [
            {"op": one["op"], "before": None, "after": None, "note": _REMOVED}
            if rests_on or _names(one, ids)
            else one
            for one in orjson.loads(record["results"])
        ]
        if not record["is_set"]:
            results = [one for one in results if one.get("note") != _REMOVED]
        if not results:
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
