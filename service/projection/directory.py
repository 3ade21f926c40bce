"""Looking entities up by what somebody types: the beginning of a name, or words of it.

Letters count without their accents (é is e, й is и, أ is ا), and so do vowel points. In scripts
that do not part their words a query may stand anywhere in a name.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from heapq import nsmallest
from typing import Final, NamedTuple

from service.domain.entity import Entity, rank
from service.projection.spelling import is_spaceless, words


class Fit(IntEnum):
    """How well a name fits a query, best first."""

    EXACT = 0
    """The query is the whole name."""
    SAME_LETTERS = 1
    """It is, but for accents and vowel points."""
    BEGINNING = 2
    """The name begins with the query."""
    PART = 3
    """The query stands in the name, from the beginning of a word on."""
    WORDS = 4
    """Each word of the query begins a word of the name."""


_ACCENTS: Final = frozenset(
    map(chr, (*range(0x0300, 0x0370), *range(0x064B, 0x0660), 0x0670, *range(0x0591, 0x05C8)))
)
"""Combining marks of Latin, Greek and Cyrillic; points of Arabic and Hebrew."""
_TATWEEL: Final = "\u0640"
_BETWEEN: Final = "\n"
"""Stands around each name of an entity; a canonical name has only spaces."""
_BEGINS: Final = "\x1f"
"""Stands before every character at which a word may begin; white space too."""


Place = tuple[int, int, str]
"""Where a hit stands in the list of the best: by its fit, then by the rank of its entity."""
FIRST: Final[Place] = (-1, 0, "")
"""A place that every hit is behind."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An entity that fits."""

    fit: Fit
    entity: Entity

    @property
    def place(self) -> Place:
        """Where it stands in the list of the best."""
        return self.fit, *rank(self.entity)


class _Entry(NamedTuple):
    """An entity behind its rank, of which no two in a scope are the same: it orders entries.

    The two parts of the rank stand side by side, as a tuple in a tuple takes twice as long to
    compare.
    """

    negated_mentions: int
    canonical_name: str
    entity: Entity
    names: tuple[str, ...]
    """All names in canonical form."""
    text: str
    """All names as they are looked up, in one text, which is searched as a whole."""


def folded(canonical: str) -> str:
    """Return a canonical name as it is looked up: without accents and vowel points."""
    if canonical.isascii():
        return canonical
    apart = unicodedata.normalize("NFKD", canonical)
    kept = "".join(char for char in apart if char not in _ACCENTS and char != _TATWEEL)
    return unicodedata.normalize("NFC", kept)


class Directory:
    """The entities of one scope with all names that each can be looked up by."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def put(self, entity: Entity, canonical_names: tuple[str, ...]) -> None:
        """Take an entity over, with every name that it goes by, or replace what is known of it."""
        known = self._entries.get(entity.id)
        if known is not None and known.names == canonical_names:
            text = known.text
        else:
            marked = [_marked(folded(name)) for name in canonical_names]
            text = _BETWEEN + _BETWEEN.join(marked) + _BETWEEN
        self._entries[entity.id] = _Entry(*rank(entity), entity, canonical_names, text)

    def drop(self, entity_id: str) -> None:
        """Forget an entity."""
        self._entries.pop(entity_id, None)

    def search(self, query: str, type: str | None = None) -> list[Hit]:
        """Return every entity, of a type if one is given, that fits a canonical query."""
        return [
            Hit(fit, entry.entity)
            for fit, entries in self._fitting(query)
            for entry in entries
            if type is None or entry.entity.entity_type == type
        ]

    def best(
        self, query: str, count: int, *, type: str | None = None, after: Place = FIRST
    ) -> list[Hit]:
        """Return the first `count` of what `search` returns, by their place and behind one.

        A fit worse than those that fill the list is never looked for.
        """
        hits: list[Hit] = []
        for fit, entries in self._fitting(query):
            if fit < after[0]:
                continue
            if type is not None:
                entries = [entry for entry in entries if entry.entity.entity_type == type]
            if fit == after[0]:
                entries = [entry for entry in entries if entry[:2] > after[1:]]
            hits += (Hit(fit, entry.entity) for entry in nsmallest(count - len(hits), entries))
            if len(hits) == count:
                break
        return hits

    def _fitting(self, query: str) -> Iterator[tuple[Fit, list[_Entry]]]:
        """Yield the entries of each fit, the best fit first; each is looked for when it is due."""
        wanted = folded(query)
        entries = self._entries.values()
        if not wanted:
            yield Fit.EXACT, [entry for entry in entries if query in entry.names]
            return
        stands = _marked(wanted)
        begins = _BETWEEN + stands
        whole = begins + _BETWEEN
        holding = [entry for entry in entries if stands in entry.text]
        beginning = [entry for entry in holding if begins in entry.text]
        same = [entry for entry in beginning if whole in entry.text]
        yield Fit.EXACT, [entry for entry in same if query in entry.names]
        yield Fit.SAME_LETTERS, [entry for entry in same if query not in entry.names]
        yield Fit.BEGINNING, [entry for entry in beginning if whole not in entry.text]
        yield Fit.PART, [entry for entry in holding if begins not in entry.text]
        asked = [_marked(word) for word in words(wanted)]
        if len(asked) > 1:
            likely = [entry for entry in entries if stands not in entry.text]
            for word in asked:
                likely = [entry for entry in likely if word in entry.text]
            yield Fit.WORDS, [entry for entry in likely if _in_one_name(entry, asked)]


def _in_one_name(entry: _Entry, asked: Sequence[str]) -> bool:
    """Whether one of the names has all the words, where the names together have them."""
    return len(entry.names) == 1 or any(
        all(word in name for word in asked) for name in entry.text.split(_BETWEEN)
    )


def _marked(name: str) -> str:
    """Return a name with a mark before every character at which a word may begin."""
    before = " "
    pieces: list[str] = []
    for char in name:
        if _begins(before, char):
            pieces.append(_BEGINS)
        pieces.append(char)
        before = char
    return "".join(pieces)


@lru_cache(maxsize=65_536)
def _begins(before: str, char: str) -> bool:
    """Whether a word may begin with a character that stands behind another."""
    return not _spells(before) or not _spells(char) or is_spaceless(char) or is_spaceless(before)


def _spells(char: str) -> bool:
    return unicodedata.category(char)[0] in "LMN"
