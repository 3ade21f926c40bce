"""Applying an operation set: all of it in one transaction, or nothing (docs/architecture.md)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from service.domain.access import key_name
from service.domain.errors import NotFound, PalimpsestError
from service.domain.idempotency import Idempotency
from service.domain.journal import ClaimStep, Journal, Standing, packed
from service.domain.names import canonical_name
from service.domain.operation import (
    AppliedSet,
    DeleteAlias,
    DeleteAspect,
    DeleteEntity,
    DeleteRelation,
    LinkMemory,
    MergeEntities,
    Operation,
    OperationResult,
    OperationSet,
    RenameEntity,
    RetractAttribute,
    RetractSupersession,
    SetAttribute,
    SupersedeClaimValue,
    SupersedeMemory,
    UnlinkMemory,
    UpsertAlias,
    UpsertAspect,
    UpsertRelation,
)
from service.memory.judge import judge
from service.memory.unit import RolledBack, Unit
from service.ontology import audit, write
from service.ontology.load import load_memories
from service.ontology.needs import Structure, load_structure
from service.ontology.workspace import Workspace, new_id
from service.operations import identity, removals
from service.operations.additions import Addition, add
from service.operations.applying import Applying
from service.stores.neo4j.driver import Transaction

_Joining = Addition | SupersedeMemory | RetractSupersession
"""Operations that are decided together, on what was loaded for all of them at once."""


@dataclass(slots=True)
class ApplyUnit(Unit):
    """Applies an operation set; a refusal, and a dry run, roll everything back."""

    scope: str
    given: OperationSet
    operation_id: str = field(default_factory=new_id)
    key: str | None = field(default_factory=key_name)
    idempotency: Idempotency | None = None
    alone: ClassVar[bool] = True

    @classmethod
    async def load(cls, tx: Transaction, ws: Workspace, units: Sequence["ApplyUnit"]) -> None:
        """Load the evidence."""
        await load_memories(tx, ws, (one for unit in units for one in unit.given.evidence))

    async def run(self, tx: Transaction, ws: Workspace) -> AppliedSet:
        """Return what was done. Raises InvalidInput, NotFound, Conflict, each with its index."""
        given = self.given
        at = begin(tx, ws, self.scope, self.operation_id, given, self.key)
        for place, memory_id in enumerate(given.evidence):
            try:
                at.memory(memory_id)
            except NotFound as error:
                raise NotFound(f"evidence.{place}: {error}") from None
        results: list[OperationResult] = []
        stands: dict[str, Standing] = {}
        for run in _runs(given.operations):
            mark = len(ws.journal)
            await _prepare(at, run)
            for operation in run:
                try:
                    results.append(await _apply(at, operation))
                except PalimpsestError as error:
                    raise error.of_operation(len(results)) from error
            await judge(tx, ws)
            note_slots(ws, stands, mark)
            await write.flush(tx, ws)
        return finish(at, given, results, stands, self.key)

    def memory_ids(self, result: Any) -> Sequence[str]:
        """Return the memories that the answer names or rests on."""
        return cast(AppliedSet, result).touched


def begin(
    tx: Transaction,
    ws: Workspace,
    scope: str,
    operation_id: str,
    given: OperationSet,
    key: str | None,
) -> Applying:
    """Make the record of a set, and return what its operations are given."""
    ws.reason, ws.operation_id = given.reason, operation_id
    audit.begin(ws, operation_id, scope, given.actor, given.reason, given.evidence, key)
    return Applying(tx, ws, scope, operation_id, given.reason, given.evidence)


def finish(
    at: Applying,
    given: OperationSet,
    results: Sequence[OperationResult],
    stands: dict[str, Standing],
    key: str | None,
    undoes: str | None = None,
) -> AppliedSet:
    """Write the record of a set that was applied; a dry run is rolled back with its answer."""
    ws = at.ws
    touched = audit.touched_by(ws.journal)
    touched.add(memories=(*given.evidence, *audit.quoted_by(results)))
    applied = AppliedSet(
        id=at.operation_id,
        scope=at.scope,
        actor=given.actor,
        reason=given.reason,
        evidence=tuple(given.evidence),
        applied_at=ws.now,
        dry_run=given.dry_run,
        results=tuple(results),
        undoes=undoes,
        key=key,
        touched=tuple(touched.memories),
    )
    if given.dry_run:
        raise RolledBack(applied)
    audit.complete(ws, at.operation_id, results, touched)
    body = packed(Journal(tuple(ws.journal), tuple(sorted(stands.items()))))
    ws.write("operation/keep_journal", {"id": at.operation_id, "body": body})
    return applied


def note_slots(ws: Workspace, stands: dict[str, Standing], since: int) -> None:
    """Note how the slots stand that the journal touched since a place: an undo must find them so.

    To be asked before what was decided is written, while the slots are loaded.
    """
    for step in ws.journal[since:]:
        if isinstance(step, ClaimStep):
            stands[step.slot] = standing(ws, step.slot)


def standing(ws: Workspace, slot: str) -> Standing:
    """Return who claims what from when on in a slot."""
    line = ws.lines.get(slot)
    claims = line.claims if line is not None else []
    return tuple(sorted((one.memory_id, one.at, canonical_name(one.value)) for one in claims))


def _runs(operations: Sequence[Operation]) -> Iterator[list[Operation]]:
    """Split a set into stretches that are decided together; others stand alone."""
    run: list[Operation] = []
    for operation in operations:
        if isinstance(operation, _Joining):
            run.append(operation)
            continue
        if run:
            yield run
        yield [operation]
        run = []
    if run:
        yield run


async def _prepare(at: Applying, run: Sequence[Operation]) -> None:
    """Load the memories, slots, aspects and relations that a stretch is about."""
    named = [
        memory_id
        for one in run
        if isinstance(one, SupersedeMemory | RetractSupersession)
        for memory_id in (one.memory_id, one.target_id)
    ]
    named += [one.memory_id for one in run if isinstance(one, LinkMemory | UnlinkMemory)]
    if named or isinstance(run[0], _Joining):
        await at.load(named)
    claims = [one.attribute for one in run if isinstance(one, SetAttribute | SupersedeClaimValue)]
    await load_structure(
        at.tx,
        at.ws,
        Structure(
            attributes=[(at.scope, one) for one in claims],
            relations=[(at.scope, one.relation) for one in run if isinstance(one, UpsertRelation)],
            aspects=[
                (at.scope, one.entity, one.aspect) for one in run if isinstance(one, UpsertAspect)
            ],
            authors=at.evidence,
        ),
    )


async def _apply(at: Applying, operation: Operation) -> OperationResult:
    match operation:
        case RenameEntity():
            return identity.rename(at, operation)
        case DeleteEntity():
            return await identity.delete(at, operation)
        case MergeEntities():
            return await identity.merge(at, operation)
        case UpsertAlias():
            return identity.add_alias(at, operation)
        case DeleteAlias():
            return identity.drop_alias(at, operation)
        case DeleteRelation():
            return await removals.delete_relation(at, operation)
        case DeleteAspect():
            return await removals.delete_aspect(at, operation)
        case RetractAttribute():
            return await removals.retract_attribute(at, operation)
        case UnlinkMemory():
            return await removals.unlink(at, operation)
        case SupersedeMemory():
            return await removals.supersede(at, operation)
        case RetractSupersession():
            return await removals.retract_supersession(at, operation)
        case _:
            return add(at, operation)
