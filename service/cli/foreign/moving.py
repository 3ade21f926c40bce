"""Carrying another product's store into a scope of a running service, over HTTP."""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from service.cli.foreign import mnemon, signet
from service.cli.foreign.model import ForeignStore, Replacement
from service.cli.foreign.plan import Here, Plan, planned
from service.cli.foreign.sqlite_file import SqliteFile, opened
from service.cli.foreign.supersession import KIND
from service.cli.importing import Importer, Report
from service.client import Client, Memory
from service.domain.names import content_key, origin_key

READERS: dict[str, Callable[[SqliteFile, str], ForeignStore]] = {
    mnemon.PRODUCT: lambda file, _: mnemon.read(file),
    signet.PRODUCT: signet.read,
}
"""How the store of each product is read: the file, and whose memories of it."""

AGENT = "default"


def read(product: str, path: Path, agent: str = AGENT) -> ForeignStore:
    """Read a file of a product; `agent` counts where several share one.

    Raises InvalidInput for a file that is none, IncompatibleStore for a version that is not known,
    and Conflict while the file is being written.
    """
    with opened(path) as file:
        return READERS[product](file, agent)


def compare(client: Client, store: ForeignStore) -> Plan:
    """Return what is to be done to have the store's memories in the client's scope."""

    def key(content: str) -> str:
        return content_key(client.scope, content)

    plan = planned(store, _here(client, store, key), key)
    _leave_what_is_tied(client, plan)
    return plan


def carry(
    client: Client,
    store: ForeignStore,
    plan: Plan,
    *,
    batch: int = 500,
    moved: Callable[[], object] = lambda: None,
) -> Report:
    """Do what a plan says; `moved` is called once for each memory that is sent.

    What was interrupted goes on when it is compared and carried again.
    """
    importer = Importer(client, batch=batch, moved=moved)
    for foreign_id, memory_id in plan.there.items():
        importer.knows(foreign_id, memory_id)
    targets: dict[str, dict[str, str | None]] = defaultdict(dict)
    for edge in plan.replacements:
        targets[edge.source][edge.target] = edge.reason
    for row in plan.to_send():
        replaces = {} if row.id in plan.there else targets.pop(row.id, {})
        body = {
            **row.body,
            "id": row.id,
            "supersedes": list(replaces),
            "reasons": {target: reason for target, reason in replaces.items() if reason},
        }
        importer.take(f"{store.kind} {row.id}", body, len(json.dumps(row.body)))
    for source, replaces in targets.items():
        for target, reason in replaces.items():
            importer.link(f"{store.kind} {source}", source, target, reason)
    return importer.finish()


def _here(client: Client, store: ForeignStore, key: Callable[[str], str]) -> Here:
    deleted = list(client.deleted())
    origins = {origin for each in deleted for origin in each["origin_keys"]}
    here = Here(
        deleted=frozenset(each["content_key"] for each in deleted),
        deleted_ids=frozenset(
            row.id
            for row in store.rows
            if origin_key(client.scope, store.product, row.id) in origins
        ),
    )
    for memory in client.memories():
        origin = _origin(memory, store.product)
        if origin is not None:
            here.by_origin[origin] = memory["id"]
        text_key = key(memory["content"])
        if memory["superseded"]:
            here.replaced.setdefault(text_key, []).append((memory["id"], origin))
        else:
            here.current[text_key] = memory["id"]
    return here


def _origin(memory: Memory, product: str) -> str | None:
    origin = memory["metadata"].get(product)
    if not isinstance(origin, dict):
        return None
    origin_id = cast("dict[str, Any]", origin).get("id")
    return origin_id if isinstance(origin_id, str) else None


def _leave_what_is_tied(client: Client, plan: Plan) -> None:
    """Take the replacements out of a plan that are drawn here, or were taken back here."""
    left: list[Replacement] = []
    for edge in plan.replacements:
        source, target = plan.there.get(edge.source), plan.there.get(edge.target)
        if source is None or target is None:
            left.append(edge)
            continue
        lineage = client.lineage(target)
        if any((one["source"], one["target"]) == (source, target) for one in lineage["edges"]):
            plan.replacements_there += 1
        elif any((one["source"], one["target"]) == (source, target) for one in lineage["ended"]):
            plan.losses.add(
                KIND, "was taken back here: it is left so", f"{edge.source} → {edge.target}"
            )
        else:
            left.append(edge)
    plan.replacements = left
