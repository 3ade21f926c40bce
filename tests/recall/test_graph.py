"""The graph channel: from the names in a query to memories, with and without Neo4j's answer."""

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from service.domain.deadline import Deadline
from service.domain.entity import Entity
from service.domain.errors import GraphTimedOut, GraphUnavailable
from service.domain.filters import TextFilters
from service.domain.recall import ChannelStatus
from service.recall.channel import Found, gather
from service.recall.graph import GraphChannel
from service.recall.settings import RecallSettings
from service.stores.neo4j.driver import Graph, Transaction, fetch
from service.stores.neo4j.statements import statement
from tests.recall.conftest import World
from tests.recall.test_gather import REQUEST
from tests.stores.changes import memory

TYPES = frozenset({"RUNS_ON", "SUPPLIES"})
_CREATE_ENTITIES = statement("entity/create")
_CREATE_RELATIONS = statement("relation/create")


class Related:
    """Entities with relations in Neo4j, in a scope of the test's own."""

    def __init__(self, graph: Graph, scope: str) -> None:
        self._graph = graph
        self.scope = scope

    async def relate(self, *triples: tuple[str, str, str], confidence: float = 1.0) -> None:
        """Relate entities by the names they are known under; the id of each ends in its name."""
        await self._graph.write(self._write, triples, confidence)

    async def _write(
        self, tx: Transaction, triples: tuple[tuple[str, str, str], ...], confidence: float
    ) -> None:
        known = await fetch(
            tx, "MATCH (e:Entity {scope: $scope}) RETURN e.name AS name", scope=self.scope
        )
        names = {name for one, _, other in triples for name in (one, other)}
        names -= {row["name"] for row in known}
        await tx.run(_CREATE_ENTITIES, rows=[self._row(name) for name in sorted(names)])
        relations = [
            {
                "source_id": self.id_of(source),
                "target_id": self.id_of(target),
                "type": kind,
                "properties": {"mentions": 1, "confidence": confidence},
            }
            for source, kind, target in triples
        ]
        await tx.run(_CREATE_RELATIONS, rows=relations)

    async def clear(self) -> None:
        async def work(tx: Transaction) -> None:
            await tx.run("MATCH (e:Entity {scope: $scope}) DETACH DELETE e", scope=self.scope)

        await self._graph.write(work)

    def id_of(self, name: str) -> str:
        return f"{self.scope}/{name}"

    def _row(self, name: str) -> dict[str, object]:
        return {
            "id": self.id_of(name),
            "scope": self.scope,
            "name": name,
            "canonical_name": name,
            "mentions": 1,
            "revision": 0,
        }


@pytest.fixture
async def related(graph: Graph, scope: str) -> AsyncGenerator[Related]:
    made = Related(graph, scope)
    yield made
    await made.clear()


class NoGraph:
    """Stands where Neo4j does not answer; a search that needs it not must not ask."""

    async def read_once(self, *_: object) -> list[dict[str, object]]:
        raise GraphUnavailable("nobody is there")


def channel(
    world: World,
    graph: object = None,
    settings: RecallSettings | None = None,
) -> GraphChannel:
    return GraphChannel(
        graph or NoGraph(),  # type: ignore[arg-type]
        world.names,
        world.catalogue,
        lambda: TYPES,
        settings or RecallSettings(),
    )


async def test_a_query_that_names_nothing_asks_nobody(world: World) -> None:
    world.entities("birch")
    await world.apply(memory(1, "zzz", entity_ids=("birch",)))
    answer = await world.ask("the unknown", world.recall(channel(world), names=()))
    assert answer.channels["graph"].status is ChannelStatus.OK
    assert answer.results == ()


async def test_what_mentions_an_entity_of_the_query_is_found(world: World) -> None:
    world.entities("build cache", "oak")
    await world.apply(
        memory(1, "zzz", entity_ids=("build cache", "oak")),
        memory(2, "yyy", entity_ids=("oak",)),
        memory(3, "xxx"),
    )
    recall = world.recall(channel(world), names=())
    answer = await world.ask("where is the Build Cache?", recall)
    assert [(one.id, one.sources) for one in answer.results] == [("id-1", ("graph",))]
    assert answer.results[0].entities == ("build cache", "oak")
    assert 0 < answer.results[0].score <= 0.15


async def test_what_was_found_before_neo4j_fails_counts(world: World) -> None:
    world.entities("oak")
    await world.apply(memory(1, "zzz", entity_ids=("oak",)))
    answer = await world.ask("oak", world.recall(channel(world), names=()))
    assert [one.id for one in answer.results] == ["id-1"]
    report = answer.channels["graph"]
    assert (report.status, report.hits) == (ChannelStatus.FAILED, 1)
    assert report.detail == "nobody is there"


async def test_a_deadline_that_has_passed_leaves_the_first_step(world: World) -> None:
    world.entities("oak")
    await world.apply(memory(1, "oak", entity_ids=("oak",)))
    found = Found()
    with pytest.raises(GraphTimedOut):
        await channel(world).search(replace(REQUEST, query="oak"), Deadline.after(0), found)
    assert found.ordinals.tolist() == [1]


async def test_it_is_off_by_setting_and_by_request(world: World) -> None:
    world.entities("oak")
    await world.apply(memory(1, "zzz", entity_ids=("oak",)))
    answer = await world.ask("oak", world.recall(channel(world)), graph=False)
    assert answer.channels["graph"].status is ChannelStatus.OFF
    off = channel(world, settings=RecallSettings(graph_enabled=False))
    answer = await world.ask("oak", world.recall(off))
    assert answer.channels["graph"].status is ChannelStatus.OFF
    assert answer.channels["graph"].detail == "graph.enabled is false"


async def test_an_entity_with_fifty_thousand_mentions_gives_its_latest_memories(
    world: World,
) -> None:
    world.entities("hub", mentions=50_000)
    hub = [memory(i, "x", entity_ids=("hub",), type="ab"[i % 2]) for i in range(1, 50_001)]
    world.catalogue.apply(hub, 1)
    made = channel(world)
    request = replace(REQUEST, query="about the hub")
    found = (await gather([made], request, Deadline.after(30_000))).found["graph"]
    assert sorted(found.ordinals.tolist()) == list(range(49_801, 50_001))
    assert 0.0 < found.scores.min() <= found.scores.max() <= 1.0
    filters = TextFilters(types=("b",))
    narrow = replace(request, filters=filters, allowed=world.catalogue.filtered("s", filters))
    found = (await gather([made], narrow, Deadline.after(30_000))).found["graph"]
    assert sorted(found.ordinals.tolist()) == list(range(49_601, 50_001, 2))


async def test_one_hop_leads_further_and_never_over_supersession(
    world: World, graph: Graph, related: Related
) -> None:
    scope = related.scope
    await related.relate(("cache", "RUNS_ON", "birch"), ("acme", "SUPPLIES", "cache"))
    await related.relate(("birch", "RUNS_ON", "far"), ("cache", "UNKNOWN", "hidden"))
    for name in ("cache", "birch", "acme", "far", "hidden"):
        known = Entity(related.id_of(name), scope, name, name, None, 1)
        world.names.apply([known], [], 1)
    await world.apply(
        memory(1, "a", scope, entity_ids=(related.id_of("cache"),)),
        memory(2, "b", scope, entity_ids=(related.id_of("birch"),)),
        memory(3, "c", scope, entity_ids=(related.id_of("acme"),)),
        memory(4, "d", scope, entity_ids=(related.id_of("far"),)),
        memory(5, "e", scope, entity_ids=(related.id_of("hidden"),)),
        memory(6, "f", scope, entity_ids=(related.id_of("birch"), related.id_of("acme"))),
    )
    recall = world.recall(channel(world, graph), names=())
    answer = await world.ask("what of the cache", recall, scope=scope)
    assert [one.id for one in answer.results] == ["id-1", "id-6", "id-2", "id-3"]
    assert answer.channels["graph"].status is ChannelStatus.OK
    few = world.recall(
        channel(world, graph, settings=RecallSettings(neighbors=1, memories=2)), names=()
    )
    answer = await world.ask("what of the cache", few, scope=scope)
    assert len(answer.results) == 2
    assert answer.results[0].id == "id-1"
