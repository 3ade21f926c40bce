import json
import os
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import stamina

from service.providers.embedding import OnnxEmbedder
from tests.providers.embedding_servers import Endpoint, Repository


@pytest.fixture(autouse=True)
def no_pause_between_tries() -> Iterator[None]:
    """The number of tries stays what the product says; only the waiting goes."""
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


@pytest.fixture(scope="session")
def model_cache() -> Path:
    """The user's own cache, so that the model is fetched once and not once a test run."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "palimpsest"


@pytest.fixture(scope="session")
async def onnx(model_cache: Path) -> AsyncIterator[OnnxEmbedder]:
    embedder = OnnxEmbedder(model_cache)
    await embedder.start()
    yield embedder
    await embedder.close()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            played.requests.append(body)
            played.headers.append({k.lower(): v for k, v in self.headers.items()})
            code, headers, content = played.answer(body)
            if code == 0:  # hang up without an answer
                self.close_connection = True
                return
            self.send_response(code)
            for name, value in {**headers, "content-length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    played = Endpoint(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield played
    played.release.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def repository() -> Iterator[Repository]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            code, content = played.get(self.path)
            self.send_response(code)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    played = Repository(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield played
    server.shutdown()
    thread.join()
    server.server_close()
