"""A text in its canonical form, each character with its place in the text as it was given."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import regex

_SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Hangul}"
_LETTER = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{_SPACELESS}]]"
_WORD = rf"[[\p{{L}}\p{{M}}\p{{N}}_]--[{_SPACELESS}]]"


class _Match(Protocol):
    lastgroup: str | None

    def group(self) -> str: ...

    def span(self) -> tuple[int, int]: ...


class _Pattern(Protocol):
    def finditer(self, text: str) -> Iterator[_Match]: ...


def _pattern(source: str) -> _Pattern:
    return cast(_Pattern, regex.compile(source, regex.V1))


_CLUSTERS = _pattern(r"\s+|\X")
_TOKENS = _pattern(rf"{_WORD}+|[{_SPACELESS}]|\S")
_KEYS = _pattern(rf"(?P<word>{_LETTER}{{2,}})|(?P<run>[{_SPACELESS}]{{2,}})")
_WHOLE_WORDS = _pattern(r"[\p{L}\p{M}\p{N}]+")
_ASCII_TOKENS = re.compile(r"[a-z0-9_]+|[^\sa-z0-9_]")
_SPACELESS_CHARACTER = _pattern(rf"[{_SPACELESS}]")
_ASCII_WORDS = re.compile(r"[a-z0-9]+")
_ASCII_KEYS = re.compile(r"[a-z0-9]{2,}")
_RUNS = re.compile(r"\s+|\S+")


@dataclass(frozen=True, slots=True)
class Spelling:
    """The canonical form of a text, apart from white space at its ends.

    Character i of `text` comes from the slice `starts[i]:ends[i]` of the text given.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def spelling(given: str) -> Spelling:
    """The canonical form of the text, with the place that each character comes from."""
    if given.isascii():
        if not _has_runs(given):
            size = len(given)
            return Spelling(given.lower(), range(size), range(1, size + 1))
        return _ascii_spelling(given)
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _CLUSTERS.finditer(given):
        start, end = match.span()
        for character in _canonical(match.group()):
            if character.isspace():
                if characters and characters[-1] == " ":
                    ends[-1] = end
                    continue
                character = " "
            characters.append(character)
            starts.append(start)
            ends.append(end)
    return Spelling("".join(characters), starts, ends)


def tokens(canonical: str) -> list[tuple[int, int]]:
    """Where the tokens of a canonical text begin and end.

    A token is a run of letters, digits and underscores; one character of a script that does not
    part its words; or one character of any other kind. White space belongs to none.
    """
    if canonical.isascii():
        return [match.span() for match in _ASCII_TOKENS.finditer(canonical)]
    return [match.span() for match in _TOKENS.finditer(canonical)]


def keys(canonical: str) -> list[str]:
    """What a name can be found by, in order: its words of two or more letters or digits.

    A script that does not part its words gives pairs of neighbouring characters instead.
    """
    if canonical.isascii():
        return _ASCII_KEYS.findall(canonical)
    found: list[str] = []
    for match in _KEYS.finditer(canonical):
        piece = match.group()
        if match.lastgroup == "word":
            found.append(piece)
        else:
            found.extend(piece[at : at + 2] for at in range(len(piece) - 1))
    return found


def words(canonical: str) -> tuple[str, ...]:
    """The runs of letters and digits of a canonical text, single ones too."""
    if canonical.isascii():
        return tuple(_ASCII_WORDS.findall(canonical))
    return tuple(match.group() for match in _WHOLE_WORDS.finditer(canonical))


def is_spaceless(char: str) -> bool:
    """Whether a character belongs to a script that does not part its words."""
    return any(True for _ in _SPACELESS_CHARACTER.finditer(char))


def _canonical(cluster: str) -> str:
    if cluster.isascii():
        return cluster.lower()
    if cluster.isspace():
        return " "
    folded = unicodedata.normalize("NFKC", cluster).casefold()
    return unicodedata.normalize("NFKC", folded)


def _has_runs(text: str) -> bool:
    return "  " in text or any(space in text for space in "\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f")


def _ascii_spelling(given: str) -> Spelling:
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _RUNS.finditer(given):
        start, end = match.span()
        if given[start].isspace():
            pieces.append(" ")
            starts.append(start)
            ends.append(end)
        else:
            pieces.append(given[start:end].lower())
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
    return Spelling("".join(pieces), starts, ends)
