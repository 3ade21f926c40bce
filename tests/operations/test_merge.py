"""A merge keeps all that is said of both entities, and decides anew what only one may hold."""

import os
import random
from collections import defaultdict
from dataclasses import dataclass, field

import pytest

from service.domain.attribute import AttributeStatus
from service.domain.memory import EntityRef, NewAttribute, NewMemory, NewRelation
from service.domain.names import canonical_name
from service.domain.operation import (
    AppliedSet,
    MergeEntities,
    Operation,
    OperationSet,
    SetAttribute,
    UpsertAspect,
    UpsertRelation,
)
from tests.memory.story import Store, day, named
from tests.operations.graph import changed, picture

ROUNDS = int(os.environ.get("PALIMPSEST_ROUNDS", "4"))
SOURCE, TARGET = "buildcache", "Build Cache"
OTHERS = ("alder", "birch", "cedar")
TYPES = ("runs on", "feeds")
VALUES = ("one", "two", "three")


async def apply(store: Store, *operations: Operation) -> AppliedSet:
    done = await store.service.operations.apply(
        store.scope, OperationSet("tester", "a test", operations)
    )
    assert isinstance(done, AppliedSet)
    return done


@dataclass(slots=True)
class Model:
    """What the two entities have between them, by the rules alone."""

    mentions: set[str] = field(default_factory=set[str])
    evidence: dict[tuple[str, str, str], dict[str, list[float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    """By relation and author: how sure of each name the author is, the target's first."""
    claims: dict[str, list[tuple[float, str]]] = field(default_factory=lambda: defaultdict(list))
    aspects: set[str] = field(default_factory=set[str])

    def relate(self, author: str, source: str, type: str, target: str, confidence: float) -> None:
        ends = [canonical_name(TARGET if end == SOURCE else end) for end in (source, target)]
        if ends[0] == ends[1]:
            return
        said = self.evidence[ends[0], type, ends[1]][author]
        # Of both names: what is said of the target's own relation stands.
        said.insert(0 if SOURCE not in (source, target) else len(said), confidence)

    def line(self, claim_key: str) -> list[str]:
        """The values of a slot by time, equal neighbours once; equal times go by value."""
        values: list[str] = []
        for _, value in sorted(self.claims[claim_key]):
            if not values or values[-1] != value:
                values.append(value)
        return values


async def tell(store: Store, dice: random.Random, model: Model) -> None:
    """Say random things of both names, by memories and by operations."""
    for number in range(dice.randrange(3, 10)):
        names = dice.sample([SOURCE, TARGET, *OTHERS], dice.randrange(1, 4))
        relations = [
            (*dice.sample([SOURCE, TARGET, *OTHERS], 2), dice.choice(TYPES), dice.random())
            for _ in range(dice.randrange(3))
        ]
        relations = list(
            {(s, t, canonical_name(k)): (s, t, k, c) for s, t, k, c in relations}.values()
        )
        claims = [
            (dice.choice([SOURCE, TARGET]), dice.choice("xyz"), dice.choice(VALUES))
            for _ in range(dice.randrange(3))
        ]
        at = dice.randrange(8)
        told = await store.remember(
            NewMemory(
                f"note {number}",
                created_at=day(at),
                entities=named(*names),
                relations=[
                    NewRelation(EntityRef(name=s), EntityRef(name=t), k, c)
                    for s, t, k, c in relations
                ],
                attributes=[
                    NewAttribute(EntityRef(name=e), "state", v, claim_key=key)
                    for e, key, v in claims
                ],
            )
        )
        said = {*names, *(end for s, t, _, _ in relations for end in (s, t))}
        said |= {entity for entity, _, _ in claims}
        if said & {SOURCE, TARGET}:
            model.mentions.add(told.memory.id)
        for s, t, k, c in relations:
            if {s, t} & {SOURCE, TARGET}:
                model.relate(told.memory.id, s, k, t, c)
        for _, key, value in claims:
            model.claims[key].append((at, value))
            model.aspects.add("state")
    for _ in range(dice.randrange(3)):
        source, target = dice.sample([SOURCE, TARGET, *OTHERS], 2)
        type, confidence = dice.choice(TYPES), dice.random()
        relation = NewRelation(EntityRef(name=source), EntityRef(name=target), type, confidence)
        name, key, value = dice.choice([SOURCE, TARGET]), dice.choice("xyz"), dice.choice(VALUES)
        at = dice.randrange(8)
        claim = NewAttribute(
            EntityRef(name=name), "state", value, claim_key=key, valid_from=day(at)
        )
        aspect = f"aspect {dice.randrange(2)}"
        done = await apply(
            store,
            UpsertRelation(relation),
            SetAttribute(claim),
            UpsertAspect(EntityRef(name=dice.choice([SOURCE, TARGET])), aspect),
        )
        if {source, target} & {SOURCE, TARGET}:
            model.relate(done.id, source, type, target, confidence)
        model.claims[key].append((at, value))
        model.aspects |= {"state", aspect}


@pytest.mark.parametrize("seed", range(ROUNDS))
async def test_a_merge_keeps_everything(store: Store, seed: int) -> None:
    dice, model = random.Random(seed), Model()
    await apply(store, *(UpsertAspect(EntityRef(name=one), "base") for one in (SOURCE, TARGET)))
    model.aspects.add("base")
    await tell(store, dice, model)
    before = await picture(store.graph, store.scope)
    source, target = await store.entity(SOURCE), await store.entity(TARGET)

    merged = await apply(store, MergeEntities(EntityRef(name=SOURCE), EntityRef(id=target.id)))

    assert await store.is_sound()
    assert [one.name for one in (await store.service.entities.page(store.scope)).items].count(
        SOURCE
    ) == 0
    entity = await store.entity(TARGET)
    assert (entity.id, entity.aliases) == (target.id, (source.name,))
    told = await store.ask(
        "MATCH (m:Memory)-[:MENTIONS]->(e {id: $id}) RETURN m.id AS id", id=entity.id
    )
    assert {row["id"] for row in told} == model.mentions
    assert entity.mentions == len(model.mentions)
    rows = await store.ask(
        "MATCH (s:Entity {scope: $scope})-[r]->(t:Entity) WHERE $id IN [s.id, t.id] "
        "RETURN s.canonical_name AS source, r.relation_type AS type, t.canonical_name AS target, "
        "r.mentions AS mentions, r.confidence AS confidence",
        id=entity.id,
    )
    found = {(row["source"], row["type"], row["target"]): row for row in rows}
    assert found.keys() == model.evidence.keys()
    for key, authors in model.evidence.items():
        assert found[key]["mentions"] == len(authors)
        mean = sum(said[0] for said in authors.values()) / len(authors)
        assert found[key]["confidence"] == pytest.approx(mean, abs=1e-9)
    detail = await store.service.entities.get(store.scope, entity.id)
    assert {aspect.name for aspect in detail.aspects} == model.aspects
    for key in model.claims:
        history = (
            await store.service.entities.slot(
                store.scope, entity=SOURCE, aspect="state", claim_key=key
            )
        ).history
        assert [one.value for one in reversed(history)] == model.line(key)
        standing = [one.status for one in history]
        assert standing == [
            AttributeStatus.ACTIVE,
            *[AttributeStatus.SUPERSEDED] * (len(history) - 1),
        ]
    again = await store.remember(NewMemory("again", entities=named("BUILDCACHE")))
    assert [one.id for one in again.entities] == [entity.id]

    await store.forget(again.memory.id, purge=True)
    await store.service.operations.undo(store.scope, merged.id, actor="tester", reason="a test")
    assert changed(before, await picture(store.graph, store.scope)) == []
    assert await store.is_sound()
