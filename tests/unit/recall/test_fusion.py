import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.recall.fusion import (
    COSINES,
    NEUTRAL,
    TEXT,
    Line,
    calibrate_cosine,
    calibrate_text,
    cosine_line,
    fuse,
    merge_text,
    relevance,
)

BGE = COSINES["bge-small-en-v1.5-int8"]
unit = st.floats(0, 1)
cosines = st.floats(-1, 1)


@pytest.mark.parametrize(
    ("score", "ceiling", "expected"),
    [
        pytest.param(0.0, 40.0, 0.0, id="no match"),
        pytest.param(10.0, 40.0, 0.5, id="a quarter of the ceiling"),
        pytest.param(20.0, 40.0, 1.0, id="half of the ceiling"),
        pytest.param(39.0, 40.0, 1.0, id="every word many times"),
        pytest.param(41.0, 40.0, 1.0, id="over the ceiling by rounding"),
        pytest.param(5.0, 0.0, 0.0, id="a query without words"),
        pytest.param(5.0, math.nan, 0.0, id="an unknown ceiling"),
    ],
)
def test_text_is_a_share_of_what_could_be_reached(
    score: float, ceiling: float, expected: float
) -> None:
    assert calibrate_text([score], ceiling)[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("cosine", "expected"),
    [(-1.0, 0), (0.0, 0), (0.45, 0), (0.5, 0.1), (0.7, 0.5), (0.85, 0.8), (0.95, 1), (1.0, 1)],
)
def test_cosines_of_the_default_model(cosine: float, expected: float) -> None:
    assert calibrate_cosine([cosine], BGE)[0] == pytest.approx(expected)


def test_no_cosine_is_none() -> None:
    assert calibrate_cosine([math.nan], BGE)[0] == 0.0


def test_a_model_nobody_measured_has_the_neutral_line() -> None:
    assert cosine_line("bge-small-en-v1.5-int8") is BGE
    assert cosine_line("another") is NEUTRAL
    np.testing.assert_allclose(calibrate_cosine([-0.5, 0.0, 0.3, 1.0], NEUTRAL), [0, 0, 0.3, 1])


def test_a_line_must_rise() -> None:
    with pytest.raises(ValueError, match=r"zero 0\.5 must be below its one 0\.5"):
        Line(0.5, 0.5)


def test_hints_and_content_merge_by_maximum() -> None:
    np.testing.assert_array_equal(merge_text([0.2, 0.9, 0.0], [0.6, 0.3, 0.0]), [0.6, 0.9, 0.0])


@pytest.mark.parametrize(
    ("alpha", "order"), [(0.0, [0, 1]), (0.4, [0, 1]), (0.6, [1, 0]), (1.0, [1, 0])]
)
def test_alpha_decides_the_order(alpha: float, order: list[int]) -> None:
    words = calibrate_text([20.0, 0.0], 40.0)
    meaning = calibrate_cosine([0.45, 0.95], BGE)
    assert list(np.argsort(-fuse(words, meaning, alpha))) == order


@pytest.mark.parametrize("alpha", [-0.1, 1.1, math.nan])
def test_an_alpha_out_of_its_range_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match=r"must be in 0\.\.1"):
        fuse([0.5], [0.5], alpha)


def test_the_best_of_a_poor_lot_stays_poor() -> None:
    """An unrelated query: one common word matched, no memory near in meaning."""
    fused = fuse(calibrate_text([1.5, 0.0], 40.0), calibrate_cosine([0.48, 0.44], BGE), 0.7)
    assert fused.max() < 0.1


def test_no_candidate_is_no_score() -> None:
    assert fuse(calibrate_text([], 40.0), calibrate_cosine([], BGE), 0.7).shape == (0,)


@given(st.floats(allow_nan=True, allow_infinity=True), st.floats(1e-300, 1e300))
def test_text_is_finite_and_within_0_and_1(score: float, ceiling: float) -> None:
    assert 0.0 <= calibrate_text([score], ceiling)[0] <= 1.0


@given(st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([BGE, NEUTRAL, TEXT]))
def test_a_line_is_finite_and_within_0_and_1(value: float, line: Line) -> None:
    assert 0.0 <= line([value])[0] <= 1.0


@given(unit, unit, unit, unit, unit)
def test_fused_is_within_0_and_1_and_never_falls(
    text: float, vector: float, more_text: float, more_vector: float, alpha: float
) -> None:
    low = fuse([min(text, more_text)], [min(vector, more_vector)], alpha)[0]
    high = fuse([max(text, more_text)], [max(vector, more_vector)], alpha)[0]
    assert 0.0 <= low <= high <= 1.0


@given(cosines, cosines, st.sampled_from([BGE, NEUTRAL]))
def test_a_nearer_memory_never_scores_less(one: float, other: float, line: Line) -> None:
    low, high = calibrate_cosine(sorted([one, other]), line)
    assert low <= high


@given(
    st.lists(st.tuples(st.floats(0, 60), cosines), min_size=1, max_size=20),
    st.tuples(st.floats(0, 60), cosines),
    unit,
)
def test_a_score_does_not_depend_on_the_other_candidates(
    others: list[tuple[float, float]], mine: tuple[float, float], alpha: float
) -> None:
    def scored(candidates: list[tuple[float, float]]) -> float:
        text = calibrate_text([t for t, _ in candidates], 60.0)
        return float(fuse(text, calibrate_cosine([c for _, c in candidates], BGE), alpha)[0])

    assert scored([mine]) == scored([mine, *others])


@given(st.lists(unit, min_size=1))
def test_what_a_sum_is_worth_keeps_its_order_and_range(fused: list[float]) -> None:
    worth = relevance(fused)

    assert np.all((worth >= 0.0) & (worth <= 1.0))
    assert np.all(np.diff(relevance(sorted(fused))) >= 0.0)


def test_a_replaced_memory_stands_before_what_only_resembles_the_answer() -> None:
    answer, look_alike = relevance([0.95, 0.45])

    assert answer > 0.25 * answer > look_alike
