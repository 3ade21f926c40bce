"""How a text becomes search tokens: one place, used for memories, hints and queries alike.

Words are normalised (NFKC, case folded, accents dropped) and stemmed as English. A compound such
as `QX-771`, `node.js`, `snake_case` or `camelCase` gives its parts and its joined form. Scripts
without spaces give pairs of neighbouring characters. Emoji and other symbols are tokens.
Nothing in a text is an operator.
"""

import re
import threading
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Protocol, cast

import regex
import Stemmer

from service.stores.tantivy.stopwords import STOP_WORDS

MAX_TOKEN_CHARACTERS = 40
"""A longer token is known by this many first characters, in an index and in a query alike."""

_MAX_CASE_PARTS = 8
_MAX_DIGIT_PARTS = 4
_CACHED_WORDS = 65_536
_MAX_CACHED_CHARACTERS = 64


class _Match(Protocol):
    lastgroup: str | None

    def group(self) -> str: ...


class _Pattern(Protocol):
    def finditer(self, text: str) -> Iterator[_Match]: ...

    def split(self, text: str) -> list[str]: ...


def _pattern(source: str) -> _Pattern:
    return cast(_Pattern, regex.compile(source, regex.V1))


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


_make_stemmer = cast(
    Callable[[str], _Stemmer],
    Stemmer.Stemmer,  # pyright: ignore[reportUnknownMemberType]
)
_STEMMER = _make_stemmer("english")
_STEMMER_LOCK = threading.Lock()  # a stemmer must not work for two threads at once

_JOINER = r"(?:[-._']|(?<=[0-9])[:,](?=[0-9]))"
_SHARP = r"(?:\+\+|\#)?"  # C++ and C# are names of their own
_ASCII = re.compile(rf"[A-Za-z0-9]+(?:{_JOINER}[A-Za-z0-9]+)*{_SHARP}")

_SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_LETTER = rf"[[\p{{L}}\p{{M}}\p{{N}}\u200D]--[{_SPACELESS}\p{{Hangul}}]]"
_FACE = r"\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]*"
_ANY = _pattern(
    rf"(?P<emoji>[0-9*\#]\uFE0F?\u20E3|\p{{Regional_Indicator}}{{2}}|{_FACE}(?:\u200D{_FACE})*)"
    rf"|(?P<spaceless>[{_SPACELESS}][{_SPACELESS}\p{{M}}]*)"
    r"|(?P<hangul>\p{Hangul}+)"
    rf"|(?P<word>{_LETTER}+(?:{_JOINER}{_LETTER}+)*{_SHARP})"
    r"|(?P<symbol>[[\p{S}\p{Co}\p{Cn}]--\p{ASCII}])"
)
_EMOJI_PARTS = _pattern(r"[\u200D\p{Emoji_Modifier}]+")
_HAN = re.compile("[\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")

_SEPARATORS = re.compile(r"[-._':,]")
_CASE_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_NUMBER = re.compile(r"[0-9]+(?:[-._:,][0-9]+)+")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_CONTRACTION = re.compile(r"([a-z]+)'(s|ll|re|ve|d|m|t)", re.IGNORECASE)

# Format characters that would split a word in two.
_INVISIBLE = (
    *(0xAD, 0x200C, 0x200E, 0x200F, 0x2060, 0xFEFF),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
# A zero-width space, and the quotes and dashes of prose.
_BLANKS = (0x200B, 0x201C, 0x201D, 0x2013, 0x2014)
_PLAIN: dict[int, str | None] = {
    **dict.fromkeys(_INVISIBLE),
    **dict.fromkeys(_BLANKS, " "),
    0x2018: "'",
    0x2019: "'",
}

# Accents (Latin, Greek, Cyrillic), vowel points (Hebrew, Arabic), selectors; never the marks that
# make another letter of a letter, as in kana and the Indic scripts.
_MARKS: dict[int, str | None] = {
    code: None
    for code in (
        *range(0x300, 0x370),
        *range(0x591, 0x5C8),
        0x640,
        *range(0x64B, 0x653),
        0x200D,
        *range(0xFE00, 0xFE10),
    )
}
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "\u0131": "i", "þ": "th"}
)


def tokens(text: str) -> list[str]:
    """The tokens that a text is indexed under, in order and repeated as often as they occur.

    Never raises; no token is empty, holds white space or is longer than `MAX_TOKEN_CHARACTERS`.
    """
    plain = _plain(text)
    found: list[str] = []
    if plain.isascii():
        for word in _ASCII.findall(plain):
            found.extend(_word_tokens(word))
        return found
    for match in _ANY.finditer(plain):
        found.extend(_piece_tokens(match.lastgroup, match.group(), for_query=False))
    return found


def query_tokens(text: str) -> list[str]:
    """The distinct tokens to look a query up by, in order, stop words left out.

    A subset of `tokens(text)`; empty when the query holds nothing but stop words.
    """
    plain = _plain(text)
    found: dict[str, None] = {}
    if plain.isascii():
        for word in _ASCII.findall(plain):
            found.update(dict.fromkeys(_word_tokens(word, for_query=True)))
        return list(found)
    for match in _ANY.finditer(plain):
        pieces = _piece_tokens(match.lastgroup, match.group(), for_query=True)
        found.update(dict.fromkeys(pieces))
    return list(found)


def _plain(text: str) -> str:
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text.translate(_PLAIN))


def _piece_tokens(kind: str | None, piece: str, *, for_query: bool) -> Sequence[str]:
    if kind == "word":
        return _word_tokens(piece, for_query=for_query)
    if kind == "spaceless":
        if for_query or len(piece) == 1:
            return _pairs(piece)
        return [*_pairs(piece), *_HAN.findall(piece)]  # so that a query of one character finds it
    if kind == "hangul":
        return list(dict.fromkeys([piece[:MAX_TOKEN_CHARACTERS], *_pairs(piece)]))
    whole = piece.replace("\ufe0f", "")
    if kind != "emoji":
        return [whole]
    parts = [part for part in _EMOJI_PARTS.split(whole) if part]
    return list(dict.fromkeys([whole[:MAX_TOKEN_CHARACTERS], *parts]))


def _word_tokens(word: str, *, for_query: bool = False) -> tuple[str, ...]:
    if len(word) > _MAX_CACHED_CHARACTERS:
        return _expanded(word, for_query)
    return _cached(word, for_query)


def _expanded(word: str, for_query: bool) -> tuple[str, ...]:
    forms = (_folded(form) for form in _forms(word))
    if for_query:
        forms = (form for form in forms if form not in STOP_WORDS)
    return tuple(dict.fromkeys(_stemmed(form) for form in forms if form))


_cached = lru_cache(maxsize=_CACHED_WORDS)(_expanded)


def _forms(word: str) -> list[str]:
    """The surface forms that a run of letters, digits and joiners is known by."""
    base = word.rstrip("+#")
    forms = [word] if base != word and len(base) <= 2 else []
    if base.isalpha() and (base.islower() or len(base) > MAX_TOKEN_CHARACTERS):
        return [*forms, base]
    if contraction := _CONTRACTION.fullmatch(base):
        stays_whole = contraction[2] in "tT"
        return [*forms, contraction[1] + contraction[2] if stays_whole else contraction[1]]
    if _THOUSANDS.fullmatch(base):
        return [*forms, base.replace(",", "")]
    parts = [part for part in _SEPARATORS.split(base) if part]
    if len(parts) == 1:
        return [*forms, base, *_case_parts(base)]
    joined = base if _NUMBER.fullmatch(base) else "".join(parts)
    return [*forms, joined, *(form for part in parts for form in (part, *_case_parts(part)))]


def _case_parts(word: str) -> list[str]:
    """The parts of a word that its capitals and digits show; none for an ordinary word."""
    if len(word) > MAX_TOKEN_CHARACTERS or not word.isascii() or word[1:].islower():
        return []
    parts = _CASE_PARTS.findall(word)
    has_digits = not word.isalpha()
    if not 1 < len(parts) <= (_MAX_DIGIT_PARTS if has_digits else _MAX_CASE_PARTS):
        return []
    return [part for part in parts if len(part) > 1 or part.isdigit()]


def _folded(word: str) -> str:
    lower = word.casefold()
    if lower.isascii():
        return lower
    plain = unicodedata.normalize("NFKD", lower).translate(_MARKS)
    plain = unicodedata.normalize("NFC", plain).casefold().translate(_LETTERS)
    # Digits of every script are one digit; a compatibility form may decompose to a blank.
    return "".join(
        str(unicodedata.decimal(character)) if character.isdecimal() else character
        for character in plain
        if not character.isspace()
    )


def _stemmed(word: str) -> str:
    if len(word) >= MAX_TOKEN_CHARACTERS:
        return word[:MAX_TOKEN_CHARACTERS]
    if not (word.isascii() and word.isalpha()):
        return word
    with _STEMMER_LOCK:
        return _STEMMER.stemWord(word)


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [left + right for left, right in pairwise(run)]
