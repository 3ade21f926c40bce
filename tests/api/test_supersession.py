"""What was replaced stands behind what replaced it, marked, by whichever route it was replaced."""

import pytest

from tests.api.client import Api, fields
from tests.api.residence import history, lives_in


async def edges(api: Api, memory: str) -> list[tuple[str, str]]:
    lineage = await api.get(f"/v1/memories/{memory}/lineage")
    assert {edge["type"] for edge in lineage["edges"]} <= {"SUPERSEDES"}
    return sorted((edge["source"], edge["target"]) for edge in lineage["edges"])


async def assert_marked(api: Api, old: str, new: str) -> None:
    """The old one is marked wherever it is shown, and points to the new one."""
    detail = await api.get(f"/v1/memories/{old}")
    assert detail["superseded"] is True
    assert new in [link["memory_id"] for link in detail["superseded_by"]]
    listed = {item["id"]: item["superseded"] for item in await api.every("/v1/memories")}
    assert listed[old] is True
    for compact in (False, True):
        answer = await api.recall(detail["content"], compact=compact, limit=50)
        ranked = [result["id"] for result in answer["results"]]
        result = answer["results"][ranked.index(old)]
        assert result["superseded"] is True
        assert result["currentness"]["note"]
        assert ranked.index(new) < ranked.index(old)
        if not compact:
            assert result["currentness"]["replaced_by"]["memory_id"]


async def test_replaced_by_a_remember(api: Api) -> None:
    old = (await api.remember("The cache runs on alder."))["id"]
    answer = await api.remember("The cache runs on birch.", supersedes=[old])

    assert answer["superseded_memories"] == [old]
    assert await edges(api, old) == [(answer["id"], old)]
    await assert_marked(api, old, answer["id"])


async def test_replaced_by_the_link_call(api: Api) -> None:
    old = (await api.remember("The cache runs on alder."))["id"]
    new = (await api.remember("The cache runs on birch."))["id"]
    answer = await api.supersede(new, old, reason="moved")

    assert answer.status_code == 201
    edge = answer.json()
    assert (edge["source"], edge["target"], edge["type"]) == (new, old, "SUPERSEDES")
    assert edge["reason"] == "moved"
    assert await edges(api, new) == [(new, old)]
    await assert_marked(api, old, new)


async def test_replaced_by_a_slot(api: Api) -> None:
    old = await api.remember(
        "Mara lives in Berlin.", created_at="2026-01-01T00:00:00Z", **lives_in("Berlin")
    )
    new = await api.remember(
        "Mara has a flat in Munich.", created_at="2026-02-01T00:00:00Z", **lives_in("Munich")
    )

    assert old["superseded_attributes"] == []
    assert len(new["superseded_attributes"]) == 1
    assert new["superseded_memories"] == [old["id"]]
    assert await history(api) == ("Munich", [("Munich", "active"), ("Berlin", "superseded")])
    await assert_marked(api, old["id"], new["id"])


async def test_itself_a_circle_and_the_same_again(api: Api) -> None:
    a, b, c = [(await api.remember(f"note {name}"))["id"] for name in "abc"]

    assert fields(await api.supersede(a, a)) == ["target_id"]
    assert (await api.supersede(a, b)).status_code == 201
    assert (await api.supersede(b, a)).status_code == 409
    assert (await api.supersede(b, c)).status_code == 201
    assert (await api.supersede(c, a)).status_code == 409
    assert (await api.supersede(a, b)).status_code == 200
    assert await edges(api, a) == sorted([(a, b), (b, c)])


async def test_a_replacement_is_taken_back(api: Api) -> None:
    old = (await api.remember("The cache runs on alder."))["id"]
    new = (await api.remember("The cache runs on birch.", supersedes=[old]))["id"]
    path = f"/v1/memories/{new}/supersedes/{old}"

    assert (await api.call("DELETE", path)).status_code == 204
    assert (await api.call("DELETE", path)).status_code == 404
    assert (await api.get(f"/v1/memories/{old}"))["superseded"] is False
    results = (await api.recall("cache runs on alder"))["results"]
    assert results[0]["id"] == old
    assert not any(result["superseded"] for result in results)


async def test_the_head_of_a_long_chain_wins_and_the_note_names_it(api: Api) -> None:
    ids = [(await api.remember("The original wording names a lighthouse."))["id"]]
    for step in range(1, 40):
        answer = await api.remember(f"Revision {step} of the plan.", supersedes=[ids[-1]])
        ids.append(answer["id"])

    results = (await api.recall("original wording lighthouse", limit=50))["results"]
    assert results[0]["id"] == ids[-1]
    oldest = next(result for result in results if result["id"] == ids[0])
    assert oldest["currentness"]["replaced_by"]["memory_id"] == ids[-1]
    note = oldest["currentness"]["note"]
    assert "Revision 1 of the plan." in note or ids[1] in note
    assert "Revision 39 of the plan." in note or ids[-1] in note
    detail = await api.get(f"/v1/memories/{ids[0]}")
    assert [link["memory_id"] for link in detail["superseded_by"]] == [ids[1]]
    assert [link["memory_id"] for link in detail["heads"]] == [ids[-1]]
    assert len(await edges(api, ids[20])) == 39


async def test_a_fork_lists_both_newest_first(api: Api) -> None:
    old = (await api.remember("The old plan."))["id"]
    first = (await api.remember("Plan one.", created_at="2026-01-01T00:00:00Z"))["id"]
    second = (await api.remember("Plan two.", created_at="2026-02-01T00:00:00Z"))["id"]
    for new in (second, first):
        await api.supersede(new, old)

    detail = await api.get(f"/v1/memories/{old}")
    assert [link["memory_id"] for link in detail["heads"]] == [second, first]
    assert {link["memory_id"] for link in detail["superseded_by"]} == {first, second}
    answer = await api.recall("The old plan.")
    ranked = [result["id"] for result in answer["results"]]
    assert ranked.index(old) > max(ranked.index(first), ranked.index(second))


@pytest.mark.parametrize("target", ["1a2b3c4d", "nope", "00000000-0000-0000-0000-000000000000"])
async def test_an_unknown_target_is_not_found_and_nothing_is_written(api: Api, target: str) -> None:
    made = (await api.remember("stays"))["id"]

    remembered = await api.post("/v1/memories", {"content": "never", "supersedes": [target]})
    assert remembered.status_code == 404
    assert (await api.supersede(made, target)).status_code == 404
    assert (await api.supersede(target, made)).status_code == 404
    assert [item["content"] for item in await api.every("/v1/memories")] == ["stays"]


async def test_a_target_of_another_scope_is_not_found(api: Api) -> None:
    other = api.within(f"{api.scope}-other")
    theirs = (await other.remember("theirs"))["id"]
    mine = (await api.remember("mine"))["id"]

    answer = await api.post("/v1/memories", {"content": "never", "supersedes": [theirs]})
    assert answer.status_code == 404
    assert (await api.supersede(mine, theirs)).status_code == 404
    assert (await api.supersede(theirs, mine)).status_code == 404
    assert (await other.get(f"/v1/memories/{theirs}"))["superseded"] is False


async def test_a_memory_cannot_replace_what_it_would_be_stored_as(api: Api) -> None:
    made = (await api.remember("the same text"))["id"]
    answer = await api.post("/v1/memories", {"content": "the  same text", "supersedes": [made]})

    assert answer.status_code == 422
    assert (await api.get(f"/v1/memories/{made}"))["superseded"] is False


async def test_a_correction_that_quotes_the_wrong_wording_ranks_first(api: Api) -> None:
    wrong = "The release train leaves on Tuesday at nine from platform four."
    stale = await api.remember(
        wrong,
        entities=[{"name": f"release train part {n}"} for n in range(10)],
        hints=[f"When does release train {n} leave?" for n in range(10)],
    )
    new = await api.remember(
        f'It was said: "{wrong}" That is wrong: it leaves on Thursday.',
        supersedes=[stale["id"]],
    )

    for query in (wrong, "release train Tuesday platform four", "When does release train 3 leave?"):
        results = (await api.recall(query))["results"]
        assert results[0]["id"] == new["id"], query
        assert results[1]["superseded"] is True


async def test_traversal_earns_nothing_across_a_replacement(api: Api) -> None:
    old = await api.remember("Heron nests in the north.", entities=[{"name": "marsh"}])
    new = await api.remember(
        "Kingfisher moved there.", entities=[{"name": "quarry"}], supersedes=[old["id"]]
    )

    ranked = [result["id"] for result in (await api.recall("kingfisher quarry"))["results"]]
    assert ranked[0] == new["id"]
    results = (await api.recall("kingfisher quarry"))["results"]
    for result in results:
        if result["id"] == old["id"]:
            assert "graph" not in result["sources"]


async def test_a_correction_without_a_word_of_the_query_ranks_first(api: Api) -> None:
    stale = (await api.remember("Deploys are approved by the release captain."))["id"]
    new = (await api.remember("Anybody on call may ship since June.", supersedes=[stale]))["id"]
    for start in range(0, 2_000, 1_000):
        await api.batch(
            [{"content": f"Minutes {start + n}: ship {n} met heavy weather."} for n in range(1_000)]
        )

    results = (await api.recall("who approved deploys, the release captain?"))["results"]
    ranked = [result["id"] for result in results]
    assert ranked[0] == new
    assert "succession" in results[0]["sources"]
    assert results[ranked.index(stale)]["superseded"] is True


async def test_every_copy_of_the_old_value_is_demoted(api: Api) -> None:
    copies = [
        await api.remember(text, created_at=f"2026-01-0{day}T00:00:00Z", **lives_in("Berlin"))
        for day, text in enumerate(
            (
                "Mara lives in Berlin.",
                "Home for Mara: Berlin.",
                "Berlin is Mara's city.",
                "Mara is a Berlin resident.",
            ),
            start=1,
        )
    ]
    new = await api.remember(
        "Mara went to Munich for good.", created_at="2026-03-01T00:00:00Z", **lives_in("Munich")
    )

    assert set(new["superseded_memories"]) == {copy["id"] for copy in copies}
    results = (await api.recall("Mara lives in Berlin"))["results"]
    assert results[0]["id"] == new["id"]
    assert {r["id"] for r in results if r["superseded"]} == {copy["id"] for copy in copies}


async def test_a_deleted_correction_demotes_nothing_and_the_lineage_says_why(api: Api) -> None:
    old = (await api.remember("The cache runs on alder."))["id"]
    new = (await api.remember("The cache runs on birch.", supersedes=[old]))["id"]
    await api.call("DELETE", f"/v1/memories/{new}")

    detail = await api.get(f"/v1/memories/{old}")
    assert detail["superseded"] is False
    results = (await api.recall("cache runs on alder"))["results"]
    assert [(result["id"], result["superseded"]) for result in results] == [(old, False)]
    lineage = await api.get(f"/v1/memories/{old}/lineage")
    assert lineage["edges"] == []
    (ended,) = lineage["ended"]
    assert (ended["source"], ended["target"]) == (new, old)
    assert ended["ended_at"]
    assert ended["ended_because"]


async def test_the_middle_of_a_chain_goes_and_the_old_stays_behind_the_new(api: Api) -> None:
    a = (await api.remember("The cache runs on alder."))["id"]
    b = (await api.remember("The cache runs on birch.", supersedes=[a]))["id"]
    c = (await api.remember("The cache runs on cedar.", supersedes=[b]))["id"]
    await api.call("DELETE", f"/v1/memories/{b}")

    assert (await api.get(f"/v1/memories/{a}"))["superseded"] is True
    assert await edges(api, a) == [(c, a)]
    results = (await api.recall("cache runs on alder"))["results"]
    assert [result["id"] for result in results] == [c, a]


async def test_the_end_of_a_chain_goes_and_the_middle_is_current_again(api: Api) -> None:
    a = (await api.remember("The cache runs on alder."))["id"]
    b = (await api.remember("The cache runs on birch.", supersedes=[a]))["id"]
    c = (await api.remember("The cache runs on cedar.", supersedes=[b]))["id"]
    await api.call("DELETE", f"/v1/memories/{c}")

    assert (await api.get(f"/v1/memories/{b}"))["superseded"] is False
    assert (await api.get(f"/v1/memories/{a}"))["superseded"] is True


async def test_there_and_back_again_is_three_memories_as_text(api: Api) -> None:
    first = (await api.remember("Mara lives in Berlin."))["id"]
    second = (await api.remember("Mara lives in Munich.", supersedes=[first]))["id"]
    third = await api.remember("Mara lives in Berlin.", supersedes=[second])

    assert third["deduplicated"] is False
    assert third["id"] not in (first, second)
    assert third["superseded"] is False
    results = (await api.recall("Mara lives in Berlin."))["results"]
    assert results[0]["id"] == third["id"]
    assert {r["id"] for r in results if r["superseded"]} == {first, second}
