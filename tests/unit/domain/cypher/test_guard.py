"""What the text of a query alone decides: readings pass, what could grow without bound does not."""

import pytest

from service.domain.cypher.allowed import OPERATORS, refused_steps
from service.domain.cypher.guard import MOST_CHARACTERS, check_parameters, check_query
from service.domain.errors import InvalidInput
from service.stores.neo4j.statements import all_statements

LIBRARY = [file for file in all_statements() if file.name.startswith("analyst/")]

READINGS = [
    "MATCH (n) RETURN n LIMIT 5;",
    "MATCH (n) WHERE n.content CONTAINS 'SET' RETURN n.content AS c ORDER BY c SKIP 1 LIMIT 5",
    "MATCH (e:Entity)-[r]->(o) RETURN {from: e.name, type: type(r), to: o.name} AS edge, count(*)",
    "MATCH p=(:A)-[*1..3]-() RETURN [n IN nodes(p) | n.name], [r IN relationships(p) | type(r)]",
    "MATCH p=(a)-[*1..3]-() WHERE all(n IN nodes(p) WHERE n:Entity) AND none(x IN nodes(p) "
    "WHERE x <> a AND x.name = a.name) RETURN p",
    "MATCH p=()-[*1..3]-() RETURN [r IN relationships(p) | startNode(r).name + ' ' + r.type]",
    "MATCH (a)-[r:DEPENDS_ON*1..3]->(b) RETURN [x IN r | {type: type(x), sure: x.confidence}], b",
    "UNWIND range(1, 100000) AS i RETURN count(i)",
    "MATCH p=()-[*2]-() UNWIND range(0, size(nodes(p)) - 2) AS i RETURN nodes(p)[i + 1]",
    "RETURN range(1, 100)[..3], range($from, $to, 10)",
    "MATCH (a) RETURN COLLECT { MATCH (a)--(b) RETURN b.name ORDER BY b.name LIMIT 100 } AS names",
    "MATCH (a) WHERE EXISTS { (a)--(:Entity) } RETURN a{.*, degree: COUNT { (a)--() }}",
    "MATCH (a) RETURN a.name + ' ' + a.type + ' ' + a.x + '-' + a.y + '-' + a.z + '-' + a.w AS t",
    "MATCH (m) RETURN datetime.truncate('month', m.created_at) AS month, count(*) AS n",
    "MATCH (a)((x)-[r]->(y)){1,3}(b) RETURN [n IN x | n.name], b",
    "MATCH (a)-->(b) WITH a, collect(b.name)[..10] AS names RETURN {a: a.name, names: names}",
    "CALL db.labels() YIELD label RETURN label",
    "MATCH (n) CALL (n) { MATCH (n)--(m) RETURN count(m) AS c } RETURN n.name, c",
    "MATCH (n) RETURN replace(n.content, '\\n', ' '), split(n.name, ' ')[0], n.name[..3]",
    "MATCH (n) WHERE n:Memory|Entity RETURN labels(n), properties(n), keys(n)",
    "MATCH (n) RETURN CASE WHEN n.a > 1 THEN 'x' ELSE 'y' END, CASE n.b WHEN 1 THEN 2 END",
    "MATCH p = shortestPath((:A {name: 'x'})-[*..6]-(:B)) RETURN length(p), e() + pi()",
    "MATCH p = allShortestPaths((:A)-[*..6]-(:B)) RETURN p",
    "RETURN 1 AS x UNION ALL RETURN 2 AS x",
    "MATCH (n) WITH n ORDER BY n.x WITH collect(n) AS ns RETURN [x IN ns WHERE x.s = 'a'][0]",
    "MATCH (n) WITH collect(n) AS ns RETURN [x IN ns[..1000] | x.name], ns[0].name",
    "MATCH (n) WHERE any(l IN labels(n) WHERE l IN ['A', 'B'] OR l IN $few) RETURN n",
    "MATCH (n) WHERE n.set = 1 AND n.`create` = 2 RETURN n.use, n:Delete, {merge: 1}, `show`",
    "MATCH (n) // a comment that says CREATE\nRETURN n /* and DELETE */ LIMIT 1",
    "MATCH (n {name: 'it''s'}) RETURN n",
    "OPTIONAL MATCH (n) RETURN n IS NULL, n.at IS NOT NULL, -1.5e3, 0x1F, 1_000, .5",
]

HOSTILE = [
    ("MATCH (n) DETACH DELETE n", "DETACH"),
    ("CREATE (n)", "CREATE"),
    ("MATCH (n) CALL (n) { SET n.x = 1 } IN TRANSACTIONS RETURN 1", "SET"),
    ("CALL { MATCH (n) RETURN n } IN TRANSACTIONS RETURN n", "TRANSACTIONS"),
    ("LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l", "LOAD"),
    ("CALL db.index.fulltext.drop('x')", "db.index.fulltext.drop"),
    ("CALL `dbms`.`listConfig`()", "dbms.listConfig"),
    ("CALL dbms.listConfig YIELD name RETURN name", "dbms.listConfig"),
    ("OPTIONAL CALL db.ping() YIELD success RETURN 1", "db.ping"),
    ("SHOW USERS", "SHOW"),
    ("CALL { USE system MATCH (n) RETURN n } RETURN n", "USE"),
    ("CYPHER runtime=slotted RETURN 1", "CYPHER"),
    ("EXPLAIN RETURN 1", "EXPLAIN"),
    ("RETURN 1; RETURN 2", "several statements"),
    ("RETURN range(1, 1000000000)", "1,000,000,000"),
    ("RETURN range(-9223372036854775808, 9223372036854775807)", "range()"),
    ("RETURN range(1, $to)", "range()"),
    ("RETURN `range`(1, 1000000000)", "range()"),
    ("RETURN range /* x */ (1, 1000000000)", "range()"),
    ("RETURN \\u0072ange(1, 1000000000)", "\\u"),
    ("WITH 1000000000 AS n RETURN range(1, n)", "range()"),
    ("RETURN range(1, 9999), range(1, 9999)", "19,998"),
    ("UNWIND [range(1, 100000)] AS i RETURN i", "range()"),
    ("RETURN [x IN range(1, 99) | [y IN range(1, 99) | y]]", "inside another"),
    ("RETURN any(x IN [1] WHERE any(y IN [1] WHERE x = y))", "inside another"),
    ("WITH range(1, 99) AS l RETURN [x IN l | x]", "could be long"),
    ("WITH range(1, 99) AS l RETURN [x IN l[..99999] | x]", "could be long"),
    ("WITH range(1, 99) AS l RETURN [x IN l[..1000] | l]", "'l'"),
    ("WITH range(1, 99) AS l RETURN [x IN l[..1000] | {a: l}]", "'l'"),
    ("WITH range(1, 99) AS l RETURN [x IN l[..1000] WHERE x:A | l]", "'l'"),
    ("WITH range(1, 99) AS l RETURN [x IN l WHERE x IN l]", "searches"),
    ("WITH range(1, 99) AS l RETURN [x IN l WHERE reverse(l) = x]", "'l'"),
    ("WITH range(1, 99) AS l RETURN [x IN l WHERE l = l]", "'l'"),
    ("WITH range(1, 99) AS l RETURN [x IN l WHERE x = l[..9]]", "'l'"),
    ("WITH range(1, 99) AS l RETURN [x IN l[..9] | range(1, 9)]", "range()"),
    ("RETURN [x IN range(1, 99) | $many]", "$many"),
    ("RETURN [x IN range(1, 99) | '" + "a" * 101 + "']", "100 characters"),
    ("MATCH (n) RETURN [x IN nodes(p) WHERE (x)-->()]", "pattern"),
    ("RETURN [x IN [1] WHERE EXISTS { MATCH (a) }]", "pattern"),
    ("RETURN [x IN [1] WHERE COUNT { MATCH (a) } > 1]", "pattern"),
    ("RETURN reduce(s = 'a', i IN range(1, 60) | s + s)", "reduce"),
    ("WITH 'a' AS s " + "WITH s + s AS s " * 8 + "RETURN s", "together"),
    ("WITH 'a' AS s " + "WITH s || s AS s " * 8 + "RETURN s", "together"),
    ("WITH [1] AS a " + "WITH [a, a] AS a " * 8 + "RETURN a", "together"),
    ("WITH {a: 1} AS a " + "WITH {a: a, b: a} AS a " * 8 + "RETURN a", "together"),
    ("WITH [1] AS a " + "WITH a AS b, a AS c WITH [b, c] AS a " * 8 + "RETURN a", "together"),
    ("MATCH (a) WITH [a] AS a " + "WITH [a, a] AS a " * 8 + "RETURN a", "together"),
    ("WITH [1] AS a " + "WITH [a] AS a " * 100 + "RETURN a", "lists and maps"),
    ("RETURN [" + "$many, " * 70 + "1]", "together"),
    ("WITH 'aa' AS s RETURN replace(s, 'a', s)", "replace()"),
    ("RETURN replace('aa', 'a', '" + "b" * 99 + "')", "together"),
    ("RETURN replace('aa', '', '" + "b" * 99 + "')", "together"),
    ("RETURN 'aaa' =~ '(a+)+b'", "=~"),
    ("MATCH p=SHORTEST 1000 (a)-[*]-(b) RETURN p", "SHORTEST"),
    ("MATCH p=(ANY SHORTEST (a)-[*]-(b)) RETURN p", "SHORTEST"),
    ("MATCH (n:$(labels(m))) RETURN n", "$("),
    ("MATCH (n:$all(['a'])) RETURN n", "$("),
    ("RETURN apoc . text . join(['a'], 'b')", "apoc.text.join"),
    ("RETURN `apoc`.`text`.`join`(['a'], 'b')", "apoc.text.join"),
    ("RETURN file()", "file()"),
    ("RETURN normalize('a')", "normalize()"),
    ("MATCH (x) RETURN [(x)-->(b) | b]", "COLLECT"),
    ("MATCH (x) RETURN [p = (x)-->(b) | b]", "COLLECT"),
    ("MATCH (x) RETURN COLLECT { MATCH (b) RETURN b }", "LIMIT"),
    ("MATCH (x) RETURN collect { MATCH (b) RETURN b LIMIT 1001 }", "LIMIT"),
    ("WITH range(1, 9) AS l RETURN COLLECT { MATCH (b) RETURN l LIMIT 9 }", "'l'"),
    ("RETURN " + "(" * 30 + "1" + ")" * 30, "nests"),
    ("RETURN 'a", "never closed"),
    ("RETURN `a", "never closed"),
    ("RETURN 1 /* a", "never closed"),
    ("RETURN (1", "never closed"),
    ("RETURN 1)", "nothing opens"),
    ("RETURN (1]", "nothing opens"),
    ("RETURN 1 \x00", "no Cypher"),
    ("", "empty"),
    (" ; ", "empty"),
    ("// nothing", "empty"),
    ("RETURN " + "1" * MOST_CHARACTERS, "characters"),
]

PARAMETERS = {
    "from": 1,
    "to": 1_000,
    "few": ["A", "B"],
    "many": list(range(1_000)),
}


@pytest.mark.parametrize("query", READINGS)
def test_readings_pass(query: str) -> None:
    check_query(query, PARAMETERS)


@pytest.mark.parametrize("file", LIBRARY, ids=lambda file: file.name)
def test_the_library_for_analysts_passes(file) -> None:
    check_query(file.text, dict.fromkeys(file.params, "x"))


@pytest.mark.parametrize(("query", "named"), HOSTILE)
def test_what_could_grow_without_bound_is_refused_by_its_name(query: str, named: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_query(query, PARAMETERS | {"to": 10**9})

    assert refused.value.errors[0].field == "query"
    assert named in refused.value.errors[0].message


@pytest.mark.parametrize(
    "parameters",
    [
        {"a": list(range(10_001))},
        {"a": [[1] * 100] * 101},
        {"a": "x" * 200_001},
        {"a": {"x" * 200_001: 1}},
        {"a": [[[[[[[[[1]]]]]]]]]},
        {"a": 2**63},
        {"a": "\ud800"},
    ],
    ids=["items", "items of items", "text", "key", "depth", "integer", "surrogate"],
)
def test_parameters_are_bounded(parameters: dict) -> None:
    with pytest.raises(InvalidInput, match="parameters"):
        check_parameters(parameters)


def test_usual_parameters_pass() -> None:
    check_parameters({"a": [1, 2.5, None, True, "x"], "b": {"c": {"d": []}}, "e": -(2**63)})


def test_steps_that_are_not_known_are_named_without_the_database() -> None:
    assert refused_steps(frozenset({"Create@neo4j", "NodeByLabelScan@neo4j"})) == ["Create"]
    assert refused_steps(frozenset({"LoadCSV@neo4j", "TransactionApply@neo4j"})) == [
        "LoadCSV",
        "TransactionApply",
    ]
    assert not {"SetProperty", "Merge", "ShowIndexes", "StatefulShortestPath(All)"} & OPERATORS
