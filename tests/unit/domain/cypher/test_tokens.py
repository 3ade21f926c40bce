"""Cypher cut into tokens as Neo4j reads it."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.cypher.tokens import Kind, partners, tokens_of
from service.domain.errors import InvalidInput


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("RETURN 'a//b' AS x // c", ["RETURN", "a//b", "AS", "x"]),
        ("RETURN \"it's\"/* ' */+1", ["RETURN", "it's", "+", "1"]),
        ("RETURN 'a\\'b'", ["RETURN", "a\\'b"]),
        ("MATCH (`a``b`)", ["MATCH", "(", "a`b", ")"]),
        ("-[*1..3]->", ["-", "[", "*", "1", "..", "3", "]", "-", ">"]),
        ("a.b.c(1.5)", ["a", ".", "b", ".", "c", "(", "1.5", ")"]),
        ("$a+$`b c`", ["a", "+", "b c"]),
        ("x<>y<=z||w", ["x", "<>", "y", "<=", "z", "||", "w"]),
        ("größe=1", ["größe", "=", "1"]),
        ("a\u2003b\u00a0c", ["a", "b", "c"]),
    ],
)
def test_tokens(query: str, texts: list[str]) -> None:
    assert [token.text for token in tokens_of(query)] == texts


def test_a_quoted_name_is_no_word_of_the_language() -> None:
    (quoted, plain) = tokens_of("`match` match")
    assert (quoted.kind, quoted.word, plain.word) == (Kind.QUOTED, "", "MATCH")


def test_brackets_find_their_partners() -> None:
    assert partners(tokens_of("([{}])")) == {0: 5, 1: 4, 2: 3}


@given(st.text())
def test_any_text_is_cut_or_refused(text: str) -> None:
    with suppress(InvalidInput):
        partners(tokens_of(text))
