"""Names: what links in a text, what a query is about, and that a slow reference agrees."""

import unicodedata

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from service.domain.entity import Entity
from service.domain.names import canonical_name
from service.projection.names import ORDINARY_WORDS, NameIndex
from service.projection.spelling import spelling, tokens


def entity(name: str, mentions: int = 1, scope: str = "s", entity_id: str | None = None) -> Entity:
    canonical = canonical_name(name)
    return Entity(entity_id or f"id:{canonical}", scope, name, canonical, None, mentions)


def index(*names: str) -> NameIndex:
    built = NameIndex()
    built.apply([entity(name) for name in names], [], 1)
    return built


def linked(built: NameIndex, text: str) -> list[str]:
    links = built.link("s", text)
    for link in links:
        assert text[link.start : link.end] == link.mention_text
    return [link.mention_text for link in links]


@pytest.mark.parametrize(
    ("names", "text", "expected"),
    [
        (["build cache"], "The Build  Cache moved.", ["Build  Cache"]),
        (["cache", "build cache"], "build cache, then cache", ["build cache", "cache"]),
        (["a b c", "c d e f"], "a b c d e f", ["c d e f"]),
        (["cat"], "concatenate the cats", []),
        (["birch"], "birch's birch-1 (birch)", ["birch", "birch", "birch"]),
        (["Dock / Pier|9"], "at Dock / Pier|9, and Dock / Pier|90", ["Dock / Pier|9"]),
        (["C++"], "C++ and c++11", ["C++", "c++"]),
        (["node.js"], "Node.js, not node.json", ["Node.js"]),
        ([".NET"], "ASP.NET and .net", [".NET", ".net"]),
        (["Straße"], "in der STRASSE", ["STRASSE"]),
        (["API"], "die ＡＰＩ-Tür", ["ＡＰＩ"]),
        (["café"], "the cafe\u0301 opens", ["cafe\u0301"]),
        (["运输"], "跨境运输规则", ["运输"]),
        (["ガス"], "ｶﾞｽを使う", ["ｶﾞｽ"]),
        (["กรุงเทพ"], "อยู่กรุงเทพมหานคร", ["กรุงเทพ"]),
        (["서울"], "서울에서 만나요", ["서울"]),
        (["हिन्द"], "हिन्दी", []),
        (["API"], "跨境API规则", ["API"]),
        (["🚀🚀"], "we 🚀🚀 today", ["🚀🚀"]),
        (["Go"], "We go on. Go away! It is written in Go.", ["Go"]),
        (["it"], "it is what it is", []),
        (["IT"], "The IT department said it.", ["IT"]),
        (["A"], "A plan, a man, grade A", ["A"]),
        (["I"], "I said that I will", []),
        (["C"], "c is a letter, C a language", ["C"]),
        (["DB", "Ann"], "the db of ann", ["db", "ann"]),
    ],
)
def test_links(names: list[str], text: str, expected: list[str]) -> None:
    assert linked(index(*names), text) == expected


def test_no_name_links_in_another_scope() -> None:
    built = index("birch")
    built.apply([entity("oak", scope="t")], [], 2)
    assert built.link("t", "birch") == []
    assert [link.entity_id for link in built.link("t", "birch and oak")] == ["id:oak"]


def test_renamed_and_removed_entities_link_no_more() -> None:
    built = NameIndex()
    built.apply([entity("birch", entity_id="1"), entity("oak", entity_id="2")], [], 1)
    built.apply([entity("oak", entity_id="1"), entity("birch", entity_id="2")], [], 2)
    assert [link.entity_id for link in built.link("s", "birch oak")] == ["2", "1"]
    built.apply([], ["1"], 3)
    assert [link.entity_id for link in built.link("s", "birch oak")] == ["2"]
    assert built.by_canonical("s", "oak") is None
    assert built.get("1") is None
    assert built.revision == 3
    built.clear()
    assert built.link("s", "birch") == []
    assert built.revision == 0


def test_applying_twice_changes_nothing() -> None:
    built = index("birch", "oak")
    built.apply([entity("birch"), entity("oak")], [], 1)
    built.apply([], ["id:oak"], 2)
    built.apply([], ["id:oak"], 2)
    assert linked(built, "birch oak") == ["birch"]
    assert len(built) == 1


ALPHABET = "ab B.+-/ é\u0301ßſ运输ガｶﾞｽ서울ก\u0e34ह\u0928\u094d🚀\t\u00a0ﬁ1_"


def reference(names: list[str], text: str) -> list[tuple[int, int]]:
    """Every place of every name, then the longest first: obvious and slow. In canonical places."""
    canonical = spelling(text).text
    word = regex.compile(
        r"[[\p{L}\p{M}\p{N}_]--"
        r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Hangul}]]",
        regex.V1,
    )

    def joins(left: int) -> bool:
        return left >= 0 and all(word.fullmatch(one) for one in canonical[left : left + 2])

    places: list[tuple[int, int]] = []
    for name in names:
        for start in range(len(canonical)):
            end = start + len(name)
            if canonical[start:end] != name or joins(start - 1):
                continue
            if end < len(canonical) and joins(end - 1):
                continue
            places.append((start, end))
    kept: list[tuple[int, int]] = []
    for start, end in sorted(places, key=lambda place: (place[0] - place[1], place[0])):
        if all(end <= other or start >= stop for other, stop in kept):
            kept.append((start, end))
    return sorted(kept)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.text(ALPHABET, min_size=1, max_size=5), max_size=8),
    st.text(ALPHABET, max_size=40),
)
def test_links_as_the_obvious_reference_does(names: list[str], text: str) -> None:
    canonicals = {canonical_name(name) for name in names} - {""}
    canonicals = {
        name
        for name in canonicals
        if name not in ORDINARY_WORDS and not (len(name) == 1 and name.isascii())
    }
    built = index(*canonicals)
    spelled = spelling(text)
    expected = [
        (spelled.starts[start], spelled.ends[end - 1])
        for start, end in reference(sorted(canonicals), text)
    ]
    assert [(link.start, link.end) for link in built.link("s", text)] == expected


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=60))
@example("a \u00a8b")
@example("\u1e9e\u0345 \u01f0\u0323\u0307")
@example("ｶﾞ\u1100\u1161\u11a8")
def test_a_spelling_is_the_canonical_name_with_places(text: str) -> None:
    spelled = spelling(text)
    assert spelled.text.strip() == canonical_name(text)
    assert len(spelled.text) == len(spelled.starts) == len(spelled.ends)
    for start, end in tokens(spelled.text):
        assert 0 <= spelled.starts[start] < spelled.ends[end - 1] <= len(text)
        assert not spelled.text[start:end].isspace()


def test_many_names_share_their_first_word() -> None:
    built = NameIndex()
    built.apply([entity(f"project number {i} of {i % 7}") for i in range(20_000)], [], 1)
    text = " ".join(["the project number 7 of 0 and project 9"] * 6)
    assert linked(built, text) == ["project number 7 of 0"] * 6


def names_of(built: NameIndex, query: str, limit: int = 20) -> list[str]:
    return [match.entity.name for match in built.matching("s", query, limit)]


def test_the_whole_name_beats_a_shared_word_and_mentions_decide_among_equals() -> None:
    built = NameIndex()
    built.apply(
        [
            entity("build cache", 3),
            entity("build farm", 90),
            entity("cache of the lab", 70),
            entity("cachet", 500),
        ],
        [],
        1,
    )
    assert names_of(built, "where does the Build Cache run?") == [
        "build cache",
        "build farm",
        "cache of the lab",
    ]
    assert [match.share for match in built.matching("s", "build cache")][:2] == [1.0, 0.5]


def test_stop_words_and_parts_of_words_pull_nothing_in() -> None:
    built = index("The Who", "of", "It", "kit", "A", "Go Club")
    assert names_of(built, "the of and it who") == []
    assert names_of(built, "is it a kitchen?") == []
    assert names_of(built, "go there") == ["Go Club"]


def test_scripts_without_spaces_match_by_part() -> None:
    built = index("跨境运输规则", "混合检索设计")
    assert names_of(built, "运输") == ["跨境运输规则"]
    assert names_of(built, "关于混合检索设计的问题") == ["混合检索设计"]


def test_names_of_punctuation_match_whole() -> None:
    built = index("C++", "Dock / Pier|9")
    assert names_of(built, "who knows C++?") == ["C++"]
    assert names_of(built, "what lies at dock / pier|9") == ["Dock / Pier|9"]


def test_a_word_that_many_names_share_gives_the_most_mentioned_as_they_change() -> None:
    built = NameIndex()
    everyone = [entity(f"project {i:05}", mentions=i) for i in range(5_000)]
    built.apply(everyone, [], 1)
    assert names_of(built, "project", 3) == ["project 04999", "project 04998", "project 04997"]
    built.apply([entity("project 00001", mentions=9_000)], [], 2)
    assert names_of(built, "project", 2) == ["project 00001", "project 04999"]
    built.apply([entity("project 04999", mentions=0)], ["id:project 04998"], 3)
    assert names_of(built, "project", 2) == ["project 00001", "project 04997"]
    best = sorted(everyone, key=lambda one: -one.mentions)[2:102]
    ranked = names_of(built, "project", 101)
    assert ranked == ["project 00001", *(one.name for one in best)]


def test_letters_of_every_script_are_normalised_alike() -> None:
    built = index("Ёлка", "ΣΊΣΥΦΟΣ")
    assert linked(built, unicodedata.normalize("NFD", "ёлка и Σίσυφος")) == [
        unicodedata.normalize("NFD", "ёлка"),
        unicodedata.normalize("NFD", "Σίσυφος"),
    ]
