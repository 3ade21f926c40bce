"""`palimpsest keys`: who may call the service; works beside it, on the Neo4j of the store."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.table import Table
from rich.text import Text

from service.cli import console
from service.cli.options import AsJson, DataDir, settings_with
from service.config import Settings
from service.domain.access import ApiKey, Role

if TYPE_CHECKING:
    from service.memory.access import Keys

T = TypeVar("T")
Name = Annotated[str, typer.Argument(help="The key's name: letters, digits, ._@-")]


def create(
    name: Name,
    role: Annotated[Role, typer.Option(help="What it may do.")] = Role.WRITE,
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", "-s", help="A scope, acme/* for all below, * for all; repeatable."),
    ] = None,
    expires_days: Annotated[
        int | None, typer.Option(min=1, max=36_500, help="Days until it ends; never if absent.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Make a key and print it, alone on its line; it is not kept and cannot be shown again."""
    life = timedelta(days=expires_days) if expires_days is not None else None
    _, token = _run(
        settings_with(data_dir), lambda keys: keys.create(name, role, scope or ["default"], life)
    )
    _show_once(token)


def rotate(name: Name, data_dir: DataDir = None) -> None:
    """Give a key another secret and print it; the one before is refused within a second or two."""
    _, token = _run(settings_with(data_dir), lambda keys: keys.rotate(name))
    _show_once(token)


def revoke(name: Name, data_dir: DataDir = None) -> None:
    """Refuse a key for ever, within a second or two."""
    _run(settings_with(data_dir), lambda keys: keys.revoke(name))
    console.out.print(f"The key {name} is revoked.", markup=False, soft_wrap=True)


def list_(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Show every key, those revoked too; never a secret."""
    found = _run(settings_with(data_dir), lambda keys: keys.list())
    rows = [_shown(key) for key in found]
    if as_json:
        console.out.print_json(data=rows)
        return
    table = Table(box=None)
    for title in ("name", "id", "role", "scopes", "state", "created", "rotated", "expires"):
        table.add_column(title, overflow="fold")
    for row in rows:
        cells = (
            row["name"],
            row["id"],
            row["role"],
            " ".join(row["scopes"]),
            row["state"],
            *(_day(row[each]) for each in ("created_at", "rotated_at", "expires_at")),
        )
        table.add_row(*(Text(cell) for cell in cells))
    console.out.print(table)


def _shown(key: ApiKey) -> dict[str, Any]:
    times = {
        name: None if at is None else at.isoformat()
        for name, at in (
            ("created_at", key.created_at),
            ("rotated_at", key.rotated_at),
            ("revoked_at", key.revoked_at),
            ("expires_at", key.expires_at),
        )
    }
    return {
        "id": key.id,
        "name": key.name,
        "role": key.role.value,
        "scopes": list(key.scopes),
        "state": key.state(datetime.now(UTC)),
        **times,
    }


def _day(moment: str | None) -> str:
    return moment[:10] if moment else "—"


def _show_once(token: str) -> None:
    console.out.print(token, markup=False, soft_wrap=True)
    console.note("Keep it now: only its hash is stored. Send it as Authorization: Bearer <key>.")


def _run(settings: Settings, work: "Callable[[Keys], Awaitable[T]]") -> T:
    return asyncio.run(_opened(settings, work))


async def _opened(settings: Settings, work: "Callable[[Keys], Awaitable[T]]") -> T:
    # Loaded only where it is needed: see serve.py.
    from service.bootstrap import open_keys

    async with open_keys(settings) as keys:
        return await work(keys)
