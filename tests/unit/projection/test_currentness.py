"""Who is superseded and what stands in its place: chains, forks, slots, moments, conflicts."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.domain.attribute import AttributeStatus
from service.domain.change import MemoryChange, Statement, Successor
from service.projection.catalogue import Catalogue
from service.projection.currentness import Step
from tests.stores.changes import NOON, memory

ACTIVE, SUPERSEDED, RETRACTED = (
    AttributeStatus.ACTIVE,
    AttributeStatus.SUPERSEDED,
    AttributeStatus.RETRACTED,
)
DAY = timedelta(days=1)


def day(number: int) -> datetime:
    return NOON + number * DAY


def one(ordinal: int, *successors: int, statements: Sequence[Statement] = ()) -> MemoryChange:
    """A memory of the day of its ordinal."""
    edges = tuple(Successor(f"id-{other}", day(other)) for other in successors)
    return memory(
        ordinal, "text", created_at=day(ordinal), successors=edges, statements=tuple(statements)
    )


def value(attribute: str, slot: str, start: int, end: int | None = None) -> Statement:
    status = ACTIVE if end is None else SUPERSEDED
    return Statement(attribute, slot, status, day(start), None if end is None else day(end))


def filled(*changes: MemoryChange) -> Catalogue:
    catalogue = Catalogue()
    catalogue.apply(changes, 1)
    return catalogue


def ordinals(steps: Sequence[Step]) -> list[int]:
    return [step.ordinal for step in steps]


@pytest.mark.parametrize("length", [2, 40, 5_000])
def test_a_chain_has_its_last_memory_for_a_head(length: int) -> None:
    catalogue = filled(*(one(i, i + 1) for i in range(1, length)), one(length))
    standing = catalogue.at(None)
    assert ordinals(standing.direct(1)) == [2]
    for start in range(1, length):
        assert standing.superseded(start) is True
        assert standing.heads(start) == (Step(length, None),)
    assert standing.superseded(length) is False
    assert standing.heads(length) == ()


def test_a_fork_has_several_heads_newest_first_then_by_id() -> None:
    same_day = memory(5, "text", created_at=day(4))
    catalogue = filled(one(1, 3, 2), one(2, 4), one(3), one(4), same_day, one(6, 5, 4))
    assert ordinals(catalogue.heads(1)) == [4, 3]
    assert ordinals(catalogue.direct(1)) == [3, 2]
    assert ordinals(catalogue.heads(6)) == [4, 5]


def test_a_slot_names_the_attribute_that_is_active_now() -> None:
    catalogue = filled(
        one(1, statements=[value("berlin", "home", 1, 2)]),
        one(2, statements=[value("munich", "home", 2, 3)]),
        one(3, statements=[value("berlin again", "home", 3)]),
        one(4, statements=[value("berlin again", "home", 3)]),
    )
    expected = (Step(4, "berlin again"), Step(3, "berlin again"))
    for stale in (1, 2):
        assert catalogue.superseded_at(stale) is True
        assert catalogue.direct(stale) == expected
        assert catalogue.heads(stale) == expected
    assert catalogue.superseded_at(3) is False


def test_a_memory_is_current_while_anything_it_states_is() -> None:
    catalogue = filled(
        one(1, statements=[value("a1", "a", 1, 2), value("b1", "b", 1)]),
        one(2, statements=[value("a2", "a", 2)]),
        one(3, statements=[Statement("c", "c", RETRACTED, day(3), None)]),
        one(4, statements=[value("a1", "a", 1, 2), Statement("c", "c", RETRACTED, day(3), None)]),
        one(5),
    )
    assert [catalogue.superseded_at(ordinal) for ordinal in (1, 3, 4, 5)] == [
        False,
        False,
        True,
        False,
    ]
    assert catalogue.heads(4) == (Step(2, "a2"),)
    assert catalogue.superseded_at(99) is None
    assert catalogue.heads(99) == ()


def test_chains_of_edges_and_slots_are_followed_together() -> None:
    catalogue = filled(
        one(1, 2),
        one(2, statements=[value("old", "slot", 2, 3)]),
        one(3, 4, statements=[value("new", "slot", 3)]),
        one(4),
        one(5, statements=[value("old", "slot", 2, 3)]),
    )
    assert catalogue.heads(1) == (Step(4, None),)
    assert catalogue.heads(5) == (Step(4, None),)
    assert catalogue.direct(5) == (Step(3, "new"),)


def test_an_edge_against_the_order_of_a_slot_ends() -> None:
    catalogue = filled(
        one(1, statements=[value("old", "slot", 1, 2)]),
        one(2, 1, statements=[value("new", "slot", 2)]),
        one(3, 2),
    )
    for ordinal in (1, 2, 3):
        assert catalogue.superseded_at(ordinal) is True
        assert catalogue.heads(ordinal) == ()
    assert ordinals(catalogue.direct(1)) == [2]
    assert ordinals(catalogue.direct(2)) == [1]


def test_a_successor_that_is_gone_leaves_no_head_but_the_mark() -> None:
    catalogue = filled(one(1, 9))
    assert catalogue.superseded_at(1) is True
    assert catalogue.heads(1) == ()
    assert catalogue.direct(1) == ()


def test_what_is_newer_than_the_moment_demotes_nothing() -> None:
    catalogue = filled(one(1, 3), one(3, 5), one(5))
    assert catalogue.superseded_at(1, day(2)) is False
    assert catalogue.heads(1, day(2)) == ()
    assert catalogue.superseded_at(1, day(3)) is True
    assert catalogue.heads(1, day(4)) == (Step(3, None),)
    assert catalogue.heads(1, day(5)) == (Step(5, None),)


def test_a_slot_is_read_as_it_held_at_the_moment() -> None:
    catalogue = filled(
        one(1, statements=[value("a", "slot", 1, 3)]),
        one(3, statements=[value("b", "slot", 3, 6)]),
        one(6, statements=[value("c", "slot", 6)]),
    )
    assert catalogue.superseded_at(1, day(2)) is False
    assert catalogue.superseded_at(1, day(3)) is True
    assert catalogue.heads(1, day(4)) == (Step(3, "b"),)
    assert catalogue.heads(1, day(6)) == (Step(6, "c"),)
    assert catalogue.superseded_at(3, day(5)) is False


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), max_size=16))
def test_heads_are_the_reachable_ends_whatever_the_edges(edges: list[tuple[int, int]]) -> None:
    successors: dict[int, set[int]] = {ordinal: set() for ordinal in range(1, 10)}
    for stale, newer in edges:
        if stale != newer:
            successors[stale].add(newer)
    catalogue = filled(*(one(ordinal, *sorted(to)) for ordinal, to in successors.items()))
    standing = catalogue.at(None)
    for start in successors:
        reached: set[int] = set()
        waiting = [start]
        while waiting:
            for step in successors[waiting.pop()] - reached:
                reached.add(step)
                waiting.append(step)
        ends = {ordinal for ordinal in reached if not successors[ordinal]}
        assert ordinals(standing.heads(start)) == sorted(ends, reverse=True)
