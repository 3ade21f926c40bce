"""As many results as there are, each memory once."""

from tests.api.client import Api


async def test_a_limit_above_what_there_is_gives_what_there_is(api: Api) -> None:
    for n in range(3):
        await api.remember(f"note {n} about harbours")

    answer = await api.recall("note about harbours", limit=10)
    assert len(answer["results"]) == 3
    assert answer["channels"]["vector"] == {
        **answer["channels"]["vector"],
        "status": "ok",
        "hits": 3,
    }


async def test_what_is_left_after_deletions_is_found(api: Api) -> None:
    made = [await api.remember(f"note {n} about harbours") for n in range(10)]
    for memory in made[:8]:
        await api.call("DELETE", f"/v1/memories/{memory['id']}")

    found = await api.found("note about harbours", limit=5)
    assert sorted(found) == ["note 8 about harbours", "note 9 about harbours"]


async def test_a_scope_of_one_in_a_large_store_is_found(api: Api) -> None:
    crowd = api.within(f"{api.scope}-crowd")
    for start in range(0, 2_000, 1_000):
        await crowd.batch([{"content": f"harbour note {start + n}"} for n in range(1_000)])
    await api.remember("the one harbour note")

    answer = await api.recall("harbour note", limit=3)
    assert [result["content"] for result in answer["results"]] == ["the one harbour note"]
    assert "vector" in answer["results"][0]["sources"]


async def test_an_empty_scope_gives_nothing_and_says_so(api: Api) -> None:
    answer = await api.recall("anything")

    assert answer["results"] == []
    assert answer["timed_out"] is False
    assert {report["status"] for report in answer["channels"].values()} <= {"ok", "off"}


async def test_a_memory_updated_often_is_found_once(api: Api) -> None:
    made = await api.remember("the harbour, version 0")
    for version in range(1, 101):
        answer = await api.call(
            "PATCH",
            f"/v1/memories/{made['id']}",
            json={"content": f"the harbour, version {version}"},
            params={"wait": str(version == 100).lower()},
        )
        assert answer.status_code in (200, 202)

    assert await api.found("the harbour, version") == ["the harbour, version 100"]


async def test_a_text_of_several_passages_is_one_result(api: Api) -> None:
    content = " ".join(f"word{n}" for n in range(3_000)) + " the heron nests here"
    await api.remember(content)
    await api.remember("something else")

    assert await api.by_words("heron nests") == [content]
    results = (await api.recall("heron nests here"))["results"]
    assert len([result for result in results if result["content"] == content]) == 1
