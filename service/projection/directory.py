"""Looking entities up by what somebody types: the beginning of a name, or words of it.

Letters count without their accents (é is e, й is и, أ is ا), and so do vowel points. In scripts
that do not part their words a query may stand anywhere in a name.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Final

from service.domain.entity import Entity
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
"""Stands between the names of an entity; a canonical name has only spaces."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An entity that fits."""

    fit: Fit
    entity: Entity


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
        self._entries: dict[str, tuple[Entity, tuple[str, ...]]] = {}
        """By id: an entity and its names in canonical form."""
        self._folded: dict[str, str] = {}
        """By id: its names as they are looked up, in one text, which is searched as a whole."""

    def __len__(self) -> int:
        return len(self._entries)

    def put(self, entity: Entity, canonical_names: tuple[str, ...]) -> None:
        """Take an entity over, with every name that it goes by, or replace what is known of it."""
        known = self._entries.get(entity.id)
        self._entries[entity.id] = (entity, canonical_names)
        if known is None or known[1] != canonical_names:
            self._folded[entity.id] = _BETWEEN.join(map(folded, canonical_names))

    def drop(self, entity_id: str) -> None:
        """Forget an entity."""
        self._entries.pop(entity_id, None)
        self._folded.pop(entity_id, None)

    def search(self, query: str) -> list[Hit]:
        """Return every entity that fits a query in canonical form, in no order."""
        wanted = folded(query)
        asked = words(wanted)
        # One pass that looks for the longest word alone leaves few to be looked at closely.
        needle = max(asked, key=len, default=wanted)
        likely = [entity_id for entity_id, names in self._folded.items() if needle in names]
        hits: list[Hit] = []
        for entity_id in likely:
            entity, canonical_names = self._entries[entity_id]
            if query in canonical_names:
                hits.append(Hit(Fit.EXACT, entity))
                continue
            names = self._folded[entity_id].split(_BETWEEN)
            fits = [fit for name in names if (fit := _fit(name, wanted, asked)) is not None]
            if fits:
                hits.append(Hit(min(fits), entity))
        return hits


def _fit(name: str, wanted: str, asked: Sequence[str]) -> Fit | None:
    if name.startswith(wanted):
        return Fit.SAME_LETTERS if len(name) == len(wanted) else Fit.BEGINNING
    if _stands(name, wanted):
        return Fit.PART
    if len(asked) > 1 and all(_stands(name, word) for word in asked):
        return Fit.WORDS
    return None


def _stands(name: str, wanted: str) -> bool:
    """Whether the text stands in the name, from the beginning of a word on."""
    at = name.find(wanted)
    while at > 0 and not _begins(name[at - 1], name[at]):
        at = name.find(wanted, at + 1)
    return at >= 0


@lru_cache(maxsize=65_536)
def _begins(before: str, char: str) -> bool:
    """Whether a word may begin with a character that stands behind another."""
    return not _spells(before) or not _spells(char) or is_spaceless(char) or is_spaceless(before)


def _spells(char: str) -> bool:
    return unicodedata.category(char)[0] in "LMN"
