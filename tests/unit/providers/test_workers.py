import asyncio
import threading

import pytest

from service.domain.errors import EmbeddingUnavailable
from service.providers.embedding.workers import DOCUMENT, QUERY, Workers


class Gate:
    """A job that says when it has begun and goes on when it is told."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.open = threading.Event()

    def __call__(self, model: str) -> str:
        self.begun.set()
        assert self.open.wait(30)
        return model


async def test_a_query_overtakes_the_documents_in_line() -> None:
    workers, gate, order = Workers(["m"], "test"), Gate(), list[str]()
    running = workers.submit(gate, DOCUMENT)
    waiting = [workers.submit(lambda _, i=i: order.append(f"d{i}"), DOCUMENT) for i in range(3)]
    waiting.append(workers.submit(lambda _: order.append("q"), QUERY))
    gate.open.set()
    assert await running == "m"
    await asyncio.gather(*waiting)
    assert order == ["q", "d0", "d1", "d2"]
    await asyncio.to_thread(workers.close)


async def test_a_cancelled_job_is_never_run() -> None:
    workers, gate, order = Workers(["m"], "test"), Gate(), list[str]()
    running = workers.submit(gate, DOCUMENT)
    dropped = workers.submit(lambda _: order.append("dropped"), DOCUMENT)
    kept = workers.submit(lambda _: order.append("kept"), DOCUMENT)
    dropped.cancel()
    await asyncio.sleep(0)  # the loop passes the cancellation on in its next round
    gate.open.set()
    await asyncio.gather(running, kept)
    assert order == ["kept"]
    await asyncio.to_thread(workers.close)


async def test_each_thread_has_a_model_of_its_own() -> None:
    workers, gates = Workers(["a", "b"], "test"), [Gate(), Gate()]
    jobs = [workers.submit(gate, DOCUMENT) for gate in gates]
    for gate in gates:
        assert await asyncio.to_thread(gate.begun.wait, 30)
    for gate in gates:
        gate.open.set()
    assert sorted(await asyncio.gather(*jobs)) == ["a", "b"]
    await asyncio.to_thread(workers.close)


async def test_a_failing_job_fails_alone() -> None:
    workers = Workers(["m"], "test")
    with pytest.raises(ZeroDivisionError):
        await workers.submit(lambda _: 1 // 0, DOCUMENT)
    assert await workers.submit(lambda m: m, DOCUMENT) == "m"
    await asyncio.to_thread(workers.close)


async def test_closing_finishes_the_job_in_work_and_cancels_the_rest() -> None:
    workers, gate = Workers(["m"], "test"), Gate()
    running = workers.submit(gate, DOCUMENT)
    waiting = workers.submit(lambda m: m, DOCUMENT)
    assert await asyncio.to_thread(gate.begun.wait, 30)
    closing = asyncio.create_task(asyncio.to_thread(workers.close))
    with pytest.raises(asyncio.CancelledError):
        await waiting
    gate.open.set()
    await closing
    assert await running == "m"
    with pytest.raises(EmbeddingUnavailable, match="closed"):
        workers.submit(lambda m: m, QUERY)
