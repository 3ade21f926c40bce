"""Unit vectors that lie in clusters, as those of texts do; the same ones every time."""

import numpy as np

from service.domain.change import Vectors

_CENTRES = 60


def clustered(count: int, dimension: int, seed: int) -> Vectors:
    centres = np.random.default_rng(99).standard_normal((_CENTRES, dimension))
    random = np.random.default_rng(seed)
    points = centres[random.integers(0, _CENTRES, count)]
    points = points + 0.6 * random.standard_normal((count, dimension))
    return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)
