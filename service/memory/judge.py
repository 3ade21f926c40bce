"""Judging memories again after a change: which of them became superseded, or current."""

from service.domain.names import content_key
from service.ontology.load import load_affected
from service.ontology.workspace import Workspace
from service.stores.neo4j.driver import Transaction


async def judge(tx: Transaction, ws: Workspace) -> list[str]:
    """Judge what changed; returns the ids of the memories that became superseded, in order.

    The index of current contents follows: a superseded memory absorbs no twin.
    """
    await load_affected(tx, ws)
    stale: list[str] = []
    for row in ws.stirred.values():
        if not row.judge():
            continue
        key = content_key(row.scope, row.properties["content"])
        if not row.superseded:
            ws.by_content.setdefault(key, row.id)
            continue
        stale.append(row.id)
        if ws.by_content.get(key) == row.id:
            del ws.by_content[key]
    ws.stirred.clear()
    return sorted(stale)
