"""`palimpsest import` and `palimpsest export`: scopes as JSON Lines, and other products' stores."""

import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from enum import StrEnum
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
from service.cli.foreign import moving
from service.cli.foreign.model import ForeignStore
from service.cli.foreign.report import as_object, shown
from service.cli.importing import Importer, Report
from service.cli.options import SCOPE, URL, Scope, Url, client_of

_MOST_FAILURES = 50


class Product(StrEnum):
    """Whose store is moved in."""

    MNEMON = "mnemon"
    SIGNET = "signet"


def import_(
    file: Annotated[
        str,
        typer.Argument(help="JSON Lines, a memory a line, - reads stdin; with --from, a store."),
    ],
    scope: Scope = SCOPE,
    product: Annotated[
        Product | None,
        typer.Option("--from", help="Move in the SQLite store of another product."),
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="With --from: write; else what would be is shown.")
    ] = False,
    agent: Annotated[
        str, typer.Option(help="With --from signet: whose memories, where agents share a file.")
    ] = moving.AGENT,
    as_json: Annotated[
        bool, typer.Option("--json", help="With --from: print the report as JSON.")
    ] = False,
    batch: Annotated[
        int, typer.Option(min=1, max=1_000, help="Memories that are sent together.")
    ] = 500,
    url: Url = URL,
) -> None:
    """Remember every line of a file: what `export` writes, or the body of a remember a line.

    With --from, the store of another product, read and never written; only --apply writes here.
    Safe to run again. Exit code 1 when something was refused.
    """
    if product is not None:
        store = moving.read(product, Path(file), agent)
        _move_in(store, scope, apply=apply, as_json=as_json, batch=batch, url=url)
        return
    if apply or as_json:
        raise typer.BadParameter("--apply and --json go with --from")
    with (
        client_of(url, scope=scope, timeout_s=300.0) as client,
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
    _tell_failures(report)


def _move_in(
    store: ForeignStore, scope: str, *, apply: bool, as_json: bool, batch: int, url: str
) -> None:
    report: Report | None = None
    with client_of(url, scope=scope, timeout_s=300.0) as client, _progress() as progress:
        plan = moving.compare(client, store)
        if apply:
            task = progress.add_task("Carrying over", total=len(plan.to_send()))
            report = moving.carry(
                client, store, plan, batch=batch, moved=lambda: progress.advance(task)
            )
    if as_json:
        console.out.print_json(data=as_object(store, plan, scope, report))
    else:
        console.out.print(shown(store, plan, scope, report))
    if report is not None:
        _tell_failures(report)


def _tell_failures(report: Report) -> None:
    """Print what was not written or refused; end with exit code 1 if anything was refused."""
    for other in report.contradictions[:_MOST_FAILURES]:
        console.note(f"{other.where}: {other.why}")
    for failure in report.failures[:_MOST_FAILURES]:
        console.fail(f"{failure.where}: {failure.why}")
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
    with client_of(url, scope=scope) as client, _progress() as progress:
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
