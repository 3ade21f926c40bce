"""Names and texts of every script."""

import json

import pytest

from tests.api.client import Api, fields


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("跨境运输规则", "运输"),
        ("зубчатое колесо", "колесо"),
        ("混合检索设计", "检索"),
        ("東京タワーの展望台", "タワー"),
        ("ひらがなのめも", "めも"),
        ("서울에서 회의를 했다", "회의"),
        ("Das Straßenfest beginnt", "strassenfest"),
        ("ΟΔΥΣΣΕΥΣ returns", "οδυσσευς"),
        ("İstanbul office", "istanbul"),
        ("ＡＰＩ gateway", "api"),
        ("ﬁnancial report", "financial"),
        ("שלום עולם", "עולם"),
        ("مرحبا بالعالم", "مرحبا"),
        ("naïve approach", "naive"),
        ("Ångström units", "angstrom"),
    ],
)
async def test_text_of_a_script_is_found_by_a_part(api: Api, content: str, query: str) -> None:
    await api.remember(content)
    await api.remember("Something else entirely.")

    assert await api.by_words(query) == [content]


async def test_accents_composed_decomposed_or_left_out_are_one(api: Api) -> None:
    contents = ["At the caf\u00e9 by noon.", "The cafe\u0301 is shut.", "A cafe opened."]
    for content in contents:
        await api.remember(content)

    for query in ("caf\u00e9", "cafe\u0301", "cafe", "CAFÉ"):
        assert sorted(await api.by_words(query)) == sorted(contents)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Electrons", "electrons"),
        ("Deck", "Deck "),
        ("ＡＰＩ", "API"),
        ("Straße", "STRASSE"),
        ("build  cache", "Build\tCache"),
        ("caf\u00e9", "cafe\u0301"),
        ("ﬁle", "FILE"),
        ("Ⅳ", "iv"),
        ("ΣΑΣ", "σας"),
        ("\u00a0Pier\u3000", "pier"),
    ],
)
async def test_two_spellings_of_one_name_are_one_entity(api: Api, one: str, other: str) -> None:
    first = await api.remember("first", entities=[{"name": one}])
    second = await api.remember("second", entities=[{"name": other}])

    assert first["entities"][0]["id"] == second["entities"][0]["id"]
    (entity,) = await api.every("/v1/entities")
    assert entity["mentions"] == 2
    assert entity["name"].strip() == one.strip()


@pytest.mark.parametrize(
    ("one", "other"), [("Go", "Gopher"), ("Rost", "Röst"), ("C", "C++"), ("a b", "ab")]
)
async def test_two_names_are_two_entities(api: Api, one: str, other: str) -> None:
    await api.remember("first", entities=[{"name": one}])
    await api.remember("second", entities=[{"name": other}])

    entities = await api.every("/v1/entities", order="name")
    assert {entity["name"] for entity in entities} == {one, other}
    assert [entity["mentions"] for entity in entities] == [1, 1]


async def test_a_short_name_inside_a_word_is_no_mention(api: Api) -> None:
    await api.remember("A language.", entities=[{"name": "Go"}])
    made = await api.remember("The gopher digs; let us forego it.")

    assert made["entities"] == []


async def test_the_first_type_of_an_entity_stays(api: Api) -> None:
    await api.remember("one", entities=[{"name": "THALIA", "type": "animal"}])
    await api.remember("two", entities=[{"name": "Thalia", "type": "person"}])

    (entity,) = await api.every("/v1/entities")
    assert entity["name"] == "THALIA"
    assert entity["type"] == "animal"
    assert entity["mentions"] == 2


async def test_the_same_name_in_two_scopes_is_two_entities(api: Api) -> None:
    other = api.within(f"{api.scope}-other")
    relation = {"source": "Dock", "target": "Pier", "type": "next to"}
    mine = await api.remember("The dock is mine.", relations=[relation])
    await other.remember("The dock is theirs.", relations=[relation])
    await other.remember("The pier is theirs.")

    entity = (await api.entity("Dock"))["id"]
    assert entity != (await other.entity("Dock"))["id"]
    assert (await api.entity("Dock"))["mentions"] == 1
    for query in ("dock", "pier", "theirs"):
        assert set(await api.found(query)) <= {"The dock is mine."}
    around = await api.get(f"/v1/entities/{entity}/neighbors")
    assert {node["scope"] for node in around["nodes"]} == {api.scope}
    memories = await api.every(f"/v1/entities/{entity}/memories")
    assert [memory["id"] for memory in memories] == [mine["id"]]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ('{"content": "a\\u0000b"}', "content"),
        ('{"content": "a\\ud800b"}', "content"),
        ('{"content": "\\udfff\\ud800"}', "content"),
        ('{"content": "a", "type": "a\\u0000b"}', "type"),
        ('{"content": "a", "speaker": "a\\ud800"}', "speaker"),
        ('{"content": "a", "session": "a\\u0000"}', "session"),
        ('{"content": "a", "source": "a\\u0000"}', "source"),
        ('{"content": "a", "scope": "a\\u0000b"}', "scope"),
        ('{"content": "a", "scope": "\\ud800"}', "scope"),
        ('{"content": "a", "metadata": {"k": "a\\u0000b"}}', "metadata.k"),
        ('{"content": "a", "metadata": {"k": ["\\ud800"]}}', "metadata.k.0"),
        ('{"content": "a", "metadata": {"a\\u0000b": 1}}', "metadata"),
        ('{"content": "a", "metadata": {"\\ud800": 1}}', "metadata"),
        ('{"content": "a", "hints": ["a\\u0000b"]}', "hints.0"),
        ('{"content": "a", "supersedes": ["a\\u0000b"]}', "supersedes.0"),
        ('{"content": "a", "supersedes": ["\\ud800"]}', "supersedes.0"),
        ('{"content": "a", "entities": [{"name": "a\\u0000b"}]}', "entities.0.name"),
        ('{"content": "a", "entities": [{"name": "\\ud800"}]}', "entities.0.name"),
        (
            '{"content": "a", "entities": [{"name": "a", "mention_text": "\\u0000"}]}',
            "entities.0.mention_text",
        ),
        (
            '{"content": "a", "relations": [{"source": "a", "target": "\\ud800", "type": "t"}]}',
            "relations.0.target",
        ),
        (
            '{"content": "a", "attributes": [{"entity": "a", "aspect": "b", "value": "\\u0000"}]}',
            "attributes.0.value",
        ),
        ('{"content": "a", "\\ud800": 1}', "body"),
    ],
)
async def test_what_no_store_keeps_is_refused_by_its_field(api: Api, body: str, field: str) -> None:
    answer = await api.http.post(
        "/v1/memories", content=body, headers={"content-type": "application/json"}
    )

    assert fields(answer) == [field]
    assert (await api.remember("a later call"))["content"] == "a later call"


@pytest.mark.parametrize("text", ["a\\u0000b", "a\\ud800b"])
async def test_what_no_store_keeps_cannot_be_asked_for(api: Api, text: str) -> None:
    bodies = {
        "query": f'{{"query": "{text}"}}',
        "entity": f'{{"query": "a", "entity": "{text}"}}',
        "types.0": f'{{"query": "a", "types": ["{text}"]}}',
        "session_key": f'{{"query": "a", "session_key": "{text}"}}',
    }
    for field, body in bodies.items():
        answer = await api.http.post(
            "/v1/recall", content=body, headers={"content-type": "application/json"}
        )
        assert fields(answer) == [field]


@pytest.mark.parametrize(
    "text",
    [
        "<|endoftext|>",
        "[CLS] [SEP] [MASK] [PAD]",
        "<s></s><unk>",
        "🚀🚀",
        "👩‍👩‍👧‍👦 family",
        "שלום לכולם",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈 𠜎",
        "\u200bzero width",
        "a\u202eb",
        "null",
        "None",
        "NaN",
    ],
)
async def test_any_text_is_stored_in_every_field_and_found(api: Api, text: str) -> None:
    made = await api.remember(
        f"{text} harbour",
        type="note",
        session=text,
        speaker=text,
        source=text,
        metadata={text: text},
        hints=[text],
        entities=[{"name": text, "type": text, "mention_text": text}],
        relations=[{"source": text, "target": "pier", "type": f"runs {text}"}],
        attributes=[
            {
                "entity": text,
                "aspect": f"a {text}",
                "group_key": text,
                "claim_key": text,
                "value": text,
            }
        ],
    )

    detail = await api.get(f"/v1/memories/{made['id']}")
    assert detail["content"] == f"{text} harbour"
    assert detail["metadata"] == {text: text}
    assert detail["speaker"] == detail["session"] == detail["source"] == text
    assert detail["attributes"][0]["value"] == text
    assert await api.found(text) == [f"{text} harbour"]
    slot = await api.get(
        "/v1/slots", entity=text, aspect=f"a {text}", group_key=text, claim_key=text
    )
    assert slot["current"]["value"] == text


async def test_an_emoji_alone_is_a_memory_that_is_found(api: Api) -> None:
    await api.remember("🚀🚀")
    await api.remember("no rocket at all")

    assert (await api.found("🚀🚀"))[0] == "🚀🚀"


async def test_a_canonical_form_that_outgrows_an_index_key_is_refused(api: Api) -> None:
    name = "\ufdfa" * 300
    answer = await api.post("/v1/memories", {"content": "a", "entities": [{"name": name}]})

    assert fields(answer) == ["entities.0.name"]
    assert json.loads(answer.text)["status"] == 422
