"""The calls of the HTTP interface, one method each."""

import json
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import quote

import httpx

from service.client.errors import RequestRefused, ServiceUnreachable
from service.client.types import (
    BatchResult,
    DeletedMemory,
    DoctorReport,
    Lineage,
    Memory,
    NewMemory,
    Problem,
    Recalled,
    Remembered,
)

DEFAULT_URL = "http://127.0.0.1:8321"
_PAGE = 1_000
_CONNECT_S = 5.0


class Client:
    """Talks to a running service; every call is about one scope.

    All methods raise ServiceUnreachable when nobody answers, and RequestRefused when the service
    says no.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        scope: str = "default",
        timeout_s: float = 60.0,
        key: str | None = None,
    ) -> None:
        """`key` is sent with each call, to a service that asks for one.

        `timeout_s` bounds each wait for an answer; `reindex` and `doctor` have no such bound.
        """
        self._url = url.rstrip("/")
        self._scope = scope
        self._http = httpx.Client(
            base_url=self._url,
            timeout=httpx.Timeout(timeout_s, connect=_CONNECT_S),
            headers={"Authorization": f"Bearer {key}"} if key else None,
        )

    @property
    def url(self) -> str:
        """The address of the service."""
        return self._url

    @property
    def scope(self) -> str:
        """The scope that the calls are about."""
        return self._scope

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def remember(
        self, memory: NewMemory, *, wait: bool = True, idempotency_key: str | None = None
    ) -> Remembered:
        """Keep a memory; by default it can be recalled once this returns."""
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        body = {**memory, "scope": self._scope, "wait": wait}
        return self._call("POST", "/v1/memories", json=body, headers=headers)

    def remember_batch(
        self, memories: Sequence[Mapping[str, Any]], *, wait: bool = True
    ) -> list[BatchResult]:
        """Keep up to 1,000 memories; each fails alone. The results come in the order given."""
        body = {"scope": self._scope, "memories": list(memories), "wait": wait}
        answer: dict[str, list[BatchResult]] = self._call("POST", "/v1/memories/batch", json=body)
        return answer["results"]

    def recall(self, query: str, **options: Any) -> Recalled:
        """Find memories. `options` are the other fields of the request: limit, types, since, …"""
        body = {"scope": self._scope, "query": query, **options}
        return self._call("POST", "/v1/recall", json=body)

    def memory(self, memory_id: str) -> dict[str, Any]:
        """Return one memory with its entities, attributes and replacements."""
        return self._call("GET", f"/v1/memories/{_segment(memory_id)}", params=self._in_scope())

    def memories(self, **filters: Any) -> Iterator[Memory]:
        """Yield the memories of the scope, newest first, page after page."""
        params: dict[str, Any] = {**self._in_scope(), "limit": _PAGE, **filters}
        while True:
            page: dict[str, Any] = self._call("GET", "/v1/memories", params=params)
            yield from cast("list[Memory]", page["items"])
            if page["next_cursor"] is None:
                return
            params["cursor"] = page["next_cursor"]

    def deleted(self) -> Iterator[DeletedMemory]:
        """Yield the deleted memories of the scope; purged ones are gone without a trace."""
        params: dict[str, Any] = {**self._in_scope(), "limit": _PAGE}
        while True:
            page: dict[str, Any] = self._call("GET", "/v1/memories/deleted", params=params)
            yield from cast("list[DeletedMemory]", page["items"])
            if page["next_cursor"] is None:
                return
            params["cursor"] = page["next_cursor"]

    def lineage(self, memory_id: str) -> Lineage:
        """Return the whole chain of replacements around a memory, with those taken back."""
        path = f"/v1/memories/{_segment(memory_id)}/lineage"
        return self._call("GET", path, params=self._in_scope())

    def supersede(self, memory_id: str, target_id: str, reason: str | None = None) -> None:
        """Say that a memory replaces another; once more it changes nothing."""
        body = {"scope": self._scope, "target_id": target_id, "reason": reason}
        path = f"/v1/memories/{_segment(memory_id)}/supersedes"
        self._call("POST", path, json=body)

    def retract(self, memory_id: str, target_id: str) -> None:
        """Take back that a memory replaces another."""
        path = f"/v1/memories/{_segment(memory_id)}/supersedes/{_segment(target_id)}"
        self._call("DELETE", path, params=self._in_scope())

    def operate(
        self,
        operations: Sequence[Mapping[str, Any]],
        *,
        actor: str,
        reason: str,
        evidence: Sequence[str] = (),
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Apply operations to the graph, all or none; the answer tells what each changed."""
        body = {
            "scope": self._scope,
            "actor": actor,
            "reason": reason,
            "evidence": list(evidence),
            "dry_run": dry_run,
            "operations": list(operations),
        }
        return self._call("POST", "/v1/operations", json=body)

    def forget(self, memory_id: str, *, purge: bool = False) -> None:
        """Delete a memory; with `purge` every trace of it."""
        params = {**self._in_scope(), "purge": "true" if purge else "false"}
        self._call("DELETE", f"/v1/memories/{_segment(memory_id)}", params=params)

    def export(self) -> Iterator[str]:
        """Yield every memory of the scope as a line of JSON, without its line break."""
        with (
            self._reached(),
            self._http.stream("GET", "/v1/export", params=self._in_scope()) as response,
        ):
            if response.is_error:
                response.read()
            _require_success(response)
            yield from _lines(response.iter_text())

    def status(self) -> dict[str, Any]:
        """Return what the service says about itself."""
        return self._call("GET", "/v1/status")

    def is_ready(self) -> bool:
        """Tell whether requests can be served now."""
        with self._reached():
            return self._http.get("/readyz").is_success

    def doctor(self) -> DoctorReport:
        """Compare the indexes with the graph."""
        return self._call("POST", "/v1/maintenance/doctor", timeout=None)

    def reindex(self) -> float:
        """Make the indexes anew; returns how many milliseconds that took."""
        answer: dict[str, float] = self._call("POST", "/v1/maintenance/reindex", timeout=None)
        return answer["took_ms"]

    def _in_scope(self) -> dict[str, str]:
        return {"scope": self._scope}

    def _call(self, method: str, path: str, **options: Any) -> Any:
        with self._reached():
            response = self._http.request(method, path, **options)
        _require_success(response)
        return response.json() if response.content else None

    @contextmanager
    def _reached(self) -> Generator[None]:
        try:
            yield
        except (httpx.TransportError, httpx.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            raise ServiceUnreachable(f"no answer from {self._url} ({reason})") from error


def _lines(chunks: Iterable[str]) -> Iterator[str]:
    """Split at line feeds alone: JSON may hold other characters that count as line breaks."""
    rest = ""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split("\n")
        yield from whole
    if rest:
        yield rest


def _segment(text: str) -> str:
    return quote(text, safe="")


def _require_success(response: httpx.Response) -> None:
    if response.is_success:
        return
    try:
        problem = cast("Problem", response.json())
        detail, status = str(problem["detail"]), int(problem["status"])
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError):
        raise ServiceUnreachable(
            f"{response.url} answered {response.status_code} and no problem of this service: "
            "is something else listening there?"
        ) from None
    raise RequestRefused({**problem, "detail": detail, "status": status})
