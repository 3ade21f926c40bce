"""Files of others are read as they are, and nothing is written to them or beside them."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from service.cli.foreign.sqlite_file import opened
from service.domain.errors import Conflict, InvalidInput


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "of others?#%.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE things (id TEXT, size INTEGER)")
        db.execute("INSERT INTO things VALUES ('one', 1)")
    return path


def beside(path: Path) -> dict[str, str]:
    return {
        each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in path.parent.iterdir()
    }


def test_rows_columns_and_counts(store: Path) -> None:
    with opened(store) as file:
        assert file.tables() == {"things"}
        assert file.columns("things") == {"id", "size"}
        assert file.columns("nothing") == set()
        assert file.count("things", "size > 1") == 0
        assert file.count("nothing") == 0
        wanted: dict[str, object] = {"id": None, "colour": "red"}
        assert list(file.every("things", wanted)) == [{"id": "one", "colour": "red"}]
        assert list(file.every("nothing", wanted)) == []


def test_a_file_in_wal_mode_is_read_with_its_log_and_left_alone(store: Path) -> None:
    with closing(sqlite3.connect(store)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("INSERT INTO things VALUES ('two', 2)")
        db.commit()
        before = beside(store)
        assert any(name.endswith("-wal") for name in before)
        with opened(store) as file:
            assert file.count("things") == 2
        assert beside(store) == before
    before = beside(store)
    assert not any(name.endswith("-wal") for name in before)
    with opened(store) as file:
        assert file.count("things") == 2
    assert beside(store) == before


def test_a_folder_that_cannot_be_written_is_no_hindrance(store: Path) -> None:
    with closing(sqlite3.connect(store)) as db:
        db.execute("PRAGMA journal_mode=WAL")
    store.parent.chmod(0o500)
    try:
        with opened(store) as file:
            assert file.count("things") == 1
    finally:
        store.parent.chmod(0o700)


def test_writing_is_refused(store: Path) -> None:
    with opened(store) as file, pytest.raises(InvalidInput, match="readonly"):
        list(file.rows("DELETE FROM things RETURNING id"))


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"", "is empty"), (b"%PDF-1.7 and so on", "begins with"), (b"SQLite format 3\x00", "cannot")],
)
def test_what_is_no_sqlite_file_is_named(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "some.db"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=why), opened(path) as file:
        file.tables()


def test_a_damaged_file_is_named(store: Path) -> None:
    whole = store.read_bytes()
    store.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    with pytest.raises(InvalidInput, match="cannot be read as SQLite"), opened(store) as file:
        file.tables()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="No such file"), opened(tmp_path / "none.db"):
        pass


def test_a_file_that_is_being_written_is_told(store: Path) -> None:
    with closing(sqlite3.connect(store, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Conflict, match="stop the program"), opened(store) as file:
            file.tables()
