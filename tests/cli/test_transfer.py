"""Export and import: what comes out goes in again, the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.served import Served


def test_an_export_brought_into_an_empty_scope_is_the_same(
    served: Served, scope: str, tmp_path: Path
) -> None:
    file = tmp_path / "sample.jsonl"
    assert served.run("export", "--scope", "sample", "--output", str(file)).returncode == 0
    done = served.run("import", str(file), "--scope", scope)
    assert done.returncode == 0, done.stderr
    assert comparable(file.read_text(encoding="utf-8")) == comparable(exported(served, scope))


def test_an_import_run_again_adds_nothing(served: Served, scope: str) -> None:
    lines = exported(served, "sample")
    served.run("import", "-", "--scope", scope, "--batch", "7", stdin=lines)
    before = comparable(exported(served, scope))
    done = served.run("import", "-", "--scope", scope, stdin=lines)
    assert done.stdout.startswith("0 remembered")
    assert done.returncode == 0, done.stderr
    assert comparable(exported(served, scope)) == before


def test_lines_that_fail_are_told_by_their_numbers_and_the_others_kept(
    served: Served, scope: str
) -> None:
    lines = 'not json\n{"content": "kept"}\n\n[1]\n{"content": ""}\n{"content": "x", "colour": 1}\n'
    done = served.run("import", "-", "--scope", scope, stdin=lines)
    assert done.returncode == 1
    assert done.stdout == "1 remembered, 0 there already, 4 failed\n"
    for number in (1, 4, 5, 6):
        assert f"line {number}: " in done.stderr
    assert [row["content"] for row in rows(exported(served, scope))] == ["kept"]


def test_supersedes_may_name_a_later_line_and_carries_its_reason(
    served: Served, scope: str
) -> None:
    lines = as_lines(
        {"id": "new", "content": "It runs on birch.", "supersedes": ["old", "older"],
         "reasons": {"old": "moved"}},
        {"id": "old", "content": "It runs on alder."},
        {"id": "older", "content": "It runs on elm."},
    )  # fmt: skip
    done = served.run("import", "-", "--scope", scope, stdin=lines)
    assert done.returncode == 0, done.stderr
    new, old, older = rows(exported(served, scope))
    assert sorted(new["supersedes"]) == sorted([old["id"], older["id"]])
    assert new["reasons"] == {old["id"]: "moved"}
    assert (new["superseded"], old["superseded"], older["superseded"]) == (False, True, True)


def test_a_content_that_comes_back_after_it_was_replaced_is_a_memory_of_its_own(
    served: Served, scope: str
) -> None:
    lines = as_lines(
        {"id": "1", "content": "Berlin", "created_at": "2026-01-01"},
        {"id": "2", "content": "Munich", "created_at": "2026-02-01", "supersedes": ["1"],
         "reasons": {"1": "moved"}},
        {"id": "3", "content": "Berlin", "created_at": "2026-03-01", "supersedes": ["2"]},
    )  # fmt: skip
    for _ in range(2):
        assert served.run("import", "-", "--scope", scope, stdin=lines).returncode == 0
        found = [(row["content"], row["superseded"]) for row in rows(exported(served, scope))]
        assert found == [("Berlin", True), ("Munich", True), ("Berlin", False)]


def test_an_unknown_name_in_supersedes_is_told(served: Served, scope: str) -> None:
    lines = as_lines({"content": "It runs on birch.", "supersedes": ["nobody"]})
    done = served.run("import", "-", "--scope", scope, stdin=lines)
    assert done.returncode == 1
    assert "line 1: supersedes 'nobody'" in done.stderr


@pytest.mark.parametrize("content", ["one\u2028two", "tab\tand\nline", "\u0085", "🐦"])
def test_any_text_survives(content: str, served: Served, scope: str) -> None:
    content = f"[{content}]"
    served.run("import", "-", "--scope", scope, stdin=as_lines({"content": content}))
    assert [row["content"] for row in rows(exported(served, scope))] == [content]


def exported(served: Served, scope: str) -> str:
    done = served.run("export", "--scope", scope)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(lines: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.split("\n") if line]


def as_lines(*memories: dict[str, Any]) -> str:
    return "".join(json.dumps(memory) + "\n" for memory in memories)


def comparable(lines: str) -> list[dict[str, Any]]:
    """The memories without what every store makes its own; ids as places in the file."""
    memories = rows(lines)
    places = {memory["id"]: place for place, memory in enumerate(memories)}
    for memory in memories:
        del memory["id"], memory["scope"], memory["updated_at"]
        memory["supersedes"] = [places[each] for each in memory["supersedes"]]
        memory["reasons"] = {places[each]: why for each, why in memory["reasons"].items()}
    return memories
