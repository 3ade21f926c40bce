"""Names, slot keys and relation types: what people take for the same is the same key."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.domain.errors import InvalidInput
from service.domain.names import (
    RESERVED_RELATION_TYPES,
    canonical_name,
    checked_scope,
    collapsed,
    content_key,
    relation_type,
    session_key,
    slot_key,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Electrons", "electrons"),
        ("Deck", "Deck "),
        ("ＡＰＩ", "API"),
        ("Straße", "STRASSE"),
        ("café", unicodedata.normalize("NFD", "CAFÉ")),
        ("build\u00a0 \tcache", "Build Cache"),
        ("ﬁle", "FILE"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ],
)
def test_spellings_of_one_name_are_one(one: str, other: str) -> None:
    assert canonical_name(one) == canonical_name(other)


@pytest.mark.parametrize(("one", "other"), [("Go", "Gopher"), ("Dock / Pier|9", "Dock / Pier|8")])
def test_different_names_stay_different(one: str, other: str) -> None:
    assert canonical_name(one) != canonical_name(other)


@given(st.text())
@example("ͅ")
@example("ẞ İ ŉ ǰ ΐ")
def test_a_canonical_name_is_its_own_canonical_name(text: str) -> None:
    assert canonical_name(canonical_name(text)) == canonical_name(text)


@given(st.text())
def test_a_canonical_name_ignores_case_and_surrounding_space(text: str) -> None:
    assert canonical_name(f"  {text}\n") == canonical_name(text)


@given(st.text(st.characters(codec="ascii")))
def test_case_of_plain_letters_never_tells_names_apart(text: str) -> None:
    assert canonical_name(text.upper()) == canonical_name(text.lower())


def test_white_space_is_collapsed() -> None:
    assert collapsed("  a \n\t b ") == "a b"


@pytest.mark.parametrize(
    ("given_type", "native"),
    [
        ("runs on", "RUNS_ON"),
        ("runs-on", "RUNS_ON"),
        ("runsOn", "RUNS_ON"),
        ("RUNS_ON", "RUNS_ON"),
        ("non-compliant", "NON_COMPLIANT"),
        ("由组成", "由组成"),
        ("состоит из", "СОСТОИТ_ИЗ"),
        ("A`) MATCH (m) DETACH DELETE m //", "A_MATCH_M_DETACH_DELETE_M"),
        ("v2", "V2"),
        ("usesV2Api", "USES_V2_API"),
        ("V2X", "V2X"),
        ("7", "7"),
    ],
)
def test_a_relation_type_is_upper_snake(given_type: str, native: str) -> None:
    assert relation_type(given_type) == native


def test_marks_that_spell_a_word_stay_in_a_relation_type() -> None:
    assert relation_type("का हिस्सा") == "का_हिस्सा"
    assert relation_type("कि") != relation_type("की")


@pytest.mark.parametrize("nothing", ["", " ", "--", "_", "`", "//", "🚀", "\u0301"])
def test_a_relation_type_without_letter_or_digit_is_refused(nothing: str) -> None:
    with pytest.raises(InvalidInput, match="no letter or digit"):
        relation_type(nothing)


@pytest.mark.parametrize("name", sorted(RESERVED_RELATION_TYPES))
def test_a_type_of_the_service_itself_is_refused(name: str) -> None:
    for spelling in (name, name.lower().replace("_", " "), name.title().replace("_", "-")):
        with pytest.raises(InvalidInput, match="which the service uses itself"):
            relation_type(spelling, field="relations.0.type")


@given(st.text(min_size=1))
@example("ǰ")
@example("ŉ")
@example("0a")
def test_a_native_type_can_be_quoted_and_is_its_own_native_type(text: str) -> None:
    try:
        native = relation_type(text)
    except InvalidInput:
        return
    assert not set("`\\\n\r\u0000 ") & set(native)
    assert relation_type(native) == native


def test_a_slot_is_entity_aspect_group_and_claim_key() -> None:
    here = slot_key("e", "Home", "where", "City", "Berlin")
    assert here == slot_key("e", "home ", "WHERE", "city", "Munich")
    others = {
        slot_key("f", "home", "where", "city", ""),
        slot_key("e", "work", "where", "city", ""),
        slot_key("e", "home", "when", "city", ""),
        slot_key("e", "home", "where", "street", ""),
        slot_key("e", "home", None, "city", ""),
        slot_key("e", "home", "where", None, "Berlin"),
        slot_key("e", "home", "where", None, "Munich"),
        slot_key("e", "home", "where", None, "city"),
    }
    assert len(others | {here}) == 9
    assert {len(key) for key in others} == {32}


def test_without_a_claim_key_equal_values_share_a_place() -> None:
    assert slot_key("e", "a", None, None, "Tea") == slot_key("e", "a", None, None, " tea")


@given(st.lists(st.text(max_size=4), min_size=5, max_size=5), st.text(max_size=4))
def test_no_text_moves_from_one_part_of_a_slot_to_the_next(parts: list[str], more: str) -> None:
    entity, aspect, group, claim, value = parts
    moved = slot_key(entity, aspect, group + more, claim, value)
    if canonical_name(group + more) != canonical_name(group):
        assert moved != slot_key(entity, aspect, group, claim, value)


def test_contents_are_equal_after_white_space_and_only_in_their_scope() -> None:
    assert content_key("s", "a  b\n") == content_key("s", "a b")
    assert content_key("s", "a b") != content_key("s", "A b")
    assert content_key("s", "a b") != content_key("t", "a b")
    assert content_key("s", "x") != content_key("sx", "")
    assert session_key("s", "x") != session_key("sx", "")


@pytest.mark.parametrize("scope", ["default", "ab-cd", "t1", "A.b_c:d@e/f-9", "x" * 128])
def test_a_plain_scope_is_taken(scope: str) -> None:
    assert checked_scope(scope) == scope


@pytest.mark.parametrize("scope", ["", " ", "t1\n", "\nt1", "a b", "ä", "a\u0000b", "x" * 129, "٣"])
def test_any_other_scope_is_refused(scope: str) -> None:
    with pytest.raises(InvalidInput, match=r"^scope: "):
        checked_scope(scope)
