"""The content and the hints channel: the same search over two kinds of text."""

import asyncio
from concurrent.futures import Executor
from dataclasses import replace
from typing import Final

import numpy as np

from service.domain.deadline import Deadline
from service.recall.channel import ChannelRequest, Found
from service.stores.tantivy import Channel as TextName
from service.stores.tantivy import TextHits, TextIndex

_SPARE: Final = 4
"""By so much more is searched where a filter can only be applied to what was found."""
_DEPTH: Final = 3
"""By so much more is looked at than is brought: the scores of what stands around it."""


class TextChannel:
    """BM25 over what memories say, or over the questions they answer."""

    def __init__(self, name: TextName, index: TextIndex, executor: Executor) -> None:
        self._name: TextName = name
        self._index = index
        self._executor = executor

    @property
    def name(self) -> TextName:
        """`content` or `hints`."""
        return self._name

    def off(self, request: ChannelRequest) -> str | None:
        """It always takes part."""
        return None

    async def search(self, request: ChannelRequest, deadline: Deadline, found: Found) -> None:
        """Find the memories with the highest BM25. Raises TextIndexUnavailable."""
        if not request.tokens:
            return
        loop = asyncio.get_running_loop()
        # A cancelled thread goes on: what it finds then must not reach `found`.
        hits = await loop.run_in_executor(self._executor, self._search, request)
        limit = request.limit
        found.ordinals, found.scores = hits.ordinals[:limit], hits.scores[:limit]
        further = zip(hits.ordinals[limit:].tolist(), hits.scores[limit:].tolist(), strict=True)
        found.beyond, found.maximum = dict(further), hits.maximum

    def _search(self, request: ChannelRequest) -> TextHits:
        filters, limit = request.filters, request.limit * _DEPTH
        # The index knows who is superseded now, the catalogue who was at an earlier moment.
        is_checked_after = filters.as_of_us is not None and not filters.include_superseded
        if is_checked_after:
            filters = replace(filters, include_superseded=True)
            limit *= _SPARE
        hits = self._index.search(self._name, request.scope, request.tokens, limit, filters)
        if not is_checked_after or request.allowed is None:
            return hits
        passing = np.flatnonzero(np.isin(hits.ordinals, request.allowed))[: request.limit * _DEPTH]
        return TextHits(hits.ordinals[passing], hits.scores[passing], hits.maximum)
