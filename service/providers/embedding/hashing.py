"""A deterministic embedding with nothing to fetch: similar words, not similar meaning."""

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from service.domain.errors import ConfigurationError
from service.providers.embedding.protocol import Vector, Vectors

_WORD = re.compile(r"[^\W_]+")
_TRIGRAM_WEIGHT = 0.3
_SHORTEST = 1e-6


class HashingEmbedder:
    """Feature hashing of words and their letter trigrams (Weinberger et al. 2009, signed).

    Each feature adds or takes its weight at one of `dimension` places; the sum has unit length.
    A text of any length is one passage. Raises `ConfigurationError` for under 8 dimensions.
    """

    def __init__(self, dimension: int = 384) -> None:
        if dimension < 8:
            raise ConfigurationError(f"embedding dimension {dimension} must be at least 8")
        self.model = f"hashing-{dimension}"
        self.dimension = dimension

    async def start(self) -> None:
        """Nothing to fetch."""

    async def embed_query(self, text: str) -> Vector:
        """Embed a question like any other text."""
        return self._vector(text)

    async def embed(self, texts: Sequence[str]) -> list[Vectors]:
        """Embed each text as one passage, in their order."""
        return [self._vector(text)[np.newaxis] for text in texts]

    async def close(self) -> None:
        """Nothing to free."""

    def _vector(self, text: str) -> Vector:
        sums = [0.0] * self.dimension  # adding to single places is slow in an array
        for word in _WORD.findall(text.casefold()):
            for feature, weight in _features(word):
                sums[feature % self.dimension] += weight
        vector = np.array(sums, dtype=np.float32)
        length = np.float32(np.linalg.norm(vector))
        if length < _SHORTEST:
            # No word at all, or features that cancel out: a fixed direction keeps it a unit vector.
            vector[:], vector[0] = 0.0, 1.0
            return vector
        return vector / length


@lru_cache(maxsize=50_000)
def _features(word: str) -> tuple[tuple[int, float], ...]:
    """The word itself and its trigrams with edges marked: (hash, signed weight) each."""
    edged = f"<{word}>"
    parts = [(word, 1.0)]
    parts += [(edged[i : i + 3], _TRIGRAM_WEIGHT) for i in range(len(edged) - 2)]
    features: list[tuple[int, float]] = []
    for part, weight in parts:
        code = int.from_bytes(blake2b(part.encode("utf-8", "replace"), digest_size=8).digest())
        features.append((code >> 1, weight if code & 1 else -weight))
    return tuple(features)
