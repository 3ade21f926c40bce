"""A local embedding model, run by ONNX Runtime on the CPU."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
from tokenizers import Tokenizer

from service.domain.errors import EmbeddingUnavailable
from service.providers.embedding.model_files import (
    BGE_SMALL_EN,
    ModelFiles,
    ModelSpec,
    Progress,
    fetch_model,
)
from service.providers.embedding.passages import passage_bounds, split_long_runs
from service.providers.embedding.protocol import Vector, Vectors
from service.providers.embedding.query_cache import QueryCache
from service.providers.embedding.validation import checked
from service.providers.embedding.workers import DOCUMENT, QUERY, Workers

TokenIds: TypeAlias = npt.NDArray[np.int64]
"""One passage as the model takes it, special tokens included, shape `(1, tokens)`."""

_SECONDS_BETWEEN_TRIES = 5.0
_ort: Any = onnxruntime  # it has no type information


class OnnxEmbedder:
    """Embeds on `workers` threads, one text a run, each thread with a session of its own.

    One text a run, since an int8 model quantises a batch as a whole: a text's vector would depend
    on its neighbours. The files are fetched into `cache_dir` by `start`, or by the first text;
    after a failure the next try is five seconds later at the earliest, until then every call
    raises the same `EmbeddingUnavailable` at once.
    """

    def __init__(
        self,
        cache_dir: Path,
        *,
        spec: ModelSpec = BGE_SMALL_EN,
        workers: int = 2,
        query_cache_size: int = 1024,
        remote_repos: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.model = spec.name
        self.dimension = spec.dimension
        self._spec = spec
        self._count = workers
        self._queries = QueryCache(query_cache_size)
        self._fetch: Callable[[], ModelFiles] = lambda: fetch_model(
            spec, cache_dir, remote_repos=remote_repos, progress=progress
        )
        self._opening: asyncio.Task[Workers[_Session]] | None = None
        self._retry_at = 0.0
        self._closed = False

    async def start(self) -> None:
        """Fetch and load the model, unless that was done."""
        await self._workers()

    async def embed_query(self, text: str) -> Vector:
        """Embed a question with the model's query prefix; its first passage counts."""
        return await self._queries.get(text, self._embed_query)

    async def embed(self, texts: Sequence[str]) -> list[Vectors]:
        """Embed each text, in order, as one or more passages."""
        workers = await self._workers()
        tasks = [asyncio.ensure_future(self._embed_text(workers, text)) for text in texts]
        try:
            return await asyncio.gather(*tasks)
        finally:
            # One failure, or the caller's own cancellation, makes the rest pointless.
            for task in tasks:
                task.cancel()

    async def close(self) -> None:
        """End the threads and drop what waits; a download in progress ends by itself."""
        self._closed = True
        opening, self._opening = self._opening, None
        if opening is None:
            return
        if opening.done() and not opening.cancelled() and opening.exception() is None:
            await asyncio.to_thread(opening.result().close)
        else:
            opening.cancel()

    async def _embed_query(self, text: str) -> Vector:
        workers = await self._workers()
        prefixed = self._spec.query_prefix + text

        def run(session: "_Session") -> npt.NDArray[np.float32]:
            return session.embed(session.passages(prefixed)[0])

        return self._checked(await workers.submit(run, QUERY))[0]

    async def _embed_text(self, workers: "Workers[_Session]", text: str) -> Vectors:
        def begin(
            session: "_Session",
        ) -> tuple[npt.NDArray[np.float32], list[TokenIds]]:
            first, *rest = session.passages(text)
            return session.embed(first), rest

        # Passages are jobs of their own, so that a query need not wait for a whole long text.
        vector, rest = await workers.submit(begin, DOCUMENT)
        others = [workers.submit(lambda s, ids=ids: s.embed(ids), DOCUMENT) for ids in rest]
        return self._checked(np.concatenate([vector, *await asyncio.gather(*others)]))

    def _checked(self, vectors: npt.NDArray[np.float32]) -> Vectors:
        return checked(vectors, dimension=self.dimension, count=len(vectors), model=self.model)

    async def _workers(self) -> "Workers[_Session]":
        if self._closed:
            raise EmbeddingUnavailable(f"the embedding model {self.model} was closed")
        opening = self._opening
        if opening is None or (_failed(opening) and time.monotonic() >= self._retry_at):
            opening = self._opening = asyncio.create_task(self._open())
        # Shielded: a query gives up at its deadline, the download it began goes on.
        return await asyncio.shield(opening)

    async def _open(self) -> "Workers[_Session]":
        try:
            sessions = await asyncio.to_thread(self._load)
        except EmbeddingUnavailable:
            self._retry_at = time.monotonic() + _SECONDS_BETWEEN_TRIES
            raise
        return Workers(sessions, "embedding")

    def _load(self) -> list["_Session"]:
        files = self._fetch()
        try:
            return [_Session(self._spec, files) for _ in range(self._count)]
        except Exception as error:
            raise EmbeddingUnavailable(
                f"the embedding model {files.model} could not be loaded ({error}); "
                f"delete {files.model.parent} to have it fetched again"
            ) from error


def _failed(task: "asyncio.Task[Workers[_Session]]") -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


class _Session:
    """A tokenizer and a single-threaded model; used by one thread at a time."""

    def __init__(self, spec: ModelSpec, files: ModelFiles) -> None:
        self._spec = spec
        self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        # "[CLS]" in a text is five characters of that text, no command to the model.
        self._tokenizer.encode_special_tokens = True
        options = _ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._model = _ort.InferenceSession(
            str(files.model), options, providers=["CPUExecutionProvider"]
        )
        cls, sep = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
        if cls is None or sep is None:
            raise ValueError(f"{files.tokenizer} has no [CLS] and [SEP]")
        self._begin, self._end = int(cls), int(sep)

    def passages(self, text: str) -> list[TokenIds]:
        """The text's passages, at least one, ready for the model."""
        # A lone surrogate cannot be encoded; the tokenizer would refuse the whole text.
        text = split_long_runs(text.encode("utf-8", "replace").decode("utf-8"))
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        ids = encoding.ids
        bounds = passage_bounds(
            text,
            encoding.offsets,
            size=self._spec.max_tokens - 2,
            overlap=self._spec.overlap,
        )
        return [
            np.array([[self._begin, *ids[start:end], self._end]], dtype=np.int64)
            for start, end in bounds
        ]

    def embed(self, ids: TokenIds) -> npt.NDArray[np.float32]:
        """The passage's vector, shape `(1, dimension)`: the last state of its first token."""
        (states,) = self._model.run(
            None,
            {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            },
        )
        return states[:, 0]
