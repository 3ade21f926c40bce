"""How much larger than what the store holds a value can become by the form of a query.

`WITH [a, a] AS a`, forty times over, names a list of 2^40 items in a thousand characters, and
`WITH s + s AS s` such a text. So the copies of variables in lists, maps and sums are multiplied.
What a pattern binds is a node or a relationship: naming it often makes nothing large.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from service.domain.cypher.allowed import KEYWORDS, words
from service.domain.cypher.tokens import Kind, Token, called, is_label

MOST_GROWTH: Final = 64

_CLAUSES: Final = words(
    "CALL FINISH LIMIT MATCH OFFSET OPTIONAL ORDER RETURN SKIP UNION UNWIND WHERE WITH YIELD"
)
_STARTS: Final = frozenset({"WITH", "RETURN", "DISTINCT", "UNWIND", "YIELD"})
_SUBQUERIES: Final = frozenset({"EXISTS", "COUNT", "COLLECT", "CALL"})
_MAKERS: Final = words(
    "collect keys labels nodes properties range relationships replace reverse split tail "
    "tobooleanlist tofloatlist tointegerlist tostringlist"
)
_NUMBERS: Final = words(
    "abs avg ceil count elementid floor id isempty length percentilecont round size stdev sum "
    "toboolean tofloat tointeger type valuetype"
)


def bound_by_patterns(tokens: Sequence[Token], pairs: Mapping[int, int]) -> frozenset[str]:
    """The names that only patterns bind: nodes, relationships, and lists as long as a path."""
    named = {after.text for before, after in pairwise(tokens) if before.word == "AS"}
    loops = {
        tokens[a + 1].text for a in pairs if a + 2 < len(tokens) and tokens[a + 2].word == "IN"
    }
    return frozenset(set(_bound(tokens)) - named - loops)


def _bound(tokens: Sequence[Token]) -> Iterator[str]:
    depth, matching = 0, -1
    for token, following in pairwise(tokens):
        if token.is_symbol("(", "[", "{"):
            depth += 1
            if matching >= 0 and following.is_name and not token.is_symbol("{"):
                yield following.text
        elif token.is_symbol(")", "]", "}"):
            depth -= 1
            if depth < matching:
                matching = -1
        elif depth == matching and token.is_name and following.is_symbol("="):
            yield token.text
        elif token.word == "MATCH":
            matching = depth
        elif token.word in _CLAUSES and depth <= matching:
            matching = -1


class Growth:
    """What of a query could hold something large, and how often it is copied."""

    def __init__(
        self, tokens: Sequence[Token], pairs: Mapping[int, int], parameters: Mapping[str, Any]
    ) -> None:
        self._tokens = tokens
        self._pairs = pairs
        self._lists = {name for name, value in parameters.items() if isinstance(value, list | dict)}
        made = list(self._made())
        self._closed = {*_bound(tokens), *(name for name, _ in made)}
        self._closed -= {
            tokens[a + 1].text for a in pairs if a + 2 < len(tokens) and tokens[a + 2].word == "IN"
        }
        while True:
            opened = {name for name, part in made if self._makes_large(part)}
            if not opened & self._closed:
                return
            self._closed -= opened

    def product(self) -> int:
        """The product of the copies that lists, maps and sums make of what could be large."""
        found, end = 1, 0
        for index, token in enumerate(self._tokens):
            if index >= end and self._is_literal(index):
                end = self._pairs[index]
                found *= max(1, sum(map(self.could_be_large, range(index + 1, end))))
            elif self._joins(index):
                part = self._operand(index + 1)
                found *= 2 if any(map(self.could_be_large, part)) else 1
            elif token.word == "CASE" and index and self._joins(index - 1):
                found *= 2
        return found

    def literals(self) -> int:
        """How many lists and maps hold a variable that could be large."""
        return sum(
            any(map(self.could_be_large, range(index + 1, self._pairs[index])))
            for index in self._pairs
            if self._is_literal(index)
        )

    def _joins(self, index: int) -> bool:
        tokens = self._tokens
        return tokens[index].is_symbol("+", "||") and 0 < index < len(tokens) - 1

    def _made(self) -> Iterator[tuple[str, range]]:
        """Each name after AS, with the expression that it names."""
        for index, token in enumerate(self._tokens[:-1]):
            if token.word == "AS" and self._tokens[index + 1].is_name:
                yield self._tokens[index + 1].text, range(self._start(index), index)

    def _start(self, index: int) -> int:
        depth = 0
        while index > 0:
            token = self._tokens[index - 1]
            if token.is_symbol(")", "]", "}"):
                depth += 1
            elif token.is_symbol("(", "[", "{"):
                if depth == 0:
                    break
                depth -= 1
            elif depth == 0 and (token.is_symbol(",") or token.word in _STARTS):
                break
            index -= 1
        return index

    def _makes_large(self, part: range) -> bool:
        tokens = self._tokens
        if len(part) > 2 and tokens[part.start + 1].is_symbol("("):
            whole = self._pairs[part.start + 1] == part.stop - 1
            if whole and tokens[part.start].text.lower() in _NUMBERS:
                return False
        return any(
            self.could_be_large(index)
            or self._is_literal(index)
            or self._joins(index)
            or tokens[index].is_symbol("{", "|")
            or (self._calls(index) and called(tokens, index)[0] in _MAKERS)
            for index in part
        )

    def _calls(self, index: int) -> bool:
        after = index + 1
        return (
            self._tokens[index].is_name
            and after < len(self._tokens)
            and self._tokens[after].is_symbol("(")
        )

    def could_be_large(self, index: int) -> bool:
        """Whether a variable or a parameter stands there that could hold something large."""
        token = self._tokens[index]
        if token.kind is Kind.PARAMETER:
            return token.text in self._lists
        if not token.is_name or token.text in self._closed or token.word in KEYWORDS:
            return False
        before = self._tokens[index - 1]
        after = self._tokens[index + 1] if index + 1 < len(self._tokens) else before
        if self._is_type(index) or before.is_symbol(".") or after.is_symbol("(", ":"):
            return False
        end = index
        while end + 2 < len(self._tokens) and self._tokens[end + 1].is_symbol("."):
            end += 2
        return not self._calls(min(end, len(self._tokens) - 1))

    def _is_type(self, index: int) -> bool:
        """Whether it is a label or a type, also a further one as in `[:STATES|STATED]`."""
        while index > 2 and self._tokens[index - 1].is_symbol("|"):
            index -= 2
        return is_label(self._tokens, index)

    def _is_literal(self, index: int) -> bool:
        """Whether a list, a map or a projection opens there, and no subscript or pattern."""
        token = self._tokens[index]
        if not token.is_symbol("[", "{") or index == 0:
            return False
        before = self._tokens[index - 1]
        if token.is_symbol("{"):
            return before.word not in _SUBQUERIES and not before.is_symbol(")")
        if before.is_symbol("-") or self._tokens[index + 2].word == "IN":
            return False
        subscript = before.is_symbol(")", "]", "}") or before.kind is Kind.PARAMETER
        return not subscript and (before.word in KEYWORDS or not before.is_name)

    def _operand(self, index: int) -> range:
        """The tokens of the operand that begins there."""
        start, tokens = index, self._tokens
        if tokens[index].is_name:
            while index + 2 < len(tokens) and tokens[index + 1].is_symbol("."):
                index += 2
            index += 1
        while index < len(tokens) and index in self._pairs:
            index = self._pairs[index] + 1
            while index + 1 < len(tokens) and tokens[index].is_symbol("."):
                index += 2
        return range(start, max(index, start + 1))
