"""Moving in from Signet: memories, their graph, slots and replacements, once and again."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from service.client import Client
from tests.cli.served import Served
from tests.signet_store import make


@pytest.fixture
def client(served: Served, scope: str) -> Iterator[Client]:
    with Client(served.url, scope=scope) as client:
        yield client


@pytest.fixture
def path(tmp_path: Path) -> Path:
    host = {"claim_key": "host", "group_key": "location", "aspect_id": "a-1"}
    return make(tmp_path / "memories.db", {
        "memories": [
            {"id": "m1", "content": "The cache runs on alder.", "memory_kind": "episodic",
             "created_at": "2025-01-01T00:00:00Z"},
            {"id": "m2", "content": "The cache moved to birch.", "importance": 0.9,
             "created_at": "2025-02-01T00:00:00Z"},
            {"id": "m3", "content": "Stand-up is at nine.", "superseded_by": "m4",
             "superseded_reason": "corrected", "created_at": "2025-01-03T00:00:00Z"},
            {"id": "m4", "content": "Stand-up is at ten.", "pinned": 1,
             "created_at": "2025-01-04T00:00:00Z"},
            {"id": "m5", "content": "Forgotten.", "is_deleted": 1},
            {"id": "m6", "content": "Of another agent.", "agent_id": "scout"},
            {"id": "m7", "content": "Backups go to Paris.", "created_at": "2025-01-09T00:00:00Z"},
        ],
        "entities": [
            {"id": "e1", "name": "build cache"},
            {"id": "e2", "name": "birch", "entity_type": "host"},
            {"id": "e3", "name": "backups"}, {"id": "e4", "name": "Nobody"},
        ],
        "memory_entity_mentions": [
            {"memory_id": "m1", "entity_id": "e1", "mention_text": "The cache"},
            {"memory_id": "m2", "entity_id": "e1", "confidence": 0.7},
            {"memory_id": "m2", "entity_id": "e2"},
        ],
        "entity_dependencies": [
            {"id": "d1", "source_entity_id": "e1", "target_entity_id": "e2",
             "dependency_type": "depends_on", "confidence": 0.6},
        ],
        "entity_aspects": [
            {"id": "a-1", "entity_id": "e1", "name": "deployment"},
            {"id": "a-2", "entity_id": "e3", "name": "placement", "weight": 0.9},
        ],
        "entity_attributes": [
            {"id": "t1", "memory_id": "m1", "content": "alder", "status": "superseded",
             "created_at": "2025-01-01T00:00:00Z", **host},
            {"id": "t2", "memory_id": "m2", "content": "birch",
             "created_at": "2025-02-01T00:00:00Z", **host},
            {"id": "t3", "aspect_id": "a-2", "content": "Frankfurt", "kind": "constraint",
             "claim_key": "region", "created_at": "2025-01-05T00:00:00Z"},
        ],
        "memory_hints": [
            {"id": "h1", "memory_id": "m2", "hint": "Where does the compiler keep its output?"},
        ],
    })  # fmt: skip


def test_everything_is_carried_over_and_the_second_run_changes_nothing(
    served: Served, client: Client, scope: str, path: Path
) -> None:
    told = served.move_in("signet", path, scope)
    assert told["dry_run"]
    assert told["carried_over"] == {
        "memories": 6, "replacements": 1, "entities": 2, "relations": 1, "attributes": 3,
        "hints": 1,
    }  # fmt: skip
    assert list(client.memories()) == []

    served.move_in("signet", path, scope, "--apply")
    memories = {each["metadata"]["signet"]["id"]: each for each in client.memories()}
    assert {key for key, each in memories.items() if each["superseded"]} == {"m1", "m3"}
    assert memories["m4"]["pinned"]
    assert memories["attribute:t3"]["type"] == "constraint"
    detail = client.memory(memories["m2"]["id"])
    assert [(each["name"], each["confidence"]) for each in detail["entities"]] == [
        ("birch", 1.0), ("build cache", 0.7),
    ]  # fmt: skip
    assert detail["hints"] == ["Where does the compiler keep its output?"]
    rows = {row["content"]: row for row in map(json.loads, served.export(scope).splitlines())}
    birch = rows["The cache moved to birch."]
    assert [(each["type"], each["confidence"]) for each in birch["relations"]] == [
        ("depends_on", 0.6)
    ]
    stand_up = rows["Stand-up is at ten."]
    assert list(stand_up["reasons"].values()) == ["corrected"]

    slot = httpx.get(
        f"{served.url}/v1/slots",
        params={"scope": scope, "entity": "build cache", "aspect": "deployment",
                "group_key": "location", "claim_key": "host"},
    ).json()  # fmt: skip
    assert slot["current"]["value"] == "birch"
    assert [each["value"] for each in slot["history"]] == ["birch", "alder"]
    found = client.recall("Where does the compiler keep its output?", deadline_ms=20_000)
    assert found["results"][0]["id"] == memories["m2"]["id"]
    assert "hints" in found["results"][0]["sources"]

    before = served.export(scope)
    told = served.move_in("signet", path, scope, "--apply")
    assert told["carried_over"]["memories"] == told["carried_over"]["replacements"] == 0
    assert told["there_already"] == {"memories": 6, "replacements": 1}
    assert served.export(scope) == before
    assert client.doctor()["differences"] == []


def test_a_claim_against_a_constraint_that_is_here_is_told(
    served: Served, client: Client, scope: str, path: Path
) -> None:
    client.remember({
        "content": "The cache must run on elm.", "created_at": "2025-01-15",
        "attributes": [{"entity": "build cache", "aspect": "deployment", "value": "elm",
                        "group_key": "location", "claim_key": "host", "kind": "constraint"}],
    })  # fmt: skip
    told = served.move_in("signet", path, scope, "--apply")
    assert [each["where"] for each in told["not_written"]] == ["memory m2"]
    assert "'elm'; proposed was 'birch'" in told["not_written"][0]["why"]


def test_an_agent_is_chosen(served: Served, client: Client, scope: str, path: Path) -> None:
    served.move_in("signet", path, scope, "--apply", "--agent", "scout")
    assert [each["content"] for each in client.memories()] == ["Of another agent."]
    done = served.run("import", "--from", "signet", str(path), "--agent", "who", "--scope", scope)
    assert done.returncode == 1
    assert "'who' is not in the file; there are ['default', 'scout']" in done.stderr
