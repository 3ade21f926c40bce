"""The service as a user runs it: `palimpsest serve` in a process of its own."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import psutil

from service.stores.neo4j.embedded.record import find_server
from tests.waiting import until

COMMAND = Path(sys.executable).with_name("palimpsest")
"""The command beside the Python that runs the tests."""

START_S = 240.0
"""A start includes one of Neo4j, which a busy machine makes long."""

_ADDRESS = re.compile(r"serves on (http://\S+)")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Served:
    """One store, and the process that serves it; what it printed is in `log`."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.data_dir = folder / "data"
        self.log = folder / "serve.log"
        self.address = ""
        self._environment = {
            **os.environ,
            "PALIMPSEST_EMBEDDING__PROVIDER": "hashing",
            "PALIMPSEST_NEO4J__HEAP_MB": "256",
            "PALIMPSEST_NEO4J__PAGE_CACHE_MB": "64",
            "PALIMPSEST_NEO4J__BOLT_PORT": str(free_port()),
            "PALIMPSEST_NEO4J__HTTP_PORT": str(free_port()),
            **environment,
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The service's process."""
        assert self._process is not None
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether the service's process lives."""
        return self._process is not None and self._process.poll() is None

    def neo4j(self) -> psutil.Process | None:
        """The process of its own Neo4j, while there is one."""
        return find_server((self.data_dir / "neo4j").absolute())

    def run(self, *arguments: str, seconds: float = 120.0) -> subprocess.CompletedProcess[str]:
        """Run another command, with this store's settings, to its end."""
        return subprocess.run(
            [str(COMMAND), *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    async def start(self) -> None:
        """Start the process; returns once it serves."""
        assert not self.runs
        self._spawn()
        self.address = await until(self._announced, "the service serves", START_S)

    def kill(self) -> None:
        """End the process as a lost machine does: nothing of it runs on."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    async def stop(self) -> int:
        """Ask the process to end; returns its exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return await self.ended()

    async def ended(self, seconds: float = 60.0) -> int:
        """Wait for the end of the process; returns its exit code."""

        async def over() -> tuple[int] | None:
            assert self._process is not None
            code = self._process.poll()
            return None if code is None else (code,)

        return (await until(over, "the service ends", seconds))[0]

    async def clean_up(self) -> None:
        """Leave no process behind."""
        if self.runs:
            await self.stop()
        neo4j = self.neo4j()
        if neo4j is not None:
            neo4j.kill()
            neo4j.wait(30)

    def _spawn(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                [str(COMMAND), "serve", "--port", "0", "--data-dir", str(self.data_dir)],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    async def _announced(self) -> str | None:
        assert self._process is not None
        text = self.log.read_text(encoding="utf-8", errors="replace")
        assert self._process.poll() is None, f"the service ended:\n{text}"
        found = _ADDRESS.search(text)
        return found[1] if found else None


class Caller:
    """Calls of a served store within one scope."""

    def __init__(self, served: Served, scope: str) -> None:
        self.served = served
        self.scope = scope
        self._http = httpx.AsyncClient(timeout=60.0)

    async def close(self) -> None:
        await self._http.aclose()

    async def post(
        self, path: str, body: dict[str, Any], headers: dict[str, str] | None = None
    ) -> httpx.Response:
        """Send a body, wherever the store is served now."""
        address = f"{self.served.address}{path}"
        return await self._http.post(address, json={"scope": self.scope, **body}, headers=headers)

    async def get(self, path: str, **params: Any) -> httpx.Response:
        """Read, wherever the store is served now."""
        address = f"{self.served.address}{path}"
        return await self._http.get(address, params={"scope": self.scope, **params})

    async def remember(self, content: str, **more: Any) -> dict[str, Any]:
        """Keep a memory; returns it."""
        response = await self.post("/v1/memories", {"content": content, **more})
        assert response.status_code == 201, response.text
        return response.json()

    async def recall(self, query: str, deadline_ms: int = 30_000, **more: Any) -> dict[str, Any]:
        """The answer to a recall."""
        body = {"query": query, "deadline_ms": deadline_ms, **more}
        response = await self.post("/v1/recall", body)
        assert response.status_code == 200, response.text
        return response.json()

    async def every_id(self) -> set[str]:
        """The ids of all memories, by the paged list."""
        found: set[str] = set()
        cursor: dict[str, str] = {}
        while True:
            page = (await self.get("/v1/memories", limit=100, **cursor)).json()
            found |= {item["id"] for item in page["items"]}
            if page["next_cursor"] is None:
                return found
            cursor = {"cursor": page["next_cursor"]}

    async def differences(self) -> list[Any]:
        """What the doctor finds."""
        response = await self._http.post(f"{self.served.address}/v1/maintenance/doctor")
        assert response.status_code == 200, response.text
        return response.json()["differences"]

    async def is_ready(self) -> bool:
        """Whether the service says that it can serve."""
        try:
            return (await self._http.get(f"{self.served.address}/readyz")).status_code == 200
        except httpx.TransportError:
            return False
