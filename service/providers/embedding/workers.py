"""A few threads that each own a model and take the most urgent job next."""

import asyncio
import contextlib
import itertools
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from service.domain.errors import EmbeddingUnavailable

M = TypeVar("M")
R = TypeVar("R")

QUERY = 0
"""A caller with a deadline waits for it."""
DOCUMENT = 1
"""Work in the background of a write."""
_STOP = -1


@dataclass(order=True, slots=True)
class _Job:
    priority: int
    number: int
    run: Callable[[Any], Any] = field(compare=False)
    future: Future[Any] = field(compare=False)


class Workers(Generic[M]):
    """One thread for each of `models`; jobs of one priority are taken in the order they came.

    A job cancelled before its turn is never run. A job in work goes on to its end, so a query
    waits for one job of a worker at most, however many documents are in line.
    """

    def __init__(self, models: Sequence[M], name: str) -> None:
        self._jobs: queue.PriorityQueue[_Job] = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, args=(m,), name=f"{name}-{i}", daemon=True)
            for i, m in enumerate(models)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, run: Callable[[M], R], priority: int) -> "asyncio.Future[R]":
        """Queue `run(model)`; cancel the answer to drop it.

        Raises:
            EmbeddingUnavailable: the workers were closed.
        """
        if self._closed:
            raise EmbeddingUnavailable("the embedding model was closed")
        future: Future[R] = Future()
        self._jobs.put(_Job(priority, next(self._numbers), run, future))
        return asyncio.wrap_future(future)

    def close(self) -> None:
        """Cancel what waits and return when all threads have ended. Blocks for the job in work."""
        self._closed = True
        self._drop_waiting()
        for _ in self._threads:
            self._jobs.put(_Job(_STOP, next(self._numbers), lambda _: None, Future()))
        for thread in self._threads:
            thread.join()
        self._drop_waiting()  # what came in beside the first time

    def _drop_waiting(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._jobs.get_nowait().future.cancel()

    def _work(self, model: M) -> None:
        while True:
            job = self._jobs.get()
            if job.priority == _STOP:
                return
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                job.future.set_result(job.run(model))
            except BaseException as error:
                job.future.set_exception(error)
