"""Bringing JSON Lines into a scope: ids are mapped, what is there already is left alone."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from service.client import BatchResult, Client, RequestRefused
from service.domain.names import collapsed

_OF_THE_STORE = frozenset({"scope", "updated_at", "revision", "superseded", "embedded"})
"""What an export tells beside the fields of a remember; the new store makes its own."""

_BATCH_BYTES = 16_000_000


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that was not taken over, wholly or in part."""

    where: str
    """Its place in the file: `line 3`, or its id there."""
    why: str


@dataclass(slots=True)
class Report:
    """What an import did."""

    created: int = 0
    already_there: int = 0
    linked: int = 0
    """Replacements that were drawn by a call of their own, or were drawn before."""
    contradictions: list[Failure] = field(default_factory=list[Failure])
    """Claims that were not written, since each would have replaced a constraint."""
    failures: list[Failure] = field(default_factory=list[Failure])


@dataclass(frozen=True, slots=True)
class _Item:
    where: str
    given_id: str | None
    memory: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Edge:
    where: str
    source: str
    target: str
    reason: str | None


class Importer:
    """Writes memories into the client's scope, in their order.

    An `id` of one is its name in the file: `supersedes` of any other may use it.
    """

    def __init__(
        self, client: Client, *, batch: int = 500, moved: Callable[[], object] = lambda: None
    ) -> None:
        """`moved` is called once for each memory that is done with."""
        self._client = client
        self._batch = batch
        self._moved = moved
        self._ids: dict[str, str] = {}
        self._replaced: dict[tuple[str, datetime | None], str] = {}
        self._pending: list[_Item] = []
        self._pending_bytes = 0
        self._pending_ids: set[str] = set()
        self._edges: list[_Edge] = []
        self._report = Report()

    def run(self, lines: Iterable[bytes]) -> Report:
        """Take every line over and tell what became of it; raises ServiceUnreachable.

        Run twice it adds nothing, as long as the lines tell when their memories were made: a
        current memory of the same content takes a line over, and a superseded one of the same
        content and time stands for it.
        """
        for memory in self._client.memories():
            if memory["superseded"]:
                content = collapsed(memory["content"])
                self._replaced[content, _moment(memory["created_at"])] = memory["id"]
                self._replaced[content, None] = memory["id"]
        for number, raw in enumerate(lines, start=1):
            if raw.strip():
                self._read(f"line {number}", raw)
            else:
                self._moved()
        return self.finish()

    def _read(self, where: str, raw: bytes) -> None:
        try:
            row = json.loads(raw)
        except ValueError as error:
            self._fail(where, f"is no JSON: {error}")
            return
        if not isinstance(row, dict):
            self._fail(where, "is no JSON object")
            return
        self.take(where, cast("dict[str, Any]", row), len(raw))

    def knows(self, given_id: str, memory_id: str) -> None:
        """Let a name of the file stand for a memory that is in the scope."""
        self._ids[given_id] = memory_id

    def finish(self) -> Report:
        """Write what still waits, draw the replacements left, and tell what became of all."""
        self._flush()
        for edge in self._edges:
            self._link(edge)
        self._edges = []
        return self._report

    def link(self, where: str, source: str, target: str, reason: str | None) -> None:
        """Let one memory replace another at the end; both are names of the file."""
        self._edges.append(_Edge(where, source, target, reason))

    def take(self, where: str, row: Mapping[str, Any], size: int) -> None:
        """Take one memory, of about `size` bytes, with `id` and `reasons` beside its own fields."""
        fields = dict(row)
        given_id = fields.pop("id", None)
        reasons = cast("dict[str, str]", fields.pop("reasons", None) or {})
        memory = {key: value for key, value in fields.items() if key not in _OF_THE_STORE}
        named = _names(memory.get("supersedes"))
        if self._pending_ids.intersection(named):
            self._flush()
        # An edge with a reason, and one to a later line, is drawn by a call of its own.
        inline = [name for name in named if name in self._ids and name not in reasons]
        if "supersedes" in memory and isinstance(memory["supersedes"], list):
            memory["supersedes"] = [self._ids[name] for name in inline]
        later = [name for name in named if name not in inline]
        item = _Item(where, given_id if isinstance(given_id, str) else None, memory)
        twin = self._twin(memory)
        if twin is not None:
            self._done(item, twin)
            self._report.already_there += 1
            self._edges += [_Edge(where, twin, name, reasons.get(name)) for name in named]
            return
        self._pending.append(item)
        self._pending_bytes += size
        if item.given_id is not None:
            self._pending_ids.add(item.given_id)
        if later:
            self._flush(tuple((name, reasons.get(name)) for name in later))
        elif len(self._pending) >= self._batch or self._pending_bytes > _BATCH_BYTES:
            self._flush()

    def _flush(self, edges_of_last: tuple[tuple[str, str | None], ...] = ()) -> None:
        """Write what waits; the last one also replaces the given memories."""
        pending, self._pending = self._pending, []
        self._pending_bytes = 0
        self._pending_ids.clear()
        if not pending:
            return
        try:
            results = self._client.remember_batch([item.memory for item in pending])
        except RequestRefused as refused:
            for item in pending:
                self._fail(item.where, str(refused))
            return
        for item, result in zip(pending, results, strict=True):
            self._settle(item, result)
        kept = results[-1]["memory"]
        if kept is None:
            return
        for target, reason in edges_of_last:
            edge = _Edge(pending[-1].where, kept["id"], target, reason)
            if target in self._ids:
                self._link(edge)
            else:
                self._edges.append(edge)

    def _settle(self, item: _Item, result: BatchResult) -> None:
        memory = result["memory"]
        if memory is None:
            error = result["error"]
            self._fail(item.where, error["detail"] if error else "was not stored")
            return
        self._done(item, memory["id"])
        for other in memory["contradictions"]:
            why = (
                f"not written: {other['entity']} / {other['aspect']} is bound to "
                f"{other['value']!r}; proposed was {other['proposed']!r}"
            )
            self._report.contradictions.append(Failure(item.where, why))
        if result["status"] == "created":
            self._report.created += 1
        else:
            self._report.already_there += 1

    def _done(self, item: _Item, memory_id: str) -> None:
        if item.given_id is not None:
            self._ids[item.given_id] = memory_id
        self._moved()

    def _link(self, edge: _Edge) -> None:
        source = self._ids.get(edge.source, edge.source)
        target = self._ids.get(edge.target, edge.target)
        try:
            self._client.supersede(source, target, edge.reason)
            self._report.linked += 1
        except RequestRefused as refused:
            why = f"supersedes {edge.target!r} was not taken over: {refused}"
            self._report.failures.append(Failure(edge.where, why))

    def _twin(self, memory: dict[str, Any]) -> str | None:
        """The superseded memory that is this one, brought by an earlier import."""
        content = memory.get("content")
        if not self._replaced or not isinstance(content, str):
            return None
        made = memory.get("created_at")
        moment = _moment(made) if isinstance(made, str) else None
        return self._replaced.get((collapsed(content), moment))

    def _fail(self, where: str, why: str) -> None:
        self._report.failures.append(Failure(where, why))
        self._moved()


def _names(value: object) -> list[str]:
    if not isinstance(value, list):
        return []
    return [name for name in cast("list[object]", value) if isinstance(name, str)]


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
