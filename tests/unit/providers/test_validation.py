from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from service.domain.errors import EmbeddingRejected
from service.providers.embedding.validation import checked


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        pytest.param([[1.0, float("nan"), 0.0]], "NaN or infinity in vector 1 of 1", id="nan"),
        pytest.param([[1.0, float("inf"), 0.0]], "NaN or infinity in vector 1 of 1", id="inf"),
        pytest.param([[0.0, 0.0, 0.0]], "only zeros in vector 1 of 1", id="zeros"),
        pytest.param([], "no vector for 1 texts", id="empty"),
        pytest.param([[]], "no vector for 1 texts", id="one-empty"),
        pytest.param([[1.0, 0.0]], "2 dimensions where 3 are expected", id="dimension"),
        pytest.param([[1.0, 0.0, 0.0]] * 2, r"shape \(2, 3\) for 1 texts", id="too-many"),
        pytest.param([1.0, 0.0, 0.0], r"shape \(3,\)", id="flat"),
        pytest.param([["a", "b", "c"]], "no numbers", id="text"),
        pytest.param([[1.0], [1.0, 2.0]], "different lengths", id="ragged"),
        pytest.param([[None, 1.0, 1.0]], "NaN or infinity", id="null"),
    ],
)
def test_a_broken_vector_is_refused_by_name(vectors: Any, message: str) -> None:
    with pytest.raises(EmbeddingRejected, match=message) as raised:
        checked(vectors, dimension=3, count=1, model="m")
    assert str(raised.value).startswith("m answered")


def test_the_broken_one_is_named() -> None:
    with pytest.raises(EmbeddingRejected, match="zeros in vector 2 of 3"):
        checked([[1.0, 1], [0, 0], [1, 0]], dimension=2, count=3, model="m")


def test_fewer_vectors_than_texts_are_refused() -> None:
    with pytest.raises(EmbeddingRejected, match="for 2 texts"):
        checked([[1.0, 0.0]], dimension=2, count=2, model="m")


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 5), st.integers(1, 16)),
        elements=st.floats(-1e300, 1e300).filter(lambda x: x == 0 or abs(x) > 1e-9),
    )
)
def test_what_passes_is_finite_and_of_unit_length(rows: np.ndarray[Any, Any]) -> None:
    count, dimension = rows.shape
    if (rows == 0).all(axis=1).any():
        with pytest.raises(EmbeddingRejected):
            checked(rows, dimension=dimension, count=count, model="m")
        return
    unit = checked(rows, dimension=dimension, count=count, model="m")
    assert unit.dtype == np.float32
    assert unit.shape == rows.shape
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1.0, atol=1e-5)
