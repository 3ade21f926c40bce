"""The vector channel: the memories nearest in meaning."""

import asyncio
from concurrent.futures import Executor

import numpy as np

from service.domain.deadline import Deadline
from service.providers.embedding.protocol import Embedder
from service.recall.channel import ChannelRequest, Found
from service.stores.hnswlib import VectorStore


class VectorChannel:
    """Cosine between the query's embedding and each memory's best passage."""

    def __init__(self, embedder: Embedder, vectors: VectorStore, executor: Executor) -> None:
        self._embedder = embedder
        self._vectors = vectors
        self._executor = executor

    @property
    def name(self) -> str:
        """`vector`."""
        return "vector"

    def off(self, request: ChannelRequest) -> str | None:
        """It always takes part."""
        return None

    async def search(self, request: ChannelRequest, deadline: Deadline, found: Found) -> None:
        """Find the nearest memories. Raises EmbeddingUnavailable, EmbeddingRejected."""
        vector = await self._embedder.embed_query(request.query)
        loop = asyncio.get_running_loop()
        # A cancelled thread goes on: what it finds then must not reach `found`.
        ordinals, cosines = await loop.run_in_executor(
            self._executor,
            self._vectors.search,
            request.scope,
            vector,
            request.limit,
            request.allowed,
        )
        found.vector = vector
        found.ordinals, found.scores = ordinals, cosines.astype(np.float64)
