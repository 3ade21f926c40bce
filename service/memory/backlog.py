"""The embedding backlog: memories that were kept while the model could not be reached."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import structlog

from service.domain.change import Vectors
from service.domain.errors import EmbeddingRejected, EmbeddingUnavailable, PalimpsestError
from service.domain.idempotency import Idempotency
from service.memory.remember import embedding_rows
from service.memory.unit import Unit
from service.memory.writer import GroupWriter
from service.ontology.load import load_memories
from service.ontology.workspace import Workspace
from service.providers.embedding.protocol import Embedder
from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.statements import statement

_UNEMBEDDED = statement("memory/unembedded")
_PAGE = 64
_LONGEST_PAUSE_S = 60.0

_log = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True)
class EmbedUnit(Unit):
    """Gives memories their vectors, unless their content changed meanwhile."""

    model: str
    rows: Sequence[tuple[str, str, Vectors]]
    """Id, content and vectors of each."""
    idempotency: Idempotency | None = None

    @property
    def size(self) -> int:
        return len(self.rows)

    @classmethod
    async def load(cls, tx: Transaction, ws: Workspace, units: Sequence["EmbedUnit"]) -> None:
        """Load the memories."""
        await load_memories(tx, ws, (row[0] for unit in units for row in unit.rows))

    async def run(self, tx: Transaction, ws: Workspace) -> int:
        """Return how many memories got their vectors."""
        done = 0
        for memory_id, content, vectors in self.rows:
            memory = ws.memories.get(memory_id)
            if memory is None or memory.properties["content"] != content:
                continue
            ws.stir(memory)
            ws.write(
                "memory/set_embedding",
                {
                    "memory_id": memory_id,
                    "embeddings": embedding_rows(memory_id, vectors, self.model),
                },
            )
            done += 1
        ws.stirred.clear()
        return done


class EmbeddingBacklog:
    """Finds memories without a vector of the present model by a query, and embeds them.

    After a change of the model it embeds everything again. Found by a query, so nothing is lost
    with the process.
    """

    def __init__(self, graph: Graph, writer: GroupWriter, embedder: Embedder) -> None:
        self._graph = graph
        self._writer = writer
        self._embedder = embedder
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.failure: str | None = None
        """Why the backlog does not get on; None while it does."""

    def start(self) -> None:
        """Work on the backlog in the background, beginning with a look at what there is."""
        self._wake.set()
        self._task = asyncio.create_task(self._run(), name="embedding-backlog")

    async def close(self) -> None:
        """Stop; what is left is found again."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def notify(self) -> None:
        """Say that a memory was kept without its vectors."""
        self._wake.set()

    async def _run(self) -> None:
        pause = 1.0
        while True:
            timeout = None if self.failure is None else pause
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), timeout)
            self._wake.clear()
            try:
                await self._embed_all()
                self.failure, pause = None, 1.0
            except PalimpsestError as error:
                self.failure = str(error)
                pause = min(2 * pause, _LONGEST_PAUSE_S)
                _log.warning("the embedding backlog waits", error=str(error), pause_s=pause)

    async def _embed_all(self) -> None:
        after, refused = -1, 0
        while rows := await self._graph.read(_read, self._embedder.model, after):
            after = rows[-1]["ordinal"]
            ready: list[tuple[str, str, Vectors]] = []
            for row in rows:
                try:
                    vectors = (await self._embedder.embed([row["content"]]))[0]
                except EmbeddingRejected as error:
                    refused += 1
                    _log.error("a memory cannot be embedded", memory=row["id"], error=str(error))
                else:
                    ready.append((row["id"], row["content"], vectors))
            if ready:
                await self._writer.submit(EmbedUnit(self._embedder.model, ready))
                _log.info("embedded from the backlog", memories=len(ready))
        if refused:
            raise EmbeddingUnavailable(f"{refused} memories could not be embedded; see the log")


async def _read(tx: Transaction, model: str, after: int) -> list[Row]:
    return await fetch(tx, _UNEMBEDDED, model=model, after=after, limit=_PAGE)
