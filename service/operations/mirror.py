"""The inverse of each step that an operation set took."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from service.domain.attribute import Cardinality
from service.domain.entity import Entity
from service.domain.errors import Conflict
from service.domain.journal import (
    AliasStep,
    AspectStep,
    ClaimStep,
    EntityStep,
    EvidenceStep,
    MentionStep,
    NameStep,
    RefusedTypeStep,
    Step,
    SupersessionStep,
    TypeStep,
)
from service.domain.memory import EntityRef, NewAttribute
from service.domain.names import canonical_name
from service.domain.slots import Claim
from service.ontology import attributes, entities, identity, relations, supersession
from service.ontology.relations import Evidence
from service.ontology.workspace import Line
from service.operations.applying import Applying


def aspect_keys(steps: Iterable[Step]) -> Iterator[tuple[str, str]]:
    """Yield the aspects that steps are about, by entity and key."""
    for step in steps:
        if isinstance(step, ClaimStep):
            yield step.entity_id, canonical_name(step.aspect)
        elif isinstance(step, AspectStep):
            yield step.entity_id, canonical_name(step.name)


class Mirror:
    """Takes steps back, the last one first; what a step is about must be loaded.

    What went with a memory that was deleted meanwhile is passed over.
    """

    def __init__(self, at: Applying, reusable: set[str]) -> None:
        self._at = at
        self._ws = at.ws
        self._reusable = reusable
        self._lines: dict[str, Line] = {}
        self._unmentioned: list[MentionStep] = []
        self.entities_made: list[str] = []
        """Entities that the set made: to be removed once nothing holds them."""
        self.aspects_made: list[AspectStep] = []

    async def take_back(self, step: Step) -> None:
        """Do the opposite of a step. Raises Conflict where the graph is not as it left it."""
        match step:
            case ClaimStep():
                self._claim(step)
            case EvidenceStep():
                self._evidence(step)
            case MentionStep():
                self._mention(step)
            case SupersessionStep():
                await self._supersession(step)
            case EntityStep():
                self._entity(step)
            case NameStep(entity_id, before, after):
                entity = self._require(entity_id)
                if entity.name != after:
                    raise Conflict(f"{after!r} has been renamed since: it is {entity.name!r} now")
                identity.require_free(self._ws, entity, before)
                identity.rename(self._ws, entity, before, keep_alias=False)
            case AliasStep():
                self._alias(step)
            case TypeStep(entity_id, before, after):
                entity = self._require(entity_id)
                if entity.entity_type != after:
                    raise Conflict(f"the type of {entity.name!r} has been changed since")
                entities.set_type(self._ws, entity, before)
            case AspectStep():
                self._aspect(step)
            case RefusedTypeStep():
                pass

    def settle(self) -> None:
        """Decide the slots again, and unlink memories from what nothing ties them to any more."""
        for line in self._lines.values():
            attributes.rederive(self._ws, line)
        tied = {(author_id, end) for author_id, key in self._ws.evidence for end in key[:2]}
        tied |= {
            (claim.memory_id, line.entity_id)
            for line in self._ws.lines.values()
            for claim in line.claims
        }
        for step in self._unmentioned:
            row = self._ws.memories.get(step.memory_id)
            if row is None or step.entity_id not in row.mentions:
                continue
            if (row.id, step.entity_id) not in tied:
                entities.unmention(self._ws, row, step.entity_id)

    def _require(self, entity_id: str) -> Entity:
        entity = self._ws.entity(entity_id)
        if entity is None:
            raise Conflict(f"the entity {entity_id!r} has been deleted or merged since")
        return entity

    def _is_there(self, author_id: str, from_operation: bool) -> bool:
        return from_operation or author_id in self._ws.memories

    def _claim(self, step: ClaimStep) -> None:
        if step.added:
            line = self._ws.lines.get(step.slot)
            if line is None:
                return
            said = (step.memory_id, step.at, step.value)
            for claim in line.claims:
                if (claim.memory_id, claim.at, claim.value) == said:
                    line.claims.remove(claim)
                    if step.retracted and claim.attribute_id is not None:
                        self._ws.retracted.add(claim.attribute_id)
                    break
            self._ws.journal.append(_mirrored(step))
        elif self._is_there(step.memory_id, step.from_operation):
            line = self._line(step)
            attribute_id = step.attribute_id if step.attribute_id in self._reusable else None
            line.claims.append(
                Claim(
                    memory_id=step.memory_id,
                    value=step.value,
                    at=step.at,
                    until=step.until,
                    kind=step.claim_kind,
                    confidence=step.confidence,
                    importance=step.importance,
                    attribute_id=attribute_id,
                    from_operation=step.from_operation,
                )
            )
            if step.cardinality is Cardinality.MANY:
                line.cardinality = Cardinality.MANY
            self._ws.journal.append(_mirrored(step))
        else:
            return
        self._lines[step.slot] = line

    def _line(self, step: ClaimStep) -> Line:
        entity = self._require(step.entity_id)
        place = NewAttribute(
            EntityRef(id=entity.id), step.aspect, step.value, step.group_key, step.claim_key
        )
        return attributes.line_of(self._ws, entity, place)

    def _evidence(self, step: EvidenceStep) -> None:
        key = (step.source_id, step.target_id, step.type)
        evidence = Evidence(step.author_id, key, step.confidence, step.from_operation)
        known = (step.author_id, key) in self._ws.evidence
        if not self._is_there(step.author_id, step.from_operation):
            return
        if step.added and known:
            relations.retract(self._ws, evidence)
        elif step.added:
            raise Conflict(f"the relation {step.given!r} that the set made was deleted since")
        else:
            self._require(step.source_id)
            self._require(step.target_id)
            relations.assert_relation(self._ws, evidence, step.given)

    def _mention(self, step: MentionStep) -> None:
        row = self._ws.memories.get(step.memory_id)
        if row is None:
            return
        if step.added:
            self._unmentioned.append(step)
            return
        entity = self._require(step.entity_id)
        entities.mention(self._ws, row, entity, step.mention_text, step.confidence, step.by)

    async def _supersession(self, step: SupersessionStep) -> None:
        newer = self._ws.memories.get(step.memory_id)
        older = self._ws.memories.get(step.target_id)
        if newer is None or older is None:
            return
        if not step.added:
            await supersession.require_no_cycle(self._at.tx, newer, older)
            supersession.supersede(self._ws, newer, older, step.reason)
        elif older.id not in newer.targets:
            raise Conflict(f"{newer.id!r} does not replace {older.id!r} any more")
        else:
            supersession.end(self._ws, newer, older, self._at.reason)

    def _entity(self, step: EntityStep) -> None:
        if step.added:
            entity = self._ws.entity(step.entity_id)
            if entity is not None:
                self.entities_made.append(entity.id)
                identity.free_names(self._ws, entity)
            return
        canonical = canonical_name(step.name)
        holder = self._ws.by_name(self._at.scope, canonical)
        if holder is not None:
            raise Conflict(
                f"the name {step.name!r} belongs to the entity {holder.name!r} ({holder.id!r}) now"
            )
        identity.revive(
            self._ws,
            Entity(step.entity_id, self._at.scope, step.name, canonical, step.entity_type, 0),
        )

    def _alias(self, step: AliasStep) -> None:
        entity = self._require(step.entity_id)
        kept = [one for one in entity.aliases if one != step.name]
        if not step.added:
            identity.require_free(self._ws, entity, step.name)
            kept.append(step.name)
        elif len(kept) == len(entity.aliases):
            if canonical_name(step.name) == entity.canonical_name:
                return  # It went when the name became its own.
            raise Conflict(f"{step.name!r} is no alias of {entity.name!r} any more")
        identity.set_aliases(self._ws, entity, kept)

    def _aspect(self, step: AspectStep) -> None:
        if step.added:
            self.aspects_made.append(step)
            return
        entity = self._require(step.entity_id)
        attributes.aspect_of(self._ws, entity, step.name, step.weight, step.aspect_id)


def _mirrored(step: ClaimStep) -> ClaimStep:
    return replace(step, added=not step.added)
