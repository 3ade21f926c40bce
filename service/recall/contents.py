"""What the memories of an answer say: from the text index, else from Neo4j."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Final, Protocol

import structlog

from service.domain.deadline import Deadline
from service.domain.errors import PalimpsestError
from service.projection.catalogue import Entry
from service.stores.tantivy import StoredMemory, TextIndex

_log = structlog.stdlib.get_logger("palimpsest.recall")

ReadContents = Callable[[Sequence[str], float], Awaitable[Mapping[str, str]]]
"""What memories say by id, from the system of record, within so many seconds."""

_LOCAL_AT_LEAST_S: Final = 0.5
_GRAPH_AT_LEAST_S: Final = 0.05
"""What is left for contents when the channels have used the whole deadline: the text index takes
a millisecond or two, and without it there is no answer; Neo4j only fills what it lacks."""


class Contents(Protocol):
    """Where the texts of an answer come from."""

    async def stored(self, ordinals: Sequence[int], deadline: Deadline) -> dict[int, StoredMemory]:
        """What is stored of these memories; those that cannot be read in time are left out."""
        ...

    async def of(self, ids: Mapping[int, str], deadline: Deadline) -> dict[int, str]:
        """What these memories (id by ordinal) say; those that cannot be read are left out."""
        ...


def entry_of(memory: StoredMemory) -> Entry:
    """What the catalogue would hold of this memory, as far as the text index can tell."""
    return Entry(
        ordinal=memory.ordinal,
        id=memory.id,
        scope=memory.scope,
        type=memory.type,
        created_at=memory.created_at,
        event_at=memory.event_at,
        revision=memory.revision,
        superseded=memory.superseded,
        session=memory.session,
        speaker=memory.speaker,
        entity_ids=memory.entity_ids,
        statements=(),
        successors=(),
    )


class StoredContents:
    """Contents of the text index; Neo4j is asked only for those that it does not have."""

    def __init__(self, text: TextIndex, executor: Executor, read: ReadContents) -> None:
        self._text = text
        self._executor = executor
        self._read = read

    async def stored(self, ordinals: Sequence[int], deadline: Deadline) -> dict[int, StoredMemory]:
        """What the text index holds of these memories; nothing when it fails or is late."""
        if not ordinals:
            return {}
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(max(_LOCAL_AT_LEAST_S, deadline.remaining())):
                return await loop.run_in_executor(self._executor, self._text.fetch, ordinals)
        except (PalimpsestError, TimeoutError) as error:
            _log.warning("contents are not read from the text index", error=repr(error))
            return {}

    async def of(self, ids: Mapping[int, str], deadline: Deadline) -> dict[int, str]:
        """What these memories say; those that neither store can tell in time are left out."""
        stored = await self.stored(list(ids), deadline)
        texts = {ordinal: memory.content for ordinal, memory in stored.items()}
        missing = {ids[ordinal]: ordinal for ordinal in ids if ordinal not in texts}
        if missing:
            timeout_s = max(_GRAPH_AT_LEAST_S, deadline.remaining())
            try:
                read = await self._read(list(missing), timeout_s)
            except PalimpsestError as error:
                _log.warning("contents are not read from Neo4j", error=repr(error))
            else:
                texts |= {missing[memory_id]: content for memory_id, content in read.items()}
        return texts
