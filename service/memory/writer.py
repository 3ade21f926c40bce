"""Group commit: writes that wait while a transaction runs go into the next one together."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import structlog

from service.domain.change import Commit
from service.domain.errors import Conflict, PalimpsestError
from service.domain.idempotency import Idempotency, Replay
from service.domain.journal import Step
from service.memory.relation_types import RelationTypes
from service.memory.unit import RolledBack, Unit
from service.ontology import audit, write
from service.ontology.conversation import chain
from service.ontology.telling import tell
from service.ontology.workspace import Workspace, new_id
from service.projection.names import NameIndex
from service.stores.neo4j.driver import Graph, Transaction, fetch
from service.stores.neo4j.feed import read_entities
from service.stores.neo4j.statements import statement

_LOCK = statement("counter/lock")
_FIND_ANSWER = statement("idempotency/find")
_GROUP = 512

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Written:
    """What a unit returned, and the revision from which on it can be recalled."""

    result: Any
    revision: int


@dataclass(slots=True)
class _Waiting:
    unit: Unit
    done: asyncio.Future[Written]


class GroupWriter:
    """Runs units in as few transactions as possible, one transaction at a time.

    One writer a process: the store's write lock, taken first in every transaction, puts the
    transactions of several processes in a row (docs/adr/0001-one-write-lock.md). `committed` is
    called with what was changed after each commit.
    """

    def __init__(
        self,
        graph: Graph,
        names: NameIndex,
        types: RelationTypes,
        *,
        committed: Callable[[Commit], None],
        link_names: bool,
        relation_type_limit: int,
        timeout_s: float,
    ) -> None:
        self._graph = graph
        self._names = names
        self._types = types
        self._committed = committed
        self._link_names = link_names
        self._relation_type_limit = relation_type_limit
        self._timeout_s = timeout_s
        self._waiting: list[_Waiting] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._uncommitted: Workspace | None = None
        self._task = asyncio.create_task(self._run(), name="group-writer")

    @property
    def queue_depth(self) -> int:
        """How many units wait for a transaction."""
        return len(self._waiting)

    async def submit(self, unit: Unit) -> Written:
        """Commit a unit; returns once it is durable. Raises what the unit or Neo4j raises."""
        done: asyncio.Future[Written] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(unit, done))
        self._wake.set()
        return await done

    async def close(self) -> None:
        """Commit what waits, then stop."""
        self._closing = True
        self._wake.set()
        await self._task

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                group = self._take()
                try:
                    await self._commit(group)
                except Exception as error:
                    # A fault of the code: nobody may wait for ever, and writing goes on.
                    _log.exception("the writer failed")
                    _refuse(group, error)
            if self._closing:
                return

    def _take(self) -> list[_Waiting]:
        size = 0
        for at, waiting in enumerate(self._waiting):
            size += waiting.unit.size
            alone = waiting.unit.alone or self._waiting[0].unit.alone
            if at and (alone or size > _GROUP):
                group, self._waiting = self._waiting[:at], self._waiting[at:]
                return group
        group, self._waiting = self._waiting, []
        return group

    async def _commit(self, group: list[_Waiting]) -> None:
        try:
            outcomes, commit = await self._graph.write(
                self._work, [waiting.unit for waiting in group], timeout_s=self._timeout_s
            )
        except RolledBack as rolled_back:
            self._roll_back_names()
            for waiting in group:
                if not waiting.done.done():
                    waiting.done.set_result(Written(rolled_back.result, 0))
            return
        except Exception as error:
            self._roll_back_names()
            if len(group) > 1 and not getattr(error, "is_retryable", False):
                for waiting in group:
                    await self._commit([waiting])
                return
            if not group[0].unit.alone or not isinstance(error, PalimpsestError):
                _log.warning("write failed", units=len(group), error=str(error))
            _refuse(group, error)
            return
        self._take_names_over()
        self._committed(commit)
        for waiting, outcome in zip(group, outcomes, strict=True):
            if waiting.done.done():
                continue
            if isinstance(outcome, PalimpsestError):
                waiting.done.set_exception(outcome)
            else:
                waiting.done.set_result(Written(outcome, commit.upto))

    async def _work(self, tx: Transaction, units: list[Unit]) -> tuple[list[Any], Commit]:
        self._roll_back_names()
        counter = (await fetch(tx, _LOCK))[0]
        if counter["revision"] > self._names.revision:
            page = await read_entities(tx, self._names.revision, counter["revision"])
            self._names.apply(page.entities, page.removed, page.upto)
        ws = Workspace(
            names=self._names,
            now=datetime.now(UTC),
            revision=counter["revision"],
            ordinal=counter["ordinal"],
            link_names=self._link_names,
            relation_type_limit=self._relation_type_limit,
        )
        self._uncommitted = ws
        outcomes: list[Any] = []
        for together in _together(units):
            outcomes += await self._outcomes(tx, ws, together)
        if ws.revision > counter["revision"]:
            await write.advance(tx, ws)
        made = None if ws.made is None else tuple(ws.made.values())
        return outcomes, Commit(counter["revision"], ws.revision, made, tuple(ws.altered))

    def _roll_back_names(self) -> None:
        """Forget entities that a transaction made which was not committed."""
        if self._uncommitted is not None:
            created = self._uncommitted.created_entities
            self._names.apply([], created, self._names.revision)
            self._uncommitted = None

    def _take_names_over(self) -> None:
        ws = self._uncommitted
        if ws is not None:
            self._uncommitted = None
            self._types.add(ws.relation_types)
            gone = ws.removed_entities
            kept = [entity for entity in ws.touched.values() if entity.id not in gone]
            self._names.apply(kept, sorted(gone), ws.revision)

    async def _outcomes(self, tx: Transaction, ws: Workspace, units: list[Unit]) -> list[Any]:
        """Run units and write what they decided; a refusal is an outcome, not an exception."""
        outcomes: list[Any] = [await _kept_answer(tx, unit.idempotency) for unit in units]
        fresh = [at for at, outcome in enumerate(outcomes) if outcome is None]
        await type(units[0]).load(tx, ws, [units[at] for at in fresh])
        for at in fresh:
            unit = units[at]
            mark = len(ws.journal)
            try:
                outcomes[at] = await unit.run(tx, ws)
            except PalimpsestError as error:
                if error.is_retryable or unit.alone:
                    raise
                outcomes[at] = error
            else:
                _keep_record(ws, unit, ws.journal[mark:])
                _keep_answer(ws, unit, outcomes[at])
        await chain(tx, ws)
        if units[0].only_adds:
            tell(ws)
        else:
            ws.made = None
        await write.flush(tx, ws)
        return outcomes


def _refuse(group: Sequence[_Waiting], error: Exception) -> None:
    for waiting in group:
        if not waiting.done.done():
            waiting.done.set_exception(error)


def _together(units: Sequence[Unit]) -> list[list[Unit]]:
    """Split units into runs that can be loaded and written at once, in their order.

    Only units of one kind that says so go together, and never two of one idempotency key.
    """
    runs: list[list[Unit]] = []
    keys: set[str] = set()
    for unit in units:
        key = unit.idempotency.key if unit.idempotency else None
        last = runs[-1][-1] if runs else None
        if last is None or not unit.joins or type(last) is not type(unit) or key in keys:
            runs.append([])
            keys = set()
        runs[-1].append(unit)
        keys |= {key} if key else set()
    return runs


def _keep_record(ws: Workspace, unit: Unit, steps: Sequence[Step]) -> None:
    author = unit.author
    if author is not None and steps:
        audit.record(ws, new_id(), author.scope, author.actor, author.reason, steps)


def _keep_answer(ws: Workspace, unit: Unit, result: Any) -> None:
    if unit.idempotency is None:
        return
    status, body = unit.idempotency.render(result)
    ws.write(
        "idempotency/keep",
        {
            "properties": {
                "key": unit.idempotency.key,
                "name": "kept answer",
                "fingerprint": unit.idempotency.fingerprint,
                "status": status,
                "body": body,
                "created_at": ws.now,
            },
            "memory_ids": list(unit.memory_ids(result)),
        },
    )


async def _kept_answer(
    tx: Transaction, idempotency: Idempotency | None
) -> Replay | Conflict | None:
    if idempotency is None:
        return None
    for record in await fetch(tx, _FIND_ANSWER, key=idempotency.key):
        if record["fingerprint"] == idempotency.fingerprint:
            return Replay(record["status"], record["body"])
        return Conflict(
            "this Idempotency-Key was used for another request within the last 24 hours; "
            "use a new key"
        )
    return None
