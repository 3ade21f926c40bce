"""A set with one wrong operation changes nothing, wherever in it the wrong one stands."""

import os
import random

import pytest

from service.domain.attribute import AttributeKind
from service.domain.errors import Conflict, InvalidInput, NotFound, PalimpsestError
from service.domain.memory import EntityRef, NewAttribute, NewMemory, NewRelation
from service.domain.operation import (
    DeleteAlias,
    DeleteAspect,
    DeleteEntity,
    DeleteRelation,
    LinkMemory,
    MergeEntities,
    Operation,
    OperationSet,
    RenameEntity,
    RetractAttribute,
    RetractSupersession,
    SetAttribute,
    SupersedeClaimValue,
    SupersedeMemory,
    UnlinkMemory,
    UpsertAlias,
    UpsertAspect,
    UpsertEntity,
    UpsertRelation,
)
from tests.memory.story import Store, day, named
from tests.operations.graph import changed, picture

SETS = int(os.environ.get("PALIMPSEST_SETS", "200"))
NAMES = ("alder", "birch", "cedar", "oak")


def ref(name: str) -> EntityRef:
    return EntityRef(name=name)


def claim(entity: str, value: str, kind: AttributeKind = AttributeKind.ATTRIBUTE) -> NewAttribute:
    return NewAttribute(ref(entity), "state", value, claim_key="health", kind=kind)


def good(dice: random.Random, memories: list[str]) -> Operation:
    """An operation that can be applied whatever was done before it in the set."""
    one, other = dice.sample(NAMES, 2)
    fresh = f"fresh {dice.random()}"
    return dice.choice(
        [
            UpsertEntity(dice.choice([one, fresh]), "tree"),
            UpsertRelation(NewRelation(ref(one), ref(dice.choice([other, fresh])), "feeds", 0.5)),
            UpsertAspect(ref(one), dice.choice(["size", "age"])),
            SetAttribute(claim(fresh, "good")),
            SupersedeClaimValue(claim(one, dice.choice(["good", "bad"]))),
            LinkMemory(dice.choice(memories), ref(one)),
            UpsertAlias(ref(one), fresh),
        ]
    )


def wrong(dice: random.Random, memories: list[str]) -> tuple[Operation, type[PalimpsestError]]:
    """An operation that nothing in a set makes right."""
    one, other = dice.sample(NAMES, 2)
    nobody = EntityRef(id="nobody")
    return dice.choice(
        [
            (RenameEntity(ref(one), other), Conflict),
            (RenameEntity(ref("nobody"), "x"), NotFound),
            (DeleteEntity(nobody), NotFound),
            (DeleteEntity(ref("nobody")), NotFound),
            (MergeEntities(ref(one), ref("nobody")), NotFound),
            (MergeEntities(ref(one), ref(one.upper())), InvalidInput),
            (UpsertAlias(ref(one), other), Conflict),
            (DeleteAlias(ref(one), "nothing"), NotFound),
            (UpsertRelation(NewRelation(nobody, ref(one), "feeds")), NotFound),
            (UpsertRelation(NewRelation(ref(one), ref(other), "---")), InvalidInput),
            (DeleteRelation(ref(one), ref(other), "devours"), NotFound),
            (DeleteAspect(ref(one), "nothing"), NotFound),
            (SetAttribute(claim("rock", "soft")), Conflict),
            (SetAttribute(NewAttribute(nobody, "state", "x")), NotFound),
            (SupersedeClaimValue(NewAttribute(nobody, "state", "x")), NotFound),
            (RetractAttribute(attribute_id="nothing"), NotFound),
            (RetractAttribute(slot=claim(one, "never said")), NotFound),
            (LinkMemory("nothing", ref(one)), NotFound),
            (UnlinkMemory(memories[0], ref("nobody")), NotFound),
            (SupersedeMemory(memories[0], memories[0]), InvalidInput),
            (SupersedeMemory(memories[0], "nothing"), NotFound),
            (SupersedeMemory(memories[0], memories[1]), Conflict),
            (RetractSupersession(memories[0], memories[1]), NotFound),
            (UpsertEntity("a\x00b"), InvalidInput),
            (UpsertEntity(" "), InvalidInput),
        ]
    )


async def export(store: Store) -> str:
    """Everything that an export of the scope tells."""
    return repr([page async for page in store.service.export.pages(store.scope)])


async def test_one_wrong_operation_refuses_the_whole_set(store: Store) -> None:
    dice = random.Random(7)
    first = (await store.remember(NewMemory("alder feeds birch", entities=named(*NAMES)))).memory.id
    second = (await store.remember(NewMemory("birch is good", supersedes=[first]))).memory.id
    memories = [first, second]
    rule = claim("rock", "hard", AttributeKind.CONSTRAINT)
    stated = [rule, claim("alder", "good")]
    await store.remember(NewMemory("rock is hard", created_at=day(0), attributes=stated))
    before = await picture(store.graph, store.scope)
    told = await export(store)
    records = len((await store.service.audit.page(store.scope, limit=1_000)).items)
    for _ in range(SETS):
        operations = [good(dice, memories) for _ in range(dice.randrange(1, 12))]
        at = dice.randrange(len(operations) + 1)
        bad, error = wrong(dice, memories)
        operations.insert(at, bad)
        with pytest.raises(error) as refusal:
            await store.service.operations.apply(
                store.scope, OperationSet("tester", "a test", operations, [second])
            )
        assert f"operations.{at}" in str(refusal.value), (operations, refusal.value)
    assert changed(before, await picture(store.graph, store.scope)) == []
    assert await export(store) == told
    assert len((await store.service.audit.page(store.scope, limit=1_000)).items) == records
    assert await store.is_sound()
    names = {
        row["name"]
        for row in await store.ask("MATCH (e:Entity {scope: $scope}) RETURN e.name AS name")
    }
    assert names == {*NAMES, "rock"}


@pytest.mark.parametrize("seed", range(4))
async def test_good_sets_are_applied_and_taken_back(store: Store, seed: int) -> None:
    dice = random.Random(seed)
    first = (await store.remember(NewMemory("alder feeds birch", entities=named(*NAMES)))).memory.id
    second = (await store.remember(NewMemory("birch is good", entities=named("birch")))).memory.id
    before = await picture(store.graph, store.scope)
    applied: list[str] = []
    for _ in range(5):
        operations = [good(dice, [first, second]) for _ in range(dice.randrange(1, 12))]
        evidence = dice.choice([[], [first], [first, second]])
        done = await store.service.operations.apply(
            store.scope, OperationSet("tester", "a test", operations, evidence)
        )
        applied.append(getattr(done, "id", ""))
        assert await store.is_sound()
    for one in reversed(applied):
        await store.service.operations.undo(store.scope, one, actor="tester", reason="a test")
    assert changed(before, await picture(store.graph, store.scope)) == []
    assert await store.is_sound()
