"""The text index on disk: one writer, any number of searching threads."""

import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import numpy as np
import orjson
from numpy.typing import NDArray
from tantivy import DocAddress, Index, IndexWriter, Occur, Query, Searcher

from service.domain.change import Change, MemoryChange
from service.domain.errors import TextIndexUnavailable
from service.domain.filters import TextFilters
from service.stores.tantivy.errors import opening, working
from service.stores.tantivy.lengths import are_near, index_average, moved, scope_average
from service.stores.tantivy.payload import StoredMemory, decode, stored_memory
from service.stores.tantivy.query import scored_query
from service.stores.tantivy.schema import (
    FORMAT,
    KIND,
    LENGTH,
    MEMORY_KIND,
    ORDINAL,
    PAYLOAD,
    REVISION,
    REVISION_KIND,
    Channel,
    build_schema,
    memory_documents,
    revision_document,
    scope_key,
)
from service.stores.tantivy.segments import has_deleted, stray_files

_WRITER_BYTES = 50_000_000
_DELETES_A_QUERY = 1_000
_EXPUNGE_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class TextHits:
    """Memories that match, best first (equal scores: smaller ordinal first)."""

    ordinals: NDArray[np.int64]
    scores: NDArray[np.float64]
    """BM25, with the inverse document frequency and the average length of the scope."""
    maximum: float
    """What no score can pass: the sum of idf·(k1 + 1) over the query's distinct tokens."""


class TextIndex:
    """The memories' texts, searched by words. A `Projection`; open it with `TextIndex.open`.

    Methods other than `open` raise `TextIndexUnavailable` when the engine fails; what was applied
    before stays searchable, and the next `apply` tries again with a new writer.
    """

    name: Literal["catalogue", "text", "vectors"] = "text"

    def __init__(self, folder: Path, index: Index, writer: IndexWriter, revision: int) -> None:
        self._folder = folder
        self._index = index
        self._schema = index.schema
        self._writer: IndexWriter | None = writer
        self._write_lock = threading.Lock()
        self._revision = revision
        self._closed = False
        self._averages: dict[str, float] = {}
        """Average lengths by scope key, in the present state of the index."""

    @classmethod
    def open(cls, folder: Path) -> "TextIndex":
        """Open the index in the folder, or begin an empty one.

        Raises `IndexDamaged` when files are cut, missing or of another format, and `StoreHeld`
        when another process writes there.
        """
        folder.mkdir(parents=True, exist_ok=True)
        with opening(folder):
            if not Index.exists(str(folder)) and any(folder.glob("*.store")):
                raise ValueError("segments are there, the list of them is not")
            index = Index(build_schema(), path=str(folder))
            index.config_reader("manual")
            writer = index.writer(_WRITER_BYTES, 1)
            revision = _stored_revision(index)
        return cls(folder, index, writer, revision)

    @property
    def applied_revision(self) -> int:
        """The revision of the last commit; 0 for an empty index."""
        return self._revision

    def apply(self, changes: Sequence[Change], revision: int) -> None:
        """Replace or remove the memories that changed, in one commit, visible on return."""
        latest = {change.ordinal: change for change in changes}
        memories = [
            stored_memory(change) for change in latest.values() if isinstance(change, MemoryChange)
        ]
        with self._write_lock, self._writing("apply changes") as writer:
            self._remove(writer, list(latest))
            for memory in memories:
                _add(writer, memory)
            self._commit(writer, revision)

    def clear(self) -> None:
        """Forget everything; `applied_revision` is 0 afterwards."""
        with self._write_lock, self._writing("clear itself") as writer:
            writer.delete_all_documents()
            self._commit(writer, 0)

    def close(self) -> None:
        """Let the folder go; every later call raises `TextIndexUnavailable`."""
        with self._write_lock:
            self._closed = True
            writer, self._writer = self._writer, None
            if writer is not None:
                with working("finish its merges"):
                    writer.wait_merging_threads()

    def search(
        self,
        channel: Channel,
        scope: str,
        tokens: Sequence[str],
        limit: int,
        filters: TextFilters,
    ) -> TextHits:
        """The best `limit` memories of the scope that hold any of the tokens and pass the filters.

        `tokens` come from `query_tokens`; without one, or with a limit below 1, nothing is found.
        """
        averages = self._averages  # taken first: a commit meanwhile must not get an older state's
        with working("search"):
            searcher = self._searcher()
            scored = scored_query(searcher, self._schema, channel, scope, tokens, filters)
            if scored.query is None or scored.held is None or limit < 1:
                return TextHits(np.empty(0, np.int64), np.empty(0), scored.maximum)
            hits = _hits(searcher, scored.query, limit)
            addresses = [address for _, address in hits]
            ordinals = np.array(searcher.fast_field_values(ORDINAL, addresses), np.int64)
            scores = np.array([score for score, _ in hits], np.float64)
            if addresses:
                lengths = np.array(searcher.fast_field_values(LENGTH, addresses), np.float64)
                of_index = index_average(searcher, scored.query, addresses[0])
                if of_index is not None:
                    key = scope_key(channel, scope)
                    if key not in averages:
                        averages[key] = scope_average(searcher, self._schema, key)
                    if not are_near(of_index, averages[key]):
                        held = self._held(searcher, scored.held, ordinals)
                        scores = moved(scores, held, lengths, of_index, averages[key])
            np.minimum(scores, scored.maximum, out=scores)
        order = np.lexsort((ordinals, -scores))
        return TextHits(ordinals[order], scores[order], scored.maximum)

    def _held(
        self, searcher: Searcher, query: Query, ordinals: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The sum of idf over the query's terms that each of these memories holds."""
        these = Query.term_set_query(self._schema, ORDINAL, ordinals.tolist())
        asked = [(Occur.Must, query), (Occur.Must, Query.const_score_query(these, 0.0))]
        hits = _hits(searcher, Query.boolean_query(asked), len(ordinals))
        found = searcher.fast_field_values(ORDINAL, [address for _, address in hits])
        held = dict(zip(cast(list[int], found), (score for score, _ in hits), strict=True))
        return np.array([held[ordinal] for ordinal in ordinals.tolist()], np.float64)

    def fetch(self, ordinals: Sequence[int]) -> dict[int, StoredMemory]:
        """What is stored of these memories, by ordinal; unknown ordinals are left out."""
        if not ordinals:
            return {}
        with working("read memories"):
            searcher = self._searcher()
            wanted = [
                (Occur.Should, Query.term_query(self._schema, ORDINAL, ordinal, "basic"))
                for ordinal in set(ordinals)
            ]
            query = Query.boolean_query(
                [
                    (Occur.Must, Query.boolean_query(wanted)),
                    (Occur.Must, Query.term_query(self._schema, KIND, MEMORY_KIND, "basic")),
                ]
            )
            found = [_memory(searcher, one) for _, one in _hits(searcher, query, len(wanted))]
        return {memory.ordinal: memory for memory in found}

    def count(self) -> int:
        """How many memories it holds."""
        with working("count its memories"):
            searcher = self._searcher()
            return len(_hits(searcher, self._all_memories()))

    def revisions(self) -> Mapping[int, int]:
        """The revision of each memory it holds, by ordinal; reads the whole index."""
        with working("list its memories"):
            searcher = self._searcher()
            addresses = [address for _, address in _hits(searcher, self._all_memories())]
            ordinals = searcher.fast_field_values(ORDINAL, addresses)
            revisions = searcher.fast_field_values(REVISION, addresses)
        return dict(zip(cast(list[int], ordinals), cast(list[int], revisions), strict=True))

    def expunge(self) -> None:
        """Leave nothing of removed or replaced memories in any file of the folder.

        Rewrites the whole index, in one commit, if there is anything to leave out; searches go on.
        Raises `TextIndexUnavailable` when a search that still runs keeps an old file alive: the
        same call succeeds later.
        """
        with self._write_lock:
            for _ in range(_EXPUNGE_ROUNDS):
                if has_deleted(self._folder):
                    with self._writing("rewrite itself") as writer:
                        self._rewrite(writer)
                with self._writing("collect old files") as writer:
                    self._writer = None
                    writer.wait_merging_threads()
                    self._index.reload()
                    self._new_writer().garbage_collect_files()
                if not has_deleted(self._folder) and not stray_files(self._folder):
                    return
        raise TextIndexUnavailable(
            f"removed memories still stand in files of {self._folder}: a search holds them open"
        )

    def _rewrite(self, writer: IndexWriter) -> None:
        searcher = self._searcher()
        writer.delete_all_documents()
        for _, address in _hits(searcher, self._all_memories()):
            _add(writer, _memory(searcher, address))
        self._commit(writer, self._revision)

    def _all_memories(self) -> Query:
        return Query.term_query(self._schema, KIND, MEMORY_KIND, "basic")

    def _searcher(self) -> Searcher:
        if self._closed:
            raise TextIndexUnavailable("the text index is closed")
        return self._index.searcher()

    def _new_writer(self) -> IndexWriter:
        if self._closed:
            raise TextIndexUnavailable("the text index is closed")
        self._writer = self._index.writer(_WRITER_BYTES, 1)
        return self._writer

    @contextmanager
    def _writing(self, action: str) -> Generator[IndexWriter]:
        """The writer; after a failure it is given up, with all that it had not committed."""
        try:
            with working(action):
                yield self._writer or self._new_writer()
        except BaseException:
            self._writer = None
            raise

    def _remove(self, writer: IndexWriter, ordinals: list[int]) -> None:
        # Not `delete_documents_by_term`: it makes a signed term of a number and deletes nothing.
        for start in range(0, len(ordinals), _DELETES_A_QUERY):
            some = ordinals[start : start + _DELETES_A_QUERY]
            writer.delete_documents_by_query(Query.term_set_query(self._schema, ORDINAL, some))

    def _commit(self, writer: IndexWriter, revision: int) -> None:
        writer.delete_documents_by_term(KIND, REVISION_KIND)
        writer.add_document(revision_document(revision))
        writer.commit()
        self._index.reload()
        self._averages = {}
        self._revision = revision


def _add(writer: IndexWriter, memory: StoredMemory) -> None:
    for document in memory_documents(memory):
        writer.add_document(document)


def _hits(
    searcher: Searcher, query: Query, limit: int | None = None
) -> list[tuple[float, DocAddress]]:
    most = max(1, searcher.num_docs)  # the library sets room for `limit` hits aside at once
    return searcher.search(query, most if limit is None else min(limit, most), count=False).hits


def _memory(searcher: Searcher, address: DocAddress) -> StoredMemory:
    return decode(cast(bytes, searcher.doc(address).get_first(PAYLOAD)))


def _stored_revision(index: Index) -> int:
    """The applied revision; raises ValueError for an index that does not say it."""
    searcher = index.searcher()
    query = Query.term_query(index.schema, KIND, REVISION_KIND, "basic")
    hits = _hits(searcher, query, 1)
    if not hits:
        if searcher.num_docs:
            raise ValueError("it does not say which revision it holds")
        return 0
    payload = cast(bytes, searcher.doc(hits[0][1]).get_first(PAYLOAD))
    stored = cast(dict[str, int], orjson.loads(payload))
    if stored["format"] != FORMAT:
        raise ValueError(f"it is of format {stored['format']}, this version reads {FORMAT}")
    return stored["revision"]
