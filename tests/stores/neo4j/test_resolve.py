"""Jars are fetched once, checked every time, and fetched again when they are damaged."""

import gc
import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import stamina

from service.domain.errors import GraphUnavailable
from service.stores.neo4j.embedded.resolve import COORDINATES, Jar, read_lock, resolve

CONTENT = bytes(range(256)) * 400
PATH = "/org/example/thing/1.0/thing-1.0.jar"
JAR = Jar(hashlib.sha256(CONTENT).hexdigest(), len(CONTENT), "org.example:thing:1.0")


class Repository(ThreadingHTTPServer):
    """A Maven repository of one jar, which answers as it is told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[bytes] = []
        self.asked = 0

    @property
    def address(self) -> dict[str, str]:
        return {"here": f"http://127.0.0.1:{self.server_port}"}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        repository = self.server
        assert isinstance(repository, Repository)
        if self.path != PATH:
            self.send_error(404)
            return
        repository.asked += 1
        body = repository.answers.pop(0) if repository.answers else CONTENT
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


# The downloader leaves the connection of a broken answer to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture
def repository() -> Iterator[Repository]:
    with stamina.set_testing(True, attempts=3), Repository() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
    gc.collect()


def test_a_jar_is_fetched_once(repository: Repository, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    for _ in range(2):
        (path,) = resolve(
            tmp_path,
            lambda done, total: told.append((done, total)),
            jars=[JAR],
            repositories=repository.address,
        )
        assert path.read_bytes() == CONTENT
    assert repository.asked == 1
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert told == sorted(told)


@pytest.mark.parametrize(
    "damaged", [CONTENT[:5000], b"", CONTENT[:-1] + b"\0", CONTENT + b"more"], ids=len
)
def test_a_damaged_jar_is_fetched_again(
    repository: Repository, tmp_path: Path, damaged: bytes
) -> None:
    (path,) = resolve(tmp_path, jars=[JAR], repositories=repository.address)
    path.write_bytes(damaged)
    resolve(tmp_path, jars=[JAR], repositories=repository.address)
    assert path.read_bytes() == CONTENT
    assert repository.asked == 2


def test_a_broken_connection_and_a_false_file_are_tried_again(
    repository: Repository, tmp_path: Path
) -> None:
    repository.answers = [CONTENT[:700], b"x" * len(CONTENT)]
    (path,) = resolve(tmp_path, jars=[JAR], repositories=repository.address)
    assert path.read_bytes() == CONTENT
    assert repository.asked == 3


def test_a_jar_that_is_never_right_is_named_and_not_kept(
    repository: Repository, tmp_path: Path
) -> None:
    with pytest.raises(GraphUnavailable, match=r"org\.example:other:1\.0.*NEO4J_URI"):
        resolve(
            tmp_path,
            jars=[Jar(JAR.sha256, JAR.size, "org.example:other:1.0")],
            repositories=repository.address,
        )
    assert not list(tmp_path.rglob("*.jar"))


def test_the_lock_file_holds_the_server_and_the_browser() -> None:
    jars = read_lock()
    assert set(COORDINATES) <= {jar.coordinate for jar in jars}
    assert len({jar.coordinate for jar in jars}) == len(jars)
    assert all(len(jar.sha256) == 64 and jar.size > 0 for jar in jars)
