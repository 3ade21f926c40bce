"""The command `palimpsest` and its sub-commands."""

from importlib.metadata import version
from typing import Annotated

import typer

from service.cli import console, keys, neo4j
from service.cli.errors import reporting
from service.cli.fetch import fetch
from service.cli.memories import recall, remember
from service.cli.serve import serve
from service.cli.state import doctor, reindex, status
from service.cli.transfer import export, import_

app = typer.Typer(
    name="palimpsest",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def main(
    show_version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.")
    ] = False,
) -> None:
    """A memory service for agents on a real graph."""
    if show_version:
        console.out.print(version("palimpsest-memory"))
        raise typer.Exit


app.command()(reporting(serve))
app.command()(reporting(fetch))
app.command()(reporting(remember))
app.command()(reporting(recall))
app.command("import")(reporting(import_))
app.command()(reporting(export))
app.command()(reporting(status))
app.command()(reporting(doctor))
app.command()(reporting(reindex))

_neo4j = typer.Typer(help="Log in to the embedded Neo4j of a store.", no_args_is_help=True)
_neo4j.command()(reporting(neo4j.password))
_neo4j.command()(reporting(neo4j.browser))
_neo4j.command()(reporting(neo4j.status))
app.add_typer(_neo4j, name="neo4j")

_keys = typer.Typer(help="Who may call: make, list, rotate, revoke keys.", no_args_is_help=True)
_keys.command()(reporting(keys.create))
_keys.command("list")(reporting(keys.list_))
_keys.command()(reporting(keys.rotate))
_keys.command()(reporting(keys.revoke))
app.add_typer(_keys, name="keys")
