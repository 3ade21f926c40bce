"""`palimpsest status`, `doctor` and `reindex`."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeVar, cast

import typer

from service.cli import console
from service.cli.logs import configure_logging
from service.cli.options import URL, AsJson, DataDir, Url, client_of, settings_with
from service.cli.tables import doctor_text, status_table
from service.client import Client, DoctorReport, ServiceUnreachable
from service.config import LogSettings, Settings

if TYPE_CHECKING:
    from service.bootstrap import Service

T = TypeVar("T")


def status(as_json: AsJson = False, url: Url = URL) -> None:
    """Show versions, counts, indexes, queues, models and channels of the running service."""
    with client_of(url) as client:
        found = client.status()
    if as_json:
        console.out.print_json(data=found)
    else:
        console.out.print(status_table(found))


def doctor(as_json: AsJson = False, data_dir: DataDir = None, url: Url = URL) -> None:
    """Compare the indexes with the graph, memory by memory; exit code 1 on a difference.

    Asks the running service; where none runs, and with --data-dir, opens the store itself.
    """

    async def examine(service: "Service") -> DoctorReport:
        return cast("DoctorReport", asdict(await service.doctor.examine()))

    report = _by_service_or_directly(settings_with(data_dir), url, Client.doctor, examine, data_dir)
    if as_json:
        console.out.print_json(data=report)
    else:
        console.out.print(doctor_text(report))
    if report["differences"]:
        raise typer.Exit(1)


def reindex(data_dir: DataDir = None, url: Url = URL) -> None:
    """Make the indexes anew from Neo4j; nothing is embedded again.

    Asks the running service, which goes on answering meanwhile; where none runs, and with
    --data-dir, opens the store itself.
    """

    async def rebuild(service: "Service") -> float:
        loop = asyncio.get_running_loop()
        started = loop.time()
        await service.follower.rebuild()
        return (loop.time() - started) * 1_000

    took_ms = _by_service_or_directly(
        settings_with(data_dir), url, Client.reindex, rebuild, data_dir
    )
    console.out.print(f"The indexes were made anew in {took_ms / 1_000:.1f} s.")


def _by_service_or_directly(
    settings: Settings,
    url: str,
    ask: Callable[[Client], T],
    work: "Callable[[Service], Awaitable[T]]",
    data_dir: object,
) -> T:
    if data_dir is None:
        try:
            with client_of(url) as client:
                return ask(client)
        except ServiceUnreachable:
            console.note(f"No service answers at {url}: opening {settings.data_dir} …")
    configure_logging(LogSettings(level="warning", format=settings.log.format))
    return asyncio.run(_opened(settings, work))


async def _opened(settings: Settings, work: "Callable[[Service], Awaitable[T]]") -> T:
    # Loaded only where no service runs: see serve.py.
    from service.bootstrap import open_service

    async with open_service(settings) as service:
        return await work(service)
