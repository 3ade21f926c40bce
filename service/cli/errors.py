"""How an expected error reaches a person: one line, exit code 1, no stack trace."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import typer

from service.cli import console
from service.client import ClientError, RequestRefused, ServiceUnreachable
from service.domain.errors import PalimpsestError

P = ParamSpec("P")
T = TypeVar("T")


def reporting(command: Callable[P, T]) -> Callable[P, T]:
    """Return the command with its expected errors told in one line each."""

    @wraps(command)
    def reported(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return command(*args, **kwargs)
        except (ClientError, PalimpsestError) as error:
            console.fail(_line(error))
            raise typer.Exit(1) from None

    return reported


def _line(error: Exception) -> str:
    if isinstance(error, ServiceUnreachable):
        return (
            f"{error}. Start the service with `{console.own_name()} serve`, or name its address "
            "with --url or PALIMPSEST_URL."
        )
    if isinstance(error, RequestRefused):
        fields = error.problem.get("errors") or []
        return "; ".join(f"{each['field']}: {each['message']}" for each in fields) or str(error)
    return str(error)
