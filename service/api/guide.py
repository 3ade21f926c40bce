"""The guide and the style sheet that the service serves to Neo4j Browser.

Neo4j Browser fetches both from the page of another origin: `:play ADDRESS` shows the `<slide>`
elements of a piece of HTML, and a `<pre class="runnable">` in them is put into the editor by a
click. `:style ADDRESS` reads GraSS, of which its parser knows rules and quotes and no comments.
"""

import html
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Final

from service.memory.library import ready_queries

GUIDE_PATH: Final = "/browser/guide"
STYLE_PATH: Final = "/browser/style.grass"
SAMPLE_SCOPE: Final = "sample"

_FOLDER: Final = Path(__file__).with_name("browser")
_SAMPLE: Final[Mapping[str, str | int]] = {
    "entity": "build cache",
    "claim": "host",
    "value": "birch",
    "speaker": "Pavel",
    "session": "kickoff-2025-01-07",
    "from": "booking API",
    "to": "maple",
    "memory_id": "the id of a memory",
    "since": "2025-11-01T00:00:00Z",
    "limit": 25,
}
_ELSEWHERE: Final[Mapping[str, str | int]] = {
    **{name: f"a {name} of yours" for name in ("entity", "claim", "value", "speaker", "session")},
    "from": "an entity of yours",
    "to": "another entity of yours",
    "memory_id": "the id of a memory",
    "since": "2025-01-01T00:00:00Z",
    "limit": 25,
}


class _GuideTemplate(Template):
    """`%{name}` stands for a query of that name or for a value; a per cent sign is doubled."""

    delimiter = "%"


def parameters(scope: str) -> dict[str, str | int]:
    """Return the value that each parameter of the guide's queries is preset with, for a scope."""
    return {"scope": scope, **(_SAMPLE if scope == SAMPLE_SCOPE else _ELSEWHERE)}


def guide(address: str, scope: str) -> str:
    """Return the guide as HTML, its parameters preset for a scope; `address` is the service's own.

    Holds no data of any scope: its queries ask for `$scope` when the analyst runs them.
    """
    preset = json.dumps(parameters(scope), ensure_ascii=False, indent=2)
    queries = {
        query.name: _runnable(f"// {query.promise}\n{query.text}") for query in ready_queries()
    }
    placed = set(_template().get_identifiers())
    # A query that no slide has a place for still is in the guide.
    others = "\n".join(shown for name, shown in queries.items() if name not in placed)
    return _template().substitute(
        queries,
        others=others,
        style=_runnable(f":style {address}{STYLE_PATH}"),
        parameters=_runnable(f":params {preset}"),
        address=_escaped(address),
        scope=_escaped(scope),
    )


@cache
def style_sheet() -> str:
    """Return the style sheet in GraSS: colours, sizes and captions by label and type."""
    return (_FOLDER / "style.grass").read_text(encoding="utf-8")


@cache
def _template() -> _GuideTemplate:
    return _GuideTemplate((_FOLDER / "guide.html").read_text(encoding="utf-8"))


def _runnable(text: str) -> str:
    return (
        '<figure><pre mode="cypher" class="pre-scrollable code runnable">'
        f"{_escaped(text)}</pre></figure>"
    )


def _escaped(text: str) -> str:
    # The Browser cuts whatever looks like `onclick=…` out of a guide, also from a query that
    # compares `one.status = 'active'`: an equals sign that is spelt out survives.
    return html.escape(text).replace("=", "&#61;")
