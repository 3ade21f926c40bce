"""What is asked of the graph around one hub that everything mentions."""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from tests.bench.generated import HUB, entity_name, runs_on
from tests.bench.running import SCOPE, quantiles, recall

_GOALS_MS = {"expansion": 20.0, "search": 10.0, "operations": 150.0}
_OPERATIONS = 100
_SETS = 40
_WARM_UP = 30
"""Calls of each kind before those that are measured: a JVM that has just started compiles, and
Neo4j plans a statement when it comes for the first time."""


def measure_graph(client: httpx.Client, entities: int, asked: int) -> dict[str, Any]:
    """Return the median and 95th percentile of each question, in milliseconds at the client, warm.

    `expansion_in_recall` is what the graph channel of a recall took; `operations` is a set of 100.
    """
    rng = random.Random(4)
    hub = _get(client, "/v1/entities", query=HUB)["items"][0]
    around = f"/v1/entities/{hub['id']}/neighbors"
    typed = _typed(rng, entities)
    names = [f"{HUB} {entity_name(rng.randrange(entities))}" for _ in range(asked)]
    for text in names[:_WARM_UP]:
        recall(client, text)
    figures = {
        "expansion": _timed(asked, lambda: _get(client, around, depth=1, limit=50)),
        "expansion_by_three": _timed(asked // 10, lambda: _get(client, around, depth=3, limit=100)),
        "expansion_in_recall": quantiles(
            [recall(client, text)["channels"]["graph"]["took_ms"] for text in names]
        ),
        "entity": _timed(asked, lambda: _get(client, f"/v1/entities/{hub['id']}")),
        "search": _timed(asked, lambda: _get(client, "/v1/entities", query=next(typed), limit=20)),
    }
    sets = operation_sets(client, entities)
    figures["operations"] = _timed(_SETS, lambda: _apply(client, next(sets)))
    return {"hub_mentions": hub["mentions"], "ms": figures, "goals_p50_ms": _GOALS_MS}


def operation_sets(client: httpx.Client, entities: int) -> Iterator[list[dict[str, Any]]]:
    """Yield sets of 100 operations: claims, relations of the hub and links, a third of each."""
    rng = random.Random(5)
    memories = [one["id"] for one in _get(client, "/v1/memories", limit=1_000)["items"]]
    while True:
        made: list[dict[str, Any]] = []
        for number in range(_OPERATIONS):
            name = entity_name(rng.randrange(entities))
            if number % 3 == 0:
                claim = runs_on(rng.randrange(1_000), f"host {rng.randrange(50)}")
                made.append({"op": "set_attribute", **claim})
            elif number % 3 == 1:
                tied = {"source": HUB, "target": name, "type": "depends on"}
                made.append({"op": "upsert_relation", **tied})
            else:
                link = {"memory_id": rng.choice(memories), "entity": name}
                made.append({"op": "link_memory", **link})
        yield made


def _apply(client: httpx.Client, operations: list[dict[str, Any]]) -> None:
    body = {"scope": SCOPE, "actor": "bench", "reason": "measured", "operations": operations}
    client.post("/v1/operations", json=body).raise_for_status()


def _typed(rng: random.Random, entities: int) -> Iterator[str]:
    """What people type: beginnings, words, and names to their end."""
    while True:
        name = entity_name(rng.randrange(entities))
        first, second = name.split()
        yield rng.choice([first[:3], f"{first} {second[:2]}", second[:2], second[:4], name])


def _get(client: httpx.Client, path: str, **params: Any) -> Any:
    answer = client.get(path, params={"scope": SCOPE, **params})
    answer.raise_for_status()
    return answer.json()


def _timed(times: int, call: Callable[[], object]) -> dict[str, float]:
    for _ in range(_WARM_UP):
        call()
    took: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        took.append((time.perf_counter() - began) * 1_000)
    return quantiles(took)
