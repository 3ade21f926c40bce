"""Reading a SQLite file that belongs to somebody else: nothing is written to it or beside it."""

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from service.domain.errors import Conflict, InvalidInput

_MAGIC = b"SQLite format 3\x00"
_WAL_VERSION = 2
_COPIES = 3


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """An open file; all methods raise InvalidInput where it is damaged."""

    path: Path
    connection: sqlite3.Connection

    def tables(self) -> set[str]:
        """Return the names of its tables."""
        found = self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {str(row["name"]) for row in found}

    def columns(self, table: str) -> set[str]:
        """Return the names of a table's columns; none where there is no such table."""
        return {str(row["name"]) for row in self.rows(f"PRAGMA table_info({quoted(table)})")}

    def require(self, product: str, needed: Mapping[str, Set[str]]) -> None:
        """Raise InvalidInput unless every table has the columns that a product's store has."""
        for table, columns in needed.items():
            missing = columns - self.columns(table)
            if missing:
                found = ", ".join(sorted(self.tables())) or "none"
                raise InvalidInput(
                    str(self.path),
                    f"is no store of {product}: it lacks {table} ({', '.join(sorted(missing))}); "
                    f"its tables are {found}",
                )

    def number(self, query: str) -> int:
        """Return the one number that a query answers; 0 for nothing."""
        value = next((next(iter(row.values())) for row in self.rows(query)), None)
        return int(value) if isinstance(value, int | float) else 0

    def count(self, table: str, condition: str = "1") -> int:
        """Return how many rows of a table meet a condition; 0 where there is no such table."""
        if not self.columns(table):
            return 0
        return self.number(f"SELECT count(*) FROM {quoted(table)} WHERE {condition}")

    def every(self, table: str, wanted: dict[str, object]) -> Iterator[dict[str, Any]]:
        """Yield a table's rows with the wanted columns; an older table's missing ones by default.

        `wanted` maps each column to its default.
        """
        there = self.columns(table)
        if not there:
            return
        names = ", ".join(quoted(name) for name in wanted if name in there)
        for row in self.rows(f"SELECT {names} FROM {quoted(table)}"):
            yield {**wanted, **row}

    def rows(self, query: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a query."""
        with _readable(self.path):
            cursor = self.connection.execute(query)
            names = [column[0] for column in cursor.description]
            for row in cursor:
                yield dict(zip(names, row, strict=True))


@contextmanager
def opened(path: Path) -> Generator[SqliteFile]:
    """Open a SQLite file for reading, with what its log (`-wal`) holds and the file does not.

    Raises InvalidInput where it is none, and Conflict while another process is writing to it.
    """
    header = _header(path)
    log = path.with_name(path.name + "-wal")
    in_wal_mode = header[18:20] == bytes([_WAL_VERSION, _WAL_VERSION])
    with contextlib.ExitStack() as stack:
        if in_wal_mode and log.exists() and log.stat().st_size:
            # Reading it where it is would make a file of shared memory beside it.
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="palimpsest-"))
            connection = _connect(_copied(path, log, Path(folder)), "mode=rw")
        else:
            connection = _connect(path, "mode=ro&immutable=1" if in_wal_mode else "mode=ro")
        stack.callback(connection.close)
        connection.text_factory = _decoded
        yield SqliteFile(path, connection)


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def quoted(name: str) -> str:
    """Return a name of a table or column as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def _header(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be read: {error.strerror}") from error
    if not header.startswith(_MAGIC):
        shown = "is empty" if not header else f"begins with {header[:16]!r}"
        raise InvalidInput(str(path), f"is no SQLite file: it {shown}")
    return header


def _copied(path: Path, log: Path, folder: Path) -> Path:
    for _ in range(_COPIES):
        before = _state(path, log)
        copy = folder / "copy.db"
        shutil.copyfile(path, copy)
        shutil.copyfile(log, folder / "copy.db-wal")
        if _state(path, log) == before:
            return copy
    raise Conflict(f"{path} is being written: stop the program that it belongs to, and try again")


def _state(*paths: Path) -> list[tuple[int, int]]:
    return [(path.stat().st_size, path.stat().st_mtime_ns) for path in paths]


def _connect(path: Path, how: str) -> sqlite3.Connection:
    with _readable(path):
        return sqlite3.connect(f"file:{quote(str(path.absolute()))}?{how}", uri=True)


@contextmanager
def _readable(path: Path) -> Generator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise Conflict(
                f"{path} is being written: stop the program that it belongs to, and try again"
            ) from error
        raise InvalidInput(str(path), f"cannot be read as SQLite: {error}") from error
    except sqlite3.DatabaseError as error:
        raise InvalidInput(str(path), f"cannot be read as SQLite: {error}") from error
