"""Answers of the service, laid out for people."""

from typing import Any, cast

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from service.client import Channel, DoctorReport, Recalled, Result

_MOST_DIFFERENCES = 50
_SHOWN_CHARACTERS = 400


def recalled_table(answer: Recalled) -> Group:
    """Lay out a recall: a row a memory, replaced ones marked, below them how the channels fared."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("memory", overflow="fold")
    for rank, result in enumerate(answer["results"], start=1):
        table.add_row(str(rank), f"{result['score']:.3f}", _memory_cell(result))
    if not answer["results"]:
        return Group(Text("Nothing found."), channels_line(answer))
    return Group(table, channels_line(answer))


def channels_line(answer: Recalled) -> Text:
    """Tell in one line how each channel fared and how long all took."""
    parts = [_channel(name, channel) for name, channel in answer["channels"].items()]
    late = ", timed out" if answer["timed_out"] else ""
    return Text(f"{answer['took_ms']:.1f} ms{late}: {'; '.join(parts)}", style="dim")


def status_table(status: dict[str, Any]) -> Group:
    """Lay out the status: a line a fact, in groups."""
    neo4j, indexes = status["neo4j"], status["indexes"]
    facts: list[tuple[str, str]] = [
        ("version", f"{status['version']} on Python {status['python']}"),
        ("Neo4j", f"{neo4j['server']}, {'embedded' if neo4j['embedded'] else 'external'}"),
        ("  status", str(neo4j["status"])),
    ]
    facts += [(f"  {key}", str(neo4j[key])) for key in ("bolt", "browser", "state") if key in neo4j]
    facts += [(f"  {key}", f"{n:,}") for key, n in _counts(neo4j.get("counts"))]
    facts += [(f"  jobs {key}", f"{n:,}") for key, n in _counts(neo4j.get("jobs"))]
    facts += [
        ("index lag", _listed(indexes["lag"])),
        ("index failures", _listed(indexes["failures"]) or "none"),
        ("text index", f"{indexes['text']['memories']:,} memories"),
        ("vector index", f"{indexes['vectors']['memories']:,} memories"),
        ("queues", _listed(status["queues"])),
        ("models", "; ".join(f"{key}: {_listed(one)}" for key, one in status["models"].items())),
        ("channels", _listed(status["channels"])),
    ]
    table = Table.grid(padding=(0, 2))
    for title, text in facts:
        table.add_row(Text(title, style="bold"), Text(text))
    scopes = Table("scope", "memories", box=box.SIMPLE_HEAD, pad_edge=False)
    for name, count in sorted(status["scopes"].items()):
        scopes.add_row(Text(name), f"{count:,}")
    return Group(table, scopes) if status["scopes"] else Group(table, Text("No memories yet."))


def doctor_text(report: DoctorReport) -> Text:
    """Tell what a comparison found, the first differences one a line."""
    differences = report["differences"]
    if not differences:
        return Text(f"{report['memories']:,} memories compared: no difference.", style="green")
    lines = [f"{report['memories']:,} memories compared: {len(differences):,} differences."]
    lines += [
        f"  {one['projection']}: memory {one['memory_id'] or '(unknown)'} "
        f"(ordinal {one['ordinal']}) {one['what']}"
        if one["projection"] != "graph"
        else f"  graph: {one['what']}"
        for one in differences[:_MOST_DIFFERENCES]
    ]
    if len(differences) > _MOST_DIFFERENCES:
        lines.append(f"  … and {len(differences) - _MOST_DIFFERENCES:,} more")
    return Text("\n".join(lines), style="red")


def _memory_cell(result: Result) -> Text:
    content = " ".join(result["content"].split())
    if len(content) > _SHOWN_CHARACTERS:
        content = content[: _SHOWN_CHARACTERS - 1] + "…"
    cell = Text(content)
    if result["superseded"]:
        cell = Text.assemble(("superseded ", "bold red"), (content, "dim"))
        note = (result["currentness"] or {"note": ""})["note"]
        cell.append(f"\n→ {note}" if note else "", style="italic")
    found = f"\n{result['type']} of {result['created_at'][:10]}, by {', '.join(result['sources'])}"
    about = f"; about {', '.join(result['entities'])}" if result["entities"] else ""
    cell.append(found + about, style="dim")
    return cell


def _channel(name: str, channel: Channel) -> str:
    if channel["status"] != "ok":
        return f"{name} {channel['status']}" + (
            f" ({channel['detail']})" if channel["detail"] else ""
        )
    return f"{name} {channel['hits']}"


def _counts(found: object) -> list[tuple[str, int]]:
    if not isinstance(found, dict):
        return []
    return list(cast("dict[str, int]", found).items())


def _listed(found: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in found.items())
