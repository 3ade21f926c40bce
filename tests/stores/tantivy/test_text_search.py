from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.domain.filters import TextFilters, microseconds
from service.stores.tantivy import Channel, TextIndex, query_tokens
from tests.stores.changes import NOON, memory, removal

EVERYTHING = TextFilters()


def found(
    index: TextIndex,
    query: str,
    scope: str = "s",
    *,
    channel: Channel = "content",
    limit: int = 10,
    filters: TextFilters = EVERYTHING,
) -> list[int]:
    return index.search(channel, scope, query_tokens(query), limit, filters).ordinals.tolist()


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("the plan for Monday", "plan"),
        ("moored at Dock / Pier|9 today", "Dock / Pier|9"),
        ("moved /srv/x/ to pkgs", "/srv/x/"),
        ("a small note", "/b note"),
        ("its causes and solutions", "causes/solutions."),
        ("she is done", "done!"),
        ("alpha came first", "~alpha"),
        ("what a backtick is", "a backtick `"),
        ("y of 25", "y+(y+25)"),
        ("a test site", "https://a.test/x"),
        ("it is due", "due:"),
        ("the widget", '"open quote widget'),
        ("a foo bar", "foo^2"),
        ("the id is 0", "id:0"),
        ("an x marks it", "NOT x"),
        ("an x marks it", "-x"),
        ("跨境运输规则", "运输"),
        ("зубчатое колесо", "колесо"),
        ("ひらがなとカタカナ", "カタカナ"),
        ("한국어를 공부한다", "한국어"),
        ("混合检索设计", "检索"),
        ("at the café", "cafe"),
        ("at the cafe", "café"),
        ("at the cafe\u0301", "café"),
        ("the [CLS] and <|endoftext|>", "<|endoftext|>"),
        ("🚀🚀", "🚀"),
        ("שלום עולם", "עולם"),
        ("𠮷野家 𝄞", "𠮷野家"),
        ("QX-771 Larkspur", "QX771"),
    ],
)
def test_a_text_is_found_among_others(index: TextIndex, content: str, query: str) -> None:
    others = [memory(n, f"nothing of the kind, number w{n}w") for n in range(2, 12)]
    index.apply([memory(1, content), *others], 12)
    assert found(index, query)[0] == 1


@pytest.mark.parametrize("query", ["*", ">>>", "the of and", "", "NOT", "content:*", "-"])
def test_no_query_matches_everything(index: TextIndex, query: str) -> None:
    index.apply([memory(1, "one thing"), memory(2, "another thing")], 2)
    assert found(index, query) == []


def test_a_scope_with_a_hyphen_is_a_scope(index: TextIndex) -> None:
    index.apply([memory(1, "the plan", "ab-cd"), memory(2, "the plan", "ab")], 2)
    assert found(index, "plan", "ab-cd") == [1]
    assert found(index, "plan", "cd") == []


def test_an_over_long_token_hides_nothing(index: TextIndex) -> None:
    long = "pneumono" * 5_000
    index.apply([memory(1, f"before {long} afterwards")], 1)
    assert found(index, long[:40]) == [1]
    assert found(index, long) == [1]
    assert found(index, "afterwards") == [1]
    index.apply([memory(2, long)], 2)
    assert set(found(index, long[:40])) == {1, 2}
    assert index.fetch([2])[2].content == long


def test_an_identifier_is_first_among_a_thousand(index: TextIndex) -> None:
    others = [memory(n, f"QX-{n} Delphinium and Larkspur-{n % 7}") for n in range(1, 1001)]
    index.apply([*others, memory(2000, "QX-771 Larkspur")], 2000)
    assert found(index, "QX-771 Larkspur")[0] == 2000


def test_hints_are_a_channel_of_their_own(index: TextIndex) -> None:
    index.apply(
        [memory(1, "Anna pays for Spotify", hints=("Which music streaming service?", "Who pays?"))],
        1,
    )
    assert found(index, "music service", channel="hints") == [1]
    assert found(index, "music service") == []
    assert found(index, "Spotify", channel="hints") == []
    index.apply([memory(1, "Anna pays for Spotify")], 2)
    assert found(index, "music service", channel="hints") == []


def test_a_memory_updated_often_is_there_once(index: TextIndex) -> None:
    updates = [memory(1, f"version v{n}v", revision=n) for n in range(1, 101)]
    for start in range(0, 100, 4):
        index.apply(updates[start : start + 4], start + 4)
    assert found(index, "version") == [1]
    assert found(index, "v99v") == [] != found(index, "v100v")
    assert index.revisions() == {1: 100}
    assert index.count() == 1


def test_a_removed_memory_does_not_come_back(index: TextIndex) -> None:
    index.apply([memory(1, "gone", hints=("gone",)), memory(2, "gone too")], 2)
    index.apply([removal(1, 3)], 3)
    assert found(index, "gone") == [2]
    assert found(index, "gone", channel="hints") == []
    assert index.fetch([1, 2]).keys() == {2}


def test_the_last_change_of_a_memory_in_a_batch_counts(index: TextIndex) -> None:
    index.apply([memory(1, "old"), memory(1, "new", revision=2), memory(2, "x")], 2)
    assert found(index, "old") == []
    index.apply([memory(1, "newer", revision=3), removal(1, 4)], 4)
    assert index.revisions() == {2: 2}


def test_applying_again_changes_nothing(index: TextIndex) -> None:
    changes = [memory(1, "tea", hints=("drink",)), memory(2, "tea and milk")]
    index.apply(changes, 2)
    before = index.search("content", "s", ["tea"], 10, EVERYTHING)
    index.apply(changes, 2)
    assert found(index, "tea") == before.ordinals.tolist()
    assert index.count() == 2


def test_what_is_stored_comes_back_whole(index: TextIndex) -> None:
    change = memory(
        7,
        "naïve 🚀 \u0000 text",
        occurred_at=NOON - timedelta(days=2, microseconds=3),
        session="talk",
        speaker="Anna",
        source="https://a.test",
        pinned=True,
        superseded=True,
        importance=0.25,
        hints=("a", "b"),
        entity_ids=("e1", "e2"),
        embedding_model="m",
    )
    index.apply([change], 7)
    stored = index.fetch([7, 8])[7]
    for field in stored.__slots__:
        assert getattr(stored, field) == getattr(change, field)
    assert stored.event_at == change.occurred_at


class TestFilters:
    def test_time_type_entity_and_currentness_hold_before_the_cut(self, index: TextIndex) -> None:
        # A hundred better matches stand outside the filter; the limit is one.
        better = [memory(n, "tea " * 5) for n in range(1, 101)]
        wanted = memory(
            500,
            "tea with a lot of other words that make it a weak match for the query",
            type="decision",
            created_at=NOON + timedelta(hours=1),
            entity_ids=("e1", "e2"),
        )
        index.apply([*(replace(m, superseded=True) for m in better), wanted], 500)
        for filters in (
            TextFilters(types=("decision", "other")),
            TextFilters(entity_id="e2"),
            TextFilters(include_superseded=False),
            TextFilters(since_us=microseconds(NOON) + 1),
            TextFilters(
                since_us=microseconds(NOON),
                types=("decision",),
                entity_id="e1",
                include_superseded=False,
                as_of_us=microseconds(NOON + timedelta(days=1)),
            ),
        ):
            assert found(index, "tea", limit=1, filters=filters) == [500]

    def test_since_is_inclusive_and_until_is_not(self, index: TextIndex) -> None:
        index.apply([memory(1, "tea")], 1)
        at = microseconds(NOON)
        assert found(index, "tea", filters=TextFilters(since_us=at)) == [1]
        assert found(index, "tea", filters=TextFilters(since_us=at + 1)) == []
        assert found(index, "tea", filters=TextFilters(until_us=at)) == []
        assert found(index, "tea", filters=TextFilters(until_us=at + 1)) == [1]

    def test_as_of_looks_at_when_it_happened(self, index: TextIndex) -> None:
        index.apply([memory(1, "tea", occurred_at=NOON - timedelta(days=9)), memory(2, "tea")], 2)
        before = microseconds(NOON - timedelta(days=1))
        assert found(index, "tea", filters=TextFilters(as_of_us=before)) == [1]
        assert found(index, "tea", filters=TextFilters(as_of_us=microseconds(NOON))) == [1, 2]

    def test_no_type_lets_nothing_in(self, index: TextIndex) -> None:
        index.apply([memory(1, "tea")], 1)
        assert found(index, "tea", filters=TextFilters(types=())) == []

    def test_a_filter_scores_nothing(self, index: TextIndex) -> None:
        index.apply([memory(1, "tea", entity_ids=("e",)), memory(2, "milk")], 2)
        plain = index.search("content", "s", ["tea"], 10, EVERYTHING)
        filtered = index.search(
            "content", "s", ["tea"], 10, TextFilters(types=("fact",), entity_id="e")
        )
        assert filtered.scores == pytest.approx(plain.scores)
        assert filtered.maximum == plain.maximum


class TestScores:
    def test_another_scope_changes_no_score(self, index: TextIndex) -> None:
        mine = [memory(n, f"word{n} tea milk cup") for n in range(1, 11)]
        index.apply([*mine, memory(11, "sugar tea milk cup")], 11)
        before = index.search("content", "s", ["tea", "sugar"], 20, EVERYTHING)
        long = "sugar sugar salt rice " * 40
        index.apply([memory(100 + n, long, "other") for n in range(300)], 400)
        after = index.search("content", "s", ["tea", "sugar"], 20, EVERYTHING)
        assert after.ordinals.tolist() == before.ordinals.tolist()
        assert after.scores == pytest.approx(before.scores, rel=1e-5)
        assert after.maximum == before.maximum

    def test_short_notes_elsewhere_leave_long_texts_in_their_order(self, index: TextIndex) -> None:
        filler = " ".join(f"word{n}" for n in range(300))
        long = [
            memory(1, f"ledger ledger ledger ledger ledger ledger {filler}", "long"),
            memory(2, f"ledger budget {filler}", "long"),
            memory(3, f"budget budget budget {filler} {filler}", "long"),
            *(memory(4 + n, f"nothing {filler}", "long") for n in range(6)),
        ]
        index.apply(long, 10)
        before = index.search("content", "long", query_tokens("ledger budget"), 10, EVERYTHING)
        index.apply([memory(100 + n, f"a short note {n}") for n in range(400)], 600)
        after = index.search("content", "long", query_tokens("ledger budget"), 10, EVERYTHING)
        assert after.ordinals.tolist() == before.ordinals.tolist()
        assert after.scores == pytest.approx(before.scores, rel=0.06)

    def test_no_score_passes_the_maximum(self, index: TextIndex) -> None:
        index.apply([memory(1, "tea " * 500), memory(2, "tea milk"), memory(3, "milk")], 3)
        hits = index.search("content", "s", query_tokens("tea milk tea"), 10, EVERYTHING)
        assert 0 < hits.scores.max() <= hits.maximum
        unknown = index.search("content", "s", query_tokens("tea milk coffee"), 10, EVERYTHING)
        assert unknown.maximum > hits.maximum
        assert unknown.scores == pytest.approx(hits.scores)

    def test_replaced_documents_keep_scores_finite(self, index: TextIndex) -> None:
        for revision in range(1, 20):
            index.apply([memory(1, "tea", revision=revision), memory(2, "milk")], revision)
        index.apply([removal(2, 41)], 41)
        hits = index.search("content", "s", ["tea"], 10, EVERYTHING)
        assert hits.ordinals.tolist() == [1]
        assert 0 < hits.scores[0] <= hits.maximum

    def test_equal_scores_come_by_ordinal(self, index: TextIndex) -> None:
        for ordinal in (5, 3, 9, 1):
            index.apply([memory(ordinal, "tea")], ordinal)
        assert found(index, "tea") == [1, 3, 5, 9]

    @pytest.mark.parametrize("limit", [0, -1])
    def test_no_limit_no_hits(self, index: TextIndex, limit: int) -> None:
        index.apply([memory(1, "tea")], 1)
        assert found(index, "tea", limit=limit) == []

    def test_a_huge_limit_and_a_huge_query_are_answered(self, index: TextIndex) -> None:
        index.apply([memory(1, "tea")], 1)
        words = " ".join(f"word{n}" for n in range(5_000))
        assert found(index, words + " tea", limit=10**12) == [1]


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=st.text(max_size=200))
def test_any_text_is_found_by_its_own_tokens(index: TextIndex, text: str) -> None:
    index.apply([memory(1, text, hints=(text,))], 1)
    expected = [1] if query_tokens(text) else []
    assert found(index, text) == expected
    assert found(index, text, channel="hints") == expected
    assert index.fetch([1])[1].content == text
