"""Promises of the graph that no constraint of Community can keep, looked at one by one."""

from service.stores.neo4j.driver import Transaction, fetch
from service.stores.neo4j.statements import statement

_MENTIONS = statement("doctor/mentions")
_SLOTS = statement("doctor/slots")
_CURRENTNESS = statement("doctor/currentness")


async def broken_promises(tx: Transaction) -> list[str]:
    """Return one sentence for each promise that the graph does not keep, at most 100 a kind."""
    found = [
        f"entity {row['name']!r} in {row['scope']!r} counts {row['kept']} mentions, "
        f"{row['counted']} memories mention it"
        for row in await fetch(tx, _MENTIONS)
    ]
    found += [
        f"slot {row['slot']} in {row['scope']!r} has {row['active']} active values"
        for row in await fetch(tx, _SLOTS)
    ]
    found += [
        f"memory {row['id']} in {row['scope']!r} is replaced and not marked so"
        for row in await fetch(tx, _CURRENTNESS)
    ]
    return found
