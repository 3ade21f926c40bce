"""A recall over real stores in a folder of its own, filled by changes as the feed brings them."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.domain.change import Change, MemoryChange
from service.domain.deadline import Deadline
from service.domain.entity import Entity
from service.domain.errors import GraphUnavailable
from service.domain.names import canonical_name
from service.domain.recall import RecallAnswer, RecallQuery
from service.projection.catalogue import Catalogue
from service.projection.names import NameIndex
from service.providers.embedding.hashing import HashingEmbedder
from service.providers.embedding.protocol import Embedder
from service.recall.channel import Channel
from service.recall.contents import StoredContents
from service.recall.fusion import NEUTRAL
from service.recall.orchestrator import Recall
from service.recall.settings import RecallSettings
from service.recall.text import TextChannel
from service.recall.vector import VectorChannel
from service.stores.hnswlib import VectorStore
from service.stores.tantivy import TextIndex

DIMENSION = 256


class World:
    """The stores, and recalls over them."""

    def __init__(self, folder: Path) -> None:
        self.embedder: Embedder = HashingEmbedder(DIMENSION)
        self.text = TextIndex.open(folder / "text")
        self.vectors = VectorStore.open(folder / "vectors", self.embedder.model, DIMENSION)
        self.catalogue = Catalogue()
        self.names = NameIndex()
        self.threads = ThreadPoolExecutor(2)
        self.graph_contents: Mapping[str, str] | None = None
        self._revision = 0

    async def apply(self, *changes: Change, catalogue: bool = True) -> None:
        """Bring changes to every projection, memories with their embeddings."""
        self._revision += 1
        texts = [change.content for change in changes if isinstance(change, MemoryChange)]
        vectors = iter(await self.embedder.embed(texts))
        applied: list[Change] = []
        for change in changes:
            if isinstance(change, MemoryChange):
                change = replace(change, embedding_model=self.embedder.model, vectors=next(vectors))
            applied.append(replace(change, revision=self._revision))
        self.text.apply(applied, self._revision)
        self.vectors.apply(applied, self._revision)
        if catalogue:
            self.catalogue.apply(applied, self._revision)

    def entities(self, *names: str, scope: str = "s", mentions: int = 1) -> None:
        """Make entities known; the id of each is its name."""
        known = [Entity(one, scope, one, canonical_name(one), None, mentions) for one in names]
        self.names.apply(known, [], self._revision)

    def recall(
        self,
        *more: Channel,
        settings: RecallSettings | None = None,
        names: Sequence[str] = ("content", "hints", "vector"),
    ) -> Recall:
        """A recall over those of the text and vector channels, and whatever else is given."""
        channels: Sequence[Channel] = (
            TextChannel("content", self.text, self.threads),
            TextChannel("hints", self.text, self.threads),
            VectorChannel(self.embedder, self.vectors, self.threads),
        )
        return Recall(
            channels=[*(one for one in channels if one.name in names), *more],
            contents=StoredContents(self.text, self.threads, self._read),
            catalogue=self.catalogue,
            names=self.names,
            cosines_of=self.vectors.cosines,
            cosines=NEUTRAL,
            executors=[self.threads],
            settings=settings or RecallSettings(),
        )

    async def ask(self, text: str, recall: Recall | None = None, **fields: Any) -> RecallAnswer:
        """Ask within a deadline that no working channel misses."""
        given: dict[str, Any] = {"scope": "s", "query": text} | fields
        query = RecallQuery(**given)
        return await (recall or self.recall()).recall(query, Deadline.after(30_000))

    async def _read(self, ids: Sequence[str], timeout_s: float) -> Mapping[str, str]:
        if self.graph_contents is None:
            raise GraphUnavailable("there is no graph here")
        return {one: self.graph_contents[one] for one in ids if one in self.graph_contents}

    def close(self) -> None:
        self.threads.shutdown()
        self.vectors.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()
