"""The rules for what makes lists and texts: everything an expression makes is small by its form."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.domain.cypher.allowed import ITERATING, KEYWORDS, SHORT_LISTS
from service.domain.cypher.growth import MOST_GROWTH, Growth, bound_by_patterns
from service.domain.cypher.tokens import Kind, Token, called, is_label, refusal

MOST_RANGE: Final = 10_000
MOST_SLICE: Final = 1_000
MOST_LISTS: Final = 60
"""Lists and maps that are made in one query: each may be put into the next, one level deeper."""
MOST_BODY: Final = 200
"""Tokens of what is done with each item of a list."""
MOST_TEXT: Final = 100
"""Characters of a text, and items of a list, that stand in what is done with each item."""

_COMPARISONS: Final = ("=", "<>", "<", ">", "<=", ">=")
_BEFORE: Final = frozenset({"WHERE", "AND", "OR", "XOR", "NOT"})
_AFTER: Final = frozenset({"AND", "OR", "XOR"})


@dataclass(frozen=True, slots=True)
class Iteration:
    """A part that goes through a list: `[x IN list WHERE … | …]` or `all(x IN list WHERE …)`."""

    opening: int
    closing: int
    variable: str
    source: range
    body: range
    projects: int | None
    """Where the `|` stands; None when items are only chosen or tested."""


class Lists:
    """The checks of one query; `pairs` gives the closing bracket for each opening one."""

    def __init__(
        self, tokens: Sequence[Token], pairs: Mapping[int, int], parameters: Mapping[str, Any]
    ) -> None:
        self._tokens = tokens
        self._pairs = pairs
        self._parameters = parameters
        self._bound = bound_by_patterns(tokens, pairs)

    def check(self) -> None:
        """Raise InvalidInput for the first list or text that may become large."""
        self._check_ranges()
        replaced = self._check_replacements()
        found = list(self._iterations())
        for each in found:
            if any(each.opening < other.opening < each.closing for other in found):
                raise refusal(
                    "goes through a list inside another such expression, which multiplies; "
                    "UNWIND the outer list and collect() what is needed"
                )
            self._check_source(each)
            self._check_body(each)
        growth = Growth(self._tokens, self._pairs, self._parameters)
        self._check_subqueries(growth)
        lists = growth.literals() + len(list(self._calls("collect")))
        if lists > MOST_LISTS:
            raise refusal(f"makes {lists} lists and maps; {MOST_LISTS} are the most")
        if replaced * growth.product() > MOST_GROWTH:
            raise refusal(
                "puts lists, maps or texts together again and again, which multiplies; use fewer "
                "of [a, b], {k: a}, a + b and replace(), or return the parts as columns"
            )

    def _check_subqueries(self, growth: Growth) -> None:
        """What COLLECT { … } gathers counts for no limit of Neo4j, so it has to say its own."""
        for index, token in enumerate(self._tokens[:-1]):
            if token.word == "COLLECT" and self._tokens[index + 1].is_symbol("{"):
                part = range(index + 2, self._pairs[index + 1])
                last = [self._tokens[each] for each in part[-2:]]
                number = self._integer(range(part.stop - 1, part.stop))
                if last[0].word != "LIMIT" or number is None or not 0 <= number <= MOST_SLICE:
                    raise refusal(
                        f"gathers with COLLECT {{ … }} without a bound; end it with LIMIT n, "
                        f"{MOST_SLICE:,} at most, or use collect()"
                    )
                large = next(filter(growth.could_be_large, part), None)
                if large is not None:
                    raise refusal(
                        f"uses {self._tokens[large].text!r}, which could be long, in "
                        "COLLECT { … }, where it would be copied for each row; use collect()"
                    )
            elif token.is_symbol("[") and self._has_bar(index):
                raise refusal(
                    "gathers with [(a)-->(b) | …] without a bound; use "
                    f"COLLECT {{ MATCH (a)-->(b) RETURN … LIMIT {MOST_SLICE} }}"
                )

    def _has_bar(self, opening: int) -> bool:
        """Whether it is a pattern comprehension."""
        tokens, depth, closing = self._tokens, 0, self._pairs[opening]
        if tokens[opening + 2].word == "IN":
            return False
        pattern = tokens[opening + 1].is_symbol("(") or tokens[opening + 2].is_symbol("=")
        for index in range(opening + 1, closing):
            if tokens[index].is_symbol("(", "[", "{"):
                depth += 1
            elif tokens[index].is_symbol(")", "]", "}"):
                depth -= 1
            elif pattern and depth == 0 and tokens[index].is_symbol("|"):
                return True
        return False

    def _arguments(self, opening: int) -> list[range]:
        """The arguments of the call whose bracket opens there."""
        starts, depth = [opening + 1], 0
        closing = self._pairs[opening]
        ends: list[int] = []
        for index in range(opening + 1, closing):
            token = self._tokens[index]
            if token.is_symbol("(", "[", "{"):
                depth += 1
            elif token.is_symbol(")", "]", "}"):
                depth -= 1
            elif depth == 0 and token.is_symbol(","):
                ends.append(index)
                starts.append(index + 1)
        return [range(a, b) for a, b in zip(starts, [*ends, closing], strict=True)]

    def _calls(self, *names: str) -> Iterator[tuple[int, int]]:
        """Where a call of one of these functions begins, and where its bracket opens."""
        for index, token in enumerate(self._tokens[:-1]):
            if token.is_name and self._tokens[index + 1].is_symbol("("):
                name, start = called(self._tokens, index)
                if name in names:
                    yield start, index + 1

    def _check_ranges(self) -> None:
        total = 0
        for start, opening in self._calls("range"):
            arguments = self._arguments(opening)
            closing = self._pairs[opening]
            if start and self._tokens[start - 1].word == "UNWIND" and self._word(closing + 1, "AS"):
                continue
            numbers = [self._integer(each) for each in arguments]
            if any(number is None for number in numbers) or not 2 <= len(numbers) <= 3:
                if not self._as_long_as_another(arguments, numbers):
                    raise refusal(
                        "calls range() with bounds that are not plain numbers, so its list could "
                        "be of any length; write the numbers, or UNWIND range(…) AS i"
                    )
                continue
            first, last, step = (*(number or 0 for number in numbers), 1)[:3]
            items = len(range(first, last + (1 if step > 0 else -1), step)) if step else 0
            total += items
        if total > MOST_RANGE:
            raise refusal(
                f"calls range() for {total:,} items; {MOST_RANGE:,} are the most in all; "
                "UNWIND range(…) AS i is read item by item and has no such bound"
            )

    def _as_long_as_another(
        self, arguments: Sequence[range], numbers: Sequence[int | None]
    ) -> bool:
        """Whether it is `range(0, size(list) - 1)`: no longer than a list that is there."""
        if len(arguments) != 2 or numbers[0] is None or numbers[0] < 0:
            return False
        part = arguments[1]
        if len(part) < 3 or self._tokens[part.start].text.lower() not in ("size", "length"):
            return False
        if not self._tokens[part.start + 1].is_symbol("("):
            return False
        rest = self._tokens[self._pairs[part.start + 1] + 1 : part.stop]
        return not rest or (
            len(rest) == 2 and rest[0].is_symbol("-") and rest[1].kind is Kind.NUMBER
        )

    def _integer(self, part: range) -> int | None:
        """The value of a whole number or of a parameter that is one."""
        tokens = self._tokens[part.start : part.stop]
        sign = 1
        if tokens and tokens[0].is_symbol("-"):
            sign, tokens = -1, tokens[1:]
        if len(tokens) != 1:
            return None
        if tokens[0].kind is Kind.NUMBER:
            text = tokens[0].text
            return sign * int(text) if text.isdecimal() and len(text) <= 18 else None
        if tokens[0].kind is Kind.PARAMETER:
            value = self._parameters.get(tokens[0].text)
            return sign * value if isinstance(value, int) else None
        return None

    def _check_replacements(self) -> int:
        """How many times longer the calls of replace() can make a text."""
        factor = 1
        for _, opening in self._calls("replace"):
            arguments = self._arguments(opening)
            texts = [self._text(each) for each in arguments[1:]]
            if len(texts) != 2 or texts[0] is None or texts[1] is None:
                raise refusal(
                    "calls replace() with texts that are not written out, so what it makes could "
                    "be of any length; write both as '…' or give them as parameters"
                )
            factor *= max(1, -(-len(texts[1]) // len(texts[0])) if texts[0] else len(texts[1]) + 1)
        return factor

    def _text(self, part: range) -> str | None:
        if len(part) != 1:
            return None
        token = self._tokens[part.start]
        if token.kind is Kind.STRING:
            return token.value
        value = self._parameters.get(token.text) if token.kind is Kind.PARAMETER else None
        return value if isinstance(value, str) else None

    def _iterations(self) -> Iterator[Iteration]:
        tokens = self._tokens
        for opening, closing in self._pairs.items():
            token = tokens[opening]
            if opening + 2 >= closing or not tokens[opening + 1].is_name:
                continue
            if tokens[opening + 2].word != "IN":
                continue
            tests = (
                token.is_symbol("(") and opening > 0 and called(tokens, opening - 1)[0] in ITERATING
            )
            if token.is_symbol("[") or tests:
                yield self._iteration(opening, closing, chooses=not tests)

    def _iteration(self, opening: int, closing: int, *, chooses: bool) -> Iteration:
        start, depth, end, bar = opening + 3, 0, closing, None
        for index in range(start, closing):
            token = self._tokens[index]
            if token.is_symbol("(", "[", "{"):
                depth += 1
            elif token.is_symbol(")", "]", "}"):
                depth -= 1
            elif depth == 0 and (token.word == "WHERE" or token.is_symbol("|")):
                end = min(end, index)
                if chooses and token.is_symbol("|"):
                    bar = index
        return Iteration(
            opening,
            closing,
            self._tokens[opening + 1].text,
            range(start, end),
            range(end, closing),
            bar,
        )

    def _check_source(self, each: Iteration) -> None:
        if each.projects is None or self._is_short(each.source):
            return
        raise refusal(
            f"makes something of every item of a list that could be long; bound the list: "
            f"[{each.variable} IN list[..{MOST_SLICE}] | …]"
        )

    def _is_short(self, part: range) -> bool:
        tokens, first, last = self._tokens, part.start, part.stop - 1
        if not len(part):
            return False
        if first == last:
            return tokens[first].kind is Kind.PARAMETER or tokens[first].text in self._bound
        if tokens[first].is_symbol("[") and self._pairs[first] == last:
            return True
        if tokens[first].is_name and tokens[first].text.lower() in SHORT_LISTS:
            return tokens[first + 1].is_symbol("(") and self._pairs.get(first + 1) == last
        opening = next((a for a, b in self._pairs.items() if b == last), None)
        if opening is None or not tokens[opening].is_symbol("[") or opening <= first:
            return False
        inside = tokens[opening + 1 : last]
        if len(inside) == 3 and inside[0].kind is Kind.NUMBER and inside[0].text == "0":
            inside = inside[1:]
        return (
            len(inside) == 2
            and inside[0].is_symbol("..")
            and inside[1].text.isdecimal()
            and len(inside[1].text) <= 4
            and int(inside[1].text) <= MOST_SLICE
        )

    def _check_body(self, each: Iteration) -> None:
        if len(each.body) > MOST_BODY:
            raise refusal(
                f"does over {MOST_BODY} things with each item of a list; UNWIND the list instead"
            )
        for index in each.body:
            token = self._tokens[index]
            if token.kind is Kind.STRING and len(token.text) > MOST_TEXT:
                raise refusal(f"repeats a text of over {MOST_TEXT} characters for each item")
            if token.kind is Kind.PARAMETER:
                self._check_parameter(index)
            elif token.word == "IN" and not self._follows_short(index):
                raise refusal(
                    "searches a list for each item of another; write the list out, "
                    f"give it as a parameter of at most {MOST_TEXT} items, or use UNWIND"
                )
            elif self._is_pattern(index):
                raise refusal(
                    "matches a pattern for each item of a list; UNWIND the list and use "
                    "WHERE EXISTS { … }, or MATCH"
                )
            elif token.is_name:
                self._check_name(each, index)

    def _check_parameter(self, index: int) -> None:
        value = self._parameters.get(self._tokens[index].text)
        if isinstance(value, dict) or (isinstance(value, str | list) and len(value) > MOST_TEXT):  # pyright: ignore[reportUnknownArgumentType]
            raise refusal(
                f"uses the parameter ${self._tokens[index].text} for each item of a list; only a "
                f"number or up to {MOST_TEXT} characters or items may stand there; use UNWIND"
            )

    def _follows_short(self, index: int) -> bool:
        following = self._tokens[index + 1]
        return following.is_symbol("[") or following.kind is Kind.PARAMETER

    def _is_pattern(self, index: int) -> bool:
        tokens = self._tokens
        if tokens[index].word in ("EXISTS", "COUNT", "COLLECT"):
            return tokens[index + 1].is_symbol("{", "(")
        if not tokens[index].is_symbol(")"):
            return False
        after = [*tokens[index + 1 : index + 4], *[Token(Kind.SYMBOL, ";")] * 3]
        if after[0].is_symbol("<"):
            after = after[1:]
        return after[0].is_symbol("-") and after[1].is_symbol("-", "[", ">")

    def _check_name(self, each: Iteration, index: int) -> None:
        """Within the body only the variable itself is free; others may be compared with it."""
        tokens = self._tokens
        before, after = tokens[index - 1], tokens[index + 1]
        if before.is_symbol(".") or self._is_label(each, index):
            return
        if (after.is_symbol(":") and before.is_symbol("{", ",")) or tokens[index].word in KEYWORDS:
            return
        end = index
        while tokens[end + 1].is_symbol(".") and tokens[end + 2].is_name:
            end += 2
        if tokens[end + 1].is_symbol("("):
            if called(tokens, end)[0] == "range":
                raise refusal("makes a range() for each item of a list; use UNWIND")
            return
        if tokens[index].text == each.variable or self._is_compared(each, index, end):
            return
        raise refusal(
            f"uses {tokens[index].text!r} for each item of a list; besides {each.variable!r} "
            f"another variable may only be compared with it, as in {each.variable} <> other; "
            "use UNWIND for the rest"
        )

    def _is_label(self, each: Iteration, index: int) -> bool:
        before = self._tokens[index - 1]
        alternative = before.is_symbol("|") and index - 1 != each.projects
        return alternative or is_label(self._tokens, index)

    def _is_compared(self, each: Iteration, start: int, end: int) -> bool:
        tokens = self._tokens
        before, after = tokens[start - 1], tokens[end + 1]
        if after.is_symbol(*_COMPARISONS) or after.word in ("CONTAINS", "STARTS", "ENDS"):
            other = end + (3 if after.word in ("STARTS", "ENDS") else 2)
            opens = before.word in _BEFORE or before.is_symbol("(", "|")
            return opens and tokens[other].text == each.variable
        closes = after.word in _AFTER or after.is_symbol(")", "]", "|")
        if before.word == "WITH":
            other = start - 3
        elif before.is_symbol(*_COMPARISONS) or before.word == "CONTAINS":
            other = start - 2
        else:
            return False
        while tokens[other - 1].is_symbol(".") and tokens[other].is_name:
            other -= 2
        return closes and tokens[other].text == each.variable

    def _word(self, index: int, word: str) -> bool:
        return index < len(self._tokens) and self._tokens[index].word == word
