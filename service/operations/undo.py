"""Taking an operation set back: its mirror image, where nothing later depends on what it did."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

from service.domain.access import key_name
from service.domain.errors import Conflict, NotFound
from service.domain.idempotency import Idempotency
from service.domain.journal import (
    ClaimStep,
    EvidenceStep,
    Journal,
    MentionStep,
    Standing,
    SupersessionStep,
    net,
    unpacked,
)
from service.domain.operation import AppliedSet, OperationResult, OperationSet
from service.memory.judge import judge
from service.memory.unit import Unit
from service.ontology import audit, identity, write
from service.ontology.load import (
    load_aspects,
    load_evidence,
    load_lines,
    load_memories,
    load_relation_types,
    load_relations,
)
from service.ontology.workspace import Workspace, new_id
from service.operations.apply import begin, finish, note_slots, standing
from service.operations.applying import Applying
from service.operations.mirror import Mirror, aspect_keys
from service.stores.neo4j.driver import Transaction, fetch
from service.stores.neo4j.statements import statement

_JOURNAL = statement("operation/journal")
_HOLDS = statement("entity/holds")
_FIND_ATTRIBUTES = statement("attribute/find")
_FORGET_RETRACTED = statement("attribute/forget_retracted")
_REMOVE_EMPTY = statement("aspect/remove_empty")


@dataclass(slots=True)
class UndoUnit(Unit):
    """Applies the mirror image of a set; a refusal, and a dry run, roll everything back."""

    scope: str
    undone_id: str
    actor: str
    reason: str
    dry_run: bool = False
    operation_id: str = field(default_factory=new_id)
    key: str | None = field(default_factory=key_name)
    idempotency: Idempotency | None = None
    alone: ClassVar[bool] = True

    @classmethod
    async def load(cls, tx: Transaction, ws: Workspace, units: Sequence["UndoUnit"]) -> None:
        """Nothing is known before the journal of the set is read."""

    async def run(self, tx: Transaction, ws: Workspace) -> AppliedSet:
        """Return what was done. Raises NotFound, Conflict (something later depends on it)."""
        journal = await self._journal(tx)
        given = OperationSet(self.actor, self.reason, (), (), self.dry_run)
        at = begin(tx, ws, self.scope, self.operation_id, given, self.key)
        await self._load(at, journal)
        _require_unchanged(ws, journal)
        mirror = Mirror(at, await _reusable(at, journal))
        for step in reversed(net(journal.steps)):
            await mirror.take_back(step)
        mirror.settle()
        await judge(tx, ws)
        results = list(audit.results_of(ws, ws.journal))
        stands: dict[str, Standing] = {}
        note_slots(ws, stands, 0)
        await write.flush(tx, ws)
        results += await _remove(at, mirror)
        applied = finish(at, given, results, stands, self.key, self.undone_id)
        ws.write("operation/undo", {"id": self.operation_id, "undoes": self.undone_id})
        return applied

    def memory_ids(self, result: Any) -> Sequence[str]:
        """Return the memories that the answer names."""
        return cast(AppliedSet, result).touched

    async def _journal(self, tx: Transaction) -> Journal:
        rows = await fetch(tx, _JOURNAL, scope=self.scope, id=self.undone_id)
        if not rows:
            raise NotFound(f"there is no operation {self.undone_id!r} in scope {self.scope!r}")
        if rows[0]["undone_by"] is not None:
            raise Conflict(f"the set was undone already, by {rows[0]['undone_by']!r}")
        if rows[0]["journal"] is None:
            raise Conflict(
                "only an operation set can be undone, and not one whose record lost parts with a "
                "purged memory; what a remember did goes with its memory"
            )
        return unpacked(rows[0]["journal"])

    async def _load(self, at: Applying, journal: Journal) -> None:
        tx, ws, steps = at.tx, at.ws, journal.steps
        memory_ids: set[str] = set()
        for step in steps:
            if isinstance(step, MentionStep | ClaimStep):
                memory_ids.add(step.memory_id)
            elif isinstance(step, EvidenceStep):
                memory_ids.add(step.author_id)
            elif isinstance(step, SupersessionStep):
                memory_ids |= {step.memory_id, step.target_id}
        await load_memories(tx, ws, sorted(memory_ids))
        slots = {slot for slot, _ in journal.slots}
        for step in steps:
            if isinstance(step, MentionStep) and step.memory_id in ws.memories:
                slots |= ws.memories[step.memory_id].slots
        await load_lines(tx, ws, sorted(slots))
        await load_aspects(tx, ws, aspect_keys(steps))
        evidence = [step for step in steps if isinstance(step, EvidenceStep)]
        await load_relation_types(tx, ws)
        await load_relations(tx, ws, ((s.source_id, s.target_id, s.type) for s in evidence))
        await load_evidence(tx, ws, sorted({*memory_ids, *(s.author_id for s in evidence)}))


def _require_unchanged(ws: Workspace, journal: Journal) -> None:
    for slot, then in journal.slots:
        now = standing(ws, slot)
        if now == then:
            continue
        came, went = sorted(set(now) - set(then)), sorted(set(then) - set(now))
        told = [f"{author!r} claims {value!r} since" for author, _, value in came]
        told += [f"{author!r} claims {value!r} no more" for author, _, value in went]
        raise Conflict(
            f"a slot that the set decided was decided again later: {'; '.join(told[:5])}; undo or "
            "retract that first"
        )


async def _reusable(at: Applying, journal: Journal) -> set[str]:
    """The attributes that claims which come back can be given again under their old ids."""
    wanted = {
        step.attribute_id
        for step in journal.steps
        if isinstance(step, ClaimStep) and not step.added and step.attribute_id is not None
    }
    found = await fetch(at.tx, _FIND_ATTRIBUTES, scope=at.scope, ids=sorted(wanted))
    retracted = [row["id"] for row in found if row["status"] == "retracted"]
    if retracted:
        await fetch(at.tx, _FORGET_RETRACTED, ids=retracted)
    return wanted - {row["id"] for row in found if row["status"] != "retracted"}


async def _remove(at: Applying, mirror: Mirror) -> list[OperationResult]:
    """Remove the entities and aspects that the set made, unless something holds them now."""
    ws = at.ws
    if mirror.aspects_made:
        rows = await fetch(
            at.tx, _REMOVE_EMPTY, ids=[step.aspect_id for step in mirror.aspects_made]
        )
        removed = {row["id"] for row in rows}
        ws.journal += [
            replace(step, added=False) for step in mirror.aspects_made if step.aspect_id in removed
        ]
    mark = len(ws.journal)
    for entity_id in mirror.entities_made:
        entity = ws.entity(entity_id)
        if entity is None:
            continue
        held = (await fetch(at.tx, _HOLDS, id=entity_id))[0]
        told = [f"{count} {kind}" for kind, count in held.items() if count]
        told += [f"the alias {alias!r}" for alias in entity.aliases]
        if told:
            raise Conflict(
                f"the entity {entity.name!r}, which the set made, has got {', '.join(told)} since; "
                "undo or delete that first"
            )
        identity.retire(ws, entity)
    await write.flush(at.tx, ws)
    return list(audit.results_of(ws, ws.journal[mark:]))
