"""Refit the constants of `service/recall/fusion.py` on data sets, without a running service.

    python tests/bench/fit_fusion.py DATASET_DIR... [--split dev] [--alpha 0.7] [--cache DIR]

A data set folder holds corpus.jsonl (id, content, scope, created_at) and queries.jsonl (id, text,
relevant, scope, split, optional stale), and sometimes supersedes.jsonl (new, old). The texts are
embedded with the service's own model once (slow: minutes for thousands of long texts) and kept in
the cache folder. For each candidate calibration the table shows recall@10 / nDCG@10 of every set,
the share of questions whose current memory comes first in a set with corrections, the score of
the best relevant memory (median) and the best score that questions about something else get (95th
percentile): the further apart these two, the better `min_score` works.
"""

import argparse
import asyncio
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track
from rich.table import Table

from service.providers.embedding import Embedder, OnnxEmbedder
from service.recall.fusion import COSINES, TEXT, Line, calibrate_cosine, calibrate_text, fuse
from service.stores.tantivy.analyzer import query_tokens, tokens

K1, B = 1.2, 0.75  # the text index's own
SUPERSEDED_FACTOR = 0.25
OFF_TOPIC_QUESTIONS = 60

Floats = npt.NDArray[np.float64]
Ranker = Callable[["Measured"], Floats]


@dataclass(frozen=True)
class Scope:
    """The memories of one scope, ready to be measured against a question."""

    ids: list[str]
    postings: dict[str, dict[int, int]]
    lengths: Floats
    passages: npt.NDArray[np.float32]
    owners: npt.NDArray[np.int64]
    """The position in `ids` that each passage belongs to."""


@dataclass(frozen=True)
class Measured:
    """A question against every memory of a scope."""

    bm25: Floats
    ceiling: float
    cosine: Floats
    relevant: npt.NDArray[np.int64]
    stale: npt.NDArray[np.int64]
    replaced: dict[int, list[int]]
    """Each superseded memory's live heads."""


@dataclass
class DataSet:
    """A folder's questions, measured; and those of other sets, asked here as off-topic ones."""

    name: str
    scopes: dict[str, Scope]
    queries: list[dict[str, Any]]
    vectors: npt.NDArray[np.float32]
    successors: dict[str, list[str]]
    measured: list[Measured] = field(default_factory=list)
    off_topic: list[Measured] = field(default_factory=list)


def rows(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())


async def embedded(embedder: Embedder, name: str, texts: Sequence[str], kept: Path) -> Any:
    """Passage vectors and the text each belongs to, from `kept` if they are there."""
    found = read_kept(kept)
    if found is None:
        vectors: list[npt.NDArray[np.float32]] = []
        for at in track(range(0, len(texts), 50), description=f"embedding {name}"):
            vectors += await embedder.embed(texts[at : at + 50])
        owners = np.repeat(np.arange(len(texts)), [len(v) for v in vectors])
        found = {"vectors": np.concatenate(vectors), "owners": owners}
        keep(kept, found)
    return found


def read_kept(kept: Path) -> Any:
    return np.load(kept) if kept.exists() else None


def keep(kept: Path, found: dict[str, Any]) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    np.savez(kept, **found)


def scope_of(memories: Sequence[dict[str, Any]], passages: Any, owners: Any) -> Scope:
    postings: dict[str, dict[int, int]] = defaultdict(dict)
    lengths = np.zeros(len(memories))
    for at, memory in enumerate(memories):
        counts = Counter(tokens(memory["content"]))
        lengths[at] = counts.total()
        for token, count in counts.items():
            postings[token][at] = count
    return Scope([m["id"] for m in memories], dict(postings), lengths, passages, owners)


async def load(folder: Path, split: str, embedder: Embedder, cache: Path) -> DataSet:
    queries = [q for q in rows(folder / "queries.jsonl") if q.get("split", split) == split]
    wanted = {q["scope"] for q in queries}
    corpus = [m for m in rows(folder / "corpus.jsonl") if m["scope"] in wanted]
    kept = cache / f"{folder.name}-{split}-{embedder.model}-{len(corpus)}.npz"
    vectors = await embedded(embedder, folder.name, [m["content"] for m in corpus], kept)
    passages, owners = vectors["vectors"], vectors["owners"]
    places: dict[str, list[int]] = defaultdict(list)
    for at, memory in enumerate(corpus):
        places[memory["scope"]].append(at)
    scopes: dict[str, Scope] = {}
    for name, places_here in places.items():
        here = np.isin(owners, places_here)
        local = np.searchsorted(places_here, owners[here])
        scopes[name] = scope_of([corpus[at] for at in places_here], passages[here], local)
    successors: dict[str, list[str]] = defaultdict(list)
    for edge in rows(folder / "supersedes.jsonl"):
        successors[edge["old"]].append(edge["new"])
    questions = np.array([await embedder.embed_query(q["text"]) for q in queries])
    return DataSet(folder.name, scopes, queries, questions, dict(successors))


def heads(memory: str, successors: dict[str, list[str]]) -> list[str]:
    newer = successors.get(memory)
    return [h for n in newer for h in heads(n, successors)] if newer else [memory]


def measure(
    scope: Scope,
    query: dict[str, Any],
    vector: npt.NDArray[np.float32],
    successors: dict[str, list[str]],
) -> Measured:
    """BM25 with the scope's own statistics, and the cosine of each memory's best passage."""
    count, mean_length = len(scope.ids), float(scope.lengths.mean())
    bm25, ceiling = np.zeros(count), 0.0
    for token in query_tokens(query["text"]):
        posting = scope.postings.get(token, {})
        idf = math.log1p((count - len(posting) + 0.5) / (len(posting) + 0.5))
        ceiling += idf * (K1 + 1)
        for at, n in posting.items():
            norm = K1 * (1 - B + B * scope.lengths[at] / mean_length)
            bm25[at] += idf * n * (K1 + 1) / (n + norm)
    cosine = np.full(count, -1.0)
    np.maximum.at(cosine, scope.owners, scope.passages @ vector)
    place = {memory: at for at, memory in enumerate(scope.ids)}
    return Measured(
        bm25=bm25,
        ceiling=ceiling,
        cosine=cosine,
        relevant=np.array([place[m] for m in query["relevant"] if m in place], dtype=np.int64),
        stale=np.array([place[m] for m in query.get("stale", ()) if m in place], dtype=np.int64),
        replaced={
            place[old]: [place[h] for h in heads(old, successors)]
            for old in successors
            if old in place
        },
    )


def measure_all(sets: Sequence[DataSet]) -> None:
    for data in sets:
        asked = zip(data.queries, data.vectors, strict=True)
        data.measured = [measure(data.scopes[q["scope"]], q, v, data.successors) for q, v in asked]
        scope = next(iter(data.scopes.values()))
        for other in sets:
            if other is data or other.queries[0]["text"] == data.queries[0]["text"]:
                continue
            step = max(1, len(other.queries) // OFF_TOPIC_QUESTIONS)
            for q, v in zip(other.queries[::step], other.vectors[::step], strict=True):
                data.off_topic.append(measure(scope, {**q, "relevant": (), "stale": ()}, v, {}))


def min_max(alpha: float, depth: int = 100) -> Ranker:
    """The usual weighted sum, for comparison: each channel stretched over its own candidates."""

    def rank(question: Measured) -> Floats:
        near, worded = np.argsort(-question.cosine)[:depth], np.argsort(-question.bm25)[:depth]
        found = np.union1d(near, worded)
        fused = np.zeros(len(question.bm25))
        for values, weight in ((question.cosine[found], alpha), (question.bm25[found], 1 - alpha)):
            spread = float(np.ptp(values)) or 1.0
            fused[found] += weight * (values - values.min()) / spread
        return fused

    return rank


def calibrated(alpha: float, text: Line, cosine: Line) -> Ranker:
    def rank(question: Measured) -> Floats:
        words = calibrate_text(question.bm25, question.ceiling, text)
        return fuse(words, calibrate_cosine(question.cosine, cosine), alpha)

    return rank


def quality(data: DataSet, rank: Ranker) -> tuple[float, float]:
    """Mean recall@10 and nDCG@10 with binary gains."""
    discounts = 1 / np.log2(np.arange(2, 12))
    recall, gain = [], []
    for question in data.measured:
        top = np.argsort(-rank(question), kind="stable")[:10]
        hits = np.isin(top, question.relevant)
        ideal = discounts[: min(10, len(question.relevant))].sum()
        recall.append(hits.sum() / max(1, len(question.relevant)))
        gain.append((hits * discounts[: len(top)]).sum() / (ideal or 1.0))
    return float(np.mean(recall)), float(np.mean(gain))


def current_first(data: DataSet, rank: Ranker) -> float:
    """Share of questions with a current memory first, after succession and demotion."""
    first = 0
    for question in data.measured:
        scores = rank(question)
        before = scores.copy()
        for old, newer in question.replaced.items():
            scores[newer] = np.maximum(scores[newer], before[old])
        scores[list(question.replaced)] *= SUPERSEDED_FACTOR
        first += int(scores[question.relevant].max() >= scores.max())
    return first / len(data.measured)


def table_row(name: str, sets: Sequence[DataSet], rank: Ranker) -> tuple[float, list[str]]:
    cells, figures = [name], []
    own, off = [], []
    for data in sets:
        own += [rank(q)[q.relevant].max() for q in data.measured if len(q.relevant)]
        off += [rank(q).max() for q in data.off_topic]
        if data.successors:
            figures.append(current_first(data, rank))
            cells.append(f"{figures[-1]:.3f}")
        else:
            recall, gain = quality(data, rank)
            figures += [recall, gain]
            cells.append(f"{recall:.3f} / {gain:.3f}")
    mean = float(np.mean(figures))
    apart = f"{np.median(own):.2f} : {np.percentile(off, 95):.2f}" if off else "-"
    return mean, [*cells, f"{mean:.4f}", apart]


def candidates(alpha: float, model: str) -> Iterator[tuple[str, Ranker]]:
    yield "min-max", min_max(alpha)
    if model in COSINES:
        now = COSINES[model]
        name = f"now: {now.zero:.2f}-{now.one:.2f}, text {TEXT.one:.2f}"
        yield name, calibrated(alpha, TEXT, now)
    for zero, one, text in product(
        (0.35, 0.4, 0.45, 0.5), (0.85, 0.9, 0.95, 1.0), (0.4, 0.45, 0.5, 0.6)
    ):
        name = f"{zero:.2f}-{one:.2f}, text {text:.2f}"
        yield name, calibrated(alpha, Line(0.0, text), Line(zero, one))


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("datasets", nargs="+", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--alpha", type=float, default=0.7, help="weight of vector against text")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "palimpsest" / "fit")
    parser.add_argument(
        "--models",
        type=Path,
        help="where the model is kept",
        default=Path.home() / ".cache" / "palimpsest",
    )
    parser.add_argument("--best", type=int, default=15, help="how many candidates to show")
    args = parser.parse_args()

    embedder = OnnxEmbedder(args.models)
    sets = [await load(folder, args.split, embedder, args.cache) for folder in args.datasets]
    await embedder.close()
    measure_all(sets)

    ranked = list(candidates(args.alpha, embedder.model))
    lines = [table_row(name, sets, rank) for name, rank in track(ranked, description="ranking")]
    fixed = sum(not name[0].isdigit() for name, _ in ranked)
    table = Table("calibration", *(d.name for d in sets), "mean", "relevant : off topic")
    for _, cells in [*lines[:fixed], *sorted(lines[fixed:], reverse=True)[: args.best]]:
        table.add_row(*cells)
    Console(width=max(120, 40 + 20 * len(sets))).print(table)


if __name__ == "__main__":
    asyncio.run(main())
