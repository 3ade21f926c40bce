"""`palimpsest neo4j`: the embedded server, for those who look at the graph themselves."""

from typing import TYPE_CHECKING

import typer

from service.cli import console
from service.cli.options import DataDir, settings_with
from service.config import Settings
from service.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from service.bootstrap import EmbeddedLogin


def password(data_dir: DataDir = None) -> None:
    """Print the password of the user neo4j, alone on its line."""
    console.out.print(_login(settings_with(data_dir)).password, markup=False, soft_wrap=True)


def browser(data_dir: DataDir = None) -> None:
    """Print the address of Neo4j Browser; its form is filled but for the password."""
    login = _running(_login(settings_with(data_dir)))
    console.out.print(login.browser_url, markup=False, soft_wrap=True)


def status(data_dir: DataDir = None) -> None:
    """Show whether the server runs, where, and who it is; exit code 1 when it does not."""
    login = _login(settings_with(data_dir))
    if login.pid is None:
        console.out.print("stopped: it runs while `palimpsest serve` does", markup=False)
        raise typer.Exit(1)
    for title, text in (
        ("state", f"runs as process {login.pid}"),
        ("Bolt", login.bolt_url),
        ("Browser", login.browser_url),
        ("user", login.user),
        ("data", str(login.home)),
    ):
        console.out.print(f"{title:<8} {text}", markup=False, soft_wrap=True)


def _login(settings: Settings) -> "EmbeddedLogin":
    # Loaded only where it is needed: see serve.py.
    from service.bootstrap import embedded_login

    if settings.neo4j_uri is not None:
        raise ConfigurationError(
            f"the service uses the Neo4j at {settings.neo4j_uri} (NEO4J_URI): log in there with "
            "the user and password that you gave it"
        )
    login = embedded_login(settings)
    if login is None:
        raise ConfigurationError(
            f"there is no Neo4j in {settings.data_dir} yet: `palimpsest serve` makes it, or name "
            "another folder with --data-dir"
        )
    return login


def _running(login: "EmbeddedLogin") -> "EmbeddedLogin":
    if login.pid is None:
        raise ConfigurationError("Neo4j does not run: it does while `palimpsest serve` runs")
    return login
