"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Any

import typer

from service.client import DEFAULT_URL, Client
from service.config import Settings, read_settings

Url = Annotated[
    str,
    typer.Option("--url", envvar="PALIMPSEST_URL", help="Address of the running service."),
]
Scope = Annotated[str, typer.Option("--scope", "-s", help="Which scope of the store.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the service's answer as JSON.")]
DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        help="Folder of the whole store: Neo4j's data, its password, the indexes.",
        file_okay=False,
    ),
]

URL = DEFAULT_URL
SCOPE = "default"


def client_of(url: str, *, scope: str = SCOPE, timeout_s: float = 60.0) -> Client:
    """Return a client that brings the key of PALIMPSEST_KEY, else that of the settings.

    Raises ConfigurationError.
    """
    settings = read_settings()
    given = settings.key or settings.access.key
    key = given.get_secret_value() if given is not None else None
    return Client(url, scope=scope, timeout_s=timeout_s, key=key)


def settings_with(data_dir: Path | None, **sections: dict[str, Any]) -> Settings:
    """Return the settings of the environment, with what the options name over them.

    Raises ConfigurationError.
    """
    given: dict[str, Any] = {}
    for name, section in sections.items():
        named = {key: value for key, value in section.items() if value is not None}
        if named:
            given[name] = named
    if data_dir is not None:
        given["data_dir"] = data_dir.absolute()
    return read_settings(**given)
