"""The use cases of operations, as routes, commands and tools call them."""

from dataclasses import replace
from typing import Any

from service.domain.idempotency import Idempotency, Replay
from service.domain.limits import Limits
from service.domain.operation import AppliedSet, OperationSet, check_operation_set
from service.memory.unit import Unit
from service.memory.writer import GroupWriter
from service.operations.apply import ApplyUnit
from service.operations.undo import UndoUnit
from service.projection.follower import Follower


class Operations:
    """Apply an operation set, or take one back.

    A write returns once it is in Neo4j and, unless `wait` is false, once recall sees it.
    """

    def __init__(
        self,
        writer: GroupWriter,
        follower: Follower,
        *,
        limits: Limits,
        wait_s: float,
    ) -> None:
        self._writer = writer
        self._follower = follower
        self._limits = limits
        self._wait_s = wait_s

    async def apply(
        self,
        scope: str,
        given: OperationSet,
        *,
        wait: bool = True,
        idempotency: Idempotency | None = None,
    ) -> AppliedSet | Replay:
        """Apply all operations of a set in their order, or none.

        Raises InvalidInput, NotFound, Conflict; each names the operation that was refused.
        """
        check_operation_set(given, self._limits)
        return await self._write(ApplyUnit(scope, given, idempotency=idempotency), wait)

    async def undo(
        self,
        scope: str,
        operation_id: str,
        *,
        actor: str,
        reason: str,
        dry_run: bool = False,
        wait: bool = True,
        idempotency: Idempotency | None = None,
    ) -> AppliedSet | Replay:
        """Take a set back by a compensating one.

        Raises NotFound, and Conflict where something later depends on what the set did.
        """
        unit = UndoUnit(
            scope, operation_id, actor, reason, dry_run=dry_run, idempotency=idempotency
        )
        return await self._write(unit, wait)

    async def _write(self, unit: Unit, wait: bool) -> Any:
        written = await self._writer.submit(unit)
        seen = not wait or await self._follower.wait_for(written.revision, self._wait_s)
        if not seen and isinstance(written.result, AppliedSet):
            return replace(written.result, recallable=False)
        return written.result
