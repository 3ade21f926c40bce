import asyncio
from pathlib import Path

import numpy as np
import pytest

from service.domain.errors import EmbeddingUnavailable
from service.providers.embedding import Embedder, OnnxEmbedder, Vector

FACTS = [
    "Spotify plays in the office on Fridays.",
    "The billing export runs on host birch at two in the morning.",
    "Alice is allergic to peanuts.",
    "We moved from Redis to Postgres for the job queue.",
]


async def one(embedder: Embedder, text: str) -> Vector:
    (vectors,) = await embedder.embed([text])
    assert vectors.shape == (1, embedder.dimension)
    return vectors[0]


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("Which music streaming service do we use?", 0),
        ("At what time do invoices get exported?", 1),
        ("What must not be in her food?", 2),
        ("Which database holds background work?", 3),
    ],
)
async def test_the_nearest_fact_is_the_one_that_answers(
    onnx: OnnxEmbedder, question: str, fact: int
) -> None:
    vectors = np.concatenate(await onnx.embed(FACTS))
    assert int(np.argmax(vectors @ await onnx.embed_query(question))) == fact


async def test_a_text_alone_or_among_others_has_the_same_vector(onnx: OnnxEmbedder) -> None:
    together = await onnx.embed([*FACTS, "x " * 300])
    for text, vectors in zip(FACTS, together, strict=False):
        np.testing.assert_array_equal(vectors[0], await one(onnx, text))


async def test_vectors_are_float32_of_unit_length(onnx: OnnxEmbedder) -> None:
    vectors = np.concatenate(await onnx.embed(FACTS))
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


async def test_no_text_is_no_vector(onnx: OnnxEmbedder) -> None:
    assert await onnx.embed([]) == []


async def test_a_long_text_is_found_by_its_end(onnx: OnnxEmbedder) -> None:
    # About 1,450 tokens: four passages of 510 that share 64.
    padding = "The meeting notes go on about the weather and the garden. " * 120
    (long,) = await onnx.embed([padding + FACTS[1]])
    query = await onnx.embed_query("Which host runs the billing export?")
    assert len(long) == 4
    scores = long @ query
    assert int(np.argmax(scores)) == len(long) - 1
    assert scores[-1] > scores[0] + 0.1


async def test_special_tokens_in_a_text_are_text(onnx: OnnxEmbedder) -> None:
    plain, marked = await one(onnx, "a cat"), await one(onnx, "a [SEP] [PAD] [CLS] cat")
    spelled = await one(onnx, "a [ SEP ] [ PAD ] [ CLS ] cat")
    assert marked @ spelled > 0.999
    assert marked @ plain < 0.95


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(" \n\t", id="white-space"),
        pytest.param("🙂👍🏽", id="emoji"),
        pytest.param("\u200b", id="zero-width"),
        pytest.param("\x00", id="nul"),
        pytest.param("\ud83d", id="half-a-surrogate-pair"),
        pytest.param("a" * 5000, id="one-long-word"),
        pytest.param("數據庫" * 50, id="no-spaces"),
        pytest.param("ภาษาไทยไม่มีช่องว่าง" * 30, id="thai"),
    ],
)
async def test_any_text_has_a_vector(onnx: OnnxEmbedder, text: str) -> None:
    (vectors,) = await onnx.embed([text])
    assert np.isfinite(vectors).all()
    assert (await onnx.embed_query(text)).shape == (onnx.dimension,)


async def test_a_text_without_spaces_becomes_several_passages(onnx: OnnxEmbedder) -> None:
    (vectors,) = await onnx.embed(["數據庫遷移" * 240])
    assert len(vectors) == 3


async def test_a_question_longer_than_the_model_sees_is_cut(onnx: OnnxEmbedder) -> None:
    start = "Which host runs the billing export? " * 120
    np.testing.assert_array_equal(
        await onnx.embed_query(start + "one end"), await onnx.embed_query(start + "another")
    )


async def test_a_cancelled_write_leaves_the_model_free(onnx: OnnxEmbedder) -> None:
    writing = asyncio.create_task(onnx.embed([f"{i} words " * 200 for i in range(500)]))
    query = asyncio.create_task(onnx.embed_query("ahead of five hundred long texts"))
    await query
    assert not writing.done()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert len(await onnx.embed(["next"])) == 1


async def test_a_closed_model_says_so(model_cache: Path) -> None:
    embedder = OnnxEmbedder(model_cache, workers=1)
    await embedder.embed(["x"])
    await embedder.close()
    await embedder.close()
    with pytest.raises(EmbeddingUnavailable, match="closed"):
        await embedder.embed(["x"])
