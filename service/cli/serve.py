"""`palimpsest serve`: run the service in this process."""

import asyncio
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli import console
from service.cli.logs import configure_logging
from service.cli.options import DataDir, client_of, settings_with
from service.cli.sample import show_sample
from service.client import ClientError
from service.config import Settings

if TYPE_CHECKING:
    from service.bootstrap import Service


def serve(
    host: Annotated[
        str | None, typer.Option(help="Loopback address to listen on (127.0.0.1).")
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on (8321); 0 takes a free one.")
    ] = None,
    data_dir: DataDir = None,
    sample: Annotated[
        bool,
        typer.Option(help="Load a sample into an empty store, and show a recall of it."),
    ] = False,
) -> None:
    """Run the service until Ctrl-C or SIGTERM."""
    # Loaded by this command alone: the others start in a fifth of the time without it.
    from service.cli.server import serve as serve_http

    settings = settings_with(data_dir, http={"host": host, "port": port})
    configure_logging(settings.log)
    console.out.print(f"Opening the store in {settings.data_dir} …", markup=False, soft_wrap=True)

    async def announce(service: "Service", address: str) -> None:
        if sample:
            await asyncio.to_thread(_try_sample, address)
        _print_addresses(settings, service, address, given_data_dir=data_dir is not None)

    asyncio.run(serve_http(settings, announce))
    console.out.print("Stopped.")


def _try_sample(address: str) -> None:
    try:
        with client_of(address) as client:
            show_sample(client)
    except ClientError as error:
        console.fail(f"the sample cannot be shown: {error}")


def _print_addresses(
    settings: Settings, service: "Service", address: str, *, given_data_dir: bool
) -> None:
    name = console.own_name()
    data_dir = f" --data-dir {settings.data_dir}" if given_data_dir else ""
    if service.server is not None:
        graph = [
            ("Neo4j Browser", service.server.browser_url),
            ("", f"user {service.server.user}, password: {name} neo4j password{data_dir}"),
        ]
    else:
        graph = [("Neo4j", f"{settings.neo4j_uri} (named by NEO4J_URI, with its own password)")]
    lines = [
        ("API docs", f"{address}/docs"),
        *graph,
        ("Data", str(settings.data_dir)),
        ("Stop", "Ctrl-C"),
    ]
    release = version("palimpsest-memory")
    console.out.print(f"\nPalimpsest {release} serves on {address}", style="bold", markup=False)
    for title, text in lines:
        console.out.print(f"  {title:<14} {text}", markup=False, soft_wrap=True)
    console.out.file.flush()
