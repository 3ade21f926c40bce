"""Whether a query may run: nothing in it may cost what Neo4j cannot end by its limits.

Neo4j ends the *steps* of a plan when the time or memory of a transaction is over. It ends no
*expression*: `[x IN range(1, 1000000000) | x]` runs to its end, and what it makes counts nowhere.
So each expression has to be small by its form. docs/adr/0005-read-only-cypher.md tells the rules.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from service.domain.cypher.allowed import (
    ADVICE,
    FIRST_WORDS,
    FUNCTIONS,
    ITERATING,
    KEYWORDS,
    PATTERN_FUNCTIONS,
    PROCEDURES,
    REFUSED_WORDS,
)
from service.domain.cypher.lists import Lists
from service.domain.cypher.tokens import Kind, Token, called, partners, refusal, tokens_of
from service.domain.errors import InvalidInput

MOST_CHARACTERS: Final = 20_000
MOST_DEPTH: Final = 24
MOST_PARAMETER_VALUES: Final = 10_000
MOST_PARAMETER_CHARACTERS: Final = 200_000
MOST_PARAMETER_DEPTH: Final = 8
_INT64: Final = range(-(2**63), 2**63)


def check_query(query: str, parameters: Mapping[str, Any]) -> None:
    """Raise InvalidInput, naming what is refused and what to do, unless the query may be planned.

    `parameters` are plain JSON values; `check_parameters` has seen them.
    """
    if len(query) > MOST_CHARACTERS:
        raise refusal(f"has {len(query):,} characters; {MOST_CHARACTERS:,} is the most")
    tokens = tokens_of(query)
    if tokens and tokens[-1].is_symbol(";"):
        tokens = tokens[:-1]
    if not tokens:
        raise refusal("is empty")
    pairs = partners(tokens)
    _check_depth(tokens)
    _check_words(tokens)
    _check_symbols(tokens)
    _check_calls(tokens)
    Lists(tokens, pairs, parameters).check()


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise InvalidInput unless the parameters are few and small enough to be handed to Neo4j."""
    values = characters = 0
    waiting: list[tuple[str, Any, int]] = [(name, value, 1) for name, value in parameters.items()]
    while waiting:
        name, value, depth = waiting.pop()
        values += 1
        if isinstance(value, str):
            characters += len(value)
            if any("\ud800" <= letter <= "\udfff" for letter in value):
                raise InvalidInput(f"parameters.{name}", "holds a lone surrogate")
        elif isinstance(value, int) and value not in _INT64:
            raise InvalidInput(f"parameters.{name}", f"is {value}: Neo4j's integers have 64 bits")
        elif isinstance(value, list):
            waiting += [(name, item, depth + 1) for item in cast("list[Any]", value)]
        elif isinstance(value, dict):
            mapping = cast("dict[str, Any]", value)
            characters += sum(map(len, mapping))
            waiting += [(name, item, depth + 1) for item in mapping.values()]
        if depth > MOST_PARAMETER_DEPTH:
            raise InvalidInput(f"parameters.{name}", f"is over {MOST_PARAMETER_DEPTH} levels deep")
        if values + len(waiting) > MOST_PARAMETER_VALUES:
            raise InvalidInput("parameters", f"hold over {MOST_PARAMETER_VALUES:,} values")
        if characters > MOST_PARAMETER_CHARACTERS:
            raise InvalidInput("parameters", f"hold over {MOST_PARAMETER_CHARACTERS:,} characters")


def _check_depth(tokens: Sequence[Token]) -> None:
    depth = 0
    for token in tokens:
        if token.is_symbol("(", "[", "{"):
            depth += 1
        elif token.is_symbol(")", "]", "}"):
            depth -= 1
        if depth > MOST_DEPTH:
            raise refusal(f"nests brackets over {MOST_DEPTH} levels deep")


def _check_words(tokens: Sequence[Token]) -> None:
    if tokens[0].word not in FIRST_WORDS:
        why = REFUSED_WORDS.get(tokens[0].word)
        raise refusal(
            f"begins with {tokens[0].text!r}"
            + (f", which {why}" if why else "")
            + f"; a reading begins with one of {', '.join(sorted(FIRST_WORDS))}"
        )
    for index, token in enumerate(tokens):
        why = REFUSED_WORDS.get(token.word)
        if why is not None and not _names(tokens, index):
            raise refusal(
                f"holds {token.text}, which {why}; only reading is allowed "
                f"(a name of that spelling stands in backticks: `{token.text}`)"
            )


def _names(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word is a property, a label, a type or a key of a map."""
    before = tokens[index - 1] if index else None
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    return (before is not None and before.is_symbol(".", ":", "|", "&", "!")) or (
        after is not None and after.is_symbol(":")
    )


def _check_symbols(tokens: Sequence[Token]) -> None:
    for index, token in enumerate(tokens):
        if token.is_symbol(";"):
            raise refusal("holds several statements; send one at a time")
        if token.is_symbol("=~"):
            raise refusal(
                "holds =~: Neo4j cannot end a regular expression when its time is over; use "
                "CONTAINS, STARTS WITH or ENDS WITH, with toLower() where case does not matter"
            )
        after = tokens[index + 1] if index + 1 < len(tokens) else token
        if (token.is_symbol("$") or token.kind is Kind.PARAMETER) and after.is_symbol("("):
            raise refusal("holds $(…) for a label or a type; write it as it is")
        if token.is_symbol("@", "?", "#", "~", "$"):
            raise refusal(f"holds {token.text!r}, which is no part of a reading")


def _check_calls(tokens: Sequence[Token]) -> None:
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if token.word == "CALL" and not _names(tokens, index):
            if following is not None and not following.is_symbol("{", "("):
                _check_procedure(tokens, index + 1)
        elif token.is_name and following is not None and following.is_symbol("("):
            name, start = called(tokens, index)
            if name in FUNCTIONS or (start == index and _opens_pattern(tokens, index)):
                continue
            if start and tokens[start - 1].word == "CALL":
                continue
            what = ADVICE.get(name) or "only known reading functions are; docs/analysts.md"
            raise refusal(f"calls {name}(), which is not allowed: {what}")


def _opens_pattern(tokens: Sequence[Token], index: int) -> bool:
    """Whether the word before a bracket is one of the language, such as in `MATCH (`."""
    word = tokens[index].word
    return word in KEYWORDS and word.lower() not in ITERATING | PATTERN_FUNCTIONS


def _check_procedure(tokens: Sequence[Token], start: int) -> None:
    end = start
    while end + 2 < len(tokens) and tokens[end + 1].is_symbol(".") and tokens[end + 2].is_name:
        end += 2
    name = ".".join(token.text for token in tokens[start : end + 1 : 2])
    if name.lower() not in PROCEDURES:
        raise refusal(
            f"calls the procedure {name}, which is not allowed; allowed are "
            f"{', '.join(sorted(PROCEDURES))}"
        )
