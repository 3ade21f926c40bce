import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.stores.tantivy.analyzer import MAX_TOKEN_CHARACTERS, query_tokens, tokens

WORDS = [
    ("Anna likes green apples", ["anna", "like", "green", "appl"]),
    ("QX-771 Larkspur", ["qx771", "qx", "771", "larkspur"]),
    ("QX771", ["qx771", "qx", "771"]),
    ("node.js", ["nodej", "node", "js"]),
    ("nodejs", ["nodej"]),
    ("snake_case", ["snakecas", "snake", "case"]),
    ("camelCase HTTPServer", ["camelcas", "camel", "case", "httpserver", "http", "server"]),
    ("00:40", ["00:40", "00", "40"]),
    ("3.5", ["3.5", "3", "5"]),
    ("1,000", ["1000"]),
    ("2026-11-30", ["2026-11-30", "2026", "11", "30"]),
    ("C++ and C#", ["c++", "c", "and", "c#", "c"]),
    ("doesn't user's it’s", ["doesnt", "user", "it"]),
    ("O'Brien", ["obrien", "o", "brien"]),
    ("Straße", ["strass"]),
    ("Smörgåsbord Łódź Øresund", ["smorgasbord", "lodz", "oresund"]),
    ("co\u00adoperate", ["cooper"]),
    ("ＡＰＩ", ["api"]),
    ("зубчатое колесо", ["зубчатое", "колесо"]),
    ("שָׁלוֹם", ["שלום"]),
    ("كِتَاب", ["كتاب"]),
    ("٣٤", ["34"]),
    ("हिन्दी", ["हिन्दी"]),
    ("运输", ["运输", "运", "输"]),
    ("猫", ["猫"]),
    ("カタカナ", ["カタ", "タカ", "カナ"]),
    ("ｶﾀｶﾅ", ["カタ", "タカ", "カナ"]),
    ("ไทย", ["ไท", "ทย"]),
    ("한국어", ["한국어", "한국", "국어"]),
    ("iPhone用", ["iphon", "phone", "用"]),
    ("🚀🚀", ["🚀", "🚀"]),
    ("👩‍🚀", ["👩‍🚀", "👩", "🚀"]),
    ("👍🏽", ["👍🏽", "👍"]),
    ("🇩🇪", ["🇩🇪"]),
    ("→ €", ["→", "€"]),
    ("[CLS] <|endoftext|>", ["cls", "endoftext"]),
    (">>> * () \\ ^", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), WORDS)
def test_a_text_has_these_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("café", "cafe\u0301"),
        ("café", "cafe"),
        ("CAFÉ", "cafe"),
        ("Straße", "STRASSE"),
        ("QX-771", "qx771"),
        ("node.js", "NodeJS"),
        ("well-known", "wellknown"),
        ("running", "runs"),
        ("user’s", "user's"),
        ("検索", "検索エンジン"),
        ("运输", "跨境运输规则"),
        ("检索", "混合检索设计"),
        ("輸", "運輸省"),
        ("колесо", "зубчатое колесо"),
        ("カナ", "ひらがなカタカナ"),
        ("한국", "한국어를 공부"),
        ("ภาษา", "ภาษาไทย"),
    ],
)
def test_one_spelling_finds_the_other(one: str, other: str) -> None:
    assert set(query_tokens(one)) & set(tokens(other))


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("y+(y+25)", "25"),
        ("https://a.test/x", "test"),
        ("due:", "due"),
        ('"open quote widget', "widget"),
        ("foo^2", "foo"),
        ("id:0", "id"),
        ("NOT x", "x"),
        ("-x", "x"),
        ("/b note", "note"),
        ("causes/solutions.", "solut"),
        ("done!", "done"),
        ("~alpha", "alpha"),
        ("a backtick `", "backtick"),
    ],
)
def test_an_operator_is_ordinary_text(query: str, word: str) -> None:
    assert word in query_tokens(query)


def test_stop_words_leave_a_query() -> None:
    assert query_tokens("What is the name of Anna's cat, and who doesn't like it?") == [
        "name",
        "anna",
        "cat",
        "like",
    ]


@pytest.mark.parametrize("query", ["the of and", "Who is it?", "", "   ", "*", ">>>"])
def test_a_query_of_nothing_but_stop_words_or_signs_has_no_tokens(query: str) -> None:
    assert query_tokens(query) == []


@pytest.mark.parametrize("character", ["x", "ж", "é", "1", "aB1"])
def test_a_very_long_token_is_known_by_its_first_characters(character: str) -> None:
    long = (character * 40_000)[:40_000]
    found = tokens(f"before {long} afterwards")
    assert found[0] == "befor"
    assert found[-1] == "afterward"
    assert set(query_tokens(long[:MAX_TOKEN_CHARACTERS])) & set(found)
    assert set(query_tokens(long)) & set(found)
    assert len(found) == 3


@given(st.text())
def test_tokens_are_short_and_hold_no_white_space(text: str) -> None:
    for token in tokens(text):
        assert 0 < len(token) <= MAX_TOKEN_CHARACTERS
        assert token.split() == [token]


@given(st.text())
def test_what_a_query_asks_for_is_what_the_text_is_indexed_under(text: str) -> None:
    asked = query_tokens(text)
    assert len(asked) == len(set(asked))
    assert set(asked) <= set(tokens(text))


@given(st.text(alphabet=st.characters(categories=["L", "N", "S", "Co", "Cs"]), min_size=1))
def test_lone_surrogates_and_rare_letters_never_raise(text: str) -> None:
    for token in tokens(text):
        token.encode("utf-8")
