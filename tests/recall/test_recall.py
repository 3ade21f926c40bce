"""Recall over a real text index and real vectors: channels, filters, currentness, failures."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from service.domain.attribute import AttributeStatus
from service.domain.change import Statement, Successor
from service.domain.deadline import Deadline
from service.domain.errors import InvalidInput
from service.domain.recall import ChannelStatus, RecallAnswer, RecallQuery
from service.recall.settings import RecallSettings
from tests.fakes import FailingChannel, FastChannel, HangingChannel
from tests.recall.conftest import World
from tests.stores.changes import NOON, memory, removal

DAY = timedelta(days=1)


def ids(answer: RecallAnswer) -> list[str]:
    return [result.id for result in answer.results]


def replaced_by(*ordinals: int) -> tuple[Successor, ...]:
    return tuple(Successor(f"id-{ordinal}", NOON) for ordinal in ordinals)


async def test_text_and_vectors_find_and_say_so(world: World) -> None:
    world.entities("build cache")
    await world.apply(
        memory(1, "the build cache runs on birch", entity_ids=("build cache",)),
        memory(2, "lunch is at noon"),
        memory(3, "a third thing", hints=("where does the cache run?",)),
    )
    answer = await world.ask("where does the build cache run?")
    assert ids(answer)[0] == "id-1"
    first = answer.results[0]
    assert first.content == "the build cache runs on birch"
    assert first.entities == ("build cache",)
    assert first.sources == ("content", "vector")
    assert not first.superseded
    assert first.currentness is None
    assert first.created_at == NOON
    by_id = {result.id: result for result in answer.results}
    assert "hints" in by_id["id-3"].sources
    assert 0.0 <= by_id["id-2"].score < by_id["id-3"].score < first.score <= 1.0
    assert set(answer.channels) == {"content", "hints", "vector", "currentness", "rerank"}
    assert {report.status for report in answer.channels.values()} == {ChannelStatus.OK}
    assert answer.channels["content"].hits == 1
    assert answer.channels["currentness"].hits == 0
    assert not answer.timed_out
    assert answer.summary is None


async def test_a_name_among_a_thousand_others_comes_first(world: World) -> None:
    await world.apply(
        *(memory(i, f"item number {i} stands on shelf {i % 13}") for i in range(1, 1_001)),
        memory(2_000, "QX-771 Larkspur"),
    )
    assert ids(await world.ask("QX-771 Larkspur", limit=3))[0] == "id-2000"
    assert len(ids(await world.ask("item", limit=100))) == 100


@pytest.mark.parametrize("query", ["the of and", "NOT x", "id:0", "*", ">>>", '"open quote', "🚀"])
async def test_any_text_is_a_query_and_nothing_in_it_is_an_operator(
    world: World, query: str
) -> None:
    await world.apply(memory(1, "zero"))
    answer = await world.ask(query)
    assert answer.channels["content"].hits == answer.channels["hints"].hits == 0
    assert all(result.sources == ("vector",) for result in answer.results)


async def test_a_blank_query_and_an_unknown_reranker_are_refused(world: World) -> None:
    with pytest.raises(InvalidInput, match="query: is empty"):
        await world.ask(" \n")
    with pytest.raises(InvalidInput, match="rerank: 'magic'"):
        await world.ask("x", rerank="magic")
    assert (await world.ask("x", rerank="noop")).results == ()


async def test_no_scope_sees_another(world: World) -> None:
    world.entities("birch")
    await world.apply(
        memory(1, "birch", entity_ids=("birch",)),
        memory(2, "birch", "t", successors=replaced_by(1)),
    )
    assert ids(await world.ask("birch")) == ["id-1"]
    assert ids(await world.ask("birch", scope="t")) == ["id-2"]
    assert ids(await world.ask("birch", scope="u")) == []
    assert ids(await world.ask("birch", scope="t", entity="birch")) == []


async def test_filters_apply_before_the_cut(world: World) -> None:
    world.entities("oak", "birch")
    await world.apply(
        *(memory(i, f"birch number {i}") for i in range(1, 301)),
        memory(
            301,
            "a remark on birch that is long enough to score badly, with many other words in it",
            type="rule",
            created_at=NOON - DAY,
            entity_ids=("oak",),
        ),
    )
    narrow: tuple[dict[str, Any], ...] = (
        {"types": ("rule",)},
        {"until": NOON},
        {"since": NOON - DAY, "until": NOON},
        {"entity": "Oak "},
        {"entity": "oak"},
        {"as_of": NOON - DAY},
    )
    for fields in narrow:
        answer = await world.ask("birch number", **fields)
        assert ids(answer) == ["id-301"], fields
        assert "content" in answer.results[0].sources
    assert "id-301" not in ids(await world.ask("birch number", since=NOON, limit=100))
    assert ids(await world.ask("birch", types=())) == []


async def test_an_unknown_entity_has_no_memories(world: World) -> None:
    world.entities("birch")
    await world.apply(memory(1, "oak"))
    for name in ("oak", "birch"):
        answer = await world.ask("oak", entity=name)
        assert answer.results == ()
        assert not answer.timed_out
        assert answer.channels["content"].status is ChannelStatus.OK


async def test_min_score_can_honestly_give_nothing(world: World) -> None:
    await world.apply(memory(1, "the build cache runs on birch"))
    assert ids(await world.ask("build cache birch", min_score=0.2)) == ["id-1"]
    assert ids(await world.ask("something unrelated altogether", min_score=0.5)) == []


async def test_what_replaced_a_found_memory_stands_before_it(world: World) -> None:
    await world.apply(
        *(memory(i, f"distractor {i} of the build system") for i in range(10, 60)),
        memory(1, "the build cache runs on host birch", successors=replaced_by(2)),
        memory(2, "everything moved to oak", created_at=NOON + DAY),
    )
    answer = await world.ask("which host does the build cache run on?", limit=100)
    assert ids(answer)[0] == "id-2"
    head, stale = answer.results[0], next(one for one in answer.results if one.id == "id-1")
    assert "succession" in head.sources
    assert not head.superseded
    assert stale.superseded
    assert stale.score == pytest.approx(0.25 * head.score)
    assert stale.currentness is not None
    assert stale.currentness.note == (
        "Superseded on 2026-01-02 by id-2: “everything moved to oak”."
    )
    assert stale.currentness.replaced_by is not None
    assert stale.currentness.replaced_by.memory_id == "id-2"
    assert stale.currentness.replaced_by.content == "everything moved to oak"
    assert stale.currentness.replaced_by.attribute_id is None
    assert answer.channels["currentness"].hits == 1


async def test_a_chain_names_its_direct_successor_and_its_head(world: World) -> None:
    chain = [
        memory(i, f"step {i}", created_at=NOON + i * DAY, successors=replaced_by(i + 1))
        for i in range(1, 40)
    ]
    await world.apply(*chain, memory(40, "the end"), memory(50, "original wording of it all"))
    await world.apply(memory(1, "the very first wording", successors=replaced_by(2)))
    answer = await world.ask("the very first wording", limit=3)
    assert ids(answer)[0] == "id-40"
    stale = next(one for one in answer.results if one.id == "id-1")
    assert stale.currentness is not None
    assert stale.currentness.note == (
        "Superseded on 2026-01-03 by id-2, and now by id-40: “the end”."
    )


async def test_slots_and_forks_are_told_in_the_note(world: World) -> None:
    def stated(attribute: str, status: AttributeStatus) -> tuple[Statement, ...]:
        ends = NOON + DAY if status is AttributeStatus.SUPERSEDED else None
        return (Statement(attribute, "home", status, NOON, ends),)

    await world.apply(
        memory(1, "she lives in Berlin", statements=stated("a", AttributeStatus.SUPERSEDED)),
        memory(2, "home is Munich", statements=stated("b", AttributeStatus.ACTIVE)),
        memory(3, "the fork has a left tine", successors=replaced_by(4, 5)),
        memory(4, "left"),
        memory(5, "right"),
    )
    slot = next(one for one in (await world.ask("lives in Berlin")).results if one.id == "id-1")
    assert slot.currentness is not None
    assert slot.currentness.replaced_by is not None
    assert slot.currentness.replaced_by.attribute_id == "b"
    answer = await world.ask("fork left tine")
    fork = next(one for one in answer.results if one.id == "id-3")
    assert fork.currentness is not None
    assert fork.currentness.note.endswith("by id-4: “left”. Also by id-5.")
    heads = {one.id: one for one in answer.results if "succession" in one.sources}
    assert set(heads) == {"id-4", "id-5"}


async def test_superseded_ones_left_out_still_lead_to_their_heads(world: World) -> None:
    await world.apply(
        memory(1, "the build cache runs on birch", successors=replaced_by(2)),
        memory(2, "moved to oak"),
        memory(3, "lunch"),
    )
    answer = await world.ask("build cache birch", include_superseded=False)
    assert ids(answer)[0] == "id-2"
    assert "id-1" not in ids(answer)
    off = world.recall(settings=RecallSettings(succession=False))
    answer = await world.ask("build cache birch", off, include_superseded=False)
    assert "id-1" not in ids(answer)
    assert "content" not in {source for one in answer.results for source in one.sources}


async def test_a_head_must_pass_the_filters(world: World) -> None:
    await world.apply(
        memory(1, "the build cache runs on birch", type="note", successors=replaced_by(2)),
        memory(2, "moved to oak", type="fact"),
    )
    assert ids(await world.ask("build cache birch", types=("note",))) == ["id-1"]


async def test_without_succession_the_factor_alone_decides(world: World) -> None:
    await world.apply(
        memory(1, "the build cache runs on birch", successors=replaced_by(2)),
        memory(2, "zzz"),
    )
    off = world.recall(settings=RecallSettings(succession=False))
    answer = await world.ask("the build cache runs on birch", off)
    assert ids(answer)[0] == "id-1"
    assert answer.results[0].superseded
    assert answer.results[0].currentness is not None


async def test_a_question_about_the_past_demotes_nothing(world: World) -> None:
    await world.apply(
        memory(1, "the build cache runs on birch", successors=replaced_by(2)),
        memory(2, "zzz"),
    )
    answer = await world.ask("where did the build cache used to run, birch?")
    assert ids(answer)[0] == "id-1"
    assert answer.results[0].superseded
    assert all("succession" not in one.sources for one in answer.results)


async def test_as_of_answers_as_of_that_moment(world: World) -> None:
    await world.apply(
        memory(1, "the cache runs on birch", successors=replaced_by(2)),
        memory(2, "the cache runs on oak", created_at=NOON + 2 * DAY, successors=replaced_by(3)),
        memory(3, "the cache runs on elm", created_at=NOON + 4 * DAY),
    )
    early = await world.ask("the cache runs on", as_of=NOON + DAY)
    assert [(one.id, one.superseded) for one in early.results] == [("id-1", False)]
    later = await world.ask("the cache runs on", as_of=NOON + 3 * DAY)
    assert [(one.id, one.superseded) for one in later.results] == [("id-2", False), ("id-1", True)]
    alone = await world.ask(
        "the cache runs on",
        world.recall(settings=RecallSettings(succession=False)),
        as_of=NOON + 3 * DAY,
        include_superseded=False,
    )
    assert ids(alone) == ["id-2"]


async def test_min_score_never_turns_the_demotion_into_a_filter(world: World) -> None:
    await world.apply(memory(1, "the cache runs on birch", successors=replaced_by(9)))
    score = (await world.ask("the cache runs on birch")).results[0].score
    answer = await world.ask("the cache runs on birch", min_score=3.9 * score)
    assert ids(answer) == ["id-1"]
    assert answer.results[0].currentness is not None
    assert answer.results[0].currentness.replaced_by is None


async def test_a_removed_memory_is_gone_from_every_channel_at_once(world: World) -> None:
    await world.apply(memory(1, "birch one"), memory(2, "birch two"))
    # The catalogue knows of it first; the other projections still hold the memory.
    world.catalogue.apply([removal(1, 5)], 5)
    answer = await world.ask("birch")
    assert ids(answer) == ["id-2"]
    assert answer.channels["currentness"].status is ChannelStatus.OK


async def test_what_the_catalogue_does_not_know_yet_is_never_passed_off_as_current(
    world: World,
) -> None:
    await world.apply(memory(1, "birch one"))
    await world.apply(
        memory(2, "birch two", superseded=True), memory(3, "birch three"), catalogue=False
    )
    answer = await world.ask("birch")
    assert {one.id: one.superseded for one in answer.results} == {
        "id-1": False,
        "id-2": True,
        "id-3": False,
    }
    report = answer.channels["currentness"]
    assert report.status is ChannelStatus.FAILED
    assert report.detail == "2 found memories are newer than what is known of replacements"


async def test_a_failed_text_index_costs_only_its_own_hits(world: World) -> None:
    await world.apply(memory(1, "birch"), memory(2, "oak"))
    world.graph_contents = {"id-1": "birch", "id-2": "oak"}
    world.text.close()
    answer = await world.ask("birch")
    assert ids(answer)[0] == "id-1"
    assert answer.results[0].content == "birch"
    assert answer.results[0].sources == ("vector",)
    for name in ("content", "hints"):
        assert answer.channels[name].status is ChannelStatus.FAILED
        assert answer.channels[name].detail
    assert answer.channels["vector"].status is ChannelStatus.OK
    world.graph_contents = None
    assert (await world.ask("birch")).results == ()


async def test_a_failed_embedder_costs_only_the_vectors(world: World) -> None:
    await world.apply(memory(1, "birch"))
    world.embedder = Broken()
    answer = await world.ask("birch")
    assert ids(answer) == ["id-1"]
    assert answer.channels["vector"].status is ChannelStatus.FAILED
    assert answer.channels["vector"].detail == "an unexpected RuntimeError; see the log"
    assert answer.results[0].score > 0


async def test_late_channels_are_named_and_what_they_found_counts(world: World) -> None:
    await world.apply(memory(1, "birch"), memory(2, "oak"))
    late = HangingChannel("graph", {2: 1.0})
    query = RecallQuery("s", "birch", limit=5)
    answer = await world.recall(late, names=()).recall(query, Deadline.after(5))
    assert answer.timed_out
    assert answer.channels["graph"].status is ChannelStatus.TIMED_OUT
    assert [(one.id, one.sources) for one in answer.results] == [("id-2", ("graph",))]


async def test_a_failing_graph_leaves_the_others_as_they_are(world: World) -> None:
    await world.apply(memory(1, "birch"), memory(2, "oak"))
    with_graph = await world.ask("birch", world.recall(FailingChannel("graph", OSError("x"))))
    without = await world.ask("birch")
    assert with_graph.results == without.results
    assert with_graph.channels["graph"].status is ChannelStatus.FAILED


async def test_traversal_boosts_and_alone_stays_below_what_was_found(world: World) -> None:
    await world.apply(memory(1, "birch alone"), memory(2, "birch too"), memory(3, "zzz"))
    around = world.recall(FastChannel("graph", {2: 1.0, 3: 1.0}), names=("content",))
    plain = world.recall(names=("content",))
    boosted = {one.id: one for one in (await world.ask("birch", around)).results}
    before = {one.id: one for one in (await world.ask("birch", plain)).results}
    assert boosted["id-2"].score == pytest.approx(before["id-2"].score + 0.15)
    assert boosted["id-1"].score == before["id-1"].score
    assert boosted["id-3"].sources == ("graph",)
    assert 0 < boosted["id-3"].score < boosted["id-1"].score
    assert boosted["id-3"].score <= 0.15


async def test_the_same_question_gives_the_same_order(world: World) -> None:
    same = [memory(i, "birch", created_at=NOON + (i % 3) * DAY) for i in range(1, 30)]
    await world.apply(*same)
    first = ids(await world.ask("birch", limit=100))
    expected = sorted(same, key=lambda one: one.id)
    expected.sort(key=lambda one: one.created_at, reverse=True)
    assert first == [one.id for one in expected]
    assert ids(await world.ask("birch", limit=100)) == first
    assert ids(await world.ask("birch", limit=7)) == first[:7]


async def test_a_memory_updated_often_is_found_once(world: World) -> None:
    for turn in range(10):
        await world.apply(memory(1, f"birch turn {turn}"))
    assert ids(await world.ask("birch turn")) == ["id-1"]


class Broken:
    """An embedder that breaks in a way nobody foresaw."""

    model = "broken"
    dimension = 8

    async def start(self) -> None: ...

    async def embed_query(self, text: str):
        raise RuntimeError("oops")

    async def embed(self, texts: Sequence[str]):
        raise RuntimeError("oops")

    async def close(self) -> None: ...
