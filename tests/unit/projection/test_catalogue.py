"""The catalogue: filters, mentions, counts, and that changes replace each other."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.domain.attribute import AttributeStatus
from service.domain.change import Change, Statement, Successor
from service.domain.filters import TextFilters, microseconds
from service.projection.catalogue import Catalogue
from tests.stores.changes import NOON, memory, removal

DAY = timedelta(days=1)


def filled(*changes: Change) -> Catalogue:
    catalogue = Catalogue()
    catalogue.apply(changes, max((change.revision for change in changes), default=0))
    return catalogue


def us(moment: datetime) -> int:
    return microseconds(moment)


def test_it_knows_each_memory_by_ordinal_and_by_id() -> None:
    catalogue = filled(memory(1, "a", occurred_at=NOON - DAY), memory(2, "b", "t"))
    entry = catalogue.entry(1)
    assert entry is not None
    assert (entry.id, entry.scope, entry.type) == ("id-1", "s", "fact")
    assert (entry.created_at, entry.event_at) == (NOON, NOON - DAY)
    assert catalogue.ordinal("id-2") == 2
    assert catalogue.ordinal("id-3") is None
    assert catalogue.counts() == {"s": 1, "t": 1}
    assert catalogue.revisions() == {1: 1, 2: 2}
    assert len(catalogue) == 2
    assert catalogue.applied_revision == 2


def test_a_later_change_replaces_and_a_removal_leaves_nothing() -> None:
    first = memory(1, "a", entity_ids=("x", "y"), statements=(stated("slot"),))
    catalogue = filled(first, memory(2, "b", entity_ids=("x",)))
    catalogue.apply([memory(1, "a", revision=3, entity_ids=("y", "z"), type="rule")], 3)
    assert catalogue.mentioning("x").tolist() == [2]
    assert catalogue.mentioning("z").tolist() == [1]
    assert catalogue.stating("slot", active=False).tolist() == []
    assert catalogue.revisions() == {1: 3, 2: 2}
    catalogue.apply([removal(1, 4), removal(2, 5), removal(9, 5)], 5)
    assert len(catalogue) == 0
    assert catalogue.counts() == {}
    assert catalogue.scope("s").tolist() == []
    assert catalogue.mentioning("y").tolist() == []
    assert catalogue.entry(1) is None
    assert catalogue.ordinal("id-1") is None


def test_cleared_it_begins_anew() -> None:
    catalogue = filled(memory(1, "a", entity_ids=("x",)))
    catalogue.clear()
    assert catalogue.applied_revision == 0
    assert catalogue.revisions() == {}
    assert catalogue.mentioning("x").tolist() == []


def stated(slot: str, status: AttributeStatus = AttributeStatus.ACTIVE, **times: Any) -> Statement:
    span = {"valid_from": NOON, "valid_to": None} | times
    return Statement(f"attribute-{slot}", slot, status, **span)


def test_slots_know_who_states_what_is_active() -> None:
    superseded = AttributeStatus.SUPERSEDED
    catalogue = filled(
        memory(2, "b", statements=(stated("slot"), stated("other", superseded))),
        memory(1, "a", statements=(stated("slot", superseded),)),
    )
    assert catalogue.stating("slot", active=True).tolist() == [2]
    assert catalogue.stating("slot", active=False).tolist() == [1, 2]
    assert catalogue.stating("other", active=True).tolist() == []


def test_without_a_filter_there_is_no_list() -> None:
    catalogue = filled(memory(1, "a"))
    assert catalogue.filtered("s", TextFilters()) is None
    assert catalogue.scope("s").tolist() == [1]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (TextFilters(since_us=us(NOON)), [2, 3, 4]),
        (TextFilters(until_us=us(NOON)), [1]),
        (TextFilters(since_us=us(NOON), until_us=us(NOON + DAY)), [2, 4]),
        (TextFilters(types=("rule", "unheard of")), [2]),
        (TextFilters(types=()), []),
        (TextFilters(entity_id="x"), [1, 3]),
        (TextFilters(entity_id="unknown"), []),
        (TextFilters(include_superseded=False), [1, 2, 4]),
        (TextFilters(as_of_us=us(NOON)), [1, 2]),
        (TextFilters(entity_id="x", since_us=us(NOON)), [3]),
        (TextFilters(as_of_us=us(NOON + DAY), include_superseded=False), [1, 2, 4]),
    ],
)
def test_filters(filters: TextFilters, expected: list[int]) -> None:
    catalogue = filled(
        memory(4, "d", occurred_at=NOON + DAY),
        memory(2, "b", type="rule"),
        memory(
            3,
            "c",
            created_at=NOON + DAY,
            entity_ids=("x", "y"),
            successors=(Successor("id-1", NOON),),
        ),
        memory(1, "a", created_at=NOON - DAY, entity_ids=("x",)),
        memory(5, "e", "elsewhere", entity_ids=("x",), type="rule"),
    )
    allowed = catalogue.filtered("s", filters)
    assert allowed is not None
    assert allowed.dtype == np.int64
    assert allowed.tolist() == expected


def test_superseded_is_left_out_as_it_was_at_that_moment() -> None:
    catalogue = filled(
        memory(1, "old", created_at=NOON, successors=(Successor("id-2", NOON),)),
        memory(2, "new", created_at=NOON + 2 * DAY),
    )
    for at, expected in ((NOON + DAY, [1]), (NOON + 2 * DAY, [2])):
        filters = TextFilters(as_of_us=us(at), include_superseded=False)
        allowed = catalogue.filtered("s", filters)
        assert allowed is not None
        assert allowed.tolist() == expected


def test_an_unknown_scope_has_nothing() -> None:
    catalogue = filled(memory(1, "a"))
    allowed = catalogue.filtered("t", TextFilters(types=("fact",)))
    assert allowed is not None
    assert allowed.tolist() == []
    assert catalogue.scope("t").tolist() == []


CHANGES = st.lists(
    st.tuples(
        st.integers(1, 12),
        st.booleans(),
        st.sampled_from("st"),
        st.sets(st.sampled_from("xyz")),
        st.integers(-2, 2),
        st.sampled_from(["fact", "rule"]),
    ),
    max_size=60,
)


@settings(max_examples=150, deadline=None)
@given(CHANGES, st.integers(1, 7))
def test_any_order_of_changes_leaves_the_last_state(changes: list[Any], batch: int) -> None:
    feed: list[Change] = []
    state: dict[int, Any] = {}
    for revision, (ordinal, gone, scope, entities, days, kind) in enumerate(changes, 1):
        if gone:
            feed.append(removal(ordinal, revision))
            state.pop(ordinal, None)
            continue
        fields = {
            "revision": revision,
            "entity_ids": tuple(sorted(entities)),
            "created_at": datetime(2026, 1, 1, tzinfo=UTC) + days * DAY,
            "type": kind,
        }
        feed.append(memory(ordinal, "text", scope, **fields))
        state[ordinal] = scope, entities, days, kind, revision
    catalogue = Catalogue()
    for start in range(0, len(feed), batch):
        catalogue.apply(feed[start : start + batch], start + batch)
    assert dict(catalogue.revisions()) == {one: known[4] for one, known in state.items()}
    for scope in "st":
        inside = {one: known for one, known in state.items() if known[0] == scope}
        assert catalogue.scope(scope).tolist() == sorted(inside)
        since = TextFilters(since_us=us(datetime(2026, 1, 1, tzinfo=UTC)))
        allowed = catalogue.filtered(scope, since)
        assert allowed is not None
        assert allowed.tolist() == sorted(one for one in inside if inside[one][2] >= 0)
        rules = catalogue.filtered(scope, TextFilters(types=("rule",), entity_id="x"))
        assert rules is not None
        assert rules.tolist() == sorted(
            one for one, known in inside.items() if known[3] == "rule" and "x" in known[1]
        )
    for entity in "xyz":
        mentioning = sorted(one for one, known in state.items() if entity in known[1])
        assert catalogue.mentioning(entity).tolist() == mentioning
