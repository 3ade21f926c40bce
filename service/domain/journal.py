"""What one write changed in the graph, as steps that can each be taken back.

Every rule of the graph that changes something notes it here: the audit record of a remember is
made from it, and the compensating set that undoes an operation set is its mirror image.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter

from service.domain.attribute import AttributeKind, Cardinality


@dataclass(frozen=True, slots=True)
class EntityStep:
    """An entity was made, or (`added` false) removed."""

    entity_id: str
    name: str
    entity_type: str | None
    added: bool
    kind: Literal["entity"] = "entity"


@dataclass(frozen=True, slots=True)
class NameStep:
    """An entity got another name."""

    entity_id: str
    before: str
    after: str
    kind: Literal["name"] = "name"


@dataclass(frozen=True, slots=True)
class TypeStep:
    """An entity got its first type."""

    entity_id: str
    before: str | None
    after: str | None
    kind: Literal["type"] = "type"


@dataclass(frozen=True, slots=True)
class RefusedTypeStep:
    """An entity that has a type was given another one: the first stays."""

    entity_id: str
    kept: str
    given: str
    kind: Literal["refused_type"] = "refused_type"


@dataclass(frozen=True, slots=True)
class AliasStep:
    """Another name began, or ceased, to resolve to an entity."""

    entity_id: str
    name: str
    added: bool
    kind: Literal["alias"] = "alias"


@dataclass(frozen=True, slots=True)
class AspectStep:
    """An aspect was made or removed."""

    entity_id: str
    aspect_id: str
    name: str
    weight: float
    added: bool
    kind: Literal["aspect"] = "aspect"


@dataclass(frozen=True, slots=True)
class MentionStep:
    """A memory was linked to an entity, or unlinked."""

    memory_id: str
    entity_id: str
    mention_text: str
    confidence: float
    by: str
    added: bool
    kind: Literal["mention"] = "mention"


@dataclass(frozen=True, slots=True)
class EvidenceStep:
    """Evidence for a relation came or went; a relation is what its evidence makes of it."""

    author_id: str
    """The memory that says it, or the operation set where no memory does."""
    from_operation: bool
    source_id: str
    target_id: str
    type: str
    given: str
    """The relation's spelling."""
    confidence: float
    added: bool
    kind: Literal["evidence"] = "evidence"


@dataclass(frozen=True, slots=True)
class ClaimStep:
    """A claim came into a slot, or left it."""

    slot: str
    entity_id: str
    aspect: str
    group_key: str | None
    claim_key: str | None
    cardinality: Cardinality
    memory_id: str
    """The memory that says it, or the operation set where no memory does."""
    from_operation: bool
    value: str
    at: datetime
    until: datetime | None
    claim_kind: AttributeKind
    confidence: float
    importance: float
    attribute_id: str | None
    added: bool
    retracted: bool = False
    """Whether the value was taken back: its attribute stays, as retracted."""
    kind: Literal["claim"] = "claim"


@dataclass(frozen=True, slots=True)
class SupersessionStep:
    """A memory began, or ceased, to replace another."""

    memory_id: str
    target_id: str
    reason: str | None
    added: bool
    kind: Literal["supersession"] = "supersession"


Step = (
    EntityStep
    | NameStep
    | TypeStep
    | RefusedTypeStep
    | AliasStep
    | AspectStep
    | MentionStep
    | EvidenceStep
    | ClaimStep
    | SupersessionStep
)


Standing = tuple[tuple[str, datetime, str], ...]
"""How a slot stands: who claims what from when on, in order."""


@dataclass(frozen=True, slots=True)
class Journal:
    """All steps of one write in their order, and how the slots stood afterwards."""

    steps: tuple[Annotated[Step, Field(discriminator="kind")], ...] = ()
    slots: tuple[tuple[str, Standing], ...] = ()
    """Each slot that was touched, and how it stood afterwards."""


def net(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps without those that the same write took back itself, in their order.

    An entity that was made and removed again takes all that was said of it along.
    """
    first: dict[tuple[str, ...], bool] = {}
    last: dict[tuple[str, ...], int] = {}
    listed = list(steps)
    for at, step in enumerate(listed):
        key = _switch(step)
        if key is not None:
            first.setdefault(key, _added(step))
            last[key] = at
    void = {key for key, at in last.items() if first[key] != _added(listed[at])}
    gone = {key[1] for key in void if key[0] == "entity"}
    kept: list[Step] = []
    for at, step in enumerate(listed):
        key = _switch(step)
        if key is not None and (key in void or last[key] != at):
            continue
        if getattr(step, "entity_id", None) in gone and key is None:
            continue
        kept.append(step)
    return tuple(kept)


def _switch(step: Step) -> tuple[str, ...] | None:
    """What a step puts into the graph or takes out of it; None for what is no such switch."""
    match step:
        case EntityStep():
            return "entity", step.entity_id
        case AspectStep():
            return "aspect", step.aspect_id
        case MentionStep():
            return "mention", step.memory_id, step.entity_id
        case EvidenceStep():
            return "evidence", step.author_id, step.source_id, step.target_id, step.type
        case SupersessionStep():
            return "supersession", step.memory_id, step.target_id
        case _:
            return None


def _added(step: Step) -> bool:
    return bool(getattr(step, "added", False))


_ADAPTER: Final = TypeAdapter(Journal)


def packed(journal: Journal) -> str:
    """Return a journal as JSON text."""
    return _ADAPTER.dump_json(journal).decode()


def unpacked(text: str) -> Journal:
    """Return the journal that `packed` made."""
    return _ADAPTER.validate_json(text)
