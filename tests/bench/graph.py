"""What is asked of the graph around one hub that everything mentions."""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from tests.bench.generated import HUB, entity_name
from tests.bench.running import SCOPE, quantiles, recall

_GOALS_MS = {"expansion": 20.0, "search": 10.0}


def measure_graph(client: httpx.Client, entities: int, asked: int) -> dict[str, Any]:
    """Return the median and 95th percentile of each question, in milliseconds at the client.

    `expansion_in_recall` is what the graph channel of a recall took.
    """
    rng = random.Random(4)
    hub = _get(client, "/v1/entities", query=HUB)["items"][0]
    around = f"/v1/entities/{hub['id']}/neighbors"
    typed = _typed(rng, entities)
    names = [f"{HUB} {entity_name(rng.randrange(entities))}" for _ in range(asked)]
    for text in names[:30]:
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
    return {"hub_mentions": hub["mentions"], "ms": figures, "goals_p50_ms": _GOALS_MS}


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
    took: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        took.append((time.perf_counter() - began) * 1_000)
    return quantiles(took)
