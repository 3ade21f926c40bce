"""Moving in from another product as a person does: look first, then apply, as often as wanted."""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from service.cli.foreign import moving
from service.client import Client
from tests.cli.served import Served
from tests.mnemon_store import Edge, Insight, both_ways, make


@pytest.fixture
def client(served: Served, scope: str) -> Iterator[Client]:
    with Client(served.url, scope=scope) as client:
        yield client


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with a chain, a pair of edges, a fork, a cycle, and what cannot be carried over."""
    return make(
        tmp_path / "mnemon.db",
        [
            Insight(
                "i-alder", "The cache runs on alder.", "2025-01-01", entities='["cache", "alder"]'
            ),
            Insight("i-birch", "The cache runs on birch.", "2025-02-01", entities='["cache"]'),
            Insight("i-cedar", "The cache runs on cedar.", "2025-03-01", "decision", 5),
            Insight("i-berlin", "Ana lives in Berlin.", "2025-01-02"),
            Insight("i-munich", "Ana lives in Munich.", "2025-01-03"),
            Insight("i-again", "Ana lives in Berlin.", "2025-01-04"),
            Insight("i-one", "Rock", "2025-01-05"),
            Insight("i-two", "Paper", "2025-01-05"),
            Insight("i-gone", "Forgotten.", "2025-01-06", deleted_at="2025-01-07"),
        ],
        [
            *both_ways("i-alder", "i-birch", "moved"),
            Edge("i-cedar", "i-birch"),
            Edge("i-munich", "i-berlin"),
            Edge("i-again", "i-munich"),
            *both_ways("i-one", "i-two"),
            Edge("i-alder", "i-cedar", "semantic"),
        ],
    )


def contents(client: Client) -> set[tuple[str, str, bool]]:
    """Day, text, and whether it is replaced, of every memory of the scope."""
    return {
        (each["created_at"][:10], each["content"], each["superseded"]) for each in client.memories()
    }


class Broken(Exception):
    """The import ends here, as by a kill."""


CARRIED = {
    ("2025-01-01", "The cache runs on alder.", True),
    ("2025-02-01", "The cache runs on birch.", True),
    ("2025-03-01", "The cache runs on cedar.", False),
    ("2025-01-02", "Ana lives in Berlin.", True),
    ("2025-01-03", "Ana lives in Munich.", True),
    ("2025-01-04", "Ana lives in Berlin.", False),
    ("2025-01-05", "Rock", False),
    ("2025-01-05", "Paper", False),
}


def test_a_dry_run_tells_and_writes_nothing(
    served: Served, client: Client, scope: str, path: Path
) -> None:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    told = served.move_in("mnemon", path, scope)
    assert told["dry_run"]
    assert told["carried_over"]["insights"] == 8
    assert told["carried_over"]["replacements"] == 4
    assert told["carried_over"]["entities"] == 2
    assert {(loss["kind"], loss["count"]) for loss in told["left_behind"]} == {
        ("insight", 1), ("edge semantic", 1), ("replacement", 1), ("reverse edge", 1),
    }  # fmt: skip
    assert told["left_behind"][0]["examples"] == ["i-gone"]
    assert "direction" in told["notes"][0]
    assert list(client.memories()) == []
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_the_tables_for_people_say_the_same(served: Served, scope: str, path: Path) -> None:
    done = served.run("import", "--from", "mnemon", str(path), "--scope", scope)
    assert done.returncode == 0, done.stderr
    for words in (
        "would be carried over", "left behind", "was deleted in mnemon", "i-gone",
        "Nothing was written. With --apply it is.",
    ):  # fmt: skip
        assert words in done.stdout


def test_applied_everything_is_there_in_its_time_and_order(
    served: Served, client: Client, scope: str, path: Path
) -> None:
    told = served.move_in("mnemon", path, scope, "--apply")
    assert told["carried_over"]["insights"] == 8
    assert told["failures"] == []
    assert contents(client) == CARRIED
    by_id = {each["metadata"]["mnemon"]["id"]: each for each in client.memories()}
    cedar = by_id["i-cedar"]
    assert (cedar["type"], cedar["importance"]) == ("decision", 1.0)
    assert cedar["created_at"] == "2025-03-01T00:00:00Z"
    birch = client.memory(by_id["i-birch"]["id"])
    assert [each["memory_id"] for each in birch["superseded_by"]] == [cedar["id"]]
    assert [(each["memory_id"], each["reason"]) for each in birch["supersedes"]] == [
        (by_id["i-alder"]["id"], "moved")
    ]
    found = client.recall("Where does the cache run?", deadline_ms=20_000)["results"]
    assert found[0]["content"] == "The cache runs on cedar."
    assert client.doctor()["differences"] == []


def test_applied_twice_nothing_changes(
    served: Served, client: Client, scope: str, path: Path
) -> None:
    served.move_in("mnemon", path, scope, "--apply")
    before = served.export(scope)
    told = served.move_in("mnemon", path, scope, "--apply")
    assert told["carried_over"]["insights"] == told["carried_over"]["replacements"] == 0
    assert told["there_already"] == {"insights": 8, "replacements": 4}
    assert served.export(scope) == before


def test_broken_off_anywhere_and_run_again_it_is_complete(
    served: Served, path: Path, scope: str
) -> None:
    store = moving.read("mnemon", path)
    for stop_at in (1, 4, 6, 8):
        with Client(served.url, scope=f"{scope}-{stop_at}") as part:
            left = stop_at

            def moved() -> None:
                nonlocal left
                left -= 1
                if left == 0:
                    raise Broken

            with pytest.raises(Broken):
                moving.carry(part, store, moving.compare(part, store), batch=1, moved=moved)
            assert moving.carry(part, store, moving.compare(part, store)).failures == []
            assert contents(part) == CARRIED, stop_at


def test_what_was_changed_here_since_is_left_so(
    served: Served, client: Client, scope: str, path: Path
) -> None:
    served.move_in("mnemon", path, scope, "--apply")
    by_id = {each["metadata"]["mnemon"]["id"]: each["id"] for each in client.memories()}
    client.forget(by_id["i-one"])
    revised = {"scope": scope, "content": "The cache runs on cedar, by the sea."}
    httpx.patch(f"{served.url}/v1/memories/{by_id['i-cedar']}", json=revised).raise_for_status()
    client.forget(by_id["i-cedar"])
    newer = client.remember({"content": "Scissors", "supersedes": [by_id["i-two"]]})
    client.retract(by_id["i-munich"], by_id["i-berlin"])
    before = served.export(scope)
    told = served.move_in("mnemon", path, scope, "--apply")
    assert told["carried_over"]["insights"] == told["carried_over"]["replacements"] == 0
    reasons = {loss["why"] for loss in told["left_behind"]}
    assert "was deleted here: it is not brought back" in reasons
    assert "was taken back here: it is left so" in reasons
    assert served.export(scope) == before
    assert newer["id"] in before


def test_a_text_that_is_here_from_elsewhere_is_one_memory(
    served: Served, client: Client, scope: str, path: Path
) -> None:
    kept = client.remember({"content": "The cache runs on cedar.", "source": "chat"})
    told = served.move_in("mnemon", path, scope, "--apply")
    assert told["carried_over"]["insights"] == 7
    assert client.memory(kept["id"])["source"] == "chat"
    before = served.export(scope)
    served.move_in("mnemon", path, scope, "--apply")
    assert served.export(scope) == before


def test_no_scope_sees_what_goes_into_another(
    served: Served, client: Client, scope: str, path: Path
) -> None:
    with Client(served.url, scope=f"{scope}-other") as other:
        served.move_in("mnemon", path, scope, "--apply")
        assert list(other.memories()) == []
        assert list(other.deleted()) == []
        told = served.move_in("mnemon", path, other.scope)
        assert told["carried_over"]["insights"] == 8


def test_deleted_memories_are_listed_without_their_text(client: Client) -> None:
    known = {"mnemon": {"id": "Secret id"}, "other": {"id": 7}, "ticket": "Secret ticket"}
    kept = [
        client.remember({"content": f"Secret {number}", "metadata": {} if number else known})["id"]
        for number in range(3)
    ]
    assert list(client.deleted()) == []
    for each in kept:
        client.forget(each)
    found = list(client.deleted())
    assert [each["id"] for each in found] == kept
    assert len({each["content_key"] for each in found}) == 3
    assert [len(each["origin_keys"]) for each in found] == [1, 0, 0]
    assert "Secret" not in json.dumps(found)
    client.forget(kept[1], purge=True)
    assert [each["id"] for each in client.deleted()] == [kept[0], kept[2]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"id,content\n1,It rains.\n", "is no SQLite file: it begins with b'id,content"),
        (b"", "is no SQLite file: it is empty"),
    ],
)
def test_a_file_of_another_kind_is_refused_in_one_line(
    served: Served, scope: str, tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    done = served.run("import", "--from", "mnemon", str(path), "--scope", scope)
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_another_database_and_a_newer_version_are_refused(
    served: Served, scope: str, path: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE moz_places (id INTEGER)")
    done = served.run("import", "--from", "mnemon", str(other), "--scope", scope)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "its tables are moz_places" in done.stderr
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 9")
    done = served.run("import", "--from", "mnemon", str(path), "--scope", scope, "--apply")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "user_version 9" in done.stderr


def test_apply_goes_with_from(served: Served, scope: str) -> None:
    done = served.run("import", "-", "--apply", "--scope", scope, stdin="{}")
    assert done.returncode == 2
    assert "--from" in done.stderr
