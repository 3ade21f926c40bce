"""What an import does with what the scope holds already: it adds, and brings nothing back."""

from datetime import UTC, datetime, timedelta
from typing import Any

from service.cli.foreign.model import ForeignStore, Losses, Replacement, Row
from service.cli.foreign.plan import Here, Plan, planned
from service.domain.names import collapsed


def row(id: str, content: str, **more: Any) -> Row:
    """A row of the day that its id's last letter names."""
    at = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=ord(id[-1]))
    return Row(id, at, {"content": content, **more})


def plan_of(*rows: Row, here: Here | None = None, edges: tuple[str, ...] = ()) -> Plan:
    replacements = [Replacement(edge[0], edge[1]) for edge in edges]
    store = ForeignStore("mnemon", "1", "insight", list(rows), replacements, Losses())
    return planned(store, here or Here(), collapsed)


def new(plan: Plan) -> list[str]:
    return [each.id for each in plan.new]


def why(plan: Plan) -> list[tuple[str, int]]:
    return [(loss.why, loss.count) for loss in plan.losses.all()]


def test_into_an_empty_scope_everything_is_new() -> None:
    plan = plan_of(row("a", "alder"), row("b", "birch"), edges=("ba",))
    assert new(plan) == ["a", "b"]
    assert plan.replacements == [Replacement("b", "a")]


def test_what_an_earlier_run_brought_is_there_whatever_became_of_its_text() -> None:
    plan = plan_of(row("a", "alder"), here=Here(by_origin={"a": "m1"}))
    assert (new(plan), plan.again, plan.there) == ([], [], {"a": "m1"})


def test_a_current_memory_of_the_same_text_is_given_the_structure() -> None:
    plan = plan_of(row("a", " alder "), here=Here(current={"alder": "m1"}))
    assert (new(plan), plan.there) == ([], {"a": "m1"})
    assert [each.id for each in plan.to_send()] == ["a"]


def test_what_was_deleted_here_stays_deleted() -> None:
    plan = plan_of(row("a", "alder"), row("b", "birch"), here=Here(deleted={"alder"}),
                   edges=("ba",))  # fmt: skip
    assert new(plan) == ["b"]
    assert why(plan) == [
        ("was deleted here: it is not brought back", 1),
        ("a memory of it is not carried over", 1),
    ]


def test_what_was_reworded_here_and_then_deleted_stays_deleted() -> None:
    plan = plan_of(row("a", "alder"), here=Here(deleted_ids={"a"}))
    assert new(plan) == []
    plan = plan_of(row("a", "alder"), row("b", "alder"), here=Here(deleted_ids={"b"}))
    assert new(plan) == []


def test_what_was_deleted_and_told_again_here_is_there() -> None:
    plan = plan_of(row("a", "alder"), here=Here(current={"alder": "m2"}, deleted={"alder"}))
    assert (new(plan), plan.there) == ([], {"a": "m2"})


def test_what_was_replaced_here_since_stays_replaced() -> None:
    plan = plan_of(row("a", "alder"), here=Here(replaced={"alder": [("m1", None)]}))
    assert (new(plan), plan.again, plan.there) == ([], [], {"a": "m1"})


def test_one_text_twice_is_one_memory_with_the_structure_of_both() -> None:
    plan = plan_of(
        row("a", "alder", entities=[{"name": "x"}, {"name": "y"}]),
        row("b", "alder", entities=[{"name": "y"}, {"name": "z"}], hints=["h"]),
    )
    (only,) = plan.new
    assert only.id == "a"
    assert [each["name"] for each in only.body["entities"]] == ["x", "y", "z"]
    assert only.body["hints"] == ["h"]


def test_of_one_text_twice_either_id_is_known_again() -> None:
    rows = (row("a", "alder"), row("b", "alder"))
    plan = plan_of(*rows, here=Here(by_origin={"b": "m1"}))
    assert (new(plan), plan.there) == ([], {"a": "m1"})


def test_a_text_that_comes_back_after_it_was_replaced_is_a_memory_of_its_own() -> None:
    rows = (row("a", "Berlin"), row("b", "Munich"), row("c", "Berlin"))
    plan = plan_of(*rows, edges=("ba", "cb"))
    assert new(plan) == ["a", "b", "c"]
    # Broken off after the first two.
    here = Here(
        by_origin={"a": "m1", "b": "m2"},
        current={"Munich": "m2"},
        replaced={"Berlin": [("m1", "a")]},
    )
    plan = plan_of(*rows, here=here, edges=("ba", "cb"))
    assert new(plan) == ["c"]
    assert plan.replacements == [Replacement("b", "a"), Replacement("c", "b")]


def test_a_replacement_by_the_same_text_is_left() -> None:
    plan = plan_of(row("a", "alder"), row("b", "alder"), edges=("ba",))
    assert new(plan) == ["a", "b"]
    assert plan.replacements == [Replacement("b", "a")]
    plan = plan_of(row("a", "alder"), row("b", "alder"), edges=("ab",))
    assert new(plan) == ["a"]
    assert why(plan) == [("both memories have the same text", 1)]
