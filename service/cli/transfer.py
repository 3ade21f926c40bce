"""`palimpsest import` and `palimpsest export`: a scope as JSON Lines."""

import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from service.cli import console
from service.cli.importing import Importer
from service.cli.options import SCOPE, URL, Scope, Url
from service.client import Client

_MOST_FAILURES = 50


def import_(
    file: Annotated[str, typer.Argument(help="JSON Lines, a memory a line; - reads stdin.")],
    scope: Scope = SCOPE,
    batch: Annotated[
        int, typer.Option(min=1, max=1_000, help="Memories that are sent together.")
    ] = 500,
    url: Url = URL,
) -> None:
    """Remember every line of a file: what `export` writes, or the body of a remember a line.

    Safe to run again. Exit code 1 when a line was not taken over.
    """
    with (
        Client(url, scope=scope, timeout_s=300.0) as client,
        _opened(file) as lines,
        _progress() as progress,
    ):
        total = None if file == "-" else sum(1 for _ in lines)
        if total is not None:
            lines.seek(0)
        task = progress.add_task("Importing", total=total)
        report = Importer(client, batch=batch, moved=lambda: progress.advance(task)).run(lines)
    console.out.print(
        f"{report.created:,} remembered, {report.already_there:,} there already, "
        f"{len(report.failures):,} failed",
    )
    for failure in report.failures[:_MOST_FAILURES]:
        console.fail(f"line {failure.line}: {failure.why}")
    if len(report.failures) > _MOST_FAILURES:
        console.fail(f"… and {len(report.failures) - _MOST_FAILURES:,} more")
    if report.failures:
        raise typer.Exit(1)


def export(
    scope: Scope = SCOPE,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; else standard output.")
    ] = None,
    url: Url = URL,
) -> None:
    """Write every memory of a scope as JSON Lines, in the shape that `import` takes.

    A file gets its name once it is complete.
    """
    with Client(url, scope=scope) as client, _progress() as progress:
        task = progress.add_task("Exporting", total=client.status()["scopes"].get(scope, 0))
        lines = _counted(client.export(), progress, task)
        if output is None:
            for line in lines:
                sys.stdout.write(line + "\n")
            sys.stdout.flush()
        else:
            _write(output, lines)


def _write(path: Path, lines: Iterator[str]) -> None:
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with aside.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(line + "\n" for line in lines)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _counted(lines: Iterator[str], progress: Progress, task: TaskID) -> Iterator[str]:
    for line in lines:
        yield line
        progress.advance(task)


@contextmanager
def _opened(file: str) -> Generator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(file).open("rb") as opened:
            yield opened
    except OSError as error:
        raise typer.BadParameter(f"{file}: {error.strerror}") from error


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console.err,
        transient=True,
    )
