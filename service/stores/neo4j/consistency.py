"""Promises of the graph that no constraint of Community can keep, looked at one by one."""

from dataclasses import dataclass
from typing import Self

from service.stores.neo4j.driver import Graph, Transaction, fetch
from service.stores.neo4j.feed import settled_revision
from service.stores.neo4j.statements import statement

_MENTIONS = statement("doctor/mentions")
_MENTIONS_OF = statement("doctor/mentions_of")
_SLOTS = statement("doctor/slots")
_SLOTS_OF = statement("doctor/slots_of")
_CURRENTNESS = statement("doctor/currentness")
_CURRENTNESS_OF = statement("doctor/currentness_of")


@dataclass(frozen=True, slots=True)
class _Suspects:
    """What seemed to break a promise while writing went on."""

    entities: tuple[str, ...]
    slots: tuple[str, ...]
    memories: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.entities or self.slots or self.memories)

    @classmethod
    async def among_all(cls, tx: Transaction) -> Self:
        """Look through the whole graph, and keep nobody from writing meanwhile."""
        return cls(
            entities=tuple(row["id"] for row in await fetch(tx, _MENTIONS)),
            slots=tuple(row["slot"] for row in await fetch(tx, _SLOTS)),
            memories=tuple(row["id"] for row in await fetch(tx, _CURRENTNESS)),
        )


async def broken_promises(graph: Graph, *, timeout_s: float) -> list[str]:
    """Return one sentence for each promise that the graph does not keep, at most 100 a kind.

    Neo4j shows a reader parts of a commit while it is being applied. So what seems broken is
    looked at again, and that alone, while the store's write lock keeps everything still.
    """
    suspects = await graph.read(_Suspects.among_all, timeout_s=timeout_s)
    return await graph.write(_confirmed, suspects, timeout_s=timeout_s) if suspects else []


async def _confirmed(tx: Transaction, suspects: _Suspects) -> list[str]:
    await settled_revision(tx)
    found = [
        f"entity {row['name']!r} in {row['scope']!r} counts {row['kept']} mentions, "
        f"{row['counted']} memories mention it"
        for row in await fetch(tx, _MENTIONS_OF, ids=suspects.entities)
    ]
    found += [
        f"slot {row['slot']} in {row['scope']!r} has {row['active']} active values"
        for row in await fetch(tx, _SLOTS_OF, slots=suspects.slots)
    ]
    found += [
        f"memory {row['id']} in {row['scope']!r} is replaced and not marked so"
        for row in await fetch(tx, _CURRENTNESS_OF, ids=suspects.memories)
    ]
    return found
