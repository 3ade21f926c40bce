"""The guide and the style sheet for Neo4j Browser, and that pages may read nothing else."""

import html
import json
import re
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest

from service.api.guide import parameters
from service.stores.neo4j.driver import Graph, Row, Transaction, fetch
from service.stores.neo4j.statements import statement_file
from tests.api.test_analyst import LIBRARY
from tests.cypher.vocabulary import LABELS, TYPES

GUIDE = "/browser/guide"
STYLE = "/browser/style.grass"
ELSEWHERE = {"Origin": "http://127.0.0.1:7474"}
UNSEEN = {
    "Alias", "ApiKey", "Counter", "DeletedEntity", "DeletedMemory", "IdempotencyKey", "Job",
    "Migration",
    "RelationType", "Scope", "Tombstone",
}  # fmt: skip
"""Labels of the service's own book-keeping: no query for analysts shows a node of these."""


class _Wellformed(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.slides = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.slides += tag == "slide"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def boxes(guide: str) -> list[str]:
    """What each box of a guide puts into the editor."""
    return [
        html.unescape(box)
        for box in re.findall(r"<pre [^>]*runnable[^>]*>(.*?)</pre>", guide, re.DOTALL)
    ]


def preset(guide: str) -> dict[str, Any]:
    """The parameters that a guide presets."""
    (command,) = [box for box in boxes(guide) if box.startswith(":params")]
    return json.loads(command.removeprefix(":params"))


async def test_the_guide_is_well_formed(http: httpx.AsyncClient) -> None:
    text = (await http.get(GUIDE)).text
    parser = _Wellformed()
    parser.feed(text)
    assert parser.open == []
    assert parser.slides >= 8


async def test_the_guide_survives_what_the_browser_cuts_out_of_it(http: httpx.AsyncClient) -> None:
    text = (await http.get(GUIDE)).text
    handlers = r"""\s+(on[^\s=]+)[^\s=]*\s*=\s*("[^"]*"|'[^']*'|[\w\-.:]+\s*)"""
    assert re.findall(handlers, text) == []
    assert "<script" not in text


async def test_the_guide_shows_every_ready_query_as_its_file_has_it(
    http: httpx.AsyncClient,
) -> None:
    shown = "\n".join(boxes((await http.get(GUIDE)).text))
    for name in LIBRARY:
        assert statement_file(f"analyst/{name}").text in shown, name


async def test_every_query_runs_with_the_parameters_that_are_preset(
    http: httpx.AsyncClient, graph: Graph
) -> None:
    text = (await http.get(GUIDE)).text
    # A whole number of JSON arrives from the Browser as a float.
    given = {
        name: float(value) if isinstance(value, int) else value
        for name, value in preset(text).items()
    }
    for name in LIBRARY:
        file = statement_file(f"analyst/{name}")
        needed = {key: given[key] for key in file.params}
        assert "scope" in needed, name

        async def work(tx: Transaction, file=file, needed=needed) -> list[Row]:
            return await fetch(tx, file.text, **needed)

        await graph.read(work)


async def test_the_guide_is_preset_for_the_scope_that_is_asked_for(http: httpx.AsyncClient) -> None:
    assert preset((await http.get(GUIDE)).text) == parameters("sample")
    given = preset((await http.get(GUIDE, params={"scope": "team/a:1@x"})).text)
    assert given["scope"] == "team/a:1@x"
    assert "build cache" not in given.values()
    refused = await http.get(GUIDE, params={"scope": "<b onload='x'>"})
    assert refused.status_code == 422


async def test_the_guide_and_the_style_know_where_they_are_served(http: httpx.AsyncClient) -> None:
    first, *_ = boxes((await http.get(GUIDE)).text)
    assert first == f":style {str(http.base_url).rstrip('/')}{STYLE}"


@pytest.mark.parametrize("path", [GUIDE, STYLE])
async def test_a_page_of_another_origin_may_read_both(http: httpx.AsyncClient, path: str) -> None:
    for method in ("GET", "HEAD"):
        answer = await http.request(method, path, headers=ELSEWHERE)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "*"
    asked = await http.options(
        path,
        headers={
            **ELSEWHERE,
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "cache-control,pragma",
        },
    )
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-origin"] == "*"
    assert asked.headers["access-control-allow-headers"] == "cache-control, pragma"
    assert "access-control-allow-credentials" not in asked.headers


async def test_a_page_of_another_origin_may_read_nothing_else(http: httpx.AsyncClient) -> None:
    paths = (await http.get("/openapi.json")).json()["paths"]
    others = [path for path in paths if path not in {GUIDE, STYLE}]
    assert len(others) > 10
    for path in [*others, "/docs", "/openapi.json", "/nowhere"]:
        address = re.sub(r"\{[^}]*\}", "none", path)
        for method in ("OPTIONS", "GET", "POST"):
            answer = await http.request(
                method,
                address,
                json={} if method == "POST" else None,
                headers={**ELSEWHERE, "Access-Control-Request-Method": "GET"},
            )
            granted = [name for name in answer.headers if name.startswith("access-control-")]
            assert granted == [], f"{method} {path}"


async def test_a_foreign_host_name_gets_neither(http: httpx.AsyncClient) -> None:
    for path in (GUIDE, STYLE):
        answer = await http.get(path, headers={**ELSEWHERE, "Host": "evil.example"})
        assert answer.status_code == 421
        assert "access-control-allow-origin" not in answer.headers


async def test_the_style_names_all_that_an_analyst_sees(http: httpx.AsyncClient) -> None:
    sheet = (await http.get(STYLE)).text
    rules = re.findall(
        r"^(node|relationship)(?:\.(\w+))? \{([^}]*(?:\{\w*\}[^}]*)*)\}$", sheet, re.MULTILINE
    )
    assert {name for kind, name, _ in rules if kind == "node" and name} >= LABELS - UNSEEN
    types = {name for kind, name, _ in rules if kind == "relationship" and name}
    assert types <= set(TYPES)
    assert {"SUPERSEDES", "STATES", "MENTIONS", "TOUCHED"} <= types


async def test_the_style_holds_to_what_the_browser_can_read(http: httpx.AsyncClient) -> None:
    sheet = (await http.get(STYLE)).text
    assert "/*" not in sheet
    assert "//" not in sheet
    for line in sheet.splitlines():
        if line.startswith("  "):
            assert re.fullmatch(r"  [a-z-]+: [^:;]+;", line), line
