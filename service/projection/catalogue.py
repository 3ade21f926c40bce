"""The catalogue: what recall has to know of every memory beside its text and vectors.

It is kept in the process, so that filters, mentions and currentness hold while Neo4j is slow or
away. Filters read arrays, a row a memory; whatever is asked of single memories reads objects.
"""

import threading
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from service.domain.attribute import AttributeStatus
from service.domain.change import Change, MemoryChange, Statement, Successor
from service.domain.filters import TextFilters, microseconds, moment_at
from service.projection.currentness import Standing, Step, is_superseded
from service.projection.sessions import Sessions

Ordinals = NDArray[np.int64]

_CHANGES_A_LOCK: Final = 256
_FIRST_ROWS: Final = 16


@dataclass(frozen=True, slots=True)
class Entry:
    """What the catalogue knows of one live memory."""

    ordinal: int
    id: str
    scope: str
    type: str
    created_at: datetime
    event_at: datetime
    """`occurred_at`, else `created_at`."""
    revision: int
    superseded: bool
    """By what is known now; `Catalogue.superseded_at` judges other moments."""
    session: str | None
    speaker: str | None
    entity_ids: tuple[str, ...]
    statements: tuple[Statement, ...]
    successors: tuple[Successor, ...]


class Catalogue:
    """A `Projection` in the process; safe to read from other threads while changes are applied.

    A reader sees each memory either before or after a change, never half of one.
    """

    name: Literal["catalogue", "text", "vectors"] = "catalogue"

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._applied = 0
        self._forget_all()

    @property
    def applied_revision(self) -> int:
        """The newest revision that was applied."""
        return self._applied

    def apply(self, changes: Sequence[Change], revision: int) -> None:
        """Take over each change in order; afterwards `applied_revision` is `revision`."""
        for start in range(0, len(changes), _CHANGES_A_LOCK):
            with self._lock:
                for change in changes[start : start + _CHANGES_A_LOCK]:
                    self._remove(change.ordinal)
                    if isinstance(change, MemoryChange):
                        self._add(self._entry_of(change))
        self._applied = revision

    def clear(self) -> None:
        """Forget everything; `applied_revision` is 0 afterwards."""
        with self._lock:
            self._forget_all()
            self._applied = 0

    def __len__(self) -> int:
        """The number of live memories in all scopes."""
        return len(self._entries)

    def entry(self, ordinal: int) -> Entry | None:
        """The live memory with this ordinal."""
        return self._entries.get(ordinal)

    def ordinal(self, memory_id: str) -> int | None:
        """The ordinal of the live memory with this id."""
        return self._ordinals.get(memory_id)

    def scope(self, scope: str) -> Ordinals:
        """The ordinals of the scope's memories, sorted."""
        with self._lock:
            columns = self._scopes.get(scope)
            return _sorted(columns.ordinals[: columns.size]) if columns else _none()

    def count(self, scope: str) -> int:
        """The number of memories of the scope."""
        with self._lock:
            columns = self._scopes.get(scope)
            return columns.size if columns else 0

    def counts(self) -> Mapping[str, int]:
        """The number of memories of each scope that has any."""
        with self._lock:
            return {scope: columns.size for scope, columns in self._scopes.items()}

    def revisions(self) -> Mapping[int, int]:
        """The revision of each memory it holds, by ordinal."""
        with self._lock:
            return {ordinal: entry.revision for ordinal, entry in self._entries.items()}

    def mentioning(self, entity_id: str) -> Ordinals:
        """The memories that mention the entity, sorted by ordinal: the latest written last."""
        with self._lock:
            return _as_ordinals(self._mentions.get(entity_id))

    def stating(self, slot: str, *, active: bool) -> Ordinals:
        """The memories that state an attribute of the slot: its active one, or any, sorted."""
        with self._lock:
            return _as_ordinals((self._active if active else self._stated).get(slot))

    def around(self, entry: Entry) -> tuple[int | None, int | None]:
        """The memories right before and right after it in its session, by ordinal."""
        if entry.session is None:
            return None, None
        with self._lock:
            return self._sessions.around(entry.scope, entry.session, _turn(entry))

    def filtered(self, scope: str, filters: TextFilters) -> Ordinals | None:
        """The memories of the scope that pass the filters, sorted; None when none is active."""
        if filters == TextFilters():
            return None
        with self._lock:
            columns = self._scopes.get(scope)
            if columns is None:
                return _none()
            rows = self._passing(columns, filters)
            ordinals = columns.ordinals[rows]
            linked = columns.linked[rows]
        if not filters.include_superseded and filters.as_of_us is not None:
            standing = self.at(moment_at(filters.as_of_us))
            suspects = ordinals[linked]
            stale = [ordinal for ordinal in suspects.tolist() if standing.superseded(ordinal)]
            ordinals = np.setdiff1d(ordinals, np.array(stale, np.int64), assume_unique=True)
        return _sorted(ordinals)

    def at(self, as_of: datetime | None) -> Standing:
        """Who stands behind whom at a moment of event time, or by what is known now (None)."""
        return Standing(self, as_of)

    def superseded_at(self, ordinal: int, as_of: datetime | None = None) -> bool | None:
        """Whether the memory is superseded at that moment; None when it is not known here."""
        return self.at(as_of).superseded(ordinal)

    def direct(self, ordinal: int, as_of: datetime | None = None) -> tuple[Step, ...]:
        """The memories that replace this one directly, newest first."""
        return self.at(as_of).direct(ordinal)

    def heads(self, ordinal: int, as_of: datetime | None = None) -> tuple[Step, ...]:
        """The live ends of the chain that begins at this memory, newest first."""
        return self.at(as_of).heads(ordinal)

    def _forget_all(self) -> None:
        self._entries: dict[int, Entry] = {}
        self._ordinals: dict[str, int] = {}
        self._scopes: dict[str, _Columns] = {}
        self._sessions = Sessions()
        self._mentions: dict[str, array[int]] = {}
        self._stated: dict[str, array[int]] = {}
        self._active: dict[str, array[int]] = {}
        self._shared: dict[str, str] = {}
        self._types: dict[str, int] = {}

    def _entry_of(self, change: MemoryChange) -> Entry:
        # 100,000 memories share few scopes, types and entities: one object for each.
        shared = self._shared
        return Entry(
            ordinal=change.ordinal,
            id=change.id,
            scope=shared.setdefault(change.scope, change.scope),
            type=shared.setdefault(change.type, change.type),
            created_at=change.created_at,
            event_at=change.occurred_at or change.created_at,
            revision=change.revision,
            session=change.session and shared.setdefault(change.session, change.session),
            speaker=change.speaker and shared.setdefault(change.speaker, change.speaker),
            superseded=is_superseded(change.statements, bool(change.successors)),
            entity_ids=tuple(shared.setdefault(one, one) for one in change.entity_ids),
            statements=change.statements,
            successors=change.successors,
        )

    def _add(self, entry: Entry) -> None:
        ordinal = entry.ordinal
        self._entries[ordinal] = entry
        self._ordinals[entry.id] = ordinal
        columns = self._scopes.setdefault(entry.scope, _Columns())
        columns.add(entry, self._types.setdefault(entry.type, len(self._types)))
        if entry.session is not None:
            self._sessions.add(entry.scope, entry.session, _turn(entry))
        for entity_id in set(entry.entity_ids):
            _insert(self._mentions, entity_id, ordinal)
        for slot in {statement.slot for statement in entry.statements}:
            _insert(self._stated, slot, ordinal)
        for slot in _active_slots(entry):
            _insert(self._active, slot, ordinal)

    def _remove(self, ordinal: int) -> None:
        entry = self._entries.pop(ordinal, None)
        if entry is None:
            return
        del self._ordinals[entry.id]
        columns = self._scopes[entry.scope]
        columns.remove(ordinal)
        if not columns.size:
            del self._scopes[entry.scope]
        if entry.session is not None:
            self._sessions.remove(entry.scope, entry.session, _turn(entry))
        for entity_id in set(entry.entity_ids):
            _delete(self._mentions, entity_id, ordinal)
            if entity_id not in self._mentions:
                self._shared.pop(entity_id, None)
        for slot in {statement.slot for statement in entry.statements}:
            _delete(self._stated, slot, ordinal)
        for slot in _active_slots(entry):
            _delete(self._active, slot, ordinal)

    def _passing(self, columns: "_Columns", filters: TextFilters) -> Ordinals:
        """The rows that pass; as_of together with superseded is left to the caller."""
        passes = np.ones(columns.size, np.bool_)
        if filters.since_us is not None:
            passes &= columns.created[: columns.size] >= filters.since_us
        if filters.until_us is not None:
            passes &= columns.created[: columns.size] < filters.until_us
        if filters.as_of_us is not None:
            passes &= columns.event[: columns.size] <= filters.as_of_us
        elif not filters.include_superseded:
            passes &= ~columns.superseded[: columns.size]
        if filters.types is not None:
            wanted = [self._types[name] for name in filters.types if name in self._types]
            passes &= np.isin(columns.types[: columns.size], wanted)
        if filters.entity_id is not None:
            mentioning = self._mentions.get(filters.entity_id, ())
            mentions = np.zeros(columns.size, np.bool_)
            mentions[[columns.rows[one] for one in mentioning if one in columns.rows]] = True
            passes &= mentions
        return np.flatnonzero(passes)


class _Columns:
    """What is filtered by, of the memories of one scope: arrays that grow, a row a memory."""

    __slots__ = (
        "created",
        "event",
        "linked",
        "ordinals",
        "rows",
        "size",
        "superseded",
        "types",
    )

    def __init__(self) -> None:
        self.size = 0
        self.rows: dict[int, int] = {}
        self.ordinals = np.empty(_FIRST_ROWS, np.int64)
        self.created = np.empty(_FIRST_ROWS, np.int64)
        self.event = np.empty(_FIRST_ROWS, np.int64)
        self.types = np.empty(_FIRST_ROWS, np.int32)
        self.superseded = np.empty(_FIRST_ROWS, np.bool_)
        self.linked = np.empty(_FIRST_ROWS, np.bool_)
        """Whether a memory states anything or has a successor: others are never superseded."""

    def add(self, entry: Entry, kind: int) -> None:
        row = self.size
        if row == len(self.ordinals):
            self._grow()
        self.rows[entry.ordinal] = row
        self.ordinals[row] = entry.ordinal
        self.created[row] = microseconds(entry.created_at)
        self.event[row] = microseconds(entry.event_at)
        self.types[row] = kind
        self.superseded[row] = entry.superseded
        self.linked[row] = bool(entry.statements or entry.successors)
        self.size += 1

    def remove(self, ordinal: int) -> None:
        row = self.rows.pop(ordinal)
        last = self.size - 1
        if row != last:
            for values in self._all():
                values[row] = values[last]
            self.rows[int(self.ordinals[row])] = row
        self.size = last

    def _all(self) -> Iterable[NDArray[np.generic]]:
        return (
            self.ordinals,
            self.created,
            self.event,
            self.types,
            self.superseded,
            self.linked,
        )

    def _grow(self) -> None:
        size = 2 * len(self.ordinals)
        self.ordinals = np.resize(self.ordinals, size)
        self.created = np.resize(self.created, size)
        self.event = np.resize(self.event, size)
        self.types = np.resize(self.types, size)
        self.superseded = np.resize(self.superseded, size)
        self.linked = np.resize(self.linked, size)


def _turn(entry: Entry) -> tuple[int, int]:
    return microseconds(entry.created_at), entry.ordinal


def _active_slots(entry: Entry) -> set[str]:
    return {one.slot for one in entry.statements if one.status is AttributeStatus.ACTIVE}


def _insert(postings: dict[str, "array[int]"], key: str, ordinal: int) -> None:
    ordinals = postings.setdefault(key, array("q"))
    if not ordinals or ordinal > ordinals[-1]:
        ordinals.append(ordinal)
    else:
        ordinals.insert(bisect_left(ordinals, ordinal), ordinal)


def _delete(postings: dict[str, "array[int]"], key: str, ordinal: int) -> None:
    ordinals = postings[key]
    del ordinals[bisect_left(ordinals, ordinal)]
    if not ordinals:
        del postings[key]


def _none() -> Ordinals:
    return np.empty(0, np.int64)


def _as_ordinals(ordinals: "array[int] | None") -> Ordinals:
    return _none() if ordinals is None else np.array(ordinals, np.int64)


def _sorted(ordinals: Ordinals) -> Ordinals:
    return np.sort(ordinals)
