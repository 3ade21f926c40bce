"""Recall over talk: what stands beside a turn, who said it, and dates in the question."""

from datetime import UTC, datetime, timedelta
from typing import Any

from service.domain.change import MemoryChange
from service.recall.settings import RecallSettings
from tests.recall.conftest import World
from tests.recall.test_recall import ids, replaced_by
from tests.stores.changes import NOON, memory, removal

WITHOUT = RecallSettings(context=False)


def turn(ordinal: int, content: str, session: str | None = "s1", **fields: Any) -> MemoryChange:
    given: dict[str, Any] = {"created_at": NOON + timedelta(minutes=ordinal)} | fields
    return memory(ordinal, content, session=session, **given)


async def test_an_answer_is_lifted_by_the_question_before_it(world: World) -> None:
    await world.apply(
        turn(1, "what is the name of the harbour pilot"),
        turn(2, "that would be Joris, a tall fellow"),
        turn(3, "that would be Marit, a tall woman", session=None),
        *(turn(n, f"an unrelated remark {n}", session="s2") for n in range(4, 9)),
    )
    asked = "what is the name of the harbour pilot, tall"
    answer = await world.ask(asked)
    assert ids(answer).index("id-2") < ids(answer).index("id-3")
    score = {result.id: result.score for result in answer.results}
    plain = await world.ask(asked, world.recall(settings=WITHOUT))
    unlifted = {result.id: result.score for result in plain.results}
    assert score["id-2"] > unlifted["id-2"]
    assert score["id-3"] == unlifted["id-3"]


async def test_turns_of_talk_tell_more_of_each_other_than_parts_of_a_text(world: World) -> None:
    await world.apply(
        turn(1, "who keeps the lighthouse", "talk", speaker="Bo"),
        turn(2, "Ingrid does", "talk", speaker="Kim"),
        turn(11, "who keeps the lighthouse?", "text"),
        turn(12, "Ingrid does!", "text"),
        turn(13, "Ingrid does.", None),
    )
    answer = await world.ask("who keeps the lighthouse")
    score = {result.id: result.score for result in answer.results}
    assert score["id-2"] > score["id-12"] > score["id-13"]


async def test_what_joins_a_session_late_stands_in_its_place(world: World) -> None:
    await world.apply(
        turn(1, "who keeps the lighthouse"), turn(3, "nothing of note"), turn(9, "the tide")
    )
    before = await world.ask("who keeps the lighthouse")
    await world.apply(turn(4, "Ingrid does", created_at=NOON + timedelta(minutes=2)))
    after = await world.ask("who keeps the lighthouse")
    score = {result.id: result.score for result in after.results}
    was = {result.id: result.score for result in before.results}
    assert score["id-4"] > 0.0
    assert score["id-3"] < was["id-3"]
    await world.apply(removal(4, 5))
    again = {one.id: one.score for one in (await world.ask("who keeps the lighthouse")).results}
    assert again == was


async def test_of_an_earlier_moment_what_came_later_lifts_nothing(world: World) -> None:
    await world.apply(
        turn(1, "Ingrid does, says the lighthouse keeper"), turn(5, "who keeps the lighthouse")
    )
    asked, moment = "who keeps the lighthouse", NOON + timedelta(minutes=3)
    now, then = await world.ask(asked), await world.ask(asked, as_of=moment)
    plain = await world.ask(asked, world.recall(settings=WITHOUT), as_of=moment)
    assert ids(then) == ids(plain) == ["id-1"]
    score = {result.id: result.score for result in now.results}
    assert score["id-1"] > then.results[0].score


async def test_sessions_of_one_name_in_two_scopes_are_two(world: World) -> None:
    await world.apply(
        turn(1, "who keeps the lighthouse", scope="other"),
        turn(2, "Ingrid does"),
    )
    answer = await world.ask("who keeps the lighthouse")
    plain = await world.ask("who keeps the lighthouse", world.recall(settings=WITHOUT))
    assert answer.results == plain.results


async def test_a_store_without_sessions_scores_as_if_there_were_none(world: World) -> None:
    await world.apply(*(memory(n, f"the ferry number {n} leaves") for n in range(1, 9)))
    answer = await world.ask("when does ferry 3 leave")
    plain = await world.ask("when does ferry 3 leave", world.recall(settings=WITHOUT))
    assert answer.results == plain.results


async def test_who_is_named_is_preferred_for_what_they_said(world: World) -> None:
    await world.apply(
        memory(1, "the soup is too salty", speaker="Ana Lind", created_at=NOON),
        memory(2, "the soup is too salty!", speaker="Bo", created_at=NOON + timedelta(days=1)),
        memory(3, "the soup is too salty?", speaker="user", created_at=NOON + timedelta(days=2)),
    )
    assert ids(await world.ask("what does Ana say of the salty soup"))[0] == "id-1"
    assert ids(await world.ask("what does Bo say of the salty soup"))[0] == "id-2"
    by_role = await world.ask("what does a user say of the salty soup")
    plain = await world.ask(
        "what does a user say of the salty soup", world.recall(settings=WITHOUT)
    )
    assert by_role.results == plain.results


async def test_a_date_prefers_its_time_and_hides_nothing(world: World) -> None:
    def of(ordinal: int, month: int, content: str = "we walked to the old mill"):
        at = datetime(2025, month, 14, tzinfo=UTC)
        return memory(ordinal, f"{content} ({ordinal})", created_at=at)

    await world.apply(of(1, 3), of(2, 7), of(3, 11), of(4, 7, "bread and butter"))
    answer = await world.ask("when did we walk to the old mill in July 2025?")
    assert ids(answer)[0] == "id-2"
    assert set(ids(answer)) >= {"id-1", "id-2", "id-3"}
    assert ids(answer).index("id-4") == len(ids(answer)) - 1


async def test_a_date_in_the_question_follows_when_it_happened(world: World) -> None:
    told = datetime(2025, 9, 1, tzinfo=UTC)
    await world.apply(
        memory(1, "the bridge was closed", created_at=told),
        memory(2, "the bridge was closed.", created_at=told, occurred_at=NOON),
    )
    assert ids(await world.ask(f"was the bridge closed on {NOON:%Y-%m-%d}?"))[0] == "id-2"


async def test_what_stands_around_never_lifts_the_stale_over_its_replacement(
    world: World,
) -> None:
    await world.apply(
        turn(1, "where do we keep the spare key"),
        turn(2, "we keep the spare key under the mat", successors=replaced_by(8)),
        turn(3, "the spare key is under the mat then"),
        memory(8, "the spare key hangs in the shed", created_at=NOON + timedelta(days=9)),
    )
    answer = await world.ask("where do we keep the spare key under the mat")
    assert ids(answer).index("id-8") < ids(answer).index("id-2")
