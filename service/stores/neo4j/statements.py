"""Cypher statements, loaded from files: `statement("noun/name")` is `cypher/noun/name.cypher`.

A file holds one statement under a header that tests read:

    // One sentence on what it promises.
    // mode: read | write | schema
    // params: $a, $b            (may be left out when it takes none)
    // returns: x, y             (may be left out when it returns nothing)
    // scan: why                 (only where scanning a label or the store is meant)

Files under `schema/` may hold several statements, split at a semicolon that ends a line.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal, LiteralString, cast

Mode = Literal["read", "write", "schema"]

_PACKAGED: Final = Path(__file__).parents[2] / "_cypher"
_SOURCE: Final = Path(__file__).parents[3] / "cypher"
_FIELD: Final = re.compile(r"//\s*(mode|params|returns|scan):\s*(.*)")
_MODES: Final[dict[str, Mode]] = {"read": "read", "write": "write", "schema": "schema"}


class StatementError(RuntimeError):
    """A statement file is missing or its header cannot be read: the code is broken."""


@dataclass(frozen=True, slots=True)
class StatementFile:
    """One file of `cypher/`, its header parsed."""

    name: str
    """`noun/name`, without the ending."""
    promise: str
    mode: Mode
    params: tuple[str, ...]
    """Names without the dollar sign, in the order of the header."""
    returns: tuple[str, ...]
    scan: str | None
    """Why it may scan a label or the store; None when it may not."""
    text: LiteralString
    """What is sent to Neo4j: the file without the lines of its header."""

    @property
    def parts(self) -> tuple[LiteralString, ...]:
        """The statements of a schema file, each without its semicolon."""
        pieces: list[LiteralString] = [piece.strip() for piece in self.text.split(";\n")]
        bare: list[LiteralString] = [piece.removesuffix(";") for piece in pieces if piece]
        return tuple(bare)


def folder() -> Path:
    """The folder of statements: the one inside an installed package, else the repository's."""
    return _PACKAGED if _PACKAGED.is_dir() else _SOURCE


def statement(name: LiteralString) -> LiteralString:
    """The text of the statement `noun/name`.

    Raises StatementError when there is no such file, so that a process with a statement missing
    does not start.
    """
    return statement_file(name).text


@cache
def statement_file(name: str) -> StatementFile:
    """The statement `noun/name` with its header; raises StatementError."""
    path = folder() / f"{name}.cypher"
    try:
        source = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StatementError(f"no statement {name!r}: {path} cannot be read ({error})") from error
    return parse(name, source)


def parse(name: str, source: str) -> StatementFile:
    """Split a file's text into header and statement; raises StatementError naming the fault."""
    lines = source.splitlines(keepends=True)
    height = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    header = [line.rstrip() for line in lines[:height]]
    fields: dict[str, str] = {}
    promise: list[str] = []
    for line in header:
        if found := _FIELD.fullmatch(line):
            fields[found[1]] = found[2].strip()
        elif not fields:
            promise.append(line.removeprefix("//").strip())
    mode = _MODES.get(fields.get("mode", ""))
    if mode is None:
        raise StatementError(f"{name}: the header needs `// mode: read`, `write` or `schema`")
    if not any(promise):
        raise StatementError(f"{name}: the header needs a first line on what it promises")
    body = "".join(lines[height:]).strip()
    if not body:
        raise StatementError(f"{name}: there is no statement under the header")
    return StatementFile(
        name=name,
        promise=" ".join(promise).strip(),
        mode=mode,
        params=_names(fields.get("params", "")),
        returns=_names(fields.get("returns", "")),
        scan=fields.get("scan") or None,
        text=cast(LiteralString, body),
    )


def all_statements() -> tuple[StatementFile, ...]:
    """Every statement of the folder, in the order of their names; raises StatementError."""
    root = folder()
    paths = sorted(root.rglob("*.cypher"))
    return tuple(
        statement_file(path.relative_to(root).with_suffix("").as_posix()) for path in paths
    )


def _names(field: str) -> tuple[str, ...]:
    return tuple(name.strip().removeprefix("$") for name in field.split(",") if name.strip())
