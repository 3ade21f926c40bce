"""The commands that talk to a running service."""

import json

import httpx

from tests.cli.served import Served, environment_of, run


def test_remember_and_recall(served: Served, scope: str) -> None:
    old = served.run("remember", "The cache runs on alder.", "--scope", scope, "--json")
    old_id = json.loads(old.stdout)["id"]
    new = served.run(
        "remember", "The cache runs on birch.", "--scope", scope, "--supersedes", old_id,
        "--entity", "cache=system", "--entity", "birch", "--type", "decision",
    )  # fmt: skip
    assert f"replaces {old_id}" in new.stdout
    found = json.loads(
        served.run("recall", "where does the cache run", "--scope", scope, "--json").stdout
    )
    assert [(each["superseded"], each["type"]) for each in found["results"]] == [
        (False, "decision"),
        (True, "fact"),
    ]
    assert set(found["results"][0]["entities"]) == {"cache", "birch"}
    table = served.run("recall", "where does the cache run", "--scope", scope).stdout
    assert table.index("birch") < table.index("superseded The cache runs on alder.")
    assert "content 2" in table
    again = served.run("remember", "The cache runs on birch.", "--scope", scope)
    assert "was there already" in again.stdout


def test_remember_reads_standard_input(served: Served, scope: str) -> None:
    done = served.run("remember", "-", "--scope", scope, "--json", stdin="[bold]markup[/bold]")
    assert json.loads(done.stdout)["content"] == "[bold]markup[/bold]"
    assert "[bold]markup[/bold]" in served.run("recall", "markup", "--scope", scope).stdout


def test_a_refusal_names_the_field(served: Served, scope: str) -> None:
    done = served.run("remember", " ", "--scope", scope)
    assert done.stderr == "palimpsest: content: is empty\n"
    assert done.returncode == 1


def test_status_shows_scopes_and_models(served: Served) -> None:
    shown = served.run("status").stdout
    assert "sample" in shown
    assert "bge-small-en" in shown
    assert "neo4j" in json.loads(served.run("status", "--json").stdout)


def test_doctor_and_reindex(served: Served) -> None:
    assert "no difference" in served.run("doctor").stdout
    assert "made anew" in served.run("reindex").stdout
    report = json.loads(served.run("doctor", "--json").stdout)
    assert report["differences"] == []
    assert report["memories"] > 0


def test_the_password_opens_the_graph(served: Served) -> None:
    password = served.run("neo4j", "password").stdout.strip()
    browser = served.run("neo4j", "browser").stdout.strip()
    assert browser.startswith("http://127.0.0.1:")
    answer = httpx.post(
        f"{browser.split('/browser')[0]}/db/neo4j/tx/commit",
        json={"statements": [{"statement": "MATCH (m:Memory) RETURN count(m)"}]},
        auth=("neo4j", password),
    )
    assert answer.json()["results"][0]["data"][0]["row"][0] > 0
    assert "runs as process" in served.run("neo4j", "status").stdout


def test_without_a_service_the_error_says_how_to_start_one() -> None:
    done = run("recall", "anything", environment=environment_of(None))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "no answer from http://127.0.0.1:9" in done.stderr
    assert "serve`" in done.stderr
