"""Recall: fan out, wait for the deadline, report each channel, fuse, put in order, render.

The order of the stages between the channels and the answer is fixed by what they promise:
fusion with the graph's boost; then whatever reranks; then succession and demotion, so that
nothing lifts a stale memory again; then the sort, `min_score`, and the cut.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from datetime import datetime
from functools import partial
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from service.domain.deadline import Deadline
from service.domain.errors import InvalidInput
from service.domain.filters import TextFilters, microseconds
from service.domain.recall import (
    ChannelReport,
    ChannelStatus,
    RecallAnswer,
    RecallQuery,
    RecallResult,
)
from service.projection.catalogue import Catalogue, Entry, Ordinals
from service.projection.currentness import Standing
from service.projection.names import NameIndex
from service.providers.embedding.protocol import Embedder
from service.recall import evidence
from service.recall.candidate import Candidate, Context
from service.recall.channel import Channel, ChannelRequest, Found, Gathered, gather
from service.recall.contents import Contents, StoredContents, entry_of
from service.recall.fusion import Line, cosine_line
from service.recall.graph import GraphChannel
from service.recall.notes import currentness, head_of
from service.recall.past import is_about_the_past
from service.recall.settings import RecallSettings
from service.recall.stages import ranked
from service.recall.talk import Talk, talk_around
from service.recall.text import TextChannel
from service.recall.vector import VectorChannel
from service.stores.hnswlib import Similarities, VectorStore
from service.stores.neo4j.driver import Graph
from service.stores.neo4j.expansion import contents as read_contents
from service.stores.tantivy import TextIndex, query_tokens

RERANKERS: Final = ("noop",)
"""What `rerank` can name; `noop` leaves the order as it is."""

_TEXT_THREADS: Final = 2
_VECTOR_THREADS: Final = 2
_RERANKED: Final = 20
_COSINES_AT_LEAST_S: Final = 0.05

CosinesOf = Callable[[str, NDArray[np.float32], Sequence[int]], Similarities]
Known = dict[int, tuple[Entry, bool]]


class Recall:
    """Answers questions to one scope from every source at once."""

    def __init__(
        self,
        *,
        channels: Sequence[Channel],
        contents: Contents,
        catalogue: Catalogue,
        names: NameIndex,
        cosines_of: CosinesOf,
        cosines: Line,
        executors: Sequence[Executor],
        settings: RecallSettings,
    ) -> None:
        """Put a recall together from its parts; `Recall.over` does it for the real stores.

        `cosines` calibrates the cosines of the model in use. The last of the executors reads
        vectors; all of them are shut down by `close`.
        """
        self._channels = channels
        self._contents = contents
        self._catalogue = catalogue
        self._names = names
        self._cosines_of = cosines_of
        self._cosines = cosines
        self._executors = executors
        self._settings = settings

    @classmethod
    def over(
        cls,
        *,
        text: TextIndex,
        vectors: VectorStore,
        embedder: Embedder,
        graph: Graph,
        catalogue: Catalogue,
        names: NameIndex,
        relation_types: Callable[[], frozenset[str]],
        settings: RecallSettings,
    ) -> Self:
        """A recall over the stores. `relation_types` tells the types that are registered now.

        Searches run in small executors of its own, since a cancelled one goes on: what hangs in
        one engine takes threads from nobody else.
        """
        text_threads = ThreadPoolExecutor(_TEXT_THREADS, "recall-text")
        vector_threads = ThreadPoolExecutor(_VECTOR_THREADS, "recall-vector")
        return cls(
            channels=(
                TextChannel("content", text, text_threads),
                TextChannel("hints", text, text_threads),
                VectorChannel(embedder, vectors, vector_threads),
                GraphChannel(graph, names, catalogue, relation_types, settings),
            ),
            contents=StoredContents(text, text_threads, partial(read_contents, graph)),
            catalogue=catalogue,
            names=names,
            cosines_of=vectors.cosines,
            cosines=cosine_line(embedder.model),
            executors=(text_threads, vector_threads),
            settings=settings,
        )

    def close(self) -> None:
        """Take no more searches; those that run go on to their end."""
        for executor in self._executors:
            executor.shutdown(wait=False, cancel_futures=True)

    async def recall(self, query: RecallQuery, deadline: Deadline) -> RecallAnswer:
        """The best memories for the query, and how each channel fared within the deadline.

        Never fails for a channel: what is late or broken is reported in the answer. The same
        query on the same state of the stores gives the same order.
        Raises InvalidInput for a blank query and an unknown `rerank`.
        """
        started = deadline.clock()
        _check(query)
        entity_id = self._entity_id(query)
        if query.entity is not None and entity_id is None:
            return _nothing(query, self._channels)
        context = Context(
            settings=self._settings,
            standing=self._catalogue.at(query.as_of),
            is_historical=is_about_the_past(query.query),
            include_superseded=query.include_superseded,
            min_score=query.min_score,
        )
        request = self._request(query, entity_id, context)
        gathered = await gather(self._channels, request, deadline)
        judging = deadline.clock()
        known, behind = await self._known(query, gathered, context.standing, deadline)
        took_ms = (deadline.clock() - judging) * 1_000
        talk = self._talk(gathered.found, known, query.as_of)
        near = await self._near(query.scope, gathered.found, talk, deadline)
        question = evidence.Question(
            query.query, self._settings.alpha, self._cosines, self._settings.context
        )
        found = evidence.candidates(gathered.found, known, near, talk, question)
        reports = dict(gathered.reports)
        reports["currentness"] = _currentness_report(found, behind, took_ms)
        reports["rerank"] = ChannelReport(ChannelStatus.OK, min(_RERANKED, len(found)), 0.0)

        def join(ordinal: int) -> Candidate | None:
            return self._joining(ordinal, query, request.allowed)

        results = await self._render(
            ranked(found, context, join)[: query.limit], context.standing, deadline
        )
        return RecallAnswer(
            query=query.query,
            results=results,
            timed_out=gathered.timed_out,
            channels=reports,
            summary=None,
            took_ms=(deadline.clock() - started) * 1_000,
        )

    def _entity_id(self, query: RecallQuery) -> str | None:
        """The entity of the scope that is given by id or by name."""
        if query.entity is None:
            return None
        entity = self._names.find(query.scope, query.entity)
        return None if entity is None else entity.id

    def _request(
        self, query: RecallQuery, entity_id: str | None, context: Context
    ) -> ChannelRequest:
        # What is superseded leads to its successor, also where it is left out of the answer: so
        # it is searched for then, with room for as many others.
        leads = context.succession and not query.include_superseded
        filters = TextFilters(
            since_us=None if query.since is None else microseconds(query.since),
            until_us=None if query.until is None else microseconds(query.until),
            types=query.types,
            entity_id=entity_id,
            include_superseded=query.include_superseded or leads,
            as_of_us=None if query.as_of is None else microseconds(query.as_of),
        )
        return ChannelRequest(
            scope=query.scope,
            query=query.query,
            tokens=tuple(query_tokens(query.query)),
            limit=self._settings.candidates * (2 if leads else 1),
            filters=filters,
            allowed=self._catalogue.filtered(query.scope, filters),
            graph=query.graph,
        )

    def _talk(self, found: Mapping[str, Found], known: Known, as_of: datetime | None) -> Talk:
        """What was found, with the turns beside it where context counts."""
        entries = {ordinal: entry for ordinal, (entry, _) in known.items()}
        around = entries if self._settings.context else {}
        return talk_around(evidence.ordinals_of(found), around, self._catalogue, as_of)

    async def _near(
        self, scope: str, found: Mapping[str, Found], talk: Talk, deadline: Deadline
    ) -> Similarities:
        """How near all of them are to the query; nothing where it cannot be told in time."""
        vector = found["vector"].vector if "vector" in found else None
        if vector is None or not len(talk.ordinals):
            return Similarities.none()
        loop = asyncio.get_running_loop()
        ordinals: list[int] = talk.ordinals.tolist()
        try:
            async with asyncio.timeout(max(_COSINES_AT_LEAST_S, deadline.remaining())):
                return await loop.run_in_executor(
                    self._executors[-1], self._cosines_of, scope, vector, ordinals
                )
        except TimeoutError:
            return Similarities.none()

    async def _known(
        self, query: RecallQuery, gathered: Gathered, standing: Standing, deadline: Deadline
    ) -> tuple[Known, int]:
        """What is known of the found memories, and how many the catalogue does not know yet.

        A memory that the catalogue does not know was removed, unless the text index has it at a
        revision that the catalogue has not reached: then the index tells whether it is superseded.
        """
        known: Known = {}
        unknown: list[int] = []
        for ordinal in evidence.ordinals_of(gathered.found).tolist():
            entry = self._catalogue.entry(ordinal)
            if entry is None:
                unknown.append(ordinal)
            elif entry.scope == query.scope:
                known[ordinal] = entry, bool(standing.superseded(ordinal))
        # Of another moment only the catalogue can tell.
        if not unknown or query.as_of is not None:
            return known, 0
        applied = self._catalogue.applied_revision
        stored = await self._contents.stored(unknown, deadline)
        ahead = {
            ordinal: (entry_of(memory), memory.superseded)
            for ordinal, memory in stored.items()
            if memory.revision > applied and memory.scope == query.scope
        }
        return known | ahead, len(ahead)

    def _joining(
        self, ordinal: int, query: RecallQuery, allowed: Ordinals | None
    ) -> Candidate | None:
        """A candidate of a successor that no channel found; None where the filters leave it out."""
        entry = self._catalogue.entry(ordinal)
        if entry is None or entry.scope != query.scope:
            return None
        if allowed is not None and not _holds(allowed, ordinal):
            return None
        return Candidate(entry=entry, superseded=False)

    async def _render(
        self, candidates: Sequence[Candidate], standing: Standing, deadline: Deadline
    ) -> tuple[RecallResult, ...]:
        """The results as an answer shows them; a memory whose text no store has is left out."""
        ids = {one.entry.ordinal: one.entry.id for one in candidates}
        for one in candidates:
            head = head_of(one.entry.ordinal, standing) if one.superseded else None
            entry = self._catalogue.entry(head.ordinal) if head is not None else None
            if entry is not None:
                ids[entry.ordinal] = entry.id
        contents = await self._contents.of(ids, deadline)
        return tuple(
            RecallResult(
                id=one.entry.id,
                content=contents[one.entry.ordinal],
                type=one.entry.type,
                created_at=one.entry.created_at,
                score=one.score,
                superseded=one.superseded,
                currentness=currentness(one.entry.ordinal, standing, self._catalogue, contents)
                if one.superseded
                else None,
                sources=tuple(one.sources),
                entities=self._entity_names(one.entry),
            )
            for one in candidates
            if one.entry.ordinal in contents
        )

    def _entity_names(self, entry: Entry) -> tuple[str, ...]:
        entities = map(self._names.get, entry.entity_ids)
        return tuple(entity.name for entity in entities if entity is not None)


def _check(query: RecallQuery) -> None:
    if not query.query.strip():
        raise InvalidInput("query", "is empty")
    if query.rerank is not None and query.rerank not in RERANKERS:
        raise InvalidInput(
            "rerank", f"{query.rerank!r} is not configured; known: {', '.join(RERANKERS)}"
        )


def _nothing(query: RecallQuery, channels: Sequence[Channel]) -> RecallAnswer:
    """The answer about an entity that the scope does not have: no memory can mention it."""
    names = [*(channel.name for channel in channels), "currentness", "rerank"]
    report = ChannelReport(ChannelStatus.OK, 0, 0.0)
    return RecallAnswer(query.query, (), False, dict.fromkeys(names, report), None, 0.0)


def _currentness_report(found: Sequence[Candidate], behind: int, took_ms: float) -> ChannelReport:
    superseded = sum(one.superseded for one in found)
    if not behind:
        return ChannelReport(ChannelStatus.OK, superseded, took_ms)
    detail = f"{behind} found memories are newer than what is known of replacements"
    return ChannelReport(ChannelStatus.FAILED, superseded, took_ms, detail)


def _holds(ascending: NDArray[np.int64], ordinal: int) -> bool:
    at = int(np.searchsorted(ascending, ordinal))
    return at < len(ascending) and int(ascending[at]) == ordinal
