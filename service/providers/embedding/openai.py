"""Any endpoint that speaks OpenAI's `POST /embeddings`: Ollama, vLLM, llama.cpp, OpenAI."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from urllib.parse import urlsplit

import httpx
import stamina
from pydantic import BaseModel, SecretStr, ValidationError

from service.domain.errors import (
    ConfigurationError,
    EmbeddingRejected,
    EmbeddingUnavailable,
)
from service.providers.embedding.passages import passage_bounds
from service.providers.embedding.protocol import Vector, Vectors
from service.providers.embedding.query_cache import QueryCache
from service.providers.embedding.validation import checked

# A rough, high count of tokens for a vocabulary that is not known here: a character of a script
# without spaces each, four letters or digits, one other sign.
_PIECE = re.compile(r"[^\W\u0000-\u2fff]|\w{1,4}|[^\w\s]")
_LONGEST_WAIT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class OpenAISettings:
    """Where the endpoint is and what it takes."""

    base_url: str
    """Address up to, without, `/embeddings`."""
    model: str
    api_key: SecretStr | None = None
    dimension: int | None = None
    """Expected length of a vector; asked of the endpoint at start when None."""
    max_tokens: int = 512
    """Longer texts are embedded as several passages; counted in pieces of four letters."""
    query_prefix: str = ""
    """What the model wants in front of a question."""
    batch_size: int = 64
    timeout_seconds: float = 30.0
    """For one request."""
    attempts: int = 4
    query_cache_size: int = 1024

    def __post_init__(self) -> None:
        if urlsplit(self.base_url).scheme not in ("http", "https"):
            raise ConfigurationError(
                f"embedding address {self.base_url!r} must begin with http:// or https://"
            )
        if self.max_tokens < 32 or self.batch_size < 1 or self.attempts < 1:
            raise ConfigurationError(
                "embedding: max_tokens must be at least 32, batch_size and attempts at least 1; "
                f"they are {self.max_tokens}, {self.batch_size}, {self.attempts}"
            )


class _Item(BaseModel):
    index: int | None = None
    embedding: list[float]


class _Answer(BaseModel):
    data: list[_Item]


class OpenAIEmbedder:
    """Embeds over HTTP, with every answer checked before it is used.

    A broken connection, a time-out, 429 and 5xx are tried again, `attempts` times in all, after
    the pause that the endpoint asks for (10 s at most) or a growing one with jitter. Any other
    refusal, and an answer that is no usable vector, is raised at once.
    """

    def __init__(
        self, settings: OpenAISettings, *, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self.model = settings.model
        self._settings = settings
        self._dimension = settings.dimension
        self._queries = QueryCache(settings.query_cache_size)
        key = settings.api_key
        self._client = httpx.AsyncClient(
            headers={"authorization": f"Bearer {key.get_secret_value()}"} if key else {},
            timeout=settings.timeout_seconds,
            transport=transport,
        )
        self._url = settings.base_url.rstrip("/") + "/embeddings"

    @property
    def dimension(self) -> int:
        """Length of a vector, from the settings or from the endpoint's first answer."""
        if self._dimension is None:
            raise EmbeddingUnavailable(
                f"the dimension of {self.model} is not known before {self._url} has answered once"
            )
        return self._dimension

    async def start(self) -> None:
        """Ask for one vector, unless the dimension is known."""
        if self._dimension is None:
            await self._embed(["dimension"])

    async def embed_query(self, text: str) -> Vector:
        """Embed a question with the query prefix; its first passage counts."""
        return await self._queries.get(text, self._embed_query)

    async def embed(self, texts: Sequence[str]) -> list[Vectors]:
        """Embed each text, in order, as one or more passages, `batch_size` a request."""
        passages = [self._passages(text) for text in texts]
        flat = [passage for parts in passages for passage in parts]
        size = self._settings.batch_size
        rows = [
            row
            for at in range(0, len(flat), size)
            for row in await self._embed(flat[at : at + size])
        ]
        ends = list(accumulate(len(parts) for parts in passages))
        return [
            checked(
                rows[end - len(p) : end], dimension=self.dimension, count=len(p), model=self.model
            )
            for p, end in zip(passages, ends, strict=True)
        ]

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _embed_query(self, text: str) -> Vector:
        (vector,) = await self._embed([self._passages(self._settings.query_prefix + text)[0]])
        return vector

    def _passages(self, text: str) -> list[str]:
        text = text.encode("utf-8", "replace").decode("utf-8")
        offsets = [piece.span() for piece in _PIECE.finditer(text)]
        size = self._settings.max_tokens
        if len(offsets) <= size:
            return [text]
        bounds = passage_bounds(text, offsets, size=size, overlap=size // 8)
        return [text[offsets[start][0] : offsets[end - 1][1]] for start, end in bounds]

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        """One request; vectors in the order of the texts."""
        response: httpx.Response | None = None
        try:
            async for attempt in stamina.retry_context(
                on=_pause,
                attempts=self._settings.attempts,
                timeout=None,
                wait_initial=0.2,
                wait_max=5.0,
            ):
                with attempt:
                    response = await self._client.post(
                        self._url, json={"model": self.model, "input": list(texts)}
                    )
                    response.raise_for_status()
        except httpx.HTTPStatusError as error:
            raise EmbeddingUnavailable(
                f"{self._url} answered {error.response.status_code} to model {self.model}"
            ) from error
        except httpx.HTTPError as error:
            raise EmbeddingUnavailable(
                f"{self._url} does not answer: {type(error).__name__}: {error}"
            ) from error
        assert response is not None
        return self._vectors(response.content, len(texts))

    def _vectors(self, body: bytes, count: int) -> Vectors:
        try:
            items = _Answer.model_validate_json(body).data
        except ValidationError as error:
            raise EmbeddingRejected(
                f"{self._url} answered no list of embeddings: {error.errors()[0]['msg']}"
            ) from error
        if all(item.index is not None for item in items):
            items.sort(key=lambda item: item.index or 0)
            if [item.index for item in items] != list(range(len(items))):
                raise EmbeddingRejected(f"{self._url} answered the same text twice")
        rows = [item.embedding for item in items]
        expected = self._dimension or (len(rows[0]) if rows else 0)
        vectors = checked(rows, dimension=expected, count=count, model=self.model)
        self._dimension = expected
        return vectors


def _pause(error: Exception) -> bool | float:
    """Whether to try again: not, after the usual pause, or after so many seconds."""
    if isinstance(error, httpx.HTTPStatusError):
        status = error.response.status_code
        if status != 429 and status < 500:
            return False
        try:
            asked = float(error.response.headers.get("retry-after", "nan"))
        except ValueError:
            return True
        return min(max(asked, 0.0), _LONGEST_WAIT_SECONDS) if math.isfinite(asked) else True
    return isinstance(error, httpx.TransportError) and not isinstance(
        error, httpx.UnsupportedProtocol
    )
