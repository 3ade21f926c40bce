"""What every file of `cypher/` has to be, told without a server."""

import ast
import re
from pathlib import Path

import pytest

import service
from service.stores.neo4j.statements import StatementFile, all_statements

STATEMENTS = all_statements()
LOADED_BY_FOLDER = ("schema/", "analyst/")
"""The first are migrations, all applied in order; the second are for people, not for code."""

WRITING = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE|FOREACH)\b")
LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
UNBOUNDED_PATH = re.compile(
    r"\[[^\]]*\*\s*(?:\d+\s*)?(?:\.\.\s*)?\]|\)\s*[+*](?!\s*\d)|\{\s*\d+\s*,\s*\}"
)


def bare(text: str) -> str:
    """The statement without comments and quoted text."""
    return COMMENT.sub(" ", LITERAL.sub("''", text))


every_statement = pytest.mark.parametrize("file", STATEMENTS, ids=lambda file: file.name)


def test_there_are_statements() -> None:
    assert len(STATEMENTS) > 3


@every_statement
def test_the_header_names_the_parameters_of_the_text(file: StatementFile) -> None:
    used = set(re.findall(r"\$(\w+)", bare(file.text)))
    assert set(file.params) == used
    assert len(file.params) == len(used)


@every_statement
def test_only_schema_files_hold_several_statements(file: StatementFile) -> None:
    assert file.name.startswith("schema/") or ";" not in bare(file.text)


@every_statement
def test_a_reading_statement_writes_nothing(file: StatementFile) -> None:
    if file.mode == "read":
        assert not WRITING.search(bare(file.text).upper())


@every_statement
def test_no_path_is_of_any_length(file: StatementFile) -> None:
    assert not UNBOUNDED_PATH.search(bare(file.text))


@pytest.mark.parametrize(
    ("text", "unbounded"),
    [
        ("(a)-[:X*]->(b)", True),
        ("(a)-[r:X*2..]->(b)", True),
        ("(a)-[*..]-(b)", True),
        ("((a)-[:X]->(b))+", True),
        ("((a)-[:X]->(b)){1,}", True),
        ("(a)-[:X*1..8]->(b)", False),
        ("(a)-[:X*..8]->(b)", False),
        ("(a)-[:X*3..3]->(b)", False),
        ("((a)-[:X]->(b)){1,4}", False),
        ("RETURN (a.x + 1) * 2, count(*)", False),
    ],
)
def test_how_an_unbounded_path_is_recognised(text: str, unbounded: bool) -> None:
    assert bool(UNBOUNDED_PATH.search(text)) is unbounded


def test_the_files_are_those_that_the_code_names() -> None:
    on_disk = {file.name for file in STATEMENTS if not file.name.startswith(LOADED_BY_FOLDER)}
    loaded, named = names_in_code()
    assert sorted(loaded - on_disk) == []
    assert sorted(on_disk - named) == []


def names_in_code() -> tuple[set[str], set[str]]:
    """The names given to `statement` or `statement_file`, and all texts that could be names."""
    loaded: set[str] = set()
    named: set[str] = set()
    for path in Path(service.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named.add(node.value)
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in {"statement", "statement_file"}
                and isinstance(node.args[0], ast.Constant)
            ):
                loaded.add(str(node.args[0].value))
    return loaded, named
