"""What an import from another product tells: tables for people, one object for programs."""

from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from service.cli.foreign.model import ForeignStore
from service.cli.foreign.plan import Plan
from service.cli.importing import Report


def as_object(store: ForeignStore, plan: Plan, scope: str, report: Report | None) -> dict[str, Any]:
    """Return all that is to be told; `report` is None where nothing was written."""
    return {
        "product": store.product,
        "version": store.version,
        "scope": scope,
        "dry_run": report is None,
        "carried_over": _carried(store, plan, report),
        "there_already": {
            _many(store.kind): len(plan.there),
            "replacements": plan.replacements_there,
        },
        "left_behind": [
            {"kind": loss.kind, "why": loss.why, "count": loss.count, "examples": loss.examples}
            for loss in plan.losses.all()
        ],
        "notes": store.notes,
        "not_written": [
            {"where": other.where, "why": other.why}
            for other in (report.contradictions if report else [])
        ],
        "failures": [
            {"where": failure.where, "why": failure.why}
            for failure in (report.failures if report else [])
        ],
    }


def shown(store: ForeignStore, plan: Plan, scope: str, report: Report | None) -> RenderableType:
    """Lay out the same for a person."""
    told = as_object(store, plan, scope, report)
    there: dict[str, int] = told["there_already"]
    heading = "would be carried over" if report is None else "carried over"
    table = Table("", heading, "there already", box=box.SIMPLE_HEAD, pad_edge=False)
    for kind, count in told["carried_over"].items():
        if not count and kind not in there:
            continue
        table.add_row(kind, f"{count:,}", f"{there[kind]:,}" if kind in there else "")
    parts: list[RenderableType] = [
        Text(f"{store.product} ({store.version}) → scope {scope}", style="bold"),
        table,
    ]
    losses = plan.losses.all()
    if losses:
        behind = Table("left behind", "", "why", box=box.SIMPLE_HEAD, pad_edge=False)
        behind.columns[1].justify = "right"
        for loss in losses:
            why = Text(loss.why)
            if loss.examples:
                more = ", …" if loss.count > len(loss.examples) else ""
                why.append(f"\n{', '.join(loss.examples)}{more}", style="dim")
            behind.add_row(Text(loss.kind), f"{loss.count:,}", why)
        parts.append(behind)
    parts += [Text(note) for note in store.notes]
    if report is None:
        parts.append(Text("Nothing was written. With --apply it is."))
    return Group(*parts)


def _carried(store: ForeignStore, plan: Plan, report: Report | None) -> dict[str, int]:
    memories = len(plan.new) if report is None else report.created
    return {
        _many(store.kind): memories,
        "replacements": len(plan.replacements),
        **plan.counts(),
    }


def _many(kind: str) -> str:
    return "memories" if kind == "memory" else f"{kind}s"
