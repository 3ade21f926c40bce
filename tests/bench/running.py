"""A service in a process of its own, what is loaded into it, and how figures are put."""

import asyncio
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import httpx

from tests.waiting import until

SCOPE = "bench"
_START_S = 180.0
_BATCH = 1_000


@contextmanager
def running(*options: str) -> Iterator[tuple[httpx.Client, subprocess.Popen[bytes]]]:
    """Start a service in an empty folder; stops it and removes the folder afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.bench.server", "--data-dir", folder]
        process = subprocess.Popen(
            [*command, "--port", str(port), *options], cwd=Path(__file__).parents[2]
        )
        try:
            url = f"http://127.0.0.1:{port}"
            asyncio.run(_await_ready(url, process))
            with httpx.Client(base_url=url, timeout=600.0) as client:
                yield client, process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)


async def _await_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    async with httpx.AsyncClient(base_url=url) as client:

        async def is_ready() -> bool:
            if process.poll() is not None:
                raise SystemExit(f"the service ended with {process.returncode} before it was ready")
            try:
                return (await client.get("/readyz")).status_code == 200
            except httpx.TransportError:
                return False

        await until(is_ready, "the service is ready", _START_S)


def load(client: httpx.Client, bodies: Iterator[dict[str, Any]]) -> dict[str, Any]:
    """Remember everything in batches; returns how fast that was. Ends the run on a refusal."""
    started, count, slowest = time.perf_counter(), 0, 0.0
    while part := list(islice(bodies, _BATCH)):
        began = time.perf_counter()
        answer = client.post("/v1/memories/batch", json={"scope": SCOPE, "memories": part})
        answer.raise_for_status()
        failed = [one for one in answer.json()["results"] if one["status"] == "failed"]
        if failed:
            raise SystemExit(f"refused: {failed[0]['error']}")
        slowest = max(slowest, time.perf_counter() - began)
        count += len(part)
    seconds = time.perf_counter() - started
    return {
        "seconds": round(seconds, 2),
        "per_second": round(count / seconds, 1),
        "slowest_batch_s": round(slowest, 2),
    }


def recall(client: httpx.Client, text: str, deadline_ms: int = 2_000) -> dict[str, Any]:
    """Return the answer to a question."""
    body = {"scope": SCOPE, "query": text, "limit": 10, "deadline_ms": deadline_ms}
    answer = client.post("/v1/recall", json=body)
    answer.raise_for_status()
    return answer.json()


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """Return the median and the 95th percentile."""
    ordered = sorted(values)
    return {
        "p50": round(ordered[len(ordered) // 2], 2),
        "p95": round(ordered[int(len(ordered) * 0.95)], 2),
    }
