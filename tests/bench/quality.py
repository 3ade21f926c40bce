"""How well recall finds: `python -m tests.bench --quality FOLDER… [--split dev]`.

A folder holds `corpus.jsonl` (id, content, scope; optional created_at, session, speaker, and
`remember` with whatever else a memory brings), `queries.jsonl` (id, text, relevant, scope, split;
optional stale) and, optionally, `supersedes.jsonl` (new, old). docs/benchmarks.md says where
public data of this shape comes from.
"""

import json
import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx

_BATCH = 200
_LIMIT = 20
_CUT = 10


def measure(client: httpx.Client, folder: Path, split: str | None) -> dict[str, Any]:
    """Load a data set into scopes of its own and ask its questions; returns the mean figures."""
    queries = [one for one in _read(folder / "queries.jsonl") if split in (None, one["split"])]
    scopes = {one["scope"] for one in queries}
    corpus = [one for one in _read(folder / "corpus.jsonl") if one["scope"] in scopes]
    ids = _load(client, folder, corpus)
    names: dict[str, set[str]] = defaultdict(set)
    for name, memory_id in ids.items():
        names[memory_id].add(name)
    rows = [_ask(client, folder, one, names) for one in queries]
    keys = sorted({key for row in rows for key in row})
    figures = {
        key: round(statistics.fmean(row[key] for row in rows if key in row), 4) for key in keys
    }
    return {"dataset": folder.name, "queries": len(queries), "memories": len(ids), **figures}


def _load(client: httpx.Client, folder: Path, corpus: Sequence[dict[str, Any]]) -> dict[str, str]:
    ids: dict[str, str] = {}
    by_scope: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in corpus:
        by_scope[row["scope"]].append(row)
    for scope, rows in by_scope.items():
        rows.sort(key=lambda row: row.get("created_at") or "")
        for start in range(0, len(rows), _BATCH):
            part = rows[start : start + _BATCH]
            body = {"scope": _scope(folder, scope), "memories": [_memory(row) for row in part]}
            answer = client.post("/v1/memories/batch", json=body)
            answer.raise_for_status()
            for row, result in zip(part, answer.json()["results"], strict=True):
                if result["status"] == "failed":
                    raise SystemExit(f"{row['id']} was refused: {result['error']}")
                ids[row["id"]] = result["memory"]["id"]
    scope_of = {row["id"]: row["scope"] for row in corpus}
    edges = folder / "supersedes.jsonl"
    for edge in _read(edges) if edges.exists() else ():
        body = {"target_id": ids[edge["old"]], "scope": _scope(folder, scope_of[edge["new"]])}
        client.post(f"/v1/memories/{ids[edge['new']]}/supersedes", json=body).raise_for_status()
    return ids


def _ask(
    client: httpx.Client, folder: Path, query: dict[str, Any], names: dict[str, set[str]]
) -> dict[str, float]:
    body = {
        "scope": _scope(folder, query["scope"]),
        "query": query["text"],
        "limit": _LIMIT,
        "deadline_ms": 5_000,
    }
    answer = client.post("/v1/recall", json=body)
    answer.raise_for_status()
    results = answer.json()["results"]
    relevant, stale = set(query["relevant"]), set(query.get("stale", ()))
    wanted = relevant | stale
    ranked = [next(iter(names[one["id"]] & wanted or names[one["id"]])) for one in results]
    row = _score(ranked, relevant)
    if stale:
        best = next((at for at, name in enumerate(ranked) if name in relevant), math.inf)
        shown = [(at, one["superseded"]) for at, one in enumerate(results) if ranked[at] in stale]
        row["stale_over_current"] = float(any(at < best for at, _ in shown))
        row["current@1"] = float(best == 0)
        if shown:
            row["stale_marked"] = statistics.fmean(marked for _, marked in shown)
    return row


def _score(ranked: Sequence[str], relevant: set[str]) -> dict[str, float]:
    """Recall and nDCG (binary gains; Järvelin & Kekäläinen 2002) at ten."""
    hits = [at for at, name in enumerate(ranked[:_CUT]) if name in relevant]
    ideal = sum(1 / math.log2(at + 2) for at in range(min(_CUT, len(relevant))))
    return {
        "recall@10": len(hits) / len(relevant),
        "ndcg@10": sum(1 / math.log2(at + 2) for at in hits) / ideal,
    }


def _memory(row: dict[str, Any]) -> dict[str, Any]:
    more = {key: row[key] for key in ("created_at", "session", "speaker") if row.get(key)}
    return {"content": row["content"], **row.get("remember", {}), **more}


def _scope(folder: Path, scope: str) -> str:
    return f"{folder.name}:{scope}"


def _read(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
