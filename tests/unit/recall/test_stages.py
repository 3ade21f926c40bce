"""The stages over plain candidates: who may be added, lifted, lowered or left out."""

import math
from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from service.domain.change import Successor
from service.projection.catalogue import Catalogue
from service.recall.candidate import Candidate, Context
from service.recall.settings import RecallSettings
from service.recall.stages import ranked
from tests.stores.changes import NOON, memory

SIZE = 8


def catalogue(edges: Mapping[int, set[int]]) -> Catalogue:
    """Memories 1 to 8; each edge goes from a stale one to what replaces it."""
    made = Catalogue()
    made.apply(
        [
            memory(
                ordinal,
                "text",
                successors=tuple(Successor(f"id-{one}", NOON) for one in edges.get(ordinal, ())),
            )
            for ordinal in range(1, SIZE + 1)
        ],
        1,
    )
    return made


def candidate(known: Catalogue, ordinal: int, fused: float = 0.0, traversal: float = 0.0):
    entry = known.entry(ordinal)
    assert entry is not None
    return Candidate(entry, entry.superseded, fused=fused, traversal=traversal, sources=["vector"])


def run(
    known: Catalogue,
    found: Mapping[int, tuple[float, float]],
    settings: RecallSettings | None = None,
    *,
    is_historical: bool = False,
    include_superseded: bool = True,
    min_score: float = 0.0,
) -> dict[int, Candidate]:
    """The candidates in their order, by ordinal, of (fused, traversal) scores."""
    context = Context(
        settings=settings or RecallSettings(),
        standing=known.at(None),
        is_historical=is_historical,
        include_superseded=include_superseded,
        min_score=min_score,
    )

    def join(ordinal: int) -> Candidate | None:
        entry = known.entry(ordinal)
        return None if entry is None else Candidate(entry, superseded=False)

    candidates = [candidate(known, one, *scores) for one, scores in found.items()]
    return {one.entry.ordinal: one for one in ranked(candidates, context, join)}


def test_a_head_keeps_a_higher_score_of_its_own() -> None:
    order = run(catalogue({1: {2}}), {1: (0.4, 0.0), 2: (0.6, 0.0)})
    assert [(one, made.score, made.sources) for one, made in order.items()] == [
        (2, 0.6, ["vector"]),
        (1, 0.1, ["vector"]),
    ]


def test_the_best_of_several_stale_ones_is_what_a_head_takes() -> None:
    order = run(catalogue({1: {4}, 2: {4}, 3: {4}}), {1: (0.4, 0), 2: (0.8, 0), 3: (0.6, 0)})
    assert list(order) == [4, 2, 3, 1]
    assert order[4].score == 0.8
    assert order[4].sources == ["succession"]


def test_the_middle_of_a_chain_gets_nothing() -> None:
    order = run(catalogue({1: {2}, 2: {3}}), {1: (0.8, 0.0)})
    assert list(order) == [3, 1]


def test_traversal_alone_stays_below_everything_else() -> None:
    order = run(catalogue({}), {1: (0.02, 0.0), 2: (0.0, 1.0), 3: (0.0, 0.5), 4: (0.5, 1.0)})
    assert list(order) == [4, 1, 2, 3] or list(order)[:2] == [4, 1]
    assert order[4].score == 0.65
    assert 0 < order[2].score < order[1].score
    alone = run(catalogue({}), {2: (0.0, 1.0), 3: (0.0, 0.5)})
    assert [made.score for made in alone.values()] == [0.15, 0.075]


def test_min_score_looks_at_the_score_from_before_the_demotion() -> None:
    order = run(catalogue({1: {2}}), {1: (0.4, 0.0), 3: (0.3, 0.0)}, min_score=0.35)
    assert list(order) == [2, 1]
    assert order[1].score == 0.1


def test_left_out_ones_still_lead_to_their_heads() -> None:
    order = run(catalogue({1: {2}}), {1: (0.4, 0.0)}, include_superseded=False)
    assert list(order) == [2]


def test_a_fork_lifts_every_head() -> None:
    order = run(catalogue({1: {2, 3}}), {1: (0.4, 0.0)})
    assert list(order) == [2, 3, 1]
    assert order[2].score == order[3].score == 0.4


SCORES = st.floats(0.0, 1.0)
FOUND = st.dictionaries(st.integers(1, SIZE), st.tuples(SCORES, SCORES), max_size=SIZE)
EDGES = st.dictionaries(st.integers(1, SIZE), st.sets(st.integers(1, SIZE), max_size=2))
KNOBS = st.builds(
    RecallSettings,
    superseded_factor=SCORES,
    succession=st.booleans(),
    boost_weight=SCORES,
)


@settings(max_examples=200, deadline=None)
@given(FOUND, KNOBS)
def test_without_any_edge_currentness_changes_nothing(
    found: dict[int, tuple[float, float]], knobs: RecallSettings
) -> None:
    plain = RecallSettings(superseded_factor=1.0, succession=False, boost_weight=knobs.boost_weight)
    one, other = run(catalogue({}), found, knobs), run(catalogue({}), found, plain)
    assert [(at, made.score) for at, made in one.items()] == [
        (at, made.score) for at, made in other.items()
    ]


@settings(max_examples=300, deadline=None)
@given(FOUND, EDGES, KNOBS, st.booleans(), st.booleans())
def test_only_succession_adds_and_scores_stay_finite_and_in_order(
    found: dict[int, tuple[float, float]],
    edges: dict[int, set[int]],
    knobs: RecallSettings,
    is_historical: bool,
    include_superseded: bool,
) -> None:
    edges = {stale: newer - {stale} for stale, newer in edges.items()}
    known = catalogue(edges)
    order = run(
        known, found, knobs, is_historical=is_historical, include_superseded=include_superseded
    )
    standing = known.at(None)
    heads = {step.ordinal for one in found for step in standing.heads(one)}
    added = set(order) - set(found)
    assert added <= heads
    assert not added or (knobs.succession and not is_historical)
    assert all(order[one].sources == ["succession"] for one in added)
    removed = set(found) - set(order)
    assert all(standing.superseded(one) and not include_superseded for one in removed)
    scores = [made.score for made in order.values()]
    assert all(math.isfinite(score) and score >= 0.0 for score in scores)
    assert scores == sorted(scores, reverse=True)
    reverse = dict(reversed(found.items()))
    again = run(
        known, reverse, knobs, is_historical=is_historical, include_superseded=include_superseded
    )
    assert [(one, made.score) for one, made in again.items()] == [
        (one, made.score) for one, made in order.items()
    ]


@settings(max_examples=200, deadline=None)
@given(FOUND, EDGES)
def test_no_stale_memory_stands_before_its_heads(
    found: dict[int, tuple[float, float]], edges: dict[int, set[int]]
) -> None:
    known = catalogue({stale: newer - {stale} for stale, newer in edges.items()})
    order = run(known, found)
    places = {ordinal: place for place, ordinal in enumerate(order)}
    for ordinal, made in order.items():
        for step in known.heads(ordinal):
            if made.undemoted > 0.0:
                assert places[step.ordinal] < places[ordinal]
