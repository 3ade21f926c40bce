"""Cursors go round, and nothing that a caller makes up gets through."""

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.cursor import decode, encode, moment
from service.domain.errors import InvalidInput


def made_up(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@given(st.text(), st.integers(-(2**63), 2**63 - 1))
def test_a_cursor_goes_round_and_is_safe_in_an_address(text: str, number: int) -> None:
    cursor = encode([text, number])
    assert set(cursor) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    assert decode(cursor, (str, int)) == [text, number]


@given(st.text())
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        decode(text, (str, int))


@pytest.mark.parametrize(
    "place",
    [
        None,
        {},
        [],
        ["a"],
        ["a", 1, 2],
        [1, "a"],
        ["a", True],
        ["a", 1.0],
        ["a", 2**63],
        ["a", None],
        ["\ud800", 1],
    ],
)
def test_a_place_of_another_shape_is_refused(place: Any) -> None:
    with pytest.raises(InvalidInput, match="is not a cursor of this list"):
        decode(made_up(json.dumps(place)), (str, int))


def test_endless_nesting_is_refused() -> None:
    with pytest.raises(InvalidInput):
        decode(made_up("[" * 100_000), (str, int))


def test_a_moment_of_a_cursor_is_a_time() -> None:
    now = datetime(2026, 1, 2, 3, tzinfo=UTC)
    assert moment(now.isoformat()) == now
    with pytest.raises(InvalidInput, match="no time"):
        moment("yesterday")
