"""What recall and remember need from an embedding model."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Vector: TypeAlias = npt.NDArray[np.float32]
"""One embedding, shape `(dimension,)`, of unit length."""
Vectors: TypeAlias = npt.NDArray[np.float32]
"""The embeddings of one text's passages in order, shape `(passages, dimension)`, unit length."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their cosine."""

    @property
    def model(self) -> str:
        """The name that vectors are kept beside; vectors of two names are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector. Raises `EmbeddingUnavailable` while it is not known yet."""
        ...

    async def start(self) -> None:
        """Make the model ready, which may fetch it; a second call is free once it is ready.

        Raises:
            EmbeddingUnavailable: the model cannot be had now; a later call tries again.
        """
        ...

    async def embed_query(self, text: str) -> Vector:
        """Embed a question, ahead of all texts that wait; what a model cannot see is left out.

        The array is shared with later callers and read-only.

        Raises:
            EmbeddingUnavailable: the model does not answer.
            EmbeddingRejected: it answered something that is no usable vector.
        """
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vectors]:
        """Embed texts to be found, one array each, in their order, never fewer.

        A text that is longer than the model can see becomes several passages, which overlap.

        Raises:
            EmbeddingUnavailable: the model does not answer.
            EmbeddingRejected: it answered something that is no usable vector.
        """
        ...

    async def close(self) -> None:
        """Free the model; what still waits is cancelled. A second call does nothing."""
        ...
