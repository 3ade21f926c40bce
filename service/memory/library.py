"""The ready queries for analysts, as the files of `cypher/analyst/` hold them."""

from dataclasses import dataclass
from typing import Final

from service.stores.neo4j.statements import all_statements

_FOLDER: Final = "analyst/"


@dataclass(frozen=True, slots=True)
class ReadyQuery:
    """A query that a person can run as it stands, once its parameters are set."""

    name: str
    """The name of its file, without folder and ending."""
    promise: str
    """What it shows, in a sentence or two."""
    params: tuple[str, ...]
    text: str
    """The statement, without the header of the file."""


def ready_queries() -> tuple[ReadyQuery, ...]:
    """Return every query of the library, in the order of the names."""
    return tuple(
        ReadyQuery(file.name.removeprefix(_FOLDER), file.promise, file.params, file.text)
        for file in all_statements()
        if file.name.startswith(_FOLDER)
    )
