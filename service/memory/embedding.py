"""Embedding before a write: outside of any transaction, and never in the way of keeping a text."""

from collections.abc import Callable, Iterable, Sequence

import structlog

from service.domain.change import Vectors
from service.domain.errors import EmbeddingRejected, EmbeddingUnavailable
from service.providers.embedding.protocol import Embedder

_log = structlog.stdlib.get_logger(__name__)


class WriteEmbedding:
    """Embeds what is about to be written.

    A model that does not answer, or answers what is no vector (asked twice), holds nothing up:
    the memory is kept without its vectors, says so (`embedded: false`), and is found by text and
    graph. `written` has the backlog take it up, which finds it once it is committed only.
    """

    def __init__(self, embedder: Embedder, on_missing: Callable[[], None]) -> None:
        self._embedder = embedder
        self._on_missing = on_missing

    @property
    def model(self) -> str:
        """The name that vectors are kept beside."""
        return self._embedder.model

    async def embed(self, texts: Sequence[str]) -> list[Vectors | None]:
        """Return the vectors of each text, in order; None for each that could not be embedded."""
        for attempt in ("first", "second"):
            try:
                return list(await self._embedder.embed(texts))
            except EmbeddingRejected as error:
                _log.warning("embedding rejected", attempt=attempt, error=str(error))
            except EmbeddingUnavailable as error:
                _log.warning("embedding unavailable", texts=len(texts), error=str(error))
                break
        return [None for _ in texts]

    def written(self, vectors: Iterable[Vectors | None]) -> None:
        """Say that memories were committed with these vectors; `on_missing` hears of a None."""
        if any(one is None for one in vectors):
            self._on_missing()
