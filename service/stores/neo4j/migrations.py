"""Bring a store to the schema of this code: numbered files of `cypher/schema/`, each once."""

import hashlib
from typing import Any, Final

import stamina
from neo4j import AsyncManagedTransaction

from service.domain.errors import Conflict, GraphFailed, GraphUnavailable, IncompatibleStore
from service.stores.neo4j.driver import Graph, fetch
from service.stores.neo4j.statements import StatementFile, all_statements, statement

_APPLIED: Final = statement("migration/applied")
_RECORD: Final = statement("migration/record")
_AMEND: Final = statement("migration/amend")
_DROP_FIRST_INDEXES: Final = (
    statement("migration/drop_first_slot_index"),
    statement("migration/drop_first_job_index"),
)
_AWAIT_INDEXES: Final = statement("migration/await_indexes")

_FOLDER: Final = "schema/"
_STEP_S: Final = 120.0
_TRIES: Final = 12

_FIRST_TEXTS: Final = {
    "0002_indexes": frozenset(
        {
            "f3045d3e17bc8bcfa491313fed971cd6f0fec5a881e602b65433e0121461c8a2",
            "52f5c78f82e3646c284f684cfcfdd97d59518e6306d08578f7ac592738f4628d",
        }
    ),
    "0003_counter": frozenset({"86707367946d8bc7873cc4984e311b4c288bc42560aa143a53670f73e4fc2be4"}),
}
"""Checksums of the texts that two migrations had on their first evening, before they were frozen.

A store that had one of them lacks what came later: it is given the present text.
"""


async def migrate(graph: Graph) -> list[str]:
    """Apply what the store lacks, in order; the names of what this call applied.

    Several services may do so at once on one store: every step can be repeated, and each migration
    is recorded once. Raises IncompatibleStore when the store was written by a newer version of the
    service, or had a migration of this name with another text; nothing is changed then.
    """
    wanted = migrations()
    recorded = {row["name"]: row for row in await graph.read(_read_applied)}
    _require_known(recorded, wanted)
    if any(_is_first_text(row) for row in recorded.values()):
        for drop in _DROP_FIRST_INDEXES:
            await _again(graph.apply, drop)
    missing = [
        each
        for each in wanted
        if _short(each) not in recorded or _is_first_text(recorded[_short(each)])
    ]
    applied = [_short(each) for each in missing if await _apply(graph, each)]
    if missing:
        await graph.read(_await_indexes, int(_STEP_S), timeout_s=_STEP_S + 5)
    return applied


def migrations() -> tuple[StatementFile, ...]:
    """The migrations of this code, in their order."""
    return tuple(each for each in all_statements() if each.name.startswith(_FOLDER))


def version_of(name: str) -> int:
    """The number that a migration's name (`0001_constraints`) begins with."""
    return int(name.split("_", 1)[0])


def _short(each: StatementFile) -> str:
    return each.name.removeprefix(_FOLDER)


def _checksum(each: StatementFile) -> str:
    return hashlib.sha256(each.text.encode()).hexdigest()


def _require_known(recorded: dict[str, dict[str, Any]], wanted: tuple[StatementFile, ...]) -> None:
    newest = max(version_of(_short(each)) for each in wanted)
    found = max((int(row["version"]) for row in recorded.values()), default=newest)
    if found > newest:
        raise IncompatibleStore(
            f"the store is at schema version {found}, this service knows versions up to {newest}: "
            "it was used by a newer Palimpsest; start that one, or choose another store"
        )
    for each in wanted:
        row = recorded.get(_short(each))
        if row is not None and row["checksum"] != _checksum(each) and not _is_first_text(row):
            raise IncompatibleStore(
                f"the store had a migration {_short(each)!r} that differs from this service's: "
                "it was written by another edition of Palimpsest; choose another store"
            )


def _is_first_text(row: dict[str, Any]) -> bool:
    return row["checksum"] in _FIRST_TEXTS.get(row["name"], ())


async def _apply(graph: Graph, each: StatementFile) -> bool:
    """Apply and record one migration; whether it was this call that recorded it.

    Neo4j allows no change of data in the transaction of a change of the schema, so every statement
    has its own, and all are written to be repeated. Services that make the same constraint at the
    same moment get in each other's way: the one that failed finds it made when it tries again.
    """
    for part in each.parts:
        await _again(graph.apply, part)
    return await _again(graph.write, _record, each)


_again: Final = stamina.AsyncRetryingCaller(
    attempts=_TRIES, timeout=_STEP_S, wait_initial=0.05, wait_max=2.0, wait_jitter=0.2
).on((Conflict, GraphFailed, GraphUnavailable))


async def _read_applied(tx: AsyncManagedTransaction) -> list[dict[str, Any]]:
    return await fetch(tx, _APPLIED)


async def _await_indexes(tx: AsyncManagedTransaction, seconds: int) -> None:
    await fetch(tx, _AWAIT_INDEXES, seconds=seconds)


async def _record(tx: AsyncManagedTransaction, each: StatementFile) -> bool:
    name = _short(each)
    parameters = {"name": name, "version": version_of(name), "checksum": _checksum(each)}
    summary = await (await tx.run(_RECORD, parameters)).consume()
    if summary.counters.nodes_created == 0:
        return bool(await fetch(tx, _AMEND, name=name, checksum=_checksum(each)))
    return True
