"""The names of all entities, in the process: which of them stand in a text or fit a query.

Without any language model, a new memory is linked to the entities whose names stand in it: in
canonical form, as whole words (in scripts that do not part their words: anywhere), the longest
match first, none over another. Two kinds of names would match what is no name at all:

- An ordinary word ("It", "Go", see `ORDINARY_WORDS`) links in the casing it was given
  only, never if that is all lower case, and not at the beginning of a sentence if it is merely
  capitalised there as any word is.
- A single letter ("C", "R") links in the casing it was given only.
"""

import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Final

from service.domain.entity import Entity, rank
from service.domain.names import canonical_name, collapsed
from service.projection.directory import Directory, Hit, Place
from service.projection.spelling import Spelling, keys, spelling, tokens
from service.stores.tantivy.stopwords import STOP_WORDS

_ORDINARY: Final = """
    also ah eh em every go going goes gone get got hi lo many may might much must never now oh ok
    okay one pi re said say see shall since still then two us use used well went yes yet
"""
ORDINARY_WORDS: Final = STOP_WORDS | frozenset(_ORDINARY.split())
"""Words that are in nearly every text, whatever entity has one of them for its name."""

_SENTENCE_ENDS: Final = ".!?:;…\n。！？"
_OPENERS: Final = " \t\"'“”‘’«»([{*-#>"
_RANKED: Final = 64
_NOBODY: Final = Directory()
"""The directory of a scope without entities; nothing is put into it."""


@dataclass(frozen=True, slots=True)
class Link:
    """An entity's name stands in a text."""

    entity_id: str
    mention_text: str
    """The raw slice of the text, `text[start:end]`."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Match:
    """An entity fits a query."""

    entity: Entity
    share: float
    """The part of the name's words that the query holds; 1.0 where the whole name stands in it."""


class NameIndex:
    """The entities of every scope by their names; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._entities: dict[str, Entity] = {}
        self._scopes: dict[str, _ScopeNames] = defaultdict(_ScopeNames)
        self._directories: dict[str, Directory] = defaultdict(Directory)
        self._revision = 0

    @property
    def revision(self) -> int:
        """The newest revision that was applied."""
        return self._revision

    def __len__(self) -> int:
        """The number of entities in all scopes."""
        return len(self._entities)

    def apply(self, entities: Sequence[Entity], removed: Sequence[str], revision: int) -> None:
        """Take entities over as they are now, and forget those removed. Idempotent."""
        with self._lock:
            for entity_id in removed:
                self._forget(entity_id)
            for entity in entities:
                self._take(entity)
            self._revision = revision

    def clear(self) -> None:
        """Forget everything; `revision` is 0 afterwards."""
        with self._lock:
            self._entities.clear()
            self._scopes.clear()
            self._directories.clear()
            self._revision = 0

    def get(self, entity_id: str) -> Entity | None:
        """The entity with this id, whatever its scope."""
        return self._entities.get(entity_id)

    def by_canonical(self, scope: str, canonical: str) -> Entity | None:
        """The entity of the scope whose name, or an alias, has this canonical form."""
        with self._lock:
            names = self._scopes.get(scope)
            known = names.by_name.get(canonical) if names is not None else None
            return known[0] if known is not None else None

    def find(self, scope: str, given: str) -> Entity | None:
        """The entity of the scope that is given by its id, or by its name or an alias."""
        known = self.get(given)
        if known is not None and known.scope == scope:
            return known
        return self.by_canonical(scope, canonical_name(given))

    def link(self, scope: str, text: str) -> list[Link]:
        """The entity names that stand in the text, in the order of the text, without overlaps."""
        with self._lock:
            names = self._scopes.get(scope)
            if names is None:
                return []
            spelled = spelling(text)
            found = [
                (start, end, entity)
                for start, end, entity, name in names.found(spelled)
                if _is_meant(text, spelled.starts[start], spelled.ends[end - 1], name)
            ]
        links: list[Link] = []
        for start, end, entity in _without_overlaps(found):
            raw_start, raw_end = spelled.starts[start], spelled.ends[end - 1]
            links.append(Link(entity.id, text[raw_start:raw_end], raw_start, raw_end))
        return links

    def matching(self, scope: str, query: str, limit: int = 20) -> list[Match]:
        """The entities that a query is about, at most `limit`.

        Those whose whole name stands in it come first, then those that share a word of two or
        more letters or digits with it, stop words aside; within each, the most mentioned first.
        """
        with self._lock:
            names = self._scopes.get(scope)
            if names is None or limit < 1:
                return []
            spelled = spelling(query)
            words = {key for key in keys(spelled.text) if key not in STOP_WORDS}
            whole = {
                entity.id: entity
                for start, end, entity, name in names.found(spelled)
                if not words.isdisjoint(keys(canonical_name(name)))
                or _is_meant(query, spelled.starts[start], spelled.ends[end - 1], name)
            }
            matches = [Match(entity, 1.0) for entity in sorted(whole.values(), key=rank)]
            shared: dict[str, Entity] = {}
            for word in words:
                shared.update(
                    (entity.id, entity)
                    for entity in names.ranked(word, limit + len(whole))
                    if entity.id not in whole
                )
            for entity in nsmallest(limit, shared.values(), key=rank):
                share = max(_share(set(keys(name)), words) for name in _names(entity))
                matches.append(Match(entity, share))
        return matches[:limit]

    def search(self, scope: str, query: str, type: str | None = None) -> list[Hit]:
        """The entities of the scope that fit what somebody typed, in no order."""
        with self._lock:
            directory = self._directories.get(scope, _NOBODY)
            return directory.search(canonical_name(query), type)

    def best(
        self, scope: str, query: str, count: int, *, type: str | None, after: Place
    ) -> list[Hit]:
        """Like `search`, but the first `count` by their place, from behind a place on."""
        with self._lock:
            directory = self._directories.get(scope, _NOBODY)
            return directory.best(canonical_name(query), count, type=type, after=after)

    def _take(self, entity: Entity) -> None:
        known = self._entities.get(entity.id)
        self._directories[entity.scope].put(entity, tuple(_names(entity)))
        self._entities[entity.id] = entity
        names = self._scopes[entity.scope]
        if known is not None and _same_names(known, entity):
            names.replace(known, entity)
            return
        if known is not None:
            self._scopes[known.scope].remove(known)
        names.add(entity)

    def _forget(self, entity_id: str) -> None:
        known = self._entities.pop(entity_id, None)
        if known is not None:
            names = self._scopes[known.scope]
            names.remove(known)
            if not names.by_name:
                del self._scopes[known.scope]
            directory = self._directories[known.scope]
            directory.drop(entity_id)
            if not len(directory):
                del self._directories[known.scope]


class _ScopeNames:
    """The names of one scope: whole ones by their canonical form, and entities by their words."""

    __slots__ = ("_lengths", "_postings", "by_name")

    def __init__(self) -> None:
        # By canonical name: the entity, and the name as given.
        self.by_name: dict[str, tuple[Entity, str]] = {}
        # By a name's first token: how many names there are of each number of tokens. So a text is
        # read once, and each place in it asks one dictionary once a length, however many names
        # begin with the same word.
        self._lengths: dict[str, dict[int, int]] = {}
        self._postings: dict[str, _Posting] = {}

    def add(self, entity: Entity) -> None:
        for name, given in _names(entity).items():
            self.by_name[name] = (entity, given)
            first, length = _shape(name)
            lengths = self._lengths.setdefault(first, {})
            lengths[length] = lengths.get(length, 0) + 1
        for key in _words(entity):
            self._postings.setdefault(key, _Posting()).add(entity)

    def remove(self, entity: Entity) -> None:
        for name in _names(entity):
            standing = self.by_name.get(name)
            if standing is not None and standing[0].id == entity.id:
                del self.by_name[name]
            first, length = _shape(name)
            lengths = self._lengths[first]
            lengths[length] -= 1
            if not lengths[length]:
                del lengths[length]
            if not lengths:
                del self._lengths[first]
        for key in _words(entity):
            posting = self._postings[key]
            posting.remove(entity)
            if not posting.entities:
                del self._postings[key]

    def replace(self, known: Entity, entity: Entity) -> None:
        """Put an entity of the same names in the place of what is known of it."""
        for name, given in _names(entity).items():
            self.by_name[name] = (entity, given)
        for key in _words(entity):
            self._postings[key].replace(known, entity)

    def found(self, spelled: Spelling) -> Iterable[tuple[int, int, Entity, str]]:
        """Every name that stands in the text as whole words, overlapping ones too.

        Yields where it begins and ends, whose it is, and how it was given.
        """
        text = spelled.text
        spans = tokens(text)
        for at, (start, end) in enumerate(spans):
            for length in self._lengths.get(text[start:end], ()):
                last = at + length - 1
                if last < len(spans):
                    known = self.by_name.get(text[start : spans[last][1]])
                    if known is not None:
                        yield start, spans[last][1], *known

    def ranked(self, key: str, count: int) -> Sequence[Entity]:
        """The entities whose name holds the word, the most mentioned first, at most `count`."""
        posting = self._postings.get(key)
        return posting.ranked(count) if posting is not None else ()


class _Posting:
    """The entities whose names share a word; the most mentioned are kept in their order."""

    __slots__ = ("_top", "entities")

    def __init__(self) -> None:
        self.entities: dict[str, Entity] = {}
        self._top: list[Entity] | None = None

    def add(self, entity: Entity) -> None:
        self.entities[entity.id] = entity
        top = self._top
        if top is None:
            return
        if len(top) == len(self.entities) - 1 or rank(entity) < rank(top[-1]):
            top.append(entity)
            top.sort(key=rank)
            del top[_RANKED:]

    def remove(self, entity: Entity) -> None:
        self.entities.pop(entity.id, None)
        if self._top is not None and any(known.id == entity.id for known in self._top):
            kept = [known for known in self._top if known.id != entity.id]
            # A full list may now miss the one that was next behind it.
            self._top = kept if len(kept) == len(self.entities) else None

    def replace(self, known: Entity, entity: Entity) -> None:
        top = self._top
        if top is not None and rank(entity) <= rank(known) and known in top:
            self.entities[entity.id] = entity
            top[top.index(known)] = entity
            top.sort(key=rank)
            return
        self.remove(known)
        self.add(entity)

    def ranked(self, count: int) -> Sequence[Entity]:
        if count > _RANKED:
            return nsmallest(count, self.entities.values(), key=rank)
        if self._top is None:
            self._top = nsmallest(_RANKED, self.entities.values(), key=rank)
        return self._top[:count]


def _same_names(one: Entity, other: Entity) -> bool:
    return (one.scope, one.canonical_name, one.aliases) == (
        other.scope,
        other.canonical_name,
        other.aliases,
    )


def _names(entity: Entity) -> dict[str, str]:
    """The canonical forms under which an entity is found, each with the name as given."""
    if not entity.aliases:
        return {entity.canonical_name: entity.name}
    return {canonical_name(name): name for name in (*entity.aliases, entity.name)}


def _words(entity: Entity) -> set[str]:
    return {key for name in _names(entity) for key in keys(name)}


def _share(own: set[str], words: set[str]) -> float:
    return len(own & words) / len(own) if own else 0.0


def _shape(canonical: str) -> tuple[str, int]:
    spans = tokens(canonical)
    start, end = spans[0]
    return canonical[start:end], len(spans)


def _without_overlaps(
    found: Iterable[tuple[int, int, Entity]],
) -> list[tuple[int, int, Entity]]:
    """The longest first, then the one further ahead; what overlaps a taken one is left out."""
    ranked = sorted(found, key=lambda match: (match[0] - match[1], match[0]))
    taken = bytearray(max((end for _, end, _ in ranked), default=0))
    kept: list[tuple[int, int, Entity]] = []
    for start, end, entity in ranked:
        # Whatever stands is at least as long: an overlap covers an end of this one.
        if not taken[start] and not taken[end - 1]:
            taken[start:end] = b"\x01" * (end - start)
            kept.append((start, end, entity))
    return sorted(kept, key=lambda match: match[0])


def _is_meant(text: str, start: int, end: int, name: str) -> bool:
    """Whether the slice names the entity, and is not just an ordinary word or letter."""
    canonical = canonical_name(name)
    is_letter = len(canonical) == 1 and canonical.isascii() and canonical.isalpha()
    is_ordinary = canonical in ORDINARY_WORDS
    if not is_letter and not is_ordinary:
        return True
    given = collapsed(name)
    if text[start:end] != given:
        return False
    if not is_ordinary:
        return True
    if given.islower() or canonical == "i":
        return False
    before = text[:start].rstrip(_OPENERS)
    is_first = not before or before[-1] in _SENTENCE_ENDS
    return not (is_first and given == given.capitalize())
