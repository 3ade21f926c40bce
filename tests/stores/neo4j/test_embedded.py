"""The embedded server as a process: started, killed, paused, found again, stopped."""

import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from neo4j import AsyncManagedTransaction

from service.domain.errors import ConfigurationError, GraphTimedOut, GraphUnavailable
from service.stores.neo4j.driver import Graph, fetch
from service.stores.neo4j.embedded.layout import Memory
from service.stores.neo4j.embedded.process import EmbeddedNeo4j
from service.stores.neo4j.embedded.record import RunRecord, is_alive, read_record, write_record
from tests.neo4j_servers import QUICK_START, TEST_MEMORY

START_S = 150.0
"""The longest that a start may take on a machine that does much else."""

PARENT = """
import asyncio, sys
from pathlib import Path
from tests.neo4j_servers import quick_neo4j

async def main():
    neo4j = quick_neo4j(Path(sys.argv[1]), Path(sys.argv[2]))
    await neo4j.start()
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def embedded(home: Path, cache: Path, **options: Any) -> EmbeddedNeo4j:
    defaults: dict[str, Any] = {
        "memory": TEST_MEMORY,
        "bolt_port": 0,
        "http_port": 0,
        "jvm_options": QUICK_START,
    }
    return EmbeddedNeo4j(home, cache, **(defaults | options))


async def connect(neo4j: EmbeddedNeo4j) -> Graph:
    return await Graph.connect(neo4j.uri, neo4j.user, neo4j.password)


async def leave_mark(tx: AsyncManagedTransaction, text: str) -> None:
    await fetch(tx, "CREATE (:Mark {text: $text})", text=text)


async def read_marks(tx: AsyncManagedTransaction) -> list[str]:
    rows = await fetch(tx, "MATCH (n:Mark) RETURN n.text AS text ORDER BY text")
    return [row["text"] for row in rows]


async def test_a_server_is_killed_paused_and_stopped(tmp_path: Path, download_cache: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        taken = stranger.getsockname()[1]
        neo4j = embedded(tmp_path, download_cache, bolt_port=taken)
        await neo4j.start()
        assert not neo4j.uri.endswith(f":{taken}")
    first = neo4j.pid
    assert first is not None
    assert stat.S_IMODE((tmp_path / "password").stat().st_mode) == 0o600
    assert neo4j.password not in " ".join(psutil.Process(first).cmdline())

    async with await connect(neo4j) as graph:
        await graph.write(leave_mark, "before the kill")

        os.kill(first, signal.SIGKILL)
        # The driver tries again until the watch has brought the server back at the same address.
        await graph.write(leave_mark, "from during the restart", timeout_s=START_S)
        second = neo4j.pid
        assert second not in {None, first}
        assert await graph.read(read_marks) == ["before the kill", "from during the restart"]

        assert second is not None
        os.kill(second, signal.SIGSTOP)
        with pytest.raises(GraphTimedOut):
            await graph.read_once("RETURN 1 AS one", {}, 0.3)
        os.kill(second, signal.SIGCONT)
        assert await graph.read_once("RETURN 1 AS one", {}, 60.0) == [{"one": 1}]

    os.kill(second, signal.SIGSTOP)
    await neo4j.stop()
    assert not psutil.pid_exists(second)
    assert neo4j.state == "stopped"
    assert read_record(tmp_path) is None


@pytest.fixture
def orphan(tmp_path: Path, download_cache: Path) -> RunRecord:
    """A running server in `tmp_path` whose service was killed."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path), str(download_cache)], stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        assert any(line == b"ready\n" for line in parent.stdout)
        parent.kill()
        parent.wait()
    record = read_record(tmp_path)
    assert record is not None
    assert psutil.pid_exists(record.pid)
    return record


async def test_a_server_whose_service_was_killed_is_found_again(
    tmp_path: Path, download_cache: Path, orphan: RunRecord
) -> None:
    async with embedded(tmp_path, download_cache) as neo4j:
        assert neo4j.adopted
        assert neo4j.pid == orphan.pid
        assert neo4j.uri == f"bolt://127.0.0.1:{orphan.bolt_port}"
        async with await connect(neo4j) as graph:
            await graph.write(leave_mark, "after")
            os.kill(orphan.pid, signal.SIGKILL)
            await graph.write(leave_mark, "one more", timeout_s=START_S)
        assert neo4j.pid != orphan.pid
    assert not is_alive_pid(orphan.pid)


async def test_a_server_that_is_not_the_recorded_one_is_replaced(
    tmp_path: Path, download_cache: Path, orphan: RunRecord
) -> None:
    # The record names a process that lives but is no server of this folder: it is not touched.
    write_record(tmp_path, orphan.model_copy(update={"pid": os.getpid()}))
    async with embedded(tmp_path, download_cache) as neo4j:
        assert not neo4j.adopted
        assert not is_alive_pid(orphan.pid)
        async with await connect(neo4j) as graph:
            assert await graph.read(read_marks) == []

    (tmp_path / "password").write_text("another one\n")
    with pytest.raises(ConfigurationError, match="password"):
        await embedded(tmp_path, download_cache).start()


def is_alive_pid(pid: int) -> bool:
    """Whether a process runs; one that ended under a parent that was killed may linger as dead."""
    try:
        return is_alive(psutil.Process(pid))
    except psutil.NoSuchProcess:
        return False


async def test_a_server_that_cannot_start_says_why(tmp_path: Path, download_cache: Path) -> None:
    neo4j = embedded(tmp_path, download_cache, memory=Memory(heap_mb=1, page_cache_mb=8))
    with pytest.raises(GraphUnavailable, match=r"console\.log") as caught:
        await neo4j.start()
    assert "heap" in str(caught.value).lower() or "memory" in str(caught.value).lower()
    assert neo4j.state == "stopped"
    assert neo4j.pid is None
