"""While the embedding endpoint is down nothing is lost: texts are kept, and embedded later."""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from service.domain.memory import MemoryUpdate, NewMemory
from service.providers.embedding.hashing import HashingEmbedder
from service.stores.neo4j.driver import Graph
from tests.memory.conftest import Opener
from tests.memory.story import Store, named
from tests.waiting import until


class Endpoint:
    """Speaks OpenAI's `/embeddings` over HTTP; its model is the one of the other tests."""

    def __init__(self) -> None:
        self.model = HashingEmbedder(384)
        self.failures = 0
        """How many requests from now on are answered with an error; -1 for all."""

    def answer(self, texts: list[str]) -> tuple[int, bytes]:
        if self.failures:
            self.failures -= 1
            return 400, b"{}"
        rows = asyncio.run(self.model.embed(texts))
        data = [{"index": at, "embedding": vectors[0].tolist()} for at, vectors in enumerate(rows)]
        return 200, json.dumps({"data": data}).encode()


@pytest.fixture
def endpoint() -> Iterator[tuple[Endpoint, str]]:
    """An endpoint that is well until it is told otherwise, and its address."""
    played = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            code, content = played.answer(body["input"])
            self.send_response(code)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield played, f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
async def embedded(
    endpoint: tuple[Endpoint, str], opener: Opener, graph: Graph, scope: str
) -> AsyncGenerator[tuple[Store, Endpoint]]:
    """A store whose vectors come from the endpoint."""
    played, address = endpoint
    settings = {
        "provider": "openai",
        "url": address,
        "model": played.model.model,
        "dimension": played.model.dimension,
    }
    async with opener(embedding=settings) as service:
        yield Store(service, graph, scope), played


async def found_by_vector(store: Store, content: str) -> None:
    """Wait until the vector channel finds a memory."""

    async def found() -> bool:
        results = (await store.recall(content)).results
        return any(one.content == content and "vector" in one.sources for one in results)

    await until(found, f"{content!r} is found by its vector")


async def test_a_text_is_kept_found_by_its_words_and_embedded_later(
    embedded: tuple[Store, Endpoint],
) -> None:
    store, endpoint = embedded
    endpoint.failures = -1
    kept = await store.remember(NewMemory("Birch holds the cache.", entities=named("Birch")))
    assert not kept.memory.embedded
    batch = await store.remember_all([NewMemory(f"note {n}") for n in range(3)])
    assert not any(one.memory.embedded for one in batch)
    (result,) = (await store.recall("birch cache")).results
    assert "content" in result.sources
    assert "vector" not in result.sources
    # Written while the model was away, found in another case.
    assert (await store.entity("Birch")).mentions == 1
    assert (await store.remember("BIRCH is up.")).entities[0].name == "Birch"
    endpoint.failures = 0
    for content in ("Birch holds the cache.", "note 0", "note 1", "note 2", "BIRCH is up."):
        await found_by_vector(store, content)
    assert (await store.get(kept.memory.id)).embedded
    assert await store.is_sound()


async def test_the_model_may_be_back_before_the_memory_is_committed(
    embedded: tuple[Store, Endpoint],
) -> None:
    store, endpoint = embedded
    for n in range(3):
        endpoint.failures = 1
        kept = await store.remember(f"note {n}")
        assert not kept.memory.embedded
        await found_by_vector(store, f"note {n}")


async def test_a_text_that_changed_meanwhile_gets_the_vector_of_the_new_one(
    embedded: tuple[Store, Endpoint],
) -> None:
    store, endpoint = embedded
    kept = await store.remember("oak and ash")
    endpoint.failures = -1
    await store.service.memories.revise(
        store.scope, kept.memory.id, MemoryUpdate(content="birch and pine")
    )
    assert not (await store.get(kept.memory.id)).embedded
    endpoint.failures = 0
    await found_by_vector(store, "birch and pine")
    assert await store.is_sound()
