"""A slot's line: a function of what is claimed, whatever the order in which it arrived."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from service.domain.attribute import AttributeKind, AttributeStatus, Cardinality
from service.domain.slots import Claim, Span, constraint_in_the_way, derive, merged

ONE, MANY = Cardinality.ONE, Cardinality.MANY
ACTIVE, SUPERSEDED = AttributeStatus.ACTIVE, AttributeStatus.SUPERSEDED
START = datetime(2026, 1, 1, tzinfo=UTC)


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def claim(
    value: str,
    at: float,
    memory: str | None = None,
    until: float | None = None,
    attribute: str | None = None,
    constraint: bool = False,
) -> Claim:
    return Claim(
        memory_id=memory or f"{value}@{at}",
        value=value,
        at=day(at),
        until=None if until is None else day(until),
        kind=AttributeKind.CONSTRAINT if constraint else AttributeKind.ATTRIBUTE,
        attribute_id=attribute,
    )


def numbered() -> Callable[[], str]:
    numbers = itertools.count()
    return lambda: f"new-{next(numbers)}"


def line(*claims: Claim, cardinality: Cardinality = ONE) -> tuple[Span, ...]:
    return derive(claims, cardinality, numbered())


def values(spans: Iterable[Span]) -> list[str]:
    return [span.value for span in spans]


def carried(spans: Sequence[Span]) -> list[Claim]:
    """The claims of a line, each with the attribute that it got."""
    return [
        Claim(
            memory_id=one.memory_id,
            value=one.value,
            at=one.at,
            until=one.until,
            kind=one.kind,
            attribute_id=span.attribute_id,
        )
        for span in spans
        for one in span.claims
    ]


Stated = tuple[int, str, int]
"""Memory, value, day."""

stated: st.SearchStrategy[list[Stated]] = st.lists(
    st.tuples(st.integers(0, 99), st.sampled_from("abc"), st.integers(0, 5)),
    max_size=9,
    unique_by=lambda one: one[0],
)


def claims_of(facts: Iterable[Stated]) -> list[Claim]:
    return [claim(value, at, memory=f"m{memory:02}") for memory, value, at in facts]


def obvious(facts: Iterable[Stated]) -> list[tuple[str, set[str]]]:
    """The line by the simplest rule: sort, then group what stands side by side."""
    ordered = sorted(facts, key=lambda one: (one[2], one[1], one[0]))
    return [
        (value, {f"m{memory:02}" for memory, _, _ in group})
        for value, group in itertools.groupby(ordered, key=lambda one: one[1])
    ]


def test_nothing_claimed_is_an_empty_line() -> None:
    assert line() == ()


def test_a_newer_value_replaces_the_older_one() -> None:
    berlin, munich = line(claim("Munich", 2), claim("Berlin", 1))
    assert (berlin.value, berlin.status, berlin.valid_from, berlin.valid_to) == (
        "Berlin",
        SUPERSEDED,
        day(1),
        day(2),
    )
    assert berlin.replaced_by == munich.attribute_id
    assert (munich.value, munich.status, munich.valid_to) == ("Munich", ACTIVE, None)
    assert munich.replaced_by is None


def test_a_late_value_between_two_others_is_put_between_them() -> None:
    spans = line(claim("Berlin", 1), claim("Munich", 9), claim("Hamburg", 5))
    assert values(spans) == ["Berlin", "Hamburg", "Munich"]
    assert [span.valid_to for span in spans] == [day(5), day(9), None]


def test_going_back_to_an_earlier_value_is_a_new_attribute() -> None:
    first, _, second = line(claim("Berlin", 1), claim("Munich", 2), claim("Berlin", 3))
    assert first.value == second.value
    assert first.attribute_id != second.attribute_id
    assert second.status is ACTIVE


def test_equal_neighbours_are_one_attribute_with_all_their_claims() -> None:
    (span,) = line(claim("Berlin", 1), claim("  berlin ", 2), claim("BERLIN", 3))
    assert span.value == "Berlin"
    assert len(span.claims) == 3


def test_values_of_the_same_moment_have_a_fixed_order() -> None:
    forwards = line(claim("a", 1, memory="x"), claim("b", 1, memory="y"))
    backwards = line(claim("b", 1, memory="y"), claim("a", 1, memory="x"))
    assert values(forwards) == values(backwards) == ["a", "b"]


def test_the_end_that_a_claim_names_holds_until_the_value_is_confirmed_later() -> None:
    assert line(claim("Berlin", 1, until=4))[0].valid_to == day(4)
    assert line(claim("Berlin", 1), claim("Berlin", 1, "other", until=4))[0].valid_to == day(4)
    assert line(claim("Berlin", 1, until=4), claim("Berlin", 3))[0].valid_to == day(4)
    assert line(claim("Berlin", 1, until=4), claim("Berlin", 6))[0].valid_to is None
    assert line(claim("Berlin", 1, until=4), claim("Munich", 2))[0].valid_to == day(2)


def test_many_holds_each_distinct_value_side_by_side() -> None:
    spans = line(claim("tea", 1), claim("coffee", 2), claim("Tea", 3), cardinality=MANY)
    assert values(spans) == ["tea", "coffee"]
    assert {span.status for span in spans} == {ACTIVE}
    assert {span.valid_to for span in spans} == {None}
    assert {span.replaced_by for span in spans} == {None}


@given(stated, st.randoms(use_true_random=False))
def test_the_line_is_the_obvious_one_in_any_order_of_arrival(
    facts: list[Stated], dice: Random
) -> None:
    shuffled = list(facts)
    dice.shuffle(shuffled)
    spans = line(*claims_of(shuffled))
    got = [(span.value, {one.memory_id for one in span.claims}) for span in spans]
    assert got == obvious(facts)


@given(stated)
def test_one_value_is_active_and_the_rest_is_one_line_in_time(facts: list[Stated]) -> None:
    spans = line(*claims_of(facts))
    assert [span.status for span in spans[-1:]] == [ACTIVE] * bool(facts)
    assert all(span.status is SUPERSEDED for span in spans[:-1])
    assert len({span.attribute_id for span in spans}) == len(spans)
    for before, after in itertools.pairwise(spans):
        assert before.value != after.value
        assert before.replaced_by == after.attribute_id
        assert before.valid_to == after.valid_from
        assert before.valid_from <= after.valid_from


@given(stated, st.sampled_from(Cardinality))
def test_deriving_again_changes_nothing(facts: list[Stated], cardinality: Cardinality) -> None:
    spans = line(*claims_of(facts), cardinality=cardinality)
    again = line(*carried(spans), cardinality=cardinality)
    assert [span.attribute_id for span in again] == [span.attribute_id for span in spans]


@given(stated, stated)
def test_one_at_a_time_gives_the_line_of_all_at_once(
    facts: list[Stated], more: list[Stated]
) -> None:
    ids = numbered()
    known: tuple[Span, ...] = ()
    for one in claims_of(facts):
        known = derive([*carried(known), one], ONE, ids)
    assert [(span.value, len(span.claims)) for span in known] == [
        (value, len(memories)) for value, memories in obvious(facts)
    ]
    gone = {f"m{memory:02}" for memory, _, _ in more}
    kept = [one for one in carried(known) if one.memory_id not in gone]
    before = {span.attribute_id: span.value for span in known}
    after = derive(kept, ONE, ids)
    for span in after:
        assert before.get(span.attribute_id, span.value) == span.value


def test_an_attribute_keeps_its_id_where_most_of_its_claims_stay() -> None:
    spans = line(
        claim("Berlin", 1, attribute="home"),
        claim("Munich", 2),
        claim("Berlin", 3, attribute="home"),
        claim("Berlin", 4, attribute="home"),
    )
    assert [span.attribute_id for span in spans] == ["new-0", "new-1", "home"]


def test_a_constraint_stands_in_the_way_of_another_value_that_is_newer() -> None:
    standing = line(claim("no red meat", 5, constraint=True))
    assert constraint_in_the_way(standing, claim("meat", 6)) == standing[-1]
    assert constraint_in_the_way(standing, claim("meat", 4)) is None
    assert constraint_in_the_way(standing, claim("No  Red Meat", 6)) is None
    assert constraint_in_the_way(line(claim("no red meat", 5)), claim("meat", 6)) is None
    assert constraint_in_the_way((), claim("meat", 6)) is None


def test_a_late_value_does_not_cut_a_constraint_in_two() -> None:
    confirmed = line(claim("no meat", 2, constraint=True), claim("no meat", 8))
    assert constraint_in_the_way(confirmed, claim("meat", 5)) == confirmed[-1]
    late = line(claim("no meat", 2), claim("no meat", 8, constraint=True))
    assert constraint_in_the_way(late, claim("meat", 5)) is None


def test_two_claims_of_one_memory_about_one_moment_are_one_whichever_came_first() -> None:
    one = claim("Berlin", 1, "m", until=9, constraint=True)
    other = replace(claim("BERLIN", 1, "m", until=5), confidence=0.5, importance=0.9)
    both = merged(one, other)
    assert both == merged(other, one)
    assert (both.value, both.until, both.kind) == ("BERLIN", day(5), AttributeKind.CONSTRAINT)
    assert (both.confidence, both.importance) == (1.0, 0.9)


def test_the_spelling_shown_does_not_depend_on_who_said_it() -> None:
    for first, second in (("x", "y"), ("y", "x")):
        (span,) = line(claim("Berlin", 1, first), claim("BERLIN", 1, second))
        assert span.value == "BERLIN"
