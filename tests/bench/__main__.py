"""Speed and memory of the service, over HTTP: `make bench`.

    python -m tests.bench [--memories 10000] [--entities 20000] [--queries 300] [--plain]
    python -m tests.bench --embedding [--texts 2000]
    python -m tests.bench --standstill
    python -m tests.bench --quality FOLDER… [--split dev]

The first form loads a generated store (three mentions a memory, one memory in ten with a
relation; with --plain nothing but text) in batches, then asks questions one at a time, and prints
what each channel took. The
second writes texts with the real model and compares with the bare model in the same run. The
third stops Neo4j's process and measures how far recalls pass their deadline. The fourth loads
data sets into an empty service and measures how well recall finds (quality.py).
"""

import argparse
import asyncio
import json
import os
import signal
import socket
import statistics
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
import psutil

from service.bootstrap import open_embedder
from service.config import read_settings
from tests.bench.generated import memories, queries
from tests.bench.quality import measure

_START_S = 180.0
_BATCH = 1_000
_STANDSTILLS = 30
_DEADLINE_MS = 250


def main() -> None:
    """Run one of the measurements and print its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--entities", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--embedding", action="store_true")
    parser.add_argument("--texts", type=int, default=2_000)
    parser.add_argument("--standstill", action="store_true")
    parser.add_argument("--quality", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--split", default=None, help="dev, heldout; all questions when left out")
    args = parser.parse_args()
    if args.quality:
        figures: Any = quality(args.quality, args.split)
    elif args.standstill:
        figures = standstill()
    else:
        figures = embedding(args.texts) if args.embedding else speed(args)
    print(json.dumps(figures, indent=1))  # noqa: T201


def speed(args: argparse.Namespace) -> dict[str, Any]:
    """Measure writes in batches, then recall, then resident memory."""
    with running() as (client, process):
        made = memories(args.memories, args.entities)
        if args.plain:
            made = ({"content": body["content"]} for body in made)
        written = _load(client, made)
        asked = queries(args.queries, args.entities)
        for text in asked[:30]:
            _recall(client, text)
        answers = [_recall(client, text) for text in asked]
        resident = psutil.Process(process.pid).memory_info().rss
    return {
        "memories": args.memories,
        "writes": written,
        "recall_ms": _recall_figures(answers),
        "resident_mb": round(resident / 1e6),
    }


def embedding(count: int) -> dict[str, Any]:
    """Compare writes with embedding against the bare model, in turn in one run."""
    texts = [str(body["content"]) for body in memories(count, 1_000)]
    half = len(texts) // 2
    with running("--real-model") as (client, _):
        _load(client, iter([{"content": text} for text in texts[:50]]))
        rates: dict[str, list[float]] = {"bare": [], "service": []}
        for part in (texts[50:half], texts[half:]):
            rates["bare"].append(asyncio.run(_bare_rate(part)))
            written = _load(client, iter([{"content": text} for text in part]))
            rates["service"].append(written["per_second"])
    bare, service = (statistics.mean(rates[name]) for name in ("bare", "service"))
    return {
        "texts": count,
        "bare_model_per_second": round(bare, 1),
        "service_per_second": round(service, 1),
        "share": round(service / bare, 3),
    }


def standstill() -> dict[str, Any]:
    """Ask while Neo4j's process is stopped: how far each answer passes its deadline."""
    with running() as (client, process):
        _load(client, memories(1_000, 2_000))
        asked = queries(_STANDSTILLS + 10, 2_000)
        for text in asked[_STANDSTILLS:]:
            _recall(client, text)
        (neo4j,) = psutil.Process(process.pid).children()
        neo4j.suspend()
        try:
            over: list[float] = []
            late = 0
            for text in asked[:_STANDSTILLS]:
                began = time.perf_counter()
                answer = _recall(client, text, _DEADLINE_MS)
                over.append((time.perf_counter() - began) * 1_000 - _DEADLINE_MS)
                late += answer["channels"]["graph"]["status"] == "timed_out"
        finally:
            neo4j.resume()
    return {"asked": len(over), "graph_timed_out": late, "over_deadline_ms": _quantiles(over)}


def quality(folders: Sequence[Path], split: str | None) -> list[dict[str, Any]]:
    """Measure each data set, all in one service."""
    with running("--real-model") as (client, _):
        return [measure(client, folder, split) for folder in folders]


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
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600.0) as client:
                _await_ready(client, process)
                yield client, process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)


def _await_ready(client: httpx.Client, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until and process.poll() is None:
        try:
            if client.get("/readyz").status_code == 200:
                return
        except httpx.TransportError:
            os.sched_yield()
        time.sleep(0.2)
    raise SystemExit(f"the service did not start within {_START_S:g} s")


def _load(client: httpx.Client, bodies: Iterator[dict[str, Any]]) -> dict[str, Any]:
    started, count, slowest = time.perf_counter(), 0, 0.0
    while part := list(islice(bodies, _BATCH)):
        began = time.perf_counter()
        answer = client.post("/v1/memories/batch", json={"scope": "bench", "memories": part})
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


def _recall(client: httpx.Client, text: str, deadline_ms: int = 2_000) -> dict[str, Any]:
    body = {"scope": "bench", "query": text, "limit": 10, "deadline_ms": deadline_ms}
    answer = client.post("/v1/recall", json=body)
    answer.raise_for_status()
    return answer.json()


def _recall_figures(answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    whole = _quantiles([answer["took_ms"] for answer in answers])
    channels = {
        name: _quantiles([answer["channels"][name]["took_ms"] for answer in answers])
        for name in ("content", "hints", "vector", "graph")
    }
    slowest = max(figures["p50"] for figures in channels.values())
    return {
        "whole": whole,
        "channels": channels,
        "allowed_p50": round(1.5 * slowest + 2, 2),
        "timed_out": sum(answer["timed_out"] for answer in answers),
    }


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "p50": round(ordered[len(ordered) // 2], 2),
        "p95": round(ordered[int(len(ordered) * 0.95)], 2),
    }


async def _bare_rate(texts: Sequence[str]) -> float:
    embedder = open_embedder(read_settings())
    await embedder.start()
    await embedder.embed(texts[:20])
    started = time.perf_counter()
    await embedder.embed(texts)
    seconds = time.perf_counter() - started
    await embedder.close()
    return len(texts) / seconds


if __name__ == "__main__":
    main()
