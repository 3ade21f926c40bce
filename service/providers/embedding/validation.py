"""The guard in front of every index: no library behind it refuses a broken vector."""

import numpy as np
import numpy.typing as npt

from service.domain.errors import EmbeddingRejected
from service.providers.embedding.protocol import Vectors

_SHORTEST = 1e-12


def checked(vectors: npt.ArrayLike, *, dimension: int, count: int, model: str) -> Vectors:
    """Return the vectors as float32, shape `(count, dimension)`, each of unit length.

    Raises:
        EmbeddingRejected: there are fewer or more, one has another dimension, is all zeros, or
            holds NaN or infinity. The text names the model, what was wrong and where.
    """
    try:
        rows = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EmbeddingRejected(
            f"{model} answered vectors of different lengths, or no numbers"
        ) from error
    if rows.size == 0:
        raise EmbeddingRejected(f"{model} answered no vector for {count} texts")
    if rows.ndim != 2 or rows.shape[0] != count:
        raise EmbeddingRejected(f"{model} answered the shape {rows.shape} for {count} texts")
    if rows.shape[1] != dimension:
        raise EmbeddingRejected(
            f"{model} answered {rows.shape[1]} dimensions where {dimension} are expected"
        )
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        raise EmbeddingRejected(
            f"{model} answered NaN or infinity in vector {int(np.argmin(finite)) + 1} of {count}"
        )
    # Scaled by the largest value first, so that the squares of huge ones do not overflow.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if (largest < _SHORTEST).any():
        at = int(np.argmax((largest < _SHORTEST)[:, 0])) + 1
        raise EmbeddingRejected(f"{model} answered only zeros in vector {at} of {count}")
    rows = rows / largest
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit.astype(np.float32)
