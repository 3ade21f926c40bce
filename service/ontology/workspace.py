"""What one write transaction knows and has decided, between loading and writing."""

from dataclasses import dataclass, field
from datetime import datetime
from os import urandom
from typing import Any

from service.domain.attribute import AttributeStatus, Cardinality
from service.domain.change import MemoryChange, Vectors
from service.domain.entity import Entity
from service.domain.journal import Step
from service.domain.names import content_key
from service.domain.slots import Claim, Span
from service.projection.names import NameIndex

Properties = dict[str, Any]
RelationKey = tuple[str, str, str]
"""Source entity id, target entity id, native type."""


ClaimKey = tuple[str, str, datetime]
"""Memory id, attribute id, the time of the claim."""


def new_id() -> str:
    """Return a fresh id: a random UUID (RFC 9562, version 4).

    Its first characters tell memories apart. Put together from hexadecimal digits, which takes a
    tenth of the time of the standard library's class.
    """
    digits = urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


@dataclass(slots=True)
class MemoryRow:
    """A memory within the transaction, as it stands after what was decided so far."""

    properties: Properties
    is_new: bool
    superseded: bool
    mentions: set[str] = field(default_factory=set[str])
    """Ids of the entities it mentions."""
    linked: set[str] = field(default_factory=set[str])
    """Those of them that only the linker found."""
    mentioned_as: dict[str, tuple[str, float, str]] = field(
        default_factory=dict[str, tuple[str, float, str]]
    )
    """How stored mentions were given, by entity: the raw text, the confidence, by whom."""
    slots: set[str] = field(default_factory=set[str])
    """The slots it makes claims about, as loaded."""
    statements: dict[str, AttributeStatus] = field(default_factory=dict[str, AttributeStatus])
    """Attributes it states, by id, with how each stands."""
    successors: set[str] = field(default_factory=set[str])
    targets: set[str] = field(default_factory=set[str])
    hints: list[str] = field(default_factory=list[str])
    embedded: bool = False
    embedding: tuple[str, Vectors] | None = None
    """The model and the vectors of a new memory."""
    changed: bool = False

    @property
    def id(self) -> str:
        return self.properties["id"]

    @property
    def scope(self) -> str:
        return self.properties["scope"]

    @property
    def event_at(self) -> datetime:
        """When what it tells happened: `occurred_at`, else `created_at`."""
        return self.properties.get("occurred_at") or self.properties["created_at"]

    def judge(self) -> bool:
        """Bring `superseded` in line with links and claims; tell whether it changed.

        A memory is superseded when a live memory replaces it, or when it states attributes of
        which none is active and at least one was replaced.
        """
        stands = self.statements.values()
        by_slot = AttributeStatus.SUPERSEDED in stands and AttributeStatus.ACTIVE not in stands
        superseded = bool(self.successors) or by_slot
        if superseded == self.superseded:
            return False
        self.superseded = superseded
        return True

    @property
    def key(self) -> str | None:
        """The key of its content while it is current: a superseded memory absorbs no twin."""
        if self.superseded:
            return None
        return content_key(self.scope, self.properties["content"])


@dataclass(slots=True)
class Line:
    """A slot's line within the transaction."""

    slot: str
    entity_id: str
    aspect_id: str
    aspect: str
    group_key: str | None
    claim_key: str | None
    cardinality: Cardinality
    claims: list[Claim]
    stored: dict[str, Properties]
    """The attributes that are in the store, by id."""
    stored_claims: dict[ClaimKey, Claim]
    """The claims that are in the store."""
    ties: set[tuple[str, str]]
    """The SUPERSEDES edges that are in the store: newer, older."""
    spans: tuple[Span, ...] = ()
    changed: bool = False


@dataclass(slots=True)
class Relation:
    """A relation within the transaction; `id` is None while it is not in the store."""

    given: str
    id: str | None = None
    mentions: int = 0
    confidence_sum: float = 0.0
    changed: bool = False


@dataclass(slots=True)
class Workspace:
    """The working set of one write transaction.

    Rules read and change it; nothing reaches the store before `write.flush`. Revisions and
    ordinals are given out here: the transaction holds the store's write lock, so they are unique
    and become visible in order.
    """

    names: NameIndex
    now: datetime
    revision: int
    ordinal: int
    link_names: bool = True
    relation_type_limit: int = 1_000
    memories: dict[str, MemoryRow] = field(default_factory=dict[str, MemoryRow])
    by_content: dict[str, str] = field(default_factory=dict[str, str])
    """Current memories by the key of their content."""
    stirred: dict[str, MemoryRow] = field(default_factory=dict[str, MemoryRow])
    """Memories that have to be judged again."""
    affected: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """The slots that changed what a memory states, by memory, where that is not loaded yet."""
    lines: dict[str, Line] = field(default_factory=dict[str, Line])
    aspects: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """Ids of aspects by entity and key."""
    relations: dict[RelationKey, Relation] = field(default_factory=dict[RelationKey, Relation])
    relation_types: set[str] = field(default_factory=set[str])
    evidence: set[tuple[str, RelationKey]] = field(default_factory=set[tuple[str, RelationKey]])
    unmentioned: list[str] = field(default_factory=list[str])
    """Entities to remove if nothing is left for them."""
    deltas: dict[str, int] = field(default_factory=dict[str, int])
    """Entities whose number of mentions moves."""
    touched: dict[str, Entity] = field(default_factory=dict[str, Entity])
    """Entities as they are after this transaction."""
    retiring: set[str] = field(default_factory=set[str])
    """Memories that are deleted but not purged: what they alone stated stays as retracted."""
    retracted: set[str] = field(default_factory=set[str])
    """Attributes that are taken back: they stay, as retracted."""
    created_entities: list[str] = field(default_factory=list[str])
    removed_entities: set[str] = field(default_factory=set[str])
    pending: dict[str, list[Properties]] = field(default_factory=dict[str, list[Properties]])
    """Rows to write, by the name of the statement that writes them."""
    named: dict[tuple[str, str], str | None] = field(
        default_factory=dict[tuple[str, str], str | None]
    )
    """Canonical names of a scope that this transaction gave to an entity, or freed (None)."""
    reason: str | None = None
    """Why an operation set is applied; None for other writes."""
    operation_id: str | None = None
    journal: list[Step] = field(default_factory=list[Step])
    """Every step that was taken, in order."""
    made: dict[int, MemoryChange] | None = field(default_factory=dict[int, MemoryChange])
    """The memories that this transaction made, by ordinal; None when the feed must tell."""
    altered: set[int] = field(default_factory=set[int])
    """The ordinals of memories that were there and have changed."""

    def next_revision(self) -> int:
        """Return a revision that nothing else has."""
        self.revision += 1
        return self.revision

    def next_ordinal(self) -> int:
        """Return an ordinal that no other memory has."""
        self.ordinal += 1
        return self.ordinal

    def stir(self, row: MemoryRow) -> None:
        """Mark a memory as changed; one that was there gets a new revision."""
        if not row.changed and not row.is_new:
            row.properties["revision"] = self.next_revision()
        row.changed = True
        self.stirred[row.id] = row

    def write(self, name: str, row: Properties) -> None:
        """Remember a row for the statement `name`; the row is the workspace's from now on."""
        self.pending.setdefault(name, []).append(row)

    def entity(self, entity_id: str) -> Entity | None:
        """Return an entity as this transaction sees it."""
        if entity_id in self.removed_entities:
            return None
        return self.touched.get(entity_id) or self.names.get(entity_id)

    def by_name(self, scope: str, canonical: str) -> Entity | None:
        """Return the entity that a canonical name resolves to, as this transaction sees it."""
        if (scope, canonical) in self.named:
            entity_id = self.named[scope, canonical]
            return None if entity_id is None else self.entity(entity_id)
        known = self.names.by_canonical(scope, canonical)
        return None if known is None else self.touched.get(known.id, known)

    def forget_loaded(self) -> None:
        """Drop what was loaded, after it was written: the next step sees the store afresh."""
        self.memories.clear()
        self.by_content.clear()
        self.stirred.clear()
        self.affected.clear()
        self.retiring.clear()
        self.retracted.clear()
        self.lines.clear()
        self.aspects.clear()
        self.relations.clear()
        self.evidence.clear()
        self.deltas.clear()
        self.unmentioned.clear()
        self.pending.clear()
