"""How a statement file is read."""

from typing import cast

import pytest

from service.stores.neo4j.statements import StatementError, parse, statement, statement_file

SOURCE = """// Finds a thing
// by its id.
// mode: read
// params: $id, $scope
// returns: name, size
// scan: there are few things
MATCH (n:Thing {id: $id})     // a remark
RETURN n.name AS name, n.size AS size
"""


def test_the_header_is_read_and_the_statement_kept() -> None:
    found = parse("thing/find", SOURCE)
    assert found.promise == "Finds a thing by its id."
    assert (found.mode, found.params, found.returns) == ("read", ("id", "scope"), ("name", "size"))
    assert found.scan == "there are few things"
    assert found.text.startswith("MATCH (n:Thing")
    assert found.text.endswith("AS size")


def test_statements_of_a_schema_file_part_at_semicolons_that_end_a_line() -> None:
    text = "// Two.\n// mode: schema\nCREATE A 'x;y' // http://a\n;\nCREATE B\n  MORE;\n"
    assert parse("schema/1_x", text).parts == ("CREATE A 'x;y' // http://a", "CREATE B\n  MORE")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("// A.\n// mode: maybe\nRETURN 1", "mode"),
        ("// A.\nRETURN 1", "mode"),
        ("// mode: read\nRETURN 1", "promises"),
        ("// A.\n// mode: read\n", "no statement"),
        ("RETURN 1", "mode"),
    ],
)
def test_a_header_that_says_too_little_is_refused(text: str, fault: str) -> None:
    with pytest.raises(StatementError, match=f"noun/name.*{fault}"):
        parse("noun/name", text)


def test_a_missing_statement_stops_the_process_from_starting() -> None:
    with pytest.raises(StatementError, match="nothing/here"):
        statement("nothing/here")


def test_the_text_is_that_of_the_file() -> None:
    assert statement("server/ping") == "RETURN true AS ready"
    assert statement_file(cast(str, "server/ping")).mode == "read"
