"""Which direction counts where a file has edges in both, and what a cycle is."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from service.cli.foreign.model import Losses, Replacement
from service.cli.foreign.supersession import decided

AT = {name: datetime(2025, 1, day, tzinfo=UTC) for day, name in enumerate("abcdef", start=1)}


def chosen(
    *edges: str, asked: tuple[str, ...] = (), at: dict[str, datetime] = AT
) -> tuple[list[str], list[str], dict[str, int]]:
    losses = Losses()
    found, reverse = decided(
        [Replacement(edge[0], edge[1]) for edge in edges],
        at,
        {(each[0], each[1]) for each in asked},
        losses,
    )
    left = sorted(edge.source + edge.target for edge in found)
    return (
        left,
        [each.source + each.target for each in reverse],
        {loss.why: loss.count for loss in losses.all()},
    )


def test_a_single_edge_counts_as_it_stands_also_from_older_to_newer() -> None:
    assert chosen("ba", "cd") == (["ba", "cd"], [], {})


def test_of_a_pair_the_newer_one_replaces_the_older() -> None:
    assert chosen("ab", "ba") == (["ba"], ["ab"], {})
    assert chosen("ba", "ab", "dc") == (["ba", "dc"], ["ab"], {})


def test_the_direction_that_was_asked_for_goes_before_the_times() -> None:
    assert chosen("ab", "ba", asked=("ab",)) == (["ab"], ["ba"], {})
    assert chosen("ab", "ba", asked=("ab", "ba")) == (["ba"], ["ab"], {})


def test_a_pair_of_one_time_is_left() -> None:
    same = {"a": AT["a"], "b": AT["a"]}
    left, reverse, losses = chosen("ab", "ba", at=same)
    assert (left, reverse) == ([], [])
    assert list(losses.values()) == [1]


def test_a_memory_that_replaces_itself_is_left() -> None:
    assert chosen("aa", "ba") == (["ba"], [], {"replaces itself": 1})


def test_a_cycle_of_any_length_is_left_and_what_leads_to_it_is_not() -> None:
    left, _, losses = chosen("ab", "bc", "ca", "da", "ce", "fd")
    assert left == ["ce", "da", "fd"]
    assert losses == {"is part of a cycle": 3}


def test_an_edge_between_two_cycles_is_carried() -> None:
    left, _, losses = chosen("ab", "bc", "ca", "cd", "de", "ef", "fd")
    assert left == ["cd"]
    assert losses == {"is part of a cycle": 6}


_NAMES = st.sampled_from("abcdef")


@given(st.lists(st.tuples(_NAMES, _NAMES), unique=True, max_size=20))
def test_what_is_left_never_leads_back_to_its_start(edges: list[tuple[str, str]]) -> None:
    found, _ = decided([Replacement(*edge) for edge in edges], AT, set(), Losses())
    follows: dict[str, set[str]] = {}
    for edge in found:
        follows.setdefault(edge.source, set()).add(edge.target)
    for start in follows:
        seen: set[str] = set()
        waiting = list(follows[start])
        while waiting:
            one = waiting.pop()
            assert one != start
            if one not in seen:
                seen.add(one)
                waiting += follows.get(one, set())
