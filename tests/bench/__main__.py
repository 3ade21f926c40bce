"""Speed and memory of the service, over HTTP: `make bench`.

    python -m tests.bench [--memories 10000] [--entities 20000] [--queries 300] [--plain]
    python -m tests.bench --embedding [--texts 2000]
    python -m tests.bench --standstill
    python -m tests.bench --graph [--memories 100000] [--entities 20000] [--queries 300]
    python -m tests.bench --quality FOLDER… [--split dev]

The first form loads a generated store (three mentions a memory, one memory in ten with a
relation; with --plain nothing but text) in batches, then asks questions one at a time, and prints
what each channel took. The
second writes texts with the real model and compares with the bare model in the same run. The
third stops Neo4j's process and measures how far recalls pass their deadline. The fourth loads a
store in which every memory mentions one hub, and measures what is asked of the graph (graph.py).
The fifth loads data sets into an empty service and measures how well recall finds (quality.py).
"""

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from service.bootstrap import open_embedder
from service.config import read_settings
from tests.bench.generated import around_hub, memories, queries
from tests.bench.graph import measure_graph
from tests.bench.quality import measure
from tests.bench.running import load, quantiles, recall, running

_STANDSTILLS = 30
_DEADLINE_MS = 250


def main() -> None:
    """Run one of the measurements and print its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=None, help="10,000; 100,000 for --graph")
    parser.add_argument("--entities", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--embedding", action="store_true")
    parser.add_argument("--texts", type=int, default=2_000)
    parser.add_argument("--standstill", action="store_true")
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--quality", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--split", default=None, help="dev, heldout; all questions when left out")
    args = parser.parse_args()
    if args.quality:
        figures: Any = quality(args.quality, args.split)
    elif args.standstill:
        figures = standstill()
    elif args.graph:
        figures = graph(args.memories or 100_000, args.entities, args.queries)
    else:
        figures = embedding(args.texts) if args.embedding else speed(args)
    print(json.dumps(figures, indent=1))  # noqa: T201


def speed(args: argparse.Namespace) -> dict[str, Any]:
    """Measure writes in batches, then recall, then resident memory."""
    count = args.memories or 10_000
    with running() as (client, process):
        made = memories(count, args.entities)
        if args.plain:
            made = ({"content": body["content"]} for body in made)
        written = load(client, made)
        asked = queries(args.queries, args.entities)
        for text in asked[:30]:
            recall(client, text)
        answers = [recall(client, text) for text in asked]
        resident = psutil.Process(process.pid).memory_info().rss
    return {
        "memories": count,
        "writes": written,
        "recall_ms": _recall_figures(answers),
        "resident_mb": round(resident / 1e6),
    }


def embedding(count: int) -> dict[str, Any]:
    """Compare writes with embedding against the bare model, in turn in one run."""
    texts = [str(body["content"]) for body in memories(count, 1_000)]
    half = len(texts) // 2
    with running("--real-model") as (client, _):
        load(client, iter([{"content": text} for text in texts[:50]]))
        rates: dict[str, list[float]] = {"bare": [], "service": []}
        for part in (texts[50:half], texts[half:]):
            rates["bare"].append(asyncio.run(_bare_rate(part)))
            written = load(client, iter([{"content": text} for text in part]))
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
        load(client, memories(1_000, 2_000))
        asked = queries(_STANDSTILLS + 10, 2_000)
        for text in asked[_STANDSTILLS:]:
            recall(client, text)
        (neo4j,) = psutil.Process(process.pid).children()
        neo4j.suspend()
        try:
            over: list[float] = []
            late = 0
            for text in asked[:_STANDSTILLS]:
                began = time.perf_counter()
                answer = recall(client, text, _DEADLINE_MS)
                over.append((time.perf_counter() - began) * 1_000 - _DEADLINE_MS)
                late += answer["channels"]["graph"]["status"] == "timed_out"
        finally:
            neo4j.resume()
    return {"asked": len(over), "graph_timed_out": late, "over_deadline_ms": quantiles(over)}


def graph(count: int, entities: int, asked: int) -> dict[str, Any]:
    """Load a store around one hub and measure what is asked of it."""
    with running() as (client, _):
        written = load(client, around_hub(count, entities))
        figures = measure_graph(client, entities, asked)
    return {"memories": count, "entities": entities, "writes": written, **figures}


def quality(folders: Sequence[Path], split: str | None) -> list[dict[str, Any]]:
    """Measure each data set, all in one service."""
    with running("--real-model") as (client, _):
        return [measure(client, folder, split) for folder in folders]


def _recall_figures(answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    whole = quantiles([answer["took_ms"] for answer in answers])
    channels = {
        name: quantiles([answer["channels"][name]["took_ms"] for answer in answers])
        for name in ("content", "hints", "vector", "graph")
    }
    slowest = max(figures["p50"] for figures in channels.values())
    return {
        "whole": whole,
        "channels": channels,
        "allowed_p50": round(1.5 * slowest + 2, 2),
        "timed_out": sum(answer["timed_out"] for answer in answers),
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
