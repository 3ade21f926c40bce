import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hnswlib
import numpy as np
import pytest
from numpy.typing import NDArray

from service.domain.change import MemoryChange, Vectors
from service.domain.errors import EmbeddingRejected, IndexDamaged
from service.stores.hnswlib import VectorStore
from tests.stores.changes import memory, removal
from tests.stores.full_disk import no_room_for
from tests.stores.hnswlib.clusters import clustered

ROOT = Path(__file__).parents[3]
DIMENSION = 16
MODEL = "model-a"
VECTORS = clustered(400, DIMENSION, 1)


def embedded(ordinal: int, rows: Vectors, scope: str = "s", **fields: Any) -> MemoryChange:
    given = {"embedding_model": MODEL, "vectors": np.atleast_2d(rows)}
    return memory(ordinal, "text", scope, **(given | fields))


def open_store(folder: Path, **options: Any) -> VectorStore:
    return VectorStore.open(folder, MODEL, DIMENSION, **({"exact_rows": 50} | options))


def found(store: VectorStore, vector: Vectors, scope: str = "s", limit: int = 3) -> list[int]:
    return store.search(scope, vector, limit)[0].tolist()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "vectors"


@pytest.fixture
def store(folder: Path) -> Iterator[VectorStore]:
    opened = open_store(folder)
    yield opened
    opened.close()


@pytest.fixture
def filled(store: VectorStore) -> VectorStore:
    """A scope that is a graph, one that is exact."""
    store.apply([embedded(n, VECTORS[n]) for n in range(200)], 200)
    store.apply([embedded(n, VECTORS[n], "small") for n in range(300, 310)], 310)
    return store


def test_a_small_scope_gets_its_own_neighbours(filled: VectorStore) -> None:
    assert set(found(filled, VECTORS[0], "small", 100)) == set(range(300, 310))
    assert found(filled, VECTORS[5])[0] == 5
    assert found(filled, VECTORS[5], "nobody's") == []
    filled.apply([embedded(399, VECTORS[5], "one")], 311)
    assert found(filled, VECTORS[77], "one") == [399]


def test_updates_and_removals_are_seen(filled: VectorStore) -> None:
    filled.apply([embedded(5, VECTORS[250], revision=400), removal(6, 401)], 401)
    assert found(filled, VECTORS[250])[0] == 5
    assert 6 not in found(filled, VECTORS[6], limit=1_000)
    assert filled.ordinals()[5] == 400
    assert filled.count() == 209
    assert filled.applied_revision == 401
    filled.apply([removal(n, 500, "small") for n in range(300, 310)], 500)
    assert found(filled, VECTORS[300], "small") == []
    assert filled.count() == 199


def test_the_last_change_of_a_memory_in_a_batch_counts(store: VectorStore) -> None:
    store.apply([embedded(1, VECTORS[1]), embedded(1, VECTORS[2]), removal(1, 3)], 3)
    assert store.count() == 0
    store.apply([removal(1, 3), embedded(1, VECTORS[2], revision=4)], 4)
    assert store.ordinals() == {1: 4}


@pytest.mark.parametrize("fields", [{"vectors": None}, {"embedding_model": "model-b"}])
def test_a_memory_without_vectors_of_the_model_is_not_held(
    store: VectorStore, fields: dict[str, Any]
) -> None:
    store.apply([embedded(1, VECTORS[1]), embedded(2, VECTORS[2])], 2)
    store.apply([embedded(1, VECTORS[1], **fields)], 3)
    assert found(store, VECTORS[1]) == [2]
    assert store.refused == 0


def as_a_graph_holds(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vector as the library brings it to unit length, bit by bit."""
    graph = hnswlib.Index("cosine", DIMENSION)
    graph.init_index(1)
    graph.add_items(vector[None, :])
    return np.asarray(graph.get_items([0]))[0]


BAD = [
    pytest.param(np.full((1, DIMENSION), np.nan, np.float32), "not finite", id="nan"),
    pytest.param(np.full((1, DIMENSION), np.inf, np.float32), "not finite", id="infinity"),
    pytest.param(np.zeros((1, DIMENSION), np.float32), "zero", id="zeros"),
    pytest.param(np.ones((1, DIMENSION + 1), np.float32), "dimensions", id="dimension"),
    pytest.param(np.empty((0, DIMENSION), np.float32), "no vectors", id="empty"),
]


@pytest.mark.parametrize(("bad", "reason"), BAD)
def test_vectors_that_cannot_be_used_never_get_in(
    store: VectorStore, bad: Vectors, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    store.apply([embedded(1, VECTORS[1]), embedded(2, VECTORS[2])], 2)
    store.apply([embedded(1, bad, revision=3), embedded(3, VECTORS[3])], 3)
    assert reason in caplog.text
    assert "id-1" in caplog.text
    assert store.refused == 1
    assert set(found(store, VECTORS[1])) == {2, 3}
    assert store.applied_revision == 3


@pytest.mark.parametrize(("bad", "reason"), BAD)
def test_a_query_that_cannot_be_used_is_refused(
    filled: VectorStore, bad: Vectors, reason: str
) -> None:
    with pytest.raises(EmbeddingRejected, match=reason):
        filled.search("s", bad[0] if len(bad) else bad, 3)


def test_one_bad_passage_refuses_the_memory(store: VectorStore) -> None:
    vectors = VECTORS[:3].copy()
    vectors[1] = 0
    store.apply([embedded(1, vectors)], 1)
    assert store.count() == 0


def test_vectors_are_brought_to_unit_length(store: VectorStore) -> None:
    store.apply([embedded(1, VECTORS[1] * 7)], 1)
    _, cosines = store.search("s", VECTORS[1] * 3, 1)
    assert cosines == pytest.approx([1.0], abs=1e-5)
    near = store.cosines("s", VECTORS[1] * 5, [2, 1])
    assert near.ordinals == [1]
    assert near.best == pytest.approx([1.0], abs=1e-5)
    assert near.first == pytest.approx([1.0], abs=1e-5)
    assert store.cosines("t", VECTORS[1], [1]).ordinals == []


def test_a_memory_is_as_near_as_its_best_passage_and_as_its_first(store: VectorStore) -> None:
    store.apply([embedded(1, VECTORS[1:4]), embedded(2, VECTORS[4])], 2)
    near = store.cosines("s", VECTORS[3], [1, 2])
    assert near.ordinals == [1, 2]
    expected = VECTORS[[1, 4]] @ VECTORS[3]
    assert near.first == pytest.approx(expected, abs=1e-5)
    assert near.best == pytest.approx([1.0, expected[1]], abs=1e-5)


class TestSnapshot:
    def test_everything_comes_back(self, filled: VectorStore, folder: Path) -> None:
        filled.apply([removal(7, 311), embedded(8, VECTORS[320:323], revision=312)], 312)
        filled.write_snapshot()
        again = open_store(folder)
        assert again.applied_revision == again.snapshot_revision == 312
        assert again.ordinals() == filled.ordinals()
        for scope in ("s", "small"):
            for query in VECTORS[::40]:
                ordinals, cosines = again.search(scope, query, 8)
                expected = filled.search(scope, query, 8)
                assert ordinals.tolist() == expected[0].tolist()
                assert cosines == pytest.approx(expected[1], abs=1e-6)
        again.apply([embedded(n, VECTORS[n]) for n in range(320, 399)], 400)
        assert found(again, VECTORS[350])[0] == 350

    def test_only_one_is_kept(self, filled: VectorStore, folder: Path) -> None:
        for _ in range(3):
            filled.write_snapshot()
        assert len(list(folder.iterdir())) == 2

    def test_what_came_after_it_is_to_be_applied_again(
        self, filled: VectorStore, folder: Path
    ) -> None:
        filled.write_snapshot()
        filled.apply([embedded(399, VECTORS[399])], 399)
        assert filled.snapshot_revision == 310
        again = open_store(folder)
        assert again.applied_revision == 310
        assert again.count() == 210

    def test_closing_writes_what_is_new(self, folder: Path) -> None:
        store = open_store(folder)
        store.apply([embedded(1, VECTORS[1])], 5)
        store.close()
        assert open_store(folder).applied_revision == 5

    def test_clearing_leaves_nothing(self, filled: VectorStore, folder: Path) -> None:
        filled.write_snapshot()
        filled.clear()
        assert (filled.applied_revision, filled.count()) == (0, 0)
        assert found(filled, VECTORS[1]) == []
        assert list(folder.iterdir()) == []

    @pytest.mark.parametrize(("model", "dimension"), [("model-b", DIMENSION), (MODEL, 8)])
    def test_another_model_starts_empty(
        self, filled: VectorStore, folder: Path, model: str, dimension: int
    ) -> None:
        filled.write_snapshot()
        other = VectorStore.open(folder, model, dimension)
        assert (other.applied_revision, other.count()) == (0, 0)

    @pytest.mark.parametrize("kept", [0.0, 0.5, None], ids=["emptied", "cut", "missing"])
    def test_every_damaged_file_is_noticed(
        self, filled: VectorStore, folder: Path, kept: float | None
    ) -> None:
        filled.write_snapshot()
        paths = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size]
        assert len(paths) == 7
        for path in paths:
            if path.name == "current" and kept is None:
                continue  # no snapshot at all: that is no damage
            content = path.read_bytes()
            if kept is None:
                path.unlink()
            else:
                path.write_bytes(content[: int(len(content) * kept)])
            with pytest.raises(IndexDamaged, match="rebuilt"):
                open_store(folder)
            path.write_bytes(content)
        assert open_store(folder).count() == 210

    @pytest.mark.parametrize("room", [100, 20_000])
    def test_a_full_disk_leaves_the_one_before(
        self, filled: VectorStore, folder: Path, room: int
    ) -> None:
        filled.write_snapshot()
        filled.apply([embedded(n, VECTORS[n]) for n in range(200, 300)], 400)
        with no_room_for(room), pytest.raises(OSError, match=r"large|full"):
            filled.write_snapshot()
        assert open_store(folder).applied_revision == 310
        filled.write_snapshot()
        assert open_store(folder).applied_revision == 400

    def test_a_flipped_byte_is_noticed(self, filled: VectorStore, folder: Path) -> None:
        filled.write_snapshot()
        path = next(folder.rglob("*.graph"))
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        with pytest.raises(IndexDamaged):
            open_store(folder)

    def test_removed_vectors_are_in_no_file_after_expunging(
        self, filled: VectorStore, folder: Path
    ) -> None:
        def files_with(vector: NDArray[Any]) -> int:
            part = vector[:3].tobytes()
            return sum(part in path.read_bytes() for path in folder.rglob("*") if path.is_file())

        graphs, exacts = as_a_graph_holds(VECTORS[7]), VECTORS[305]
        filled.write_snapshot()
        assert files_with(graphs) == files_with(exacts) == 1
        assert files_with(VECTORS[7].astype(np.float16)) == 1
        filled.apply([removal(7, 400), embedded(305, VECTORS[350], "small", revision=401)], 401)
        filled.expunge()
        assert files_with(graphs) == files_with(exacts) == 0
        assert files_with(VECTORS[7].astype(np.float16)) == 0
        assert open_store(folder).count() == 209
        assert found(filled, VECTORS[8])[0] == 8


_WRITER = """
    import sys
    from pathlib import Path
    from tests.stores.hnswlib.test_vector_store import VECTORS, embedded, open_store

    store = open_store(Path(sys.argv[1]))
    for revision in range(1, 10_000):
        change = embedded(revision % 300, VECTORS[revision % 400], revision=revision)
        store.apply([change], revision)
        store.write_snapshot()
        print(revision, flush=True)
"""


@pytest.mark.parametrize("after", [1, 60])
def test_a_killed_writer_leaves_a_whole_snapshot(folder: Path, after: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_WRITER), str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process:
        acknowledged = 0
        while acknowledged < after:
            acknowledged = int(process.stdout.readline())
        process.kill()
    store = open_store(folder)
    revision = store.applied_revision
    assert revision >= acknowledged
    assert store.ordinals() == {n % 300: n for n in range(1, revision + 1)}
    newest = store.search("s", VECTORS[revision % 400], 1)
    assert newest[1] == pytest.approx([1.0], abs=1e-5)
    store.write_snapshot()
    assert len(list(folder.iterdir())) == 2


def test_searches_go_on_while_one_thread_writes(store: VectorStore) -> None:
    store.apply([embedded(n, VECTORS[n]) for n in range(45)], 45)
    failures: list[BaseException] = []
    done = threading.Event()

    def search() -> None:
        try:
            while not done.is_set():
                assert found(store, VECTORS[3])[0] == 3
                assert store.cosines("s", VECTORS[3], [3]).ordinals == [3]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for start in range(45, 395, 10):  # past the size at which the scope becomes a graph
        store.apply([embedded(n, VECTORS[n]) for n in range(start, start + 10)], start + 10)
        store.apply([removal(start, start + 11)], start + 11)
    store.expunge()
    done.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert store.count() == 395 - 35
