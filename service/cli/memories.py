"""`palimpsest remember` and `palimpsest recall`."""

import sys
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.markup import escape

from service.cli import console
from service.cli.options import SCOPE, URL, AsJson, Scope, Url, client_of
from service.cli.tables import recalled_table
from service.client import NewMemory

Time = Annotated[
    str | None, typer.Option(help="RFC 3339, such as 2026-03-02 or 2026-03-02T09:00:00Z.")
]


def remember(
    text: Annotated[str, typer.Argument(help="What to keep; - reads standard input.")],
    scope: Scope = SCOPE,
    type: Annotated[
        str, typer.Option(help="Free; constraint and decision have a meaning in recall.")
    ] = "fact",
    entity: Annotated[
        list[str] | None,
        typer.Option(help="An entity it names, NAME or NAME=TYPE; may be given several times."),
    ] = None,
    hint: Annotated[
        list[str] | None,
        typer.Option(help="A question that it answers; may be given several times."),
    ] = None,
    supersedes: Annotated[
        list[str] | None,
        typer.Option(help="Id of a memory that it replaces; may be given several times."),
    ] = None,
    created_at: Time = None,
    occurred_at: Time = None,
    session: Annotated[str | None, typer.Option(help="Conversation it comes from.")] = None,
    speaker: Annotated[str | None, typer.Option(help="Who said it.")] = None,
    source: Annotated[str | None, typer.Option(help="Where it comes from, such as chat.")] = None,
    importance: Annotated[float, typer.Option(min=0.0, max=1.0)] = 0.5,
    pinned: Annotated[bool, typer.Option("--pinned")] = False,
    as_json: AsJson = False,
    url: Url = URL,
) -> None:
    """Keep a memory. For relations and attributes use `import` or the HTTP interface."""
    memory: NewMemory = {
        "content": sys.stdin.read() if text == "-" else text,
        "type": type,
        "created_at": created_at or datetime.now(UTC).isoformat(),
        "occurred_at": occurred_at,
        "session": session,
        "speaker": speaker,
        "source": source,
        "importance": importance,
        "pinned": pinned,
        "entities": [_entity(each) for each in entity or ()],
        "hints": list(hint or ()),
        "supersedes": list(supersedes or ()),
    }
    with client_of(url, scope=scope) as client:
        kept = client.remember(memory)
    if as_json:
        console.out.print_json(data=kept)
        return
    state = "was there already" if kept["deduplicated"] else "remembered"
    console.out.print(f"{kept['id']} {state} in scope {escape(scope)}", soft_wrap=True)
    for replaced in kept["superseded_memories"]:
        console.out.print(f"  replaces {replaced}")
    for attribute in kept["superseded_attributes"]:
        console.out.print(f"  supersedes the attribute {attribute['attribute_id']}")
    for other in kept["contradictions"]:
        console.note(
            f"  not written: {other['entity']} / {other['aspect']} is bound to "
            f"{other['value']!r}; proposed was {other['proposed']!r}"
        )


def recall(
    query: Annotated[str, typer.Argument(help="A question, in plain words.")],
    scope: Scope = SCOPE,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100)] = 10,
    type: Annotated[
        list[str] | None, typer.Option(help="Only this type; may be given several times.")
    ] = None,
    entity: Annotated[
        str | None, typer.Option(help="Only what mentions this entity (name or id).")
    ] = None,
    since: Time = None,
    until: Time = None,
    as_of: Time = None,
    min_score: Annotated[float, typer.Option(min=0.0)] = 0.0,
    superseded: Annotated[
        bool, typer.Option(help="Show replaced memories, behind what replaced them.")
    ] = True,
    graph: Annotated[bool, typer.Option(help="Ask the graph too.")] = True,
    deadline_ms: Annotated[
        int | None, typer.Option(min=1, max=60_000, help="When the answer must stand.")
    ] = None,
    as_json: AsJson = False,
    url: Url = URL,
) -> None:
    """Find memories, best first."""
    options: dict[str, Any] = {
        "limit": limit,
        "types": type or None,
        "entity": entity,
        "since": since,
        "until": until,
        "as_of": as_of,
        "min_score": min_score,
        "include_superseded": superseded,
        "graph": graph,
        "deadline_ms": deadline_ms,
    }
    with client_of(url, scope=scope) as client:
        answer = client.recall(query, **options)
    if as_json:
        console.out.print_json(data=answer)
    else:
        console.out.print(recalled_table(answer))


def _entity(text: str) -> dict[str, Any]:
    name, _, type = text.partition("=")
    return {"name": name.strip(), "type": type.strip()} if type.strip() else {"name": name.strip()}
