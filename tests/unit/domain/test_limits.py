"""The bound on each input, and the field that an error names."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.errors import InvalidInput
from service.domain.limits import (
    Limits,
    checked_count,
    checked_metadata,
    checked_name,
    checked_text,
)
from service.domain.memory import (
    EntityRef,
    MemoryUpdate,
    NewAttribute,
    NewMemory,
    NewMention,
    NewRelation,
    check_new_memory,
    check_update,
)
from tests.stores.changes import NOON

LIMITS = Limits()
ANA = EntityRef(name="Ana")
EARLY = NOON - timedelta(days=1)
ENDED = NewAttribute(ANA, "a", "v", valid_to=NOON)


def nested(levels: int) -> Any:
    value: Any = "bottom"
    for _ in range(levels):
        value = [value]
    return value


def field_of(call: Callable[[], object]) -> str:
    with pytest.raises(InvalidInput) as caught:
        call()
    return caught.value.errors[0].field


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        (" \n\t", "is empty"),
        ("a\u0000b", "NUL"),
        ("a\ud800", "lone surrogate at position 1"),
        ("x" * 11, "has 11 characters; at most 10"),
    ],
)
def test_a_text_that_cannot_be_kept_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        checked_text("content", text, 10)


@given(st.text(max_size=20))
def test_a_text_is_kept_exactly_when_it_can_be_stored(text: str) -> None:
    if text.strip() and "\x00" not in text:
        assert checked_text("content", text, 20) == text
    else:
        assert field_of(lambda: checked_text("content", text, 20)) == "content"


def test_a_blank_text_is_kept_where_it_may_be() -> None:
    assert checked_text("metadata", "", 10, blank=True) == ""


def test_a_name_has_a_limit_in_bytes_of_its_canonical_form() -> None:
    assert checked_name("name", "x" * 512, LIMITS)
    with pytest.raises(InvalidInput, match="at most 512"):
        checked_name("name", "x" * 513, LIMITS)
    # One character of this becomes 18 under NFKC.
    with pytest.raises(InvalidInput, match="bytes in its canonical form; at most 4000"):
        checked_name("name", "\ufdfa" * 512, LIMITS)


def test_a_count_above_its_limit_names_the_list() -> None:
    checked_count("hints", 50, 50)
    with pytest.raises(InvalidInput, match="hints: has 51 entries; at most 50"):
        checked_count("hints", 51, 50)


@pytest.mark.parametrize(
    ("metadata", "field"),
    [
        ({"a": "x\u0000"}, "metadata.a"),
        ({"a": {"b": "\udfff"}}, "metadata.a.b"),
        ({"a\u0000": 1}, "metadata"),
        ({"a": float("nan")}, "metadata.a"),
        ({"a": [1, float("inf")]}, "metadata.a.1"),
        ({"a": 2**63}, "metadata.a"),
        ({"a": -(2**63) - 1}, "metadata.a"),
        ({"a": nested(16)}, "metadata.a" + ".0" * 16),
        ({"a": "x" * 65_530}, "metadata"),
    ],
)
def test_metadata_that_no_reader_takes_is_refused(metadata: dict[str, Any], field: str) -> None:
    assert field_of(lambda: checked_metadata("metadata", metadata, LIMITS)) == field


def test_plain_metadata_is_taken() -> None:
    plain = {"": "", "a": [None, True, 1.5, 2**63 - 1, {"b": nested(10)}], "k}) DELETE n //": 1}
    checked_metadata("metadata", plain, LIMITS)


@pytest.mark.parametrize(
    ("memory", "field"),
    [
        (NewMemory(""), "content"),
        (NewMemory("x" * 100_001), "content"),
        (NewMemory("x", type=" "), "type"),
        (NewMemory("x", type="x" * 65), "type"),
        (NewMemory("x", session="a\u0000"), "session"),
        (NewMemory("x", source="x" * 513), "source"),
        (NewMemory("x", speaker=""), "speaker"),
        (NewMemory("x", entities=[NewMention(ANA)] * 201), "entities"),
        (NewMemory("x", entities=[NewMention(EntityRef(name=""))]), "entities.0.name"),
        (NewMemory("x", entities=[NewMention(ANA, type="")]), "entities.0.type"),
        (
            NewMemory("x", entities=[NewMention(ANA, mention_text="\ud800")]),
            "entities.0.mention_text",
        ),
        (NewMemory("x", relations=[NewRelation(ANA, ANA, "--")]), "relations.0.type"),
        (NewMemory("x", relations=[NewRelation(ANA, ANA, "mentions")]), "relations.0.type"),
        (
            NewMemory("x", relations=[NewRelation(ANA, EntityRef(name=" "), "a")]),
            "relations.0.target",
        ),
        (NewMemory("x", attributes=[NewAttribute(ANA, "", "v")]), "attributes.0.aspect"),
        (NewMemory("x", attributes=[NewAttribute(ANA, "a", "x" * 20_001)]), "attributes.0.value"),
        (NewMemory("x", attributes=[NewAttribute(ANA, "a", "v", "")]), "attributes.0.group_key"),
        (
            NewMemory("x", attributes=[NewAttribute(ANA, "a", "v", "g", " ")]),
            "attributes.0.claim_key",
        ),
        (
            NewMemory(
                "x", attributes=[NewAttribute(ANA, "a", "v", valid_from=NOON, valid_to=NOON)]
            ),
            "attributes.0.valid_to",
        ),
        (NewMemory("x", attributes=[ENDED]), "attributes.0.valid_to"),
        (NewMemory("x", created_at=NOON, attributes=[ENDED]), "attributes.0.valid_to"),
        (
            NewMemory("x", created_at=EARLY, occurred_at=NOON, attributes=[ENDED]),
            "attributes.0.valid_to",
        ),
        (NewMemory("x", hints=["a", "x" * 2_001]), "hints.1"),
        (NewMemory("x", hints=["h"] * 51), "hints"),
        (NewMemory("x", supersedes=["i"] * 201), "supersedes"),
        (NewMemory("x", metadata={"k": "\u0000"}), "metadata.k"),
    ],
)
def test_a_memory_names_the_field_that_is_wrong(memory: NewMemory, field: str) -> None:
    assert field_of(lambda: check_new_memory(memory, LIMITS)) == field


def test_a_memory_at_every_limit_is_taken() -> None:
    check_new_memory(
        NewMemory(
            "x" * 100_000,
            type="t" * 64,
            entities=[NewMention(EntityRef(name="n" * 512))] * 200,
            attributes=[NewAttribute(ANA, "a", "v" * 20_000)] * 200,
            hints=["h" * 2_000] * 50,
        ),
        LIMITS,
    )


@pytest.mark.parametrize(
    ("update", "field"),
    [
        (MemoryUpdate(content=" "), "content"),
        (MemoryUpdate(type=""), "type"),
        (MemoryUpdate(source="\u0000"), "source"),
        (MemoryUpdate(hints=["", "a"]), "hints.0"),
        (MemoryUpdate(hints=["h"] * 51), "hints"),
        (MemoryUpdate(metadata={"k": float("nan")}), "metadata.k"),
    ],
)
def test_an_update_names_the_field_that_is_wrong(update: MemoryUpdate, field: str) -> None:
    assert field_of(lambda: check_update(update, LIMITS)) == field
