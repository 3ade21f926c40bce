import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.recall.graph import telling


@pytest.mark.parametrize(
    ("mentions", "memories", "expected"),
    [
        pytest.param(1, 10_000, 1.0, id="one of many"),
        pytest.param(100, 10_000, 0.25, id="the root of their number"),
        pytest.param(5_000, 10_000, 0.01, id="every second one"),
        pytest.param(1, 1, 1.0, id="the only memory"),
        pytest.param(0, 0, 1.0, id="an empty scope"),
    ],
)
def test_a_rare_entity_tells_more(mentions: int, memories: int, expected: float) -> None:
    assert telling(mentions, memories) == pytest.approx(expected)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_what_an_entity_tells_is_within_0_and_1(mentions: int, memories: int) -> None:
    assert 0.0 < telling(mentions, memories) <= 1.0
