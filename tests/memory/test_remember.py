"""What a remember leaves in the graph: entities, relations, evidence, chains, one of each."""

import asyncio
import random
from datetime import timedelta

import pytest

from service.domain.errors import InvalidInput, NotFound
from service.domain.memory import EntityRef, MemoryUpdate, NewMemory, NewMention, NewRelation
from tests.memory.conftest import Opener
from tests.memory.story import Store, day, in_city, lives_in, named, related


async def test_parallel_writers_make_one_node_of_a_new_name(store: Store) -> None:
    spellings = ["Birch", "birch", " BIRCH ", "Ｂirch"]
    await asyncio.gather(
        *(
            store.remember(NewMemory(f"note {n}", entities=named(spellings[n % 4])))
            for n in range(30)
        )
    )
    assert await store.mentions() == await store.counted_mentions() == {"birch": 30}
    assert await store.is_sound()


async def test_fifty_relations_on_one_hub_have_exact_averages(store: Store) -> None:
    confidences = [n / 50 for n in range(50)]
    await asyncio.gather(
        *(
            store.remember(
                NewMemory(
                    f"note {n}",
                    relations=[
                        related("hub", "spoke", "runs on", confidence),
                        related("hub", f"spoke {n % 5}", "runs-on", confidence),
                    ],
                )
            )
            for n, confidence in enumerate(confidences)
        )
    )
    rows = await store.ask(
        "MATCH (:Entity {scope: $scope, canonical_name: 'hub'})-[r:RUNS_ON]->(t) "
        "RETURN t.name AS name, r.mentions AS mentions, r.confidence AS confidence"
    )
    found = {row["name"]: (row["mentions"], row["confidence"]) for row in rows}
    assert found.keys() == {"spoke", *(f"spoke {n}" for n in range(5))}
    assert found["spoke"] == (50, pytest.approx(sum(confidences) / 50, abs=1e-9))
    for n in range(5):
        assert found[f"spoke {n}"] == (10, pytest.approx(sum(confidences[n::5]) / 10, abs=1e-9))


async def test_links_in_both_directions_never_fail_each_other(store: Store) -> None:
    await asyncio.gather(
        *(
            store.remember(
                NewMemory(f"note {n}", relations=[related("ab"[n % 2], "ba"[n % 2], "likes")])
            )
            for n in range(32)
        )
    )
    rows = await store.ask(
        "MATCH (s:Entity {scope: $scope})-[r:LIKES]->(t) "
        "RETURN s.name + t.name AS pair, r.mentions AS mentions"
    )
    assert {row["pair"]: row["mentions"] for row in rows} == {"ab": 16, "ba": 16}
    assert await store.mentions() == {"a": 32, "b": 32}


async def test_scopes_that_are_written_at_once_stay_apart(store: Store) -> None:
    other = Store(store.service, store.graph, f"{store.scope}-other")
    await asyncio.gather(
        *(
            told.remember(NewMemory(f"note {n} of {told.scope}", entities=named("shared")))
            for n in range(50)
            for told in (store, other)
        )
    )
    for told in (store, other):
        counted = await told.ask("MATCH (m:Memory {scope: $scope}) RETURN count(m) AS n")
        assert counted[0]["n"] == 50
        assert await told.mentions() == {"shared": 50}


@pytest.mark.parametrize(
    "new",
    [
        NewMemory("x", entities=[*named("new one"), NewMention(EntityRef(id="nobody"))]),
        NewMemory(
            "x", relations=[NewRelation(EntityRef(name="new one"), EntityRef(id="nobody"), "likes")]
        ),
        NewMemory("x", entities=named("new one"), supersedes=["1a2b3c4d"]),
    ],
)
async def test_an_unknown_id_writes_nothing(store: Store, new: NewMemory) -> None:
    with pytest.raises(NotFound):
        await store.remember(new)
    assert await store.ask("MATCH (n {scope: $scope}) RETURN n") == []


async def test_long_texts_and_values_meet_no_limit_of_an_index(store: Store) -> None:
    long = NewMemory("word " * 20_000, attributes=[lives_in("ü" * 5_000)])
    kept = await store.remember(long)
    assert len((await store.get(kept.memory.id)).content) == 100_000
    assert await store.line() == ["ü" * 5_000]


async def test_processing_the_same_memory_again_changes_nothing(store: Store) -> None:
    new = NewMemory(
        "Ana, who lives in Berlin, knows Bo.",
        created_at=day(1),
        speaker="Cy",
        entities=named("Ana", "Bo"),
        relations=[related("Ana", "Bo", "knows", 0.5)],
        attributes=[lives_in("Berlin")],
        hints=["Who knows Bo?"],
    )
    first = await store.remember(new)
    before = await store.ask("MATCH (n {scope: $scope}) RETURN n {.*} AS n ORDER BY n.id")
    edges = await store.ask("MATCH ({scope: $scope})-[r]->() RETURN count(r) AS n")
    again = await store.remember(new)
    (in_batch,) = await store.remember_all([new])
    for answer in (again, in_batch):
        assert answer.deduplicated
        assert answer.memory == first.memory
        assert answer.entities == ()
    assert await store.ask("MATCH (n {scope: $scope}) RETURN n {.*} AS n ORDER BY n.id") == before
    assert await store.ask("MATCH ({scope: $scope})-[r]->() RETURN count(r) AS n") == edges
    assert await store.is_sound()


async def test_the_same_text_without_a_time_of_its_own_says_nothing_new(store: Store) -> None:
    new = NewMemory("Ana lives in Berlin.", attributes=[lives_in("Berlin")])
    first = await store.remember(new)
    assert (await store.remember(new)).memory.revision == first.memory.revision


async def test_a_twin_gets_what_came_with_it(store: Store) -> None:
    first = await store.remember(NewMemory("Ana  knows\nBo.", created_at=day(1), session="one"))
    again = await store.remember(
        NewMemory(
            "Ana knows Bo. ",
            created_at=day(9),
            session="two",
            entities=named("Ana"),
            relations=[related("Ana", "Bo", "knows")],
            hints=["Who knows Bo?"],
        )
    )
    assert again.deduplicated
    assert again.memory.id == first.memory.id
    assert (again.memory.created_at, again.memory.session) == (day(1), "one")
    detail = await store.service.memories.get(store.scope, first.memory.id)
    assert {entity.name for entity in detail.entities} == {"Ana", "Bo"}
    assert detail.hints == ("Who knows Bo?",)
    assert "hints" in (await store.recall("who knows bo")).results[0].sources
    assert await store.is_sound()


async def test_a_deleted_or_superseded_twin_absorbs_nothing(store: Store) -> None:
    first = await store.remember("Berlin")
    second = await store.remember(NewMemory("Munich", supersedes=[first.memory.id]))
    third = await store.remember("Berlin")
    assert not third.deduplicated
    await store.forget(third.memory.id)
    fourth = await store.remember("Berlin")
    assert not fourth.deduplicated
    assert len({one.memory.id for one in (first, second, third, fourth)}) == 4


async def test_a_memory_cannot_supersede_the_text_it_is(store: Store) -> None:
    first = await store.remember("Berlin")
    with pytest.raises(InvalidInput, match=r"supersedes\.0"):
        await store.remember(NewMemory(" Berlin ", supersedes=[first.memory.id]))


@pytest.mark.parametrize("purge", [False, True])
async def test_mentions_stay_exact_through_every_change(store: Store, purge: bool) -> None:
    a = await store.remember(NewMemory("Ana met Bo.", entities=named("Ana", "Bo", "ana")))
    b = await store.remember(NewMemory("Ana again.", relations=[related("Ana", "Cy", "knows")]))
    assert await store.mentions() == {"ana": 2, "bo": 1, "cy": 1}
    await store.service.memories.revise(
        store.scope, b.memory.id, MemoryUpdate(content="Now it is Bo and Dee.")
    )
    assert await store.mentions() == {"ana": 2, "bo": 2, "cy": 1}
    await store.forget(a.memory.id, purge=purge)
    assert await store.mentions() == {"ana": 1, "bo": 1, "cy": 1}
    await store.forget(b.memory.id, purge=purge)
    assert await store.mentions() == {}
    left = await store.ask(
        "MATCH (n {scope: $scope}) WHERE NOT n:DeletedMemory RETURN labels(n) AS l"
    )
    assert {row["l"][0] for row in left} == ({"Tombstone"} if purge else {"Tombstone", "Operation"})
    assert await store.is_sound()


async def test_a_relation_keeps_the_average_of_the_evidence_that_is_left(store: Store) -> None:
    told = [
        await store.remember(NewMemory(f"note {n}", relations=[related("a", "b", "likes", n / 4)]))
        for n in range(1, 5)
    ]
    await store.forget(told[0].memory.id)
    await store.forget(told[2].memory.id, purge=True)
    (row,) = await store.ask(
        "MATCH ({scope: $scope})-[r:LIKES]->() RETURN r.mentions AS n, r.confidence AS confidence"
    )
    assert (row["n"], row["confidence"]) == (2, pytest.approx((2 / 4 + 4 / 4) / 2, abs=1e-9))
    for one in (told[1], told[3]):
        await store.forget(one.memory.id)
    assert await store.ask("MATCH ({scope: $scope})-[r:LIKES]->() RETURN r") == []
    assert await store.mentions() == {}


async def test_a_purge_after_a_delete_leaves_no_node(store: Store) -> None:
    kept = await store.remember(in_city("Berlin", 1, entities=named("Zed"), hints=["where?"]))
    await store.forget(kept.memory.id)
    await store.forget(kept.memory.id, purge=True)
    left = await store.ask("MATCH (n {scope: $scope}) RETURN labels(n) AS labels")
    assert {row["labels"][0] for row in left} == {"Tombstone"}
    # The names are free again, for a new node each.
    await store.remember(in_city("Munich", 2, entities=named("Zed")))
    assert await store.mentions() == {"ana": 1, "zed": 1}


async def test_an_entity_named_by_its_caller_outlives_a_change_of_the_text(store: Store) -> None:
    await store.remember(NewMemory("A first word of it.", entities=named("Birch Host")))
    kept = await store.remember("The Birch Host is up.")
    await store.remember(NewMemory("The Birch Host is up.", entities=named("Birch Host")))
    await store.service.memories.revise(
        store.scope, kept.memory.id, MemoryUpdate(content="It is up.")
    )
    assert await store.mentions() == {"birch host": 2}


@pytest.mark.parametrize("in_batch", [False, True])
async def test_a_session_is_one_chain_in_time_in_any_order_of_arrival(
    store: Store, in_batch: bool
) -> None:
    turns = [NewMemory(f"turn {n:02}", created_at=day(n), session="talk") for n in range(12)]
    shuffled = list(turns)
    random.Random(5).shuffle(shuffled)
    if in_batch:
        await store.remember_all(shuffled[:7])
        await store.remember_all(shuffled[7:])
    else:
        for turn in shuffled:
            await store.remember(turn)
    assert await store.chain("talk") == [turn.content for turn in turns]


async def test_a_chain_closes_over_what_is_deleted(store: Store) -> None:
    told = await store.remember_all(
        [NewMemory(f"turn {n}", created_at=day(n), session="talk") for n in range(6)]
    )
    await store.forget(told[0].memory.id)
    await store.forget(told[3].memory.id, purge=True)
    await store.forget(told[5].memory.id)
    assert await store.chain("talk") == ["turn 1", "turn 2", "turn 4"]
    await store.remember(NewMemory("turn 3 again", created_at=day(3), session="talk"))
    assert await store.chain("talk") == ["turn 1", "turn 2", "turn 3 again", "turn 4"]


async def test_turns_of_one_moment_stand_in_the_order_they_were_told(store: Store) -> None:
    for n in range(4):
        await store.remember(NewMemory(f"turn {n}", created_at=day(1), session="talk"))
    before = NewMemory("before", created_at=day(1) - timedelta(microseconds=1), session="talk")
    await store.remember(before)
    assert await store.chain("talk") == ["before", *(f"turn {n}" for n in range(4))]


async def test_past_the_bound_a_new_relation_type_becomes_one_relation(
    opener: Opener, store: Store
) -> None:
    async with opener(graph={"relation_types": 1}) as service:
        full = Store(service, store.graph, store.scope)
        # Now the store has at least as many types as this service lets it have.
        await full.remember(NewMemory("first", relations=[related("c", "d", "first type")]))
        for n in range(3):
            kind = f"type {store.scope[-6:]} {n}"
            await full.remember(NewMemory(f"note {n}", relations=[related("a", "b", kind, 0.5)]))
        rows = await full.ask(
            "MATCH (:Entity {scope: $scope, name: 'a'})-[r]->(:Entity {name: 'b'}) "
            "RETURN type(r) AS type, r.mentions AS mentions"
        )
    assert rows == [{"type": "RELATED_TO", "mentions": 3}]
