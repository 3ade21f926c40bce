"""The shape of a recall's answer, and its filters."""

import pytest

from service.api.schemas.recall import RecallBody
from tests.api.client import GENEROUS_MS, Api, fields

CHANNELS = {"content", "hints", "vector", "graph", "currentness", "rerank"}


async def test_the_whole_answer(api: Api) -> None:
    made = await api.remember(
        "The build cache runs on host birch.",
        created_at="2026-03-02T09:00:00+01:00",
        entities=[{"name": "build cache"}],
        hints=["Which machine holds the artefacts?"],
    )
    answer = await api.recall("where does the build cache run?")

    RecallBody.model_validate(answer)
    assert set(answer) == {"query", "results", "timed_out", "channels", "summary", "took_ms"}
    assert answer["query"] == "where does the build cache run?"
    assert answer["timed_out"] is False
    assert answer["summary"] is None
    assert set(answer["channels"]) == CHANNELS
    for report in answer["channels"].values():
        assert report["status"] in ("ok", "off")
        assert report["hits"] >= 0
        assert report["took_ms"] >= 0
    (result,) = answer["results"]
    assert result == {
        "id": made["id"],
        "content": "The build cache runs on host birch.",
        "type": "fact",
        "created_at": "2026-03-02T08:00:00Z",
        "score": result["score"],
        "superseded": False,
        "currentness": None,
        "sources": result["sources"],
        "entities": ["build cache"],
        "explain": None,
    }
    assert result["score"] > 0
    assert {"content", "graph"} <= set(result["sources"])


async def test_a_hint_finds_its_memory(api: Api) -> None:
    await api.remember("Spotify is paid by the team.", hints=["music streaming service"])
    await api.remember("Nothing of the kind.")

    results = (await api.recall("music streaming service"))["results"]
    assert results[0]["content"] == "Spotify is paid by the team."
    assert "hints" in results[0]["sources"]


async def test_compact_keeps_five_fields(api: Api) -> None:
    old = (await api.remember("The cache runs on alder."))["id"]
    await api.remember("The cache runs on birch.", supersedes=[old])
    results = (await api.recall("cache runs on alder", compact=True))["results"]

    assert [set(result) for result in results] == [
        {"id", "content", "score", "superseded", "currentness"}
    ] * 2
    assert results[0]["currentness"] is None
    assert set(results[1]["currentness"]) == {"note"}


async def test_a_query_string_asks_the_same(api: Api) -> None:
    await api.remember("The cache runs on alder.", type="decision")
    await api.remember("The cache runs on birch.")
    by_body = await api.recall("cache runs", types=["decision", "x"], graph=False, limit=5)
    by_query = await api.get(
        "/v1/recall",
        query="cache runs",
        types=["decision", "x"],
        graph="false",
        limit="5",
        deadline_ms=GENEROUS_MS,
    )

    assert by_query["results"] == by_body["results"]
    assert len(by_query["results"]) == 1
    assert by_query["channels"]["graph"]["status"] == "off"


async def test_filters(api: Api) -> None:
    january = await api.remember(
        "harbour in January",
        type="decision",
        created_at="2026-01-15T00:00:00Z",
        entities=[{"name": "Pier 9"}],
    )
    await api.remember("harbour in March", created_at="2026-03-15T00:00:00Z")
    first = await api.remember("harbour plan", created_at="2026-02-01T00:00:00Z")
    await api.remember(
        "harbour plan renewed", created_at="2026-04-01T00:00:00Z", supersedes=[first["id"]]
    )
    pier = january["entities"][0]["id"]

    async def found(**filters: object) -> set[str]:
        return set(await api.found("harbour", **filters))

    everything = {"harbour in January", "harbour in March", "harbour plan", "harbour plan renewed"}
    assert await found() == everything
    assert await found(types=["decision"]) == {"harbour in January"}
    assert await found(entity="PIER 9") == {"harbour in January"}
    assert await found(entity=pier) == {"harbour in January"}
    assert await found(entity="nobody") == set()
    assert await found(since="2026-03-15T00:00:00Z") == {
        "harbour in March",
        "harbour plan renewed",
    }
    assert await found(until="2026-02-01T00:00:00Z") == {"harbour in January"}
    assert await found(include_superseded=False) == everything - {"harbour plan"}
    assert await found(min_score=1_000.0) == set()
    assert len(await found(limit=2)) == 2
    as_of = await api.recall("harbour", as_of="2026-03-01T00:00:00Z")
    shown = {result["content"]: result["superseded"] for result in as_of["results"]}
    assert shown == {"harbour in January": False, "harbour plan": False}


async def test_the_same_query_gives_the_same_order(api: Api) -> None:
    await api.batch([{"content": f"harbour note {n}"} for n in range(50)])

    first = await api.recall("harbour note", limit=50)
    again = await api.recall("harbour note", limit=50)
    assert first["results"] == again["results"]
    scores = [result["score"] for result in first["results"]]
    assert scores == sorted(scores, reverse=True)


async def test_every_field_of_the_contract_is_taken(api: Api) -> None:
    answer = await api.post(
        "/v1/recall",
        {
            "scope": api.scope,
            "query": "where does the build cache run?",
            "limit": 10,
            "deadline_ms": 250,
            "since": None,
            "until": None,
            "as_of": None,
            "types": None,
            "entity": None,
            "min_score": 0.0,
            "include_superseded": True,
            "graph": True,
            "rerank": "noop",
            "session_key": None,
            "compact": False,
            "explain": False,
        },
    )

    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"unknown": 1}, "unknown"),
        ({"query": None}, "query"),
        ({"query": ["a"]}, "query"),
        ({"query": "x" * 10_001}, "query"),
        ({"deadline_ms": 0}, "deadline_ms"),
        ({"deadline_ms": 60_001}, "deadline_ms"),
        ({"deadline_ms": 1.5}, "deadline_ms"),
        ({"min_score": -0.1}, "min_score"),
        ({"min_score": float("nan")}, "min_score"),
        ({"min_score": float("inf")}, "min_score"),
        ({"rerank": "llm"}, "rerank"),
        ({"rerank": ""}, "rerank"),
        ({"types": []}, "types"),
        ({"types": "fact"}, "types"),
        ({"types": [""]}, "types.0"),
        ({"since": "2026-13-40"}, "since"),
        ({"as_of": "soon"}, "as_of"),
        ({"graph": "yes"}, "graph"),
        ({"graph": None}, "graph"),
        ({"entity": " "}, "entity"),
        ({"scope": "t1\n"}, "scope"),
    ],
)
async def test_a_wrong_field_is_refused_by_its_name(
    api: Api, wrong: dict[str, object], field: str
) -> None:
    answer = await api.post("/v1/recall", {"query": "a", **wrong})

    assert field in fields(answer)


async def test_the_shortest_deadline_still_gets_an_answer(api: Api) -> None:
    await api.remember("harbour")
    answer = await api.recall("harbour", deadline_ms=1)

    assert {report["status"] for report in answer["channels"].values()} <= {
        "ok",
        "timed_out",
        "off",
    }
    late = "timed_out" in {report["status"] for report in answer["channels"].values()}
    assert answer["timed_out"] is late
