"""Tell a small store with the code of an earlier commit and freeze what came of it.

Run with that commit's folder first on the path; see `fixtures/README.md`. It calls only what every
commit since the first writer has had. What is frozen is never made anew.
"""

import asyncio
import importlib.util
import sys
import tempfile
import types
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from service.domain.attribute import AttributeKind, Cardinality
from service.domain.idempotency import Idempotency
from service.domain.memory import (
    EntityRef,
    MemoryUpdate,
    NewAttribute,
    NewMemory,
    NewMention,
    NewRelation,
)
from service.stores.neo4j.embedded.layout import Memory as ServerMemory
from service.stores.neo4j.embedded.process import EmbeddedNeo4j

START = datetime(2025, 1, 1, 9, tzinfo=UTC)
DIMENSION = 64


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def named(*names: str) -> list[NewMention]:
    return [NewMention(EntityRef(name=name), type="system") for name in names]


def runs_on(host: str, **more: Any) -> NewAttribute:
    return NewAttribute(
        EntityRef(name="build cache"),
        "deployment",
        host,
        group_key="location",
        claim_key="host",
        **more,
    )


class Teller:
    """One scope of a store that is being told."""

    def __init__(self, service: Any, scope: str) -> None:
        self._memories = service.memories
        self._scope = scope

    async def remember(self, content: str, at: float, **more: Any) -> str:
        new = NewMemory(content, created_at=day(at), **more)
        return (await self._memories.remember(self._scope, new)).memory.id

    async def build_cache(self) -> None:
        """A slot that moves on, with a value that comes late and one that comes back."""
        await self.remember(
            "The build cache runs on host alder.",
            1,
            session="standup-1",
            speaker="Ines",
            source="chat",
            importance=0.7,
            metadata={"ticket": "OPS-7", "seen": [1, 2.5, None, True]},
            entities=[
                NewMention(EntityRef(name="Build Cache"), "system", "the build cache", 0.9),
                *named("alder"),
            ],
            relations=[
                NewRelation(EntityRef(name="build cache"), EntityRef(name="alder"), "runs on", 0.9)
            ],
            attributes=[runs_on("alder", confidence=0.9)],
            hints=["Where does the compiler keep what it made?"],
        )
        await self.remember(
            "It has been slow since yesterday.", 1.01, session="standup-1", speaker="Tom"
        )
        await self.remember(
            "The build cache moved to host birch.",
            40,
            session="standup-40",
            speaker="Ines",
            entities=named("birch"),
            relations=[
                NewRelation(EntityRef(name="build cache"), EntityRef(name="birch"), "runs on", 0.5)
            ],
            attributes=[runs_on("birch")],
        )
        await self.remember(
            "For two weeks of January the build cache ran on cedar.",
            20,
            attributes=[runs_on("cedar")],
        )
        await self.remember(
            "The build cache is back on host alder.",
            60,
            occurred_at=day(59),
            relations=[
                NewRelation(EntityRef(name="build cache"), EntityRef(name="alder"), "runs on", 0.6)
            ],
            attributes=[runs_on("alder")],
        )
        await self.remember(
            "Somebody asked again: is the build cache still on birch?",
            1.005,
            session="standup-1",
            speaker="Ines",
        )

    async def claims(self) -> None:
        """A constraint that holds against a claim, a slot of many values, and a claim without."""
        place: dict[str, Any] = {"group_key": "where", "claim_key": "region"}
        backups = EntityRef(name="backups")
        await self.remember(
            "Backups must stay in Frankfurt.",
            5,
            type="constraint",
            pinned=True,
            attributes=[
                NewAttribute(
                    backups, "placement", "Frankfurt", kind=AttributeKind.CONSTRAINT, **place
                )
            ],
        )
        await self.remember(
            "Backups go to Paris.",
            6,
            attributes=[NewAttribute(backups, "placement", "Paris", **place)],
        )
        for at, language in enumerate(("Portuguese", "Deutsch", "हिन्दी")):
            claim = NewAttribute(
                EntityRef(name="Ines"), "person", language, "speaks", "language",
                cardinality=Cardinality.MANY, importance=0.8,
            )  # fmt: skip
            await self.remember(f"Ines speaks {language}.", 7 + at, attributes=[claim])
        likes = NewAttribute(EntityRef(name="Tom"), "person", "green tea", valid_to=day(300))
        await self.remember("Tom likes green tea until the autumn.", 9, attributes=[likes])
        await self.remember("東京のサーバーは新しい 🐦", 10, entities=named("東京", "サーバー"))

    async def replacements(self) -> None:
        """A chain, a fork, a taken back replacement, and a chain whose middle is gone."""
        sphinx = await self.remember("We write the handbook with Sphinx.", 11)
        mkdocs = await self.remember("We write the handbook with MkDocs.", 12, supersedes=[sphinx])
        hugo = await self.remember("We write the handbook with Hugo.", 13)
        await self._memories.supersede(self._scope, hugo, mkdocs, reason="the team voted")
        other = await self.remember("We write the handbook with Zola.", 14)
        await self._memories.supersede(self._scope, other, mkdocs)
        monday = await self.remember("The review is on Monday.", 15)
        friday = await self.remember("The review is on Friday.", 16, supersedes=[monday])
        await self._memories.retract_supersession(self._scope, friday, monday)
        a = await self.remember("The licence is MIT.", 17)
        b = await self.remember("The licence is BSD.", 18, supersedes=[a])
        await self.remember("The licence is Apache 2.0.", 19, supersedes=[b])
        await self._memories.forget(self._scope, b)

    async def changes(self) -> None:
        """A revised memory, a deleted one, a purged one, one kept with an idempotency key."""
        lunch = await self.remember("Lunch is at noon.", 21, hints=["When do we eat?"])
        await self._memories.revise(
            self._scope,
            lunch,
            MemoryUpdate(content="Lunch is at half past twelve.", importance=0.9),
        )
        gone = await self.remember(
            "The printer is on floor 3.", 22, entities=named("printer"), session="standup-1"
        )
        await self._memories.forget(self._scope, gone)
        secret = await self.remember("The code of the safe is quokka.", 23, entities=named("safe"))
        await self._memories.forget(self._scope, secret, purge=True)
        await self._memories.remember(
            self._scope,
            NewMemory("The door opens at seven.", created_at=day(24)),
            idempotency=Idempotency(
                f"frozen-{self._scope}", "frozen", lambda kept: (201, kept.memory.id)
            ),
        )
        await self.remember("Lunch is at half past twelve.", 25, entities=named("kitchen"))
        long = " ".join(
            f"Step {n}: turn the valve {n} to {n * 7 % 13} and wait." for n in range(120)
        )
        await self.remember(f"How to start the plant. {long}", 26, type="document")


async def tell(service: Any) -> None:
    for scope in ("acme", "home"):
        teller = Teller(service, scope)
        await teller.build_cache()
        if scope == "acme":
            await teller.claims()
            await teller.replacements()
        await teller.changes()
    gone = Teller(service, "gone")
    await gone.remember("This scope is given up.", 1, entities=named("wombat"))
    job = await service.scopes.delete("gone", purge=True)
    for _ in range(600):
        if (await service.jobs.get(job.id)).status == "succeeded":
            return
        await asyncio.sleep(0.1)
    raise AssertionError("the scope was not deleted within a minute")


async def answers(service: Any) -> dict[str, Any]:
    """What the code that wrote the store reads of it."""
    found: dict[str, Any] = {}
    for scope in ("acme", "home", "gone"):
        memories = (await service.memories.page(scope, limit=1_000)).items
        entities = (await service.entities.page(scope, limit=1_000)).items
        found[scope] = {
            "memories": [await service.memories.get(scope, each.id) for each in memories],
            "lineage": [await service.memories.lineage(scope, each.id) for each in memories],
            "entities": [await service.entities.get(scope, each.id) for each in entities],
            "attributes": [
                (
                    await service.entities.attributes(
                        scope, each.id, include_superseded=True, limit=1_000
                    )
                ).items
                for each in entities
            ],
            "neighbors": [await service.entities.neighbors(scope, each.id) for each in entities],
            "slots": [
                await service.entities.slot(scope, entity=entity, aspect=aspect,
                                            group_key=group, claim_key=claim)
                for entity, aspect, group, claim in (
                    ("build cache", "deployment", "location", "host"),
                    ("backups", "placement", "where", "region"),
                    ("Ines", "person", "speaks", "language"),
                )
            ],
        }  # fmt: skip
    found["jobs"] = (await service.jobs.page(None, 100, None)).items
    return to_jsonable_python(found)


class _Absent:
    """What a commit from before recall has in its place."""

    @staticmethod
    def over(**_: Any) -> "_Absent":
        return _Absent()

    def __init__(self, **_: Any) -> None:
        pass

    def close(self) -> None:
        pass


def without_recall() -> None:
    """Let the wiring of a commit that came before recall be imported all the same."""
    for name, word in (("orchestrator", "Recall"), ("settings", "RecallSettings")):
        stand_in = types.ModuleType(f"service.recall.{name}")
        setattr(stand_in, word, _Absent)
        sys.modules[stand_in.__name__] = stand_in


async def freeze(commit: str, cache: Path, folder: Path) -> None:
    from tests.legacy import stores

    with tempfile.TemporaryDirectory() as scratch:
        async with AsyncExitStack() as stack:
            neo4j = await stack.enter_async_context(
                EmbeddedNeo4j(
                    Path(scratch) / "neo4j",
                    cache,
                    memory=ServerMemory(heap_mb=256, page_cache_mb=64),
                    bolt_port=0,
                    http_port=0,
                )
            )
            login = (neo4j.uri, neo4j.user, neo4j.password)
            said = await _told(login, Path(scratch) / "data")
            async with stores.connected(*login) as driver:
                stored = await stores.take(driver)
        stores.write(folder, commit, stored, said)


async def _told(login: tuple[str, str, str], data_dir: Path) -> dict[str, Any]:
    if importlib.util.find_spec("service.memory") is None:
        from service.stores.neo4j.driver import Graph
        from service.stores.neo4j.migrations import migrate

        async with await Graph.connect(*login) as graph:
            await migrate(graph)
        return {}
    try:
        from service.bootstrap import open_service
    except ImportError:
        without_recall()
        from service.bootstrap import open_service
    from service.config import read_settings

    uri, user, password = login
    settings = read_settings(
        data_dir=data_dir,
        neo4j_uri=uri,
        neo4j_user=user,
        neo4j_password=password,
        embedding={"provider": "hashing", "dimension": DIMENSION},
    )
    async with open_service(settings) as service:
        await tell(service)
        return await answers(service)


if __name__ == "__main__":
    asyncio.run(freeze(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))
