"""The use cases of memories, as routes, commands and tools call them."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from service.domain.change import Vectors
from service.domain.errors import InvalidInput, PalimpsestError
from service.domain.idempotency import Idempotency, Replay
from service.domain.limits import Limits
from service.domain.memory import (
    BatchItem,
    DeletedMemory,
    Lineage,
    LineageEdge,
    Memory,
    MemoryDetail,
    MemoryUpdate,
    NewMemory,
    Page,
    Remembered,
    Revised,
    check_new_memory,
    check_update,
)
from service.memory.embedding import WriteEmbedding
from service.memory.forget import ForgetUnit
from service.memory.link import RetractUnit, SupersedeUnit
from service.memory.read import MemoryReader
from service.memory.remember import Prepared
from service.memory.remember_unit import RememberUnit
from service.memory.revise import ReviseUnit
from service.memory.writer import GroupWriter, Unit
from service.projection.expunge import Expunger
from service.projection.follower import Follower

_EMBED_TOGETHER = 64
"""Memories of a batch that are embedded before they are handed on to be written."""


class Memories:
    """Remember, revise, forget, supersede; read one, its lineage, or a page of many.

    A write returns once it is in Neo4j and, unless `wait` is false, once recall sees it. All
    raise the errors of `service.domain.errors`.
    """

    def __init__(
        self,
        *,
        writer: GroupWriter,
        embedding: WriteEmbedding,
        follower: Follower,
        reader: MemoryReader,
        expunger: Expunger,
        limits: Limits,
        wait_s: float,
    ) -> None:
        self._writer = writer
        self._embedding = embedding
        self._follower = follower
        self._reader = reader
        self._expunger = expunger
        self._limits = limits
        self._wait_s = wait_s

    async def remember(
        self,
        scope: str,
        new: NewMemory,
        *,
        wait: bool = True,
        idempotency: Idempotency | None = None,
    ) -> Remembered | Replay:
        """Keep a memory with whatever structure it brings. Raises InvalidInput, NotFound."""
        check_new_memory(new, self._limits)
        prepared = await self._prepare(scope, [new])
        unit = RememberUnit(prepared, True, idempotency)
        return await self._write(unit, wait, [one.vectors for one in prepared])

    async def remember_batch(
        self,
        scope: str,
        items: Sequence[NewMemory | InvalidInput],
        *,
        wait: bool = True,
        idempotency: Idempotency | None = None,
    ) -> tuple[BatchItem, ...] | Replay:
        """Keep many memories, in order; an item that is refused fails alone.

        While one stretch is written the next one is embedded. With an idempotency key all are
        written in one transaction, together with the answer.
        """
        if not 1 <= len(items) <= self._limits.batch:
            raise InvalidInput(
                "memories", f"has {len(items)} entries; 1 to {self._limits.batch} are allowed"
            )
        results: list[BatchItem | None] = [None] * len(items)
        good: list[tuple[int, NewMemory]] = []
        for at, item in enumerate(items):
            try:
                if isinstance(item, InvalidInput):
                    raise item
                check_new_memory(item, self._limits)
                good.append((at, item))
            except InvalidInput as error:
                results[at] = BatchItem(at, None, error)
        if idempotency is not None:
            return await self._remember_once(scope, good, results, wait, idempotency)
        await self._remember_in_stretches(scope, good, results, wait)
        return _complete(results)

    async def revise(
        self,
        scope: str,
        memory_id: str,
        update: MemoryUpdate,
        *,
        wait: bool = True,
        idempotency: Idempotency | None = None,
    ) -> Revised | Replay:
        """Change a memory in place. Raises NotFound, InvalidInput, Conflict (a twin is there)."""
        check_update(update, self._limits)
        vectors = None
        if update.content is not None:
            await self._reader.require(scope, memory_id)
            vectors = (await self._embedding.embed([update.content]))[0]
        unit = ReviseUnit(scope, memory_id, update, vectors, self._embedding.model, idempotency)
        return await self._write(unit, wait, [] if update.content is None else [vectors])

    async def forget(
        self,
        scope: str,
        memory_id: str,
        *,
        purge: bool = False,
        wait: bool = True,
        idempotency: Idempotency | None = None,
    ) -> Replay | None:
        """Delete a memory: it is hidden at once everywhere. With `purge` every trace goes too.

        A purge returns once no projection file holds the text any more. Raises NotFound.
        """
        outcome = await self._write(
            ForgetUnit(scope, [memory_id], purge, idempotency=idempotency), wait or purge
        )
        if purge:
            await self._expunger.expunge()
        return outcome if isinstance(outcome, Replay) else None

    async def supersede(
        self,
        scope: str,
        memory_id: str,
        target_id: str,
        *,
        reason: str | None = None,
        wait: bool = True,
        idempotency: Idempotency | None = None,
    ) -> tuple[LineageEdge, bool] | Replay:
        """Say that a memory replaces another; True when the edge is new.

        Raises NotFound, InvalidInput (itself), Conflict (a cycle).
        """
        unit = SupersedeUnit(scope, memory_id, target_id, reason, idempotency)
        return await self._write(unit, wait)

    async def retract_supersession(
        self,
        scope: str,
        memory_id: str,
        target_id: str,
        *,
        wait: bool = True,
        idempotency: Idempotency | None = None,
    ) -> Replay | None:
        """Take back that a memory replaces another. Raises NotFound where it does not."""
        return await self._write(RetractUnit(scope, memory_id, target_id, idempotency), wait)

    async def get(self, scope: str, memory_id: str) -> MemoryDetail:
        """Return a memory with all that hangs on it. Raises NotFound."""
        return await self._reader.detail(scope, memory_id)

    async def lineage(self, scope: str, memory_id: str) -> Lineage:
        """Return the whole chain of replacements around a memory. Raises NotFound."""
        return await self._reader.lineage(scope, memory_id)

    async def page(
        self,
        scope: str,
        *,
        type: str | None = None,
        entity: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        include_superseded: bool = True,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Memory]:
        """Return memories of a scope, newest first. Raises InvalidInput for a foreign cursor."""
        return await self._reader.page(
            scope,
            type=type,
            entity=entity,
            since=since,
            until=until,
            include_superseded=include_superseded,
            limit=limit,
            cursor=cursor,
        )

    async def deleted(
        self, scope: str, *, limit: int = 100, cursor: str | None = None
    ) -> Page[DeletedMemory]:
        """Return the deleted memories of a scope. Raises InvalidInput for a foreign cursor."""
        return await self._reader.deleted(scope, limit=limit, cursor=cursor)

    async def _prepare(self, scope: str, items: Sequence[NewMemory]) -> list[Prepared]:
        vectors = await self._embedding.embed([item.content for item in items])
        return [
            Prepared(scope, item, vector, self._embedding.model)
            for item, vector in zip(items, vectors, strict=True)
        ]

    async def _write(self, unit: Unit, wait: bool, vectors: Sequence[Vectors | None] = ()) -> Any:
        written = await self._writer.submit(unit)
        self._embedding.written(vectors)
        if wait and not await self._follower.wait_for(written.revision, self._wait_s):
            return _not_yet(written.result)
        return written.result

    async def _remember_once(
        self,
        scope: str,
        good: Sequence[tuple[int, NewMemory]],
        results: list[BatchItem | None],
        wait: bool,
        idempotency: Idempotency,
    ) -> tuple[BatchItem, ...] | Replay:
        prepared = await self._prepare(scope, [item for _, item in good])

        def render(outcomes: Any) -> tuple[int, str]:
            _fill(results, good, outcomes)
            return idempotency.render(_complete(results))

        kept = replace(idempotency, render=render)
        unit = RememberUnit(prepared, False, kept)
        outcomes = await self._write(unit, wait, [one.vectors for one in prepared])
        if isinstance(outcomes, Replay):
            return outcomes
        _fill(results, good, outcomes)
        return _complete(results)

    async def _remember_in_stretches(
        self,
        scope: str,
        good: Sequence[tuple[int, NewMemory]],
        results: list[BatchItem | None],
        wait: bool,
    ) -> None:
        under_way: list[
            tuple[Sequence[tuple[int, NewMemory]], asyncio.Task[Any], list[Prepared]]
        ] = []
        async for stretch, prepared in self._embedded(scope, good):
            task = asyncio.create_task(self._writer.submit(RememberUnit(prepared, False)))
            under_way.append((stretch, task, prepared))
        revision = 0
        for stretch, task, prepared in under_way:
            try:
                written = await task
            except PalimpsestError as error:
                for at, _ in stretch:
                    results[at] = BatchItem(at, None, error)
                continue
            self._embedding.written(item.vectors for item in prepared)
            _fill(results, stretch, written.result)
            revision = max(revision, written.revision)
        if wait and revision and not await self._follower.wait_for(revision, self._wait_s):
            for at, result in enumerate(results):
                if result is not None and result.remembered is not None:
                    results[at] = replace(result, remembered=_not_yet(result.remembered))

    async def _embedded(
        self, scope: str, good: Sequence[tuple[int, NewMemory]]
    ) -> AsyncGenerator[tuple[Sequence[tuple[int, NewMemory]], list[Prepared]]]:
        """Stretches of a batch, each once it is embedded; the next one is begun before that.

        So no thread of the model is idle while another is at the last text of a stretch.
        """
        stretches = [
            good[start : start + _EMBED_TOGETHER] for start in range(0, len(good), _EMBED_TOGETHER)
        ]
        begun: deque[asyncio.Task[list[Prepared]]] = deque()
        try:
            for at, stretch in enumerate(stretches):
                for ahead in stretches[at + len(begun) : at + 2]:
                    items = [item for _, item in ahead]
                    begun.append(asyncio.create_task(self._prepare(scope, items)))
                yield stretch, await begun.popleft()
        finally:
            for task in begun:
                task.cancel()


def _not_yet(result: Any) -> Any:
    """Say of a result that recall does not see it yet."""
    if isinstance(result, (Remembered, Revised)):
        return replace(result, recallable=False)
    if isinstance(result, tuple):
        return tuple(_not_yet(one) for one in cast("tuple[Any, ...]", result))
    return result


def _fill(
    results: list[BatchItem | None], items: Sequence[tuple[int, NewMemory]], outcomes: Any
) -> None:
    for (at, _), outcome in zip(items, outcomes, strict=True):
        failed = isinstance(outcome, PalimpsestError)
        results[at] = BatchItem(at, None if failed else outcome, outcome if failed else None)


def _complete(results: Sequence[BatchItem | None]) -> tuple[BatchItem, ...]:
    return tuple(result for result in results if result is not None)
