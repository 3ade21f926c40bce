"""Deleting a whole scope: a durable job, since it may hold more than one transaction can."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.domain.errors import Unavailable
from service.domain.idempotency import Idempotency, Replay
from service.domain.job import Job
from service.memory.forget import ForgetUnit
from service.memory.unit import Unit
from service.memory.writer import GroupWriter
from service.ontology.workspace import Workspace, new_id
from service.projection.expunge import Expunger
from service.projection.follower import Follower
from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.jobs import job_row
from service.stores.neo4j.statements import statement
from service.stores.neo4j.views import job_view

DELETE_SCOPE = "delete_scope"
"""The kind of the job."""

_MEMORIES = statement("scope/memories")
_REMOVE = (statement("scope/remove_attributes"), statement("scope/remove_aspects"))
_REMOVE_ENTITIES = statement("scope/remove_entities")
_REMOVE_RECORDS = statement("scope/remove_records")
_PAGE = 200


@dataclass(slots=True)
class QueueScopeDeletion(Unit):
    """Queues the job; everything the scope holds by then is what it deletes."""

    scope: str
    purge: bool
    idempotency: Idempotency | None = None

    @classmethod
    async def load(
        cls, tx: Transaction, ws: Workspace, units: Sequence["QueueScopeDeletion"]
    ) -> None:
        """Nothing has to be known."""

    async def run(self, tx: Transaction, ws: Workspace) -> Job:
        """Return the queued job."""
        payload = {"upto": ws.ordinal, "purge": self.purge}
        row = job_row(new_id(), self.scope, DELETE_SCOPE, payload)
        ws.write("job/create", row)
        return job_view(row)


@dataclass(slots=True)
class RemoveOrphans(Unit):
    """Removes entities of a scope that no memory mentions, and what no memory states.

    With `purge` the audit log of the scope goes too.
    """

    scope: str
    purge: bool
    idempotency: Idempotency | None = None

    @classmethod
    async def load(cls, tx: Transaction, ws: Workspace, units: Sequence["RemoveOrphans"]) -> None:
        """Nothing has to be known."""

    async def run(self, tx: Transaction, ws: Workspace) -> int:
        """Return how much was removed; 0 when the scope is clean."""
        removed = 0
        for text in _REMOVE:
            removed += (await fetch(tx, text, scope=self.scope, limit=_PAGE))[0]["removed"]
        if removed == 0:
            revision = ws.next_revision()
            gone = await fetch(
                tx, _REMOVE_ENTITIES, scope=self.scope, revision=revision, limit=_PAGE
            )
            ws.removed_entities |= {row["id"] for row in gone}
            removed = len(gone)
        if removed == 0 and self.purge:
            rows = await fetch(tx, _REMOVE_RECORDS, scope=self.scope, limit=_PAGE)
            removed = rows[0]["removed"]
        return removed


class Scopes:
    """Deletes scopes."""

    def __init__(
        self,
        graph: Graph,
        writer: GroupWriter,
        follower: Follower,
        expunger: Expunger,
        *,
        wait_s: float,
    ) -> None:
        self._graph = graph
        self._writer = writer
        self._follower = follower
        self._expunger = expunger
        self._wait_s = wait_s

    async def delete(
        self, scope: str, *, purge: bool, idempotency: Idempotency | None = None
    ) -> Job | Replay:
        """Queue the deletion of everything that a scope holds now."""
        return (await self._writer.submit(QueueScopeDeletion(scope, purge, idempotency))).result

    async def run_deletion(self, job: Job, payload: Mapping[str, Any], report: Any) -> None:
        """Do the job, a few memories at a time; run again it goes on with what is left."""
        upto, purge = payload["upto"], payload["purge"]
        deleted = job.progress.get("deleted", 0)
        revision = 0
        while ids := await self._left(job.scope, upto, purge):
            unit = ForgetUnit(job.scope, ids, purge, whole_scope=True)
            revision = (await self._writer.submit(unit)).revision
            deleted += len(ids)
            await report({"deleted": deleted})
        while (await self._writer.submit(RemoveOrphans(job.scope, purge))).result:
            await report({"deleted": deleted})
        if not await self._follower.wait_for(revision, self._wait_s):
            raise Unavailable("recall still shows some of it: the indexes are behind; see status")
        if purge:
            await self._expunger.expunge()

    async def _left(self, scope: str, upto: int, purge: bool) -> list[str]:
        async def work(tx: Transaction) -> list[Row]:
            return await fetch(
                tx, _MEMORIES, scope=scope, upto=upto, with_deleted=purge, limit=_PAGE
            )

        return [row["id"] for row in await self._graph.read(work)]
