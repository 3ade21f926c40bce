import shutil
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from service.domain.errors import IndexDamaged, StoreHeld, TextIndexUnavailable
from service.domain.filters import TextFilters
from service.stores.tantivy import TextIndex
from service.stores.tantivy.segments import has_deleted
from tests.stores.changes import memory, removal
from tests.stores.full_disk import no_room_for

ROOT = Path(__file__).parents[3]


def found(index: TextIndex, token: str) -> list[int]:
    return index.search("content", "s", [token], 1_000, TextFilters()).ordinals.tolist()


def test_an_empty_folder_is_an_empty_index(index: TextIndex) -> None:
    assert index.applied_revision == 0
    assert index.count() == 0
    assert found(index, "tea") == []
    assert index.fetch([1]) == {}
    assert index.fetch([]) == {}


def test_what_was_applied_is_there_after_a_restart(folder: Path) -> None:
    index = TextIndex.open(folder)
    index.apply([memory(1, "tea"), memory(2, "tea")], 9)
    index.apply([removal(2, 10)], 10)
    index.close()
    index = TextIndex.open(folder)
    assert index.applied_revision == 10
    assert found(index, "tea") == [1]
    index.clear()
    assert (index.applied_revision, index.count()) == (0, 0)
    index.close()
    index = TextIndex.open(folder)
    assert (index.applied_revision, index.count()) == (0, 0)
    index.close()


def test_a_second_one_over_the_folder_is_told_who_holds_it(index: TextIndex, folder: Path) -> None:
    with pytest.raises(StoreHeld, match="held by another process"):
        TextIndex.open(folder)
    index.apply([memory(1, "tea")], 1)
    assert found(index, "tea") == [1]


def test_a_closed_index_says_so(folder: Path) -> None:
    index = TextIndex.open(folder)
    index.close()
    index.close()
    with pytest.raises(TextIndexUnavailable, match="closed"):
        found(index, "tea")
    with pytest.raises(TextIndexUnavailable, match="closed"):
        index.apply([memory(1, "tea")], 1)
    TextIndex.open(folder).close()


@pytest.mark.parametrize("kept", [0.0, 0.5, None], ids=["emptied", "cut", "missing"])
@pytest.mark.parametrize(
    "pattern", ["meta.json", "*.store", "*.term", "*.idx", "*.fast", "*.fieldnorm"]
)
def test_a_damaged_folder_is_named(folder: Path, pattern: str, kept: float | None) -> None:
    index = TextIndex.open(folder)
    index.apply([memory(1, "tea")], 1)
    index.close()
    path = next(iter(folder.glob(pattern)))
    if kept is None:
        path.unlink()
    else:
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * kept)])
    with pytest.raises(IndexDamaged, match="rebuilt"):
        TextIndex.open(folder)
    shutil.rmtree(folder)
    TextIndex.open(folder).close()


def test_an_index_of_another_schema_is_damaged(folder: Path) -> None:
    from tantivy import Index, SchemaBuilder

    folder.mkdir()
    builder = SchemaBuilder()
    builder.add_text_field("other")
    Index(builder.build(), path=str(folder))
    with pytest.raises(IndexDamaged, match="schema"):
        TextIndex.open(folder)


_WRITER = """
    import sys
    from pathlib import Path
    from service.stores.tantivy import TextIndex
    from tests.stores.changes import memory

    index = TextIndex.open(Path(sys.argv[1]))
    for revision in range(1, 10_000):
        index.apply([memory(revision, f"tea {revision}"), memory(0, f"v{revision}v")], revision)
        print(revision, flush=True)
"""


@pytest.mark.parametrize("after", [1, 7])
def test_a_killed_writer_leaves_content_and_revision_in_step(folder: Path, after: int) -> None:
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
    index = TextIndex.open(folder)
    revision = index.applied_revision
    assert revision >= acknowledged
    assert found(index, "tea") == list(range(1, revision + 1))
    assert index.fetch([0])[0].content == f"v{revision}v"
    index.apply([memory(5_000, "tea")], revision + 1)
    assert 5_000 in found(index, "tea")
    index.close()


def test_a_full_disk_is_told_and_recovered_from(index: TextIndex) -> None:
    index.apply([memory(1, "tea")], 1)
    large = [memory(n, f"tea {'x' * 20} " + f"w{n}w " * 50) for n in range(2, 400)]
    with no_room_for(1_000), pytest.raises(TextIndexUnavailable, match="apply changes"):
        index.apply(large, 400)
    assert index.applied_revision == 1
    assert found(index, "tea") == [1]
    index.apply(large, 400)
    assert index.applied_revision == 400
    assert found(index, "tea") == list(range(1, 400))


def test_searches_go_on_while_one_thread_writes(index: TextIndex) -> None:
    index.apply([memory(n, "tea") for n in range(1, 50)], 50)
    failures: list[BaseException] = []
    done = threading.Event()

    def search() -> None:
        try:
            while not done.is_set():
                assert set(range(1, 50)) <= set(found(index, "tea"))
                assert index.fetch([1, 2]).keys() == {1, 2}
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for revision in range(100, 120):
        index.apply([memory(revision, "tea"), memory(1, "tea", revision=revision)], revision)
    done.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(found(index, "tea")) == 69


class TestExpunge:
    planted = "q7fzkwv9xj3m"

    def files_with(self, folder: Path, text: str) -> list[str]:
        return [path.name for path in folder.iterdir() if text.encode() in path.read_bytes()]

    def test_a_removed_word_is_in_no_file(self, index: TextIndex, folder: Path) -> None:
        index.apply([memory(n, f"tea number w{n}w") for n in range(2, 60)], 60)
        index.apply([memory(1, self.planted, hints=(f"who said {self.planted}?",))], 61)
        assert self.files_with(folder, self.planted)
        index.apply([removal(1, 62)], 62)
        index.expunge()
        assert self.files_with(folder, self.planted) == []
        assert not has_deleted(folder)
        assert index.applied_revision == 62
        assert found(index, "tea") == list(range(2, 60))
        assert index.fetch([5])[5].content == "tea number w5w"

    def test_the_old_text_of_an_updated_memory_is_in_no_file(
        self, index: TextIndex, folder: Path
    ) -> None:
        index.apply([memory(1, self.planted)], 1)
        index.apply([memory(1, "harmless", revision=2)], 2)
        index.expunge()
        assert self.files_with(folder, self.planted) == []
        assert found(index, "harmless"[:7]) == []
        assert found(index, "harmless") == [1]

    def test_it_is_there_after_a_restart_and_can_be_written(self, folder: Path) -> None:
        index = TextIndex.open(folder)
        index.apply([memory(1, "tea"), memory(2, self.planted)], 2)
        index.apply([removal(2, 3)], 3)
        index.expunge()
        index.apply([memory(3, "tea")], 4)
        index.close()
        index = TextIndex.open(folder)
        assert index.applied_revision == 4
        assert found(index, "tea") == [1, 3]
        index.close()
