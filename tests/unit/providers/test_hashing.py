import numpy as np
import pytest

from service.domain.errors import ConfigurationError
from service.providers.embedding import HashingEmbedder
from service.providers.embedding.protocol import Embedder


async def test_shared_words_are_nearer_than_none() -> None:
    embedder: Embedder = HashingEmbedder()
    await embedder.start()
    query = await embedder.embed_query("Where does the billing export live?")
    near, far = await embedder.embed(["The billing export lives on birch.", "Cats sleep all day."])
    assert near[0] @ query > far[0] @ query + 0.2
    await embedder.close()


async def test_every_text_is_one_unit_vector() -> None:
    texts = ["", "   ", "!?", "🙂🙂", "数据库迁移", "word " * 20_000, "\ud800", "a", "A"]
    vectors = await HashingEmbedder(64).embed(texts)
    assert [v.shape for v in vectors] == [(1, 64)] * len(texts)
    np.testing.assert_allclose([np.linalg.norm(v) for v in vectors], 1.0, atol=1e-6)
    np.testing.assert_array_equal(vectors[-1], vectors[-2])


async def test_the_same_text_always_gives_the_same_vector() -> None:
    """The figures are from another process: nothing may depend on Python's own random hash."""
    vector = await HashingEmbedder(8).embed_query("palimpsest")
    np.testing.assert_allclose(vector, EXPECTED, atol=1e-6)


def test_too_small_a_dimension_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="7 must be at least 8"):
        HashingEmbedder(7)


EXPECTED = [
    0.4719399,
    0.2022600,
    0.2022600,
    0.0000000,
    -0.8090398,
    -0.2022600,
    0.0000000,
    0.0000000,
]
