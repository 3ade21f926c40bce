"""Opening the service: every part is made here and handed to those that use it."""

import asyncio
import shutil
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from service.config import Settings
from service.domain.errors import ConfigurationError, EmbeddingUnavailable, IndexDamaged
from service.jobs.housekeeping import Housekeeping
from service.jobs.runner import Jobs
from service.jobs.status import Status
from service.memory.backlog import EmbeddingBacklog
from service.memory.cypher import Cypher
from service.memory.embedding import WriteEmbedding
from service.memory.entities import Entities
from service.memory.export import Export
from service.memory.key_ring import KeyRing
from service.memory.memories import Memories
from service.memory.read import MemoryReader
from service.memory.relation_types import RelationTypes
from service.memory.scopes import DELETE_SCOPE, Scopes
from service.memory.writer import GroupWriter
from service.operations.audit import AuditLog
from service.operations.operations import Operations
from service.projection.catalogue import Catalogue
from service.projection.doctor import Doctor
from service.projection.expunge import Expunger
from service.projection.follower import Follower
from service.projection.names import NameIndex
from service.projection.repair import Repair
from service.providers.embedding.hashing import HashingEmbedder
from service.providers.embedding.onnx import OnnxEmbedder
from service.providers.embedding.openai import OpenAIEmbedder, OpenAISettings
from service.providers.embedding.protocol import Embedder
from service.recall.orchestrator import Recall
from service.recall.settings import RecallSettings
from service.stores.hnswlib import VectorStore
from service.stores.lock import FolderLock
from service.stores.neo4j.driver import Graph
from service.stores.neo4j.embedded.layout import Memory as ServerMemory
from service.stores.neo4j.embedded.layout import machine_memory
from service.stores.neo4j.embedded.process import EmbeddedNeo4j
from service.stores.neo4j.migrations import migrate
from service.stores.neo4j.reading import Reading
from service.stores.tantivy import TextIndex

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Service:
    """The use cases, ready to be called."""

    settings: Settings
    memories: Memories
    entities: Entities
    recall: Recall
    operations: Operations
    audit: AuditLog
    scopes: Scopes
    cypher: Cypher
    export: Export
    jobs: Jobs
    status: Status
    doctor: Doctor
    follower: Follower
    key_ring: KeyRing
    server: EmbeddedNeo4j | None
    """The embedded Neo4j; None where another one is used."""


@asynccontextmanager
async def open_service(
    settings: Settings, embedder: Embedder | None = None
) -> AsyncGenerator[Service]:
    """Open the store below `data_dir` and everything that works on it; close it all afterwards.

    Returns once the projections hold everything that is in Neo4j. `embedder` takes the place of
    the model that is set. Raises StoreHeld,
    ConfigurationError, IncompatibleStore, GraphUnavailable.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(FolderLock.acquire(settings.data_dir))
        embedder = embedder or open_embedder(settings)
        stack.push_async_callback(embedder.close)
        # The model loads while Neo4j starts.
        dimension = asyncio.create_task(_dimension(embedder), name="embedding-model")
        stack.push_async_callback(_end, dimension)
        server = await _open_server(settings, stack)
        credentials = login(settings, server)
        graph = await Graph.connect(*credentials, pool_size=settings.neo4j.pool_size)
        stack.push_async_callback(graph.close)
        # Of their own, so that no analyst takes a connection that the service needs.
        reading = Reading.open(*credentials, pool_size=settings.cypher.concurrency + 1)
        stack.push_async_callback(reading.close)
        applied = await migrate(graph)
        _log.info("graph ready", server=graph.server, migrations=applied)
        vectors = _open_vectors(settings, embedder.model, await dimension)
        stack.callback(vectors.close)
        yield await _wire(settings, stack, server, graph, embedder, vectors, reading)


def open_embedder(settings: Settings) -> Embedder:
    """Return the embedding model that is set; nothing is fetched or loaded yet.

    Raises ConfigurationError.
    """
    options = settings.embedding
    if options.provider == "hashing":
        return HashingEmbedder(options.dimension or 384)
    if options.provider == "onnx":
        return OnnxEmbedder(settings.cache_dir, workers=options.workers)
    if not options.url or not options.model:
        raise ConfigurationError("embedding.provider openai needs embedding.url and .model")
    return OpenAIEmbedder(
        OpenAISettings(
            base_url=options.url,
            model=options.model,
            api_key=options.api_key,
            dimension=options.dimension,
            query_prefix=options.query_prefix,
            timeout_seconds=options.timeout_s,
        )
    )


def recall_settings(settings: Settings) -> RecallSettings:
    """Return what recall is told of the settings."""
    return RecallSettings(
        alpha=settings.recall.alpha,
        candidates=settings.recall.candidates,
        superseded_factor=settings.recall.superseded_factor,
        succession=settings.recall.succession,
        context=settings.recall.context,
        graph_enabled=settings.graph.enabled,
        boost_weight=settings.graph.boost_weight,
        entities=settings.graph.entities,
        neighbors=settings.graph.neighbors,
        memories=settings.graph.memories,
    )


async def _open_server(settings: Settings, stack: AsyncExitStack) -> EmbeddedNeo4j | None:
    if settings.neo4j_uri is not None:
        return None
    memory = ServerMemory.fitting(machine_memory())
    server = EmbeddedNeo4j(
        settings.data_dir / "neo4j",
        settings.cache_dir,
        memory=ServerMemory(
            heap_mb=settings.neo4j.heap_mb or memory.heap_mb,
            page_cache_mb=settings.neo4j.page_cache_mb or memory.page_cache_mb,
        ),
        bolt_port=settings.neo4j.bolt_port,
        http_port=settings.neo4j.http_port,
        guide_hosts=settings.http.hosts,
    )
    await server.start()
    stack.push_async_callback(server.stop)
    return server


def login(settings: Settings, server: EmbeddedNeo4j | None) -> tuple[str, str, str]:
    """Address, user and password."""
    if server is not None:
        return server.uri, server.user, server.password
    if settings.neo4j_password is None:
        raise ConfigurationError("NEO4J_URI is set, and NEO4J_PASSWORD is not")
    password = settings.neo4j_password.get_secret_value()
    return settings.neo4j_uri or "", settings.neo4j_user, password


async def _end(task: asyncio.Task[int]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _dimension(embedder: Embedder) -> int:
    try:
        await embedder.start()
    except EmbeddingUnavailable as error:
        _log.warning("starting without the embedding model", error=str(error))
    try:
        return embedder.dimension
    except EmbeddingUnavailable as error:
        raise ConfigurationError(
            f"{error}; set embedding.dimension to start without the endpoint"
        ) from error


def _open_text(folder: Path) -> TextIndex:
    try:
        return TextIndex.open(folder)
    except IndexDamaged as error:
        _log.warning("the text index is made anew", error=str(error))
        shutil.rmtree(folder)
        return TextIndex.open(folder)


def _open_vectors(settings: Settings, model: str, dimension: int) -> VectorStore:
    folder = settings.data_dir / "vectors"
    rows = settings.projection.exact_rows
    try:
        return VectorStore.open(folder, model, dimension, exact_rows=rows)
    except IndexDamaged as error:
        _log.warning("the vector index is made anew", error=str(error))
        shutil.rmtree(folder)
        return VectorStore.open(folder, model, dimension, exact_rows=rows)


async def _wire(
    settings: Settings,
    stack: AsyncExitStack,
    server: EmbeddedNeo4j | None,
    graph: Graph,
    embedder: Embedder,
    vectors: VectorStore,
    reading: Reading,
) -> Service:
    options = settings.projection
    text = _open_text(settings.data_dir / "text")
    stack.callback(text.close)
    key = settings.access.key
    key_ring = KeyRing(
        graph,
        settings_key=key.get_secret_value() if key is not None else None,
        loopback=settings.http.is_loopback(),
    )
    await key_ring.start()
    stack.push_async_callback(key_ring.close)
    catalogue, names = Catalogue(), NameIndex()
    types = RelationTypes(graph)
    follower = Follower(
        graph,
        names,
        (catalogue, text, vectors),
        page=options.page,
        poll_s=options.poll_s,
        refresh=types.refresh,
    )
    await follower.start()
    stack.push_async_callback(follower.close)
    writer = GroupWriter(
        graph,
        names,
        types,
        committed=follower.notify,
        link_names=settings.graph.link_names,
        relation_type_limit=settings.graph.relation_types,
        timeout_s=settings.neo4j.write_timeout_s,
    )
    stack.push_async_callback(writer.close)
    backlog = EmbeddingBacklog(graph, writer, embedder)
    backlog.start()
    stack.push_async_callback(backlog.close)
    doctor = Doctor(graph, follower, catalogue, text, vectors, embedder.model)
    housekeeping = Housekeeping(
        graph, vectors, Repair(graph, follower, doctor), snapshot_s=options.snapshot_s
    )
    housekeeping.start()
    stack.push_async_callback(housekeeping.close)
    expunger = Expunger([text, vectors])
    reader = MemoryReader(graph, names)
    scopes = Scopes(graph, writer, follower, expunger, wait_s=options.wait_s)
    jobs = Jobs(graph, {DELETE_SCOPE: scopes.run_deletion}, poll_s=options.poll_s)
    jobs.start()
    stack.push_async_callback(jobs.close)
    recall = Recall.over(
        text=text,
        vectors=vectors,
        embedder=embedder,
        graph=graph,
        catalogue=catalogue,
        names=names,
        relation_types=types.current,
        settings=recall_settings(settings),
    )
    stack.callback(recall.close)
    memories = Memories(
        writer=writer,
        embedding=WriteEmbedding(embedder, backlog.notify),
        follower=follower,
        reader=reader,
        expunger=expunger,
        limits=settings.limits.limits(),
        wait_s=options.wait_s,
    )
    return Service(
        settings=settings,
        memories=memories,
        entities=Entities(graph, names, types, reader),
        recall=recall,
        operations=Operations(
            writer,
            follower,
            limits=settings.limits.limits(),
            wait_s=options.wait_s,
        ),
        audit=AuditLog(graph, names),
        scopes=scopes,
        cypher=Cypher(reading, settings.cypher.bounds(), enabled=settings.cypher.enabled),
        export=Export(graph),
        jobs=jobs,
        status=Status(
            settings_view=_shown(settings, embedder),
            key_ring=key_ring,
            graph=graph,
            server=server,
            follower=follower,
            writer=writer,
            backlog=backlog,
            jobs=jobs,
            catalogue=catalogue,
            text=text,
            vectors=vectors,
        ),
        doctor=doctor,
        follower=follower,
        key_ring=key_ring,
        server=server,
    )


def _shown(settings: Settings, embedder: Embedder) -> dict[str, object]:
    """What the status shows of the settings: no address, no secret."""
    return {
        "models": {
            "embedding": {
                "provider": settings.embedding.provider,
                "model": embedder.model,
                "dimension": embedder.dimension,
            },
            "language": {"status": "off", "why": "no language model is configured"},
        },
        "channels": {
            "content": "on",
            "hints": "on",
            "vector": "on",
            "graph": "on" if settings.graph.enabled else "off (graph.enabled is false)",
        },
        "recall": settings.recall.model_dump(),
        "graph": settings.graph.model_dump(),
    }
