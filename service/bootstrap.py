"""The only place where everything is opened, wired together, and closed again."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog

from service.config import Settings
from service.domain.errors import ConfigurationError, EmbeddingUnavailable, IndexDamaged
from service.jobs.housekeeping import Housekeeping
from service.jobs.runner import Jobs
from service.jobs.status import Status
from service.memory.access import Keys
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
from service.providers.embedding.model_files import BGE_SMALL_EN, fetch_model
from service.providers.embedding.onnx import OnnxEmbedder
from service.providers.embedding.openai import OpenAIEmbedder, OpenAISettings
from service.providers.embedding.protocol import Embedder
from service.recall.orchestrator import Recall
from service.recall.settings import RecallSettings
from service.stores.hnswlib import VectorStore
from service.stores.lock import FolderLock
from service.stores.neo4j.driver import Graph
from service.stores.neo4j.embedded.layout import Memory as ServerMemory
from service.stores.neo4j.embedded.layout import Ports, machine_memory
from service.stores.neo4j.embedded.process import EmbeddedNeo4j
from service.stores.neo4j.embedded.record import find_server, read_record
from service.stores.neo4j.embedded.resolve import NEO4J_VERSION, resolve
from service.stores.neo4j.embedded.secrets import USER, read_password
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
        login = _login(settings, server)
        graph = await Graph.connect(*login, pool_size=settings.neo4j.pool_size)
        stack.push_async_callback(graph.close)
        # Of their own, so that no analyst takes a connection that the service needs.
        reading = Reading.open(*login, pool_size=settings.cypher.concurrency + 1)
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


def _login(settings: Settings, server: EmbeddedNeo4j | None) -> tuple[str, str, str]:
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
            AuditLog(graph, names),
            limits=settings.limits.limits(),
            wait_s=options.wait_s,
        ),
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


@dataclass(frozen=True, slots=True)
class EmbeddedLogin:
    """How to log in to the embedded Neo4j of a store."""

    home: Path
    user: str
    password: str
    pid: int | None
    """Its process; None while it does not run."""
    bolt_url: str
    browser_url: str


def embedded_login(settings: Settings) -> EmbeddedLogin | None:
    """Return how to log in to the embedded Neo4j below `data_dir`; None when there was none yet.

    Opens nothing: it may run beside the service.
    """
    home = (settings.data_dir / "neo4j").absolute()
    password = read_password(home)
    if password is None:
        return None
    record = read_record(home)
    process = find_server(home)
    ports = Ports(settings.neo4j.bolt_port, settings.neo4j.http_port)
    if record is not None:
        ports = record.ports
    return EmbeddedLogin(
        home=home,
        user=USER,
        password=password,
        pid=process.pid if process is not None else None,
        bolt_url=ports.bolt_url,
        browser_url=ports.browser_url,
    )


def has_store(settings: Settings) -> bool:
    """Tell whether there may be a store: the embedded one was made, or another Neo4j is named."""
    return settings.neo4j_uri is not None or embedded_login(settings) is not None


@asynccontextmanager
async def open_keys(settings: Settings) -> AsyncGenerator[Keys]:
    """Open the keys of a store beside the service that runs on it, or while none does.

    Starts nothing: raises ConfigurationError where the embedded Neo4j does not run, and what
    connecting raises.
    """
    if settings.neo4j_uri is not None:
        graph = await _connect(settings, None)
    else:
        login = embedded_login(settings)
        if login is None or login.pid is None:
            raise ConfigurationError(
                f"the Neo4j of {settings.data_dir} does not run: it does while `palimpsest serve` "
                "runs; start that first, on loopback, or name another folder with --data-dir"
            )
        graph = await Graph.connect(login.bolt_url, login.user, login.password, pool_size=2)
    async with graph:
        await migrate(graph)
        yield Keys(graph)


def fetch_downloads(settings: Settings, progress: Callable[[str, int, int], None]) -> list[str]:
    """Fetch what the settings need into `cache_dir` and return the names of it; blocks.

    `progress` is told a name, the bytes that have come and the bytes in all, from several threads.
    Raises GraphUnavailable, EmbeddingUnavailable.
    """
    fetched: list[str] = []
    if settings.neo4j_uri is None:
        name = f"Neo4j {NEO4J_VERSION}"
        resolve(settings.cache_dir, partial(progress, name))
        fetched.append(name)
    if settings.embedding.provider == "onnx":
        name = f"model {BGE_SMALL_EN.name}"
        fetch_model(
            BGE_SMALL_EN,
            settings.cache_dir,
            progress=lambda _, done, total: progress(name, done, total),
        )
        fetched.append(name)
    return fetched
