"""Cypher cut into tokens: just enough of the language to know names, brackets and literals."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from service.domain.errors import InvalidInput

_SPACE: Final = re.compile(r"(?:\s|[\x1c-\x1f]|//[^\r\n]*|/\*.*?\*/)+", re.DOTALL)
_STRING: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_QUOTED: Final = re.compile(r"`((?:[^`]|``)*)`")
_NUMBER: Final = re.compile(
    r"0[xo][0-9a-fA-F_]+|(?:\d[\d_]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII
)
_NAME: Final = re.compile(r"[^\W\d]\w*")
_PARAMETER: Final = re.compile(r"\$(?:(\w+)|`((?:[^`]|``)*)`)")
_SYMBOL: Final = re.compile(r"\.\.|<=|>=|<>|\|\||=~|[-+*/%^=<>()\[\]{},.:;|&!$@?#~]")
_OPENING: Final = {"(": ")", "[": "]", "{": "}"}


class Kind(Enum):
    """What a token is."""

    NAME = "name"
    QUOTED = "quoted name"
    STRING = "string"
    NUMBER = "number"
    PARAMETER = "parameter"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class Token:
    """One token: `text` is a name without its backticks, a string without its quotes, or as is."""

    kind: Kind
    text: str

    @property
    def word(self) -> str:
        """The upper-case text of an unquoted name, which may be a keyword; else empty."""
        return self.text.upper() if self.kind is Kind.NAME else ""

    @property
    def value(self) -> str:
        """What a string stands for, as far as its length goes: an escape is one character."""
        return re.sub(r"\\.", "x", self.text, flags=re.DOTALL)

    @property
    def is_name(self) -> bool:
        """Whether it names something, with backticks or without."""
        return self.kind in (Kind.NAME, Kind.QUOTED)

    def is_symbol(self, *texts: str) -> bool:
        """Whether it is one of these symbols."""
        return self.kind is Kind.SYMBOL and self.text in texts


def tokens_of(query: str) -> tuple[Token, ...]:
    r"""The tokens of a query, comments left out.

    Raises InvalidInput for what cannot be read, and for `\u`: Neo4j turns such an escape into its
    character before it reads anything, so that it could stand for a quote or a part of a name.
    """
    if "\\u" in query or "\\U" in query:
        raise InvalidInput(
            "query", r"holds \u: write the character itself, or put the text into a parameter"
        )
    found: list[Token] = []
    at = 0
    while True:
        space = _SPACE.match(query, at)
        if space is not None:
            at = space.end()
        if at >= len(query):
            return tuple(found)
        token, at = _next(query, at)
        found.append(token)


def _next(query: str, at: int) -> tuple[Token, int]:
    if found := _STRING.match(query, at):
        return Token(Kind.STRING, found[0][1:-1]), found.end()
    if found := _QUOTED.match(query, at):
        return Token(Kind.QUOTED, found[1].replace("``", "`")), found.end()
    if found := _PARAMETER.match(query, at):
        return Token(Kind.PARAMETER, found[1] or found[2].replace("``", "`")), found.end()
    if query.startswith("..", at):
        return Token(Kind.SYMBOL, ".."), at + 2
    if found := _number(query, at):
        return Token(Kind.NUMBER, found[0]), found.end()
    if found := _NAME.match(query, at):
        return Token(Kind.NAME, found[0]), found.end()
    if query.startswith(("/*", "'", '"', "`"), at):
        raise InvalidInput("query", f"what opens at character {at + 1} is never closed")
    if found := _SYMBOL.match(query, at):
        return Token(Kind.SYMBOL, found[0]), found.end()
    raise InvalidInput("query", f"holds {query[at]!r} at character {at + 1}, which is no Cypher")


def _number(query: str, at: int) -> re.Match[str] | None:
    # `1..3` is a range of steps and `a.1` no number: a dot belongs to one only before a digit.
    return _NUMBER.match(query, at) if query[at].isascii() else None


def partners(tokens: Sequence[Token]) -> dict[int, int]:
    """The index of the closing bracket for that of each opening one.

    Raises InvalidInput where brackets do not match.
    """
    pairs: dict[int, int] = {}
    waiting: list[int] = []
    for index, token in enumerate(tokens):
        if token.is_symbol(*_OPENING):
            waiting.append(index)
        elif token.is_symbol(*_OPENING.values()):
            if not waiting or _OPENING[tokens[waiting[-1]].text] != token.text:
                raise InvalidInput("query", f"holds a {token.text!r} that nothing opens")
            pairs[waiting.pop()] = index
    if waiting:
        raise InvalidInput("query", f"holds a {tokens[waiting[-1]].text!r} that is never closed")
    return pairs


def called(tokens: Sequence[Token], index: int) -> tuple[str, int]:
    """The dotted, lower-case name that ends at `index`, and where it begins."""
    name = tokens[index].text
    while index >= 2 and tokens[index - 1].is_symbol(".") and tokens[index - 2].is_name:
        index -= 2
        name = f"{tokens[index].text}.{name}"
    return name.lower(), index


def is_label(tokens: Sequence[Token], index: int) -> bool:
    """Whether a name is a label or a type and no value: after `:`, but not as in `{key: value}`."""
    before = tokens[index - 1] if index else None
    if before is None or not before.is_symbol(":", "&", "!"):
        return False
    key = before.is_symbol(":") and index > 2 and tokens[index - 3].is_symbol("{", ",")
    return not key


def refusal(message: str) -> InvalidInput:
    """The error that names what is wrong with a query."""
    return InvalidInput("query", message)
