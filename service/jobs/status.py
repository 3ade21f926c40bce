"""What the service says about itself: to operators, to probes, to metrics."""

from importlib.metadata import version
from platform import python_version
from typing import Any

from service.domain.errors import PalimpsestError
from service.domain.status import Readiness
from service.jobs.runner import Jobs
from service.memory.backlog import EmbeddingBacklog
from service.memory.key_ring import KeyRing
from service.memory.writer import GroupWriter
from service.projection.catalogue import Catalogue
from service.projection.follower import Follower
from service.stores.hnswlib import VectorStore
from service.stores.neo4j.driver import Graph, Transaction, fetch
from service.stores.neo4j.embedded.process import EmbeddedNeo4j
from service.stores.neo4j.feed import newest_revision
from service.stores.neo4j.statements import statement
from service.stores.tantivy import TextIndex

_COUNTS = statement("scope/counts")
_PROBE_S = 2.0


class Status:
    """Gathers the state of every part; a part that does not answer is said to, never hidden."""

    def __init__(
        self,
        *,
        settings_view: dict[str, object],
        key_ring: KeyRing,
        graph: Graph,
        server: EmbeddedNeo4j | None,
        follower: Follower,
        writer: GroupWriter,
        backlog: EmbeddingBacklog,
        jobs: Jobs,
        catalogue: Catalogue,
        text: TextIndex,
        vectors: VectorStore,
    ) -> None:
        self._settings_view = settings_view
        self._key_ring = key_ring
        self._graph = graph
        self._server = server
        self._follower = follower
        self._writer = writer
        self._backlog = backlog
        self._jobs = jobs
        self._catalogue = catalogue
        self._text = text
        self._vectors = vectors

    async def status(self) -> dict[str, Any]:
        """Return versions, counts, index lag, queue depth, models and channels."""
        return {
            "version": version("palimpsest-memory"),
            "python": python_version(),
            "neo4j": await self._neo4j(),
            "indexes": {
                "lag": self._follower.lag(),
                "failures": self._follower.failures(),
                "text": {"memories": self._text.count()},
                "vectors": {"memories": self._vectors.count(), "refused": self._vectors.refused},
            },
            "scopes": dict(self._catalogue.counts()),
            "queues": {
                "writes": self._writer.queue_depth,
                "embedding_backlog": self._backlog.failure or "ok",
            },
            "access": self._key_ring.status(),
            **self._settings_view,
        }

    async def readiness(self) -> Readiness:
        """Tell whether requests can be served: Neo4j and both indexes."""
        parts = {"neo4j": "ok", "text": "ok", "vectors": "ok", "catalogue": "ok"}
        parts |= {name: why for name, why in self._follower.failures().items() if name != "feed"}
        try:
            await self._graph.read(newest_revision, timeout_s=_PROBE_S)
        except PalimpsestError as error:
            parts["neo4j"] = str(error)
        return Readiness(all(part == "ok" for part in parts.values()), parts)

    async def _neo4j(self) -> dict[str, Any]:
        found: dict[str, Any] = {"server": self._graph.server, "embedded": self._server is not None}
        if self._server is not None:
            found |= {
                "bolt": self._server.uri,
                "browser": self._server.browser_url,
                "restarts": self._server.restarts,
                "state": self._server.state,
            }
        try:
            found["counts"] = await self._graph.read(_read_counts, timeout_s=_PROBE_S)
            found["jobs"] = await self._jobs.counts()
            found["status"] = "ok"
        except PalimpsestError as error:
            found["status"] = str(error)
        return found


async def _read_counts(tx: Transaction) -> dict[str, int]:
    return (await fetch(tx, _COUNTS))[0]
