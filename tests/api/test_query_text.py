"""Whatever stands in a query is text: no operator, no field, no request for everything."""

import pytest

from tests.api.client import Api, fields

DISTRACTOR = "Unrelated words about the harbour master."


@pytest.mark.parametrize("name", ["ab-cd", "-x", "a:b", "a/b", "x@y.z", "id:0", "a--b", "..", "/"])
async def test_a_scope_s_punctuation_is_no_operator(api: Api, name: str) -> None:
    there = api.within(f"{name}{api.scope}")
    near = api.within(f"near{name}{api.scope}")
    await there.remember("The plan is to move on Friday.")
    await near.remember("The plan of somebody else.")

    assert await there.by_words("plan") == ["The plan is to move on Friday."]


@pytest.mark.parametrize(
    "name",
    ["Dock / Pier|9", "A&B (north)", 'the "big" one', "C++", "50% off*", "~home", "a\\b", "x:y^2"],
)
async def test_special_characters_of_a_name_are_ordinary(api: Api, name: str) -> None:
    await api.remember("Something else is named here.", entities=[{"name": name}])
    content = f"We met at {name} before noon."
    made = await api.remember(content)
    await api.remember(DISTRACTOR)

    entity = await api.entity(name)
    assert entity["mentions"] == 2
    assert name in [each["name"] for each in made["entities"]]
    assert await api.by_words("met", entity=name) == [content]
    assert content in await api.found(name)


@pytest.mark.parametrize(
    "query",
    [
        "/b note",
        "causes/solutions.",
        "done!",
        "~alpha",
        "a backtick `",
        "y+(y+25)",
        "https://a.test/x",
        "due:",
        ">>>",
        '"open quote widget',
        "foo^2",
        "id:0",
        "*",
        "NOT x",
        "-x",
        "content:*",
        "scope:default",
        "[a TO z]",
        "{a TO z}",
        "a AND",
        "OR OR OR",
        "((((",
        "))))",
        "\\",
        "\\\\",
        "'",
        "?",
        "??*",
        "a:b:c:d",
        '+-&&||!(){}[]^"~*?:\\/',
        "IN [a b]",
        "\u202eabc",
        "\ufeff",
        "e\u0301" * 200,
        "🚀",
        "; DROP",
        "x" * 10_000,
        "a b " * 2_500,
    ],
)
async def test_a_query_is_never_an_operator(api: Api, query: str) -> None:
    await api.remember(DISTRACTOR)

    answer = await api.recall(query)
    assert {report["status"] for report in answer["channels"].values()} <= {"ok", "off"}
    assert answer["query"] == query
    assert await api.by_words(query) == []


@pytest.mark.parametrize(
    "query",
    [
        "widget -drawer",
        "NOT widget",
        '"open quote widget',
        "widget^0",
        "other:widget",
        "widget AND nothing",
        "+nothing widget",
        "(widget",
        "widget)",
        "wid/widget/get",
        "!widget",
        "due: widget",
        "widget~2*",
    ],
)
async def test_the_good_words_of_a_query_still_match(api: Api, query: str) -> None:
    await api.remember("The widget lies in the drawer.")
    await api.remember(DISTRACTOR)

    assert await api.by_words(query) == ["The widget lies in the drawer."]


async def test_a_path_in_a_content_is_found_by_its_parts(api: Api) -> None:
    await api.remember("moved /srv/x/ to pkgs")

    assert await api.by_words("srv") == ["moved /srv/x/ to pkgs"]
    assert await api.by_words("pkgs?") == ["moved /srv/x/ to pkgs"]


@pytest.mark.parametrize("query", ["", " ", "\t\n", "\u3000", "\u00a0\u2003"])
async def test_an_empty_query_is_refused(api: Api, query: str) -> None:
    assert fields(await api.post("/v1/recall", {"query": query})) == ["query"]
    assert fields(await api.call("GET", "/v1/recall", params={"query": query})) == ["query"]


@pytest.mark.parametrize("limit", [0, -1, 101, 10**30, 1.5, "10", None, True])
async def test_a_limit_out_of_range_is_refused(api: Api, limit: object) -> None:
    assert fields(await api.post("/v1/recall", {"query": "a", "limit": limit})) == ["limit"]


@pytest.mark.parametrize("query", ["the of and", "The", "is it", "to be or not to be"])
async def test_stop_words_alone_find_nothing_by_text(api: Api, query: str) -> None:
    await api.remember("The harbour of the town and the pier.", hints=["the of and"])

    results = (await api.recall(query))["results"]
    assert all(set(result["sources"]) <= {"vector"} for result in results)


@pytest.mark.parametrize("query", ["tb-", "tb", "TB-1", "tb-1", " tb-"])
async def test_the_start_of_a_name_offers_the_entity(api: Api, query: str) -> None:
    await api.remember("It leaks.", entities=[{"name": "tb-1"}, {"name": "outboard"}])

    items = (await api.get("/v1/entities", query=query))["items"]
    assert [item["name"] for item in items] == ["tb-1"]


@pytest.mark.parametrize("token", ["q" * 40_000, "0" * 40_000, "界" * 40_000, "é" * 40_000])
async def test_one_endless_token_does_not_hide_the_rest(api: Api, token: str) -> None:
    content = f"lighthouse {token} harbourmaster"
    await api.remember(content)

    answer = await api.recall(token[:40])
    assert answer["channels"]["content"]["status"] == "ok"
    assert await api.by_words("harbourmaster") == [content]
    assert await api.by_words("lighthouse") == [content]
