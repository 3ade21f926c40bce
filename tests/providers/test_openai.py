import asyncio
import logging

import numpy as np
import pytest
from pydantic import SecretStr

from service.domain.errors import ConfigurationError, EmbeddingRejected, EmbeddingUnavailable
from service.providers.embedding.openai import OpenAIEmbedder, OpenAISettings
from tests.providers.embedding_servers import Endpoint, Reply, embed, status, vectors

GOOD = [[3.0, 0.0, 4.0]]


def settings(endpoint: Endpoint, **changes: object) -> OpenAISettings:
    values = {"base_url": endpoint.url, "model": "m", "dimension": 3, **changes}
    return OpenAISettings(**values)  # type: ignore[arg-type]


def unit(text: str) -> np.ndarray:
    return np.array(embed(text)) / np.linalg.norm(embed(text))


async def test_texts_are_sent_in_batches_and_come_back_in_order(endpoint: Endpoint) -> None:
    embedder = OpenAIEmbedder(settings(endpoint, batch_size=2))
    texts = ["a", "bb", "aaa", "b", "abab"]
    found = await embedder.embed(texts)
    for text, rows in zip(texts, found, strict=True):
        np.testing.assert_allclose(rows, [unit(text)], atol=1e-6)
    assert [len(r["input"]) for r in endpoint.requests] == [2, 2, 1]
    assert {r["model"] for r in endpoint.requests} == {"m"}
    assert await embedder.embed([]) == []
    await embedder.close()


async def test_answers_are_ordered_by_their_index(endpoint: Endpoint) -> None:
    endpoint.script = [vectors([embed("a"), embed("bbb")], backwards=True)]
    embedder = OpenAIEmbedder(settings(endpoint))
    first, second = await embedder.embed(["a", "bbb"])
    np.testing.assert_allclose(first, [unit("a")], atol=1e-6)
    np.testing.assert_allclose(second, [unit("bbb")], atol=1e-6)
    await embedder.close()


async def test_a_long_text_is_embedded_as_several_passages(endpoint: Endpoint) -> None:
    embedder = OpenAIEmbedder(settings(endpoint, max_tokens=32))
    text = " ".join(f"w{i}" for i in range(80))
    short, long = await embedder.embed(["short", text])
    assert short.shape == (1, 3)
    assert len(long) > 2
    sent = endpoint.requests[0]["input"]
    assert sent[1].startswith("w0 w1")
    assert sent[-1].endswith("w78 w79")
    await embedder.close()


async def test_a_query_has_its_prefix_and_is_asked_once(endpoint: Endpoint) -> None:
    embedder = OpenAIEmbedder(settings(endpoint, query_prefix="query: "))
    vector = await embedder.embed_query("where")
    assert await embedder.embed_query("where") is vector
    assert [r["input"] for r in endpoint.requests] == [["query: where"]]
    await embedder.close()


async def test_the_dimension_is_found_out_at_the_start(endpoint: Endpoint) -> None:
    embedder = OpenAIEmbedder(settings(endpoint, dimension=None))
    with pytest.raises(EmbeddingUnavailable, match="not known before"):
        _ = embedder.dimension
    await embedder.start()
    await embedder.start()
    assert embedder.dimension == 3
    assert len(endpoint.requests) == 1
    await embedder.close()


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        pytest.param(vectors([[1.0, float("nan"), 0.0]]), "NaN or infinity", id="nan"),
        pytest.param(vectors([[1.0, float("inf"), 0.0]]), "NaN or infinity", id="infinity"),
        pytest.param(vectors([]), "no vector", id="empty"),
        pytest.param(vectors([[0.0, 0.0, 0.0]]), "only zeros", id="zeros"),
        pytest.param(vectors([[1.0, 2.0]]), "2 dimensions where 3", id="dimension"),
        pytest.param(vectors(GOOD * 2), "for 1 texts", id="too-many"),
        pytest.param(
            lambda _: (200, {}, b'{"data": [{"index": 0, "embedding": "AAAA"}]}'),
            "no list of embeddings",
            id="base64",
        ),
        pytest.param(lambda _: (200, {}, b"<html>"), "no list of embeddings", id="html"),
        pytest.param(
            lambda _: (200, {}, b'{"data": [{"index": 1, "embedding": [1, 2, 3]}]}'),
            "same text twice",
            id="index",
        ),
    ],
)
async def test_a_broken_answer_is_refused_and_the_next_good_one_used(
    endpoint: Endpoint, broken: Reply, message: str
) -> None:
    endpoint.script = [broken]
    embedder = OpenAIEmbedder(settings(endpoint))
    with pytest.raises(EmbeddingRejected, match=message) as raised:
        await embedder.embed(["a"])
    assert raised.value.is_retryable
    np.testing.assert_allclose((await embedder.embed(["a"]))[0], [unit("a")], atol=1e-6)
    await embedder.close()


async def test_a_broken_query_is_not_kept(endpoint: Endpoint) -> None:
    endpoint.script = [vectors([[0.0, 0.0, 0.0]])]
    embedder = OpenAIEmbedder(settings(endpoint))
    with pytest.raises(EmbeddingRejected):
        await embedder.embed_query("a")
    np.testing.assert_allclose(await embedder.embed_query("a"), unit("a"), atol=1e-6)
    await embedder.close()


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(status(429, retry_after="0"), id="429"),
        pytest.param(status(429, retry_after="Wed, 21 Oct 2026 07:28:00 GMT"), id="429-date"),
        pytest.param(status(500), id="500"),
        pytest.param(status(503), id="503"),
        pytest.param(status(0), id="hung-up"),
    ],
)
async def test_a_passing_failure_is_tried_again(endpoint: Endpoint, failure: Reply) -> None:
    endpoint.script = [failure, failure]
    embedder = OpenAIEmbedder(settings(endpoint))
    np.testing.assert_allclose((await embedder.embed(["a"]))[0], [unit("a")], atol=1e-6)
    assert len(endpoint.requests) == 3
    await embedder.close()


async def test_the_number_of_tries_is_bounded(endpoint: Endpoint) -> None:
    endpoint.script = [status(503)] * 10
    embedder = OpenAIEmbedder(settings(endpoint, attempts=3))
    with pytest.raises(EmbeddingUnavailable, match="answered 503"):
        await embedder.embed(["a"])
    assert len(endpoint.requests) == 3
    await embedder.close()


@pytest.mark.parametrize("code", [400, 401, 404, 422])
async def test_a_refusal_is_not_tried_again(endpoint: Endpoint, code: int) -> None:
    endpoint.script = [status(code)]
    embedder = OpenAIEmbedder(settings(endpoint))
    with pytest.raises(EmbeddingUnavailable, match=f"answered {code} to model m"):
        await embedder.embed(["a"])
    assert len(endpoint.requests) == 1
    await embedder.close()


async def test_an_endpoint_that_hangs_is_given_up(endpoint: Endpoint) -> None:
    def hang(_: object) -> tuple[int, dict[str, str], bytes]:
        endpoint.release.wait(30)
        return 503, {}, b""

    endpoint.script = [hang]
    embedder = OpenAIEmbedder(settings(endpoint, timeout_seconds=0.2, attempts=1))
    with pytest.raises(EmbeddingUnavailable, match="does not answer: ReadTimeout"):
        await embedder.embed(["a"])
    await embedder.close()


async def test_a_cancelled_query_does_not_wait_for_a_hanging_endpoint(endpoint: Endpoint) -> None:
    def hang(_: object) -> tuple[int, dict[str, str], bytes]:
        endpoint.release.wait(30)
        return 503, {}, b""

    endpoint.script = [hang]
    embedder = OpenAIEmbedder(settings(endpoint))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(embedder.embed_query("a"), 0.2)
    await embedder.close()


async def test_nobody_at_the_address_is_unavailable() -> None:
    embedder = OpenAIEmbedder(
        OpenAISettings(base_url="http://127.0.0.1:1/v1", model="m", attempts=2)
    )
    with pytest.raises(EmbeddingUnavailable, match=r"127\.0\.0\.1:1/v1/embeddings does not answer"):
        await embedder.start()
    await embedder.close()


async def test_the_key_is_sent_and_never_shown(
    endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.script = [status(503), status(401)]
    configured = settings(endpoint, api_key=SecretStr("sk-planted"))
    embedder = OpenAIEmbedder(configured)
    with caplog.at_level(logging.DEBUG), pytest.raises(EmbeddingUnavailable) as raised:
        await embedder.embed(["a"])
    assert endpoint.headers[0]["authorization"] == "Bearer sk-planted"
    assert "sk-planted" not in f"{raised.value} {configured} {caplog.text} {vars(embedder)}"
    await embedder.close()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"base_url": "localhost:11434"}, "localhost:11434"),
        ({"max_tokens": 5}, "max_tokens must be at least 32"),
        ({"batch_size": 0}, "batch_size"),
    ],
)
def test_a_setting_that_cannot_work_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        OpenAISettings(**{"base_url": "http://x/v1", "model": "m", **changes})  # type: ignore[arg-type]
