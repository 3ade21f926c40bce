"""Roles, patterns of scopes, tokens."""

from datetime import UTC, datetime

import pytest

from service.domain.access import (
    ApiKey,
    Caller,
    Role,
    checked_name,
    checked_scopes,
    id_of,
    new_id,
    new_token,
    token_digest,
)
from service.domain.errors import Forbidden, InvalidInput

NOW = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("pattern", "scope", "may"),
    [
        ("acme", "acme", True),
        ("acme", "acme/x", False),
        ("acme", "ACME", False),
        ("acme.x", "acme-x", False),
        ("acme/*", "acme/x", True),
        ("acme/*", "acme/x/y", True),
        ("acme/*", "acme", False),
        ("acme/*", "acme/", False),
        ("acme/*", "acme-other", False),
        ("acme/*", "other/acme/x", False),
        ("*", "anything", True),
    ],
)
def test_a_pattern_names_no_more_than_it_says(pattern: str, scope: str, may: bool) -> None:
    assert Caller("k", Role.READ, (pattern,)).may_touch(scope) is may


@pytest.mark.parametrize(
    "pattern",
    ["", "acme*", "*/acme", "a*c", "acme/*/x", "/*x", "**", "/*", "a b", "acme/**", ".*|x"],
)
def test_another_use_of_the_star_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidInput):
        checked_scopes([pattern])


@pytest.mark.parametrize("count", [0, 101])
def test_a_key_has_scopes_and_not_too_many(count: int) -> None:
    with pytest.raises(InvalidInput):
        checked_scopes([f"s{number}" for number in range(count)])


@pytest.mark.parametrize("name", ["", " a", "a b", "-a", "a\n", "ä", "a" * 65, "[red]", "a\x1b"])
def test_an_odd_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        checked_name(name)


def test_a_role_does_what_lower_ones_do() -> None:
    Caller("k", Role.ADMIN, ("*",)).require_role(Role.READ)
    with pytest.raises(Forbidden):
        Caller("k", Role.READ, ("*",)).require_role(Role.WRITE)


def test_a_token_opens_its_key_until_that_ends() -> None:
    key_id = new_id()
    token = new_token(key_id)
    key = ApiKey(key_id, "k", Role.READ, ("*",), token_digest(token), NOW)
    assert id_of(token) == key_id
    assert len(token) == len("pal_") + 12 + 1 + 43
    assert token not in repr(key)
    assert key.opens_with(token, NOW)
    assert not key.opens_with(new_token(key_id), NOW)
    for ended in ({"revoked_at": NOW}, {"expires_at": NOW}):
        assert not ApiKey(
            key_id, "k", Role.READ, ("*",), token_digest(token), NOW, **ended
        ).opens_with(token, NOW)


@pytest.mark.parametrize("text", ["", "pal_", "pal_x_y", "PAL_" + "0" * 12 + "_" + "A" * 43])
def test_other_text_is_no_token(text: str) -> None:
    assert id_of(text) is None
