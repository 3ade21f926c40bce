import numpy as np
import pytest

from service.providers.embedding.protocol import Vector
from service.providers.embedding.query_cache import QueryCache


class Counting:
    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, text: str) -> Vector:
        self.asked.append(text)
        return np.ones(4, dtype=np.float32)


async def test_a_repeated_query_is_embedded_once() -> None:
    cache, embed = QueryCache(2), Counting()
    first = await cache.get("a", embed)
    assert await cache.get("a", embed) is first
    assert embed.asked == ["a"]


async def test_the_one_used_longest_ago_goes_first() -> None:
    cache, embed = QueryCache(2), Counting()
    for text in ("a", "b", "a", "c", "a", "b"):
        await cache.get(text, embed)
    assert embed.asked == ["a", "b", "c", "b"]


async def test_a_kept_vector_cannot_be_changed_by_a_caller() -> None:
    vector = await QueryCache(2).get("a", Counting())
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 2
