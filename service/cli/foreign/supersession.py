"""Which of two memories replaces the other, where a file has edges in both directions.

An edge in each direction would make both stale and leave their order as it was. Such pairs are
decided; what cannot be, and every cycle, stays behind.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from datetime import datetime

from service.cli.foreign.model import Losses, Replacement

KIND = "replacement"


def decided(
    edges: Iterable[Replacement],
    at: Mapping[str, datetime],
    asked: Set[tuple[str, str]],
    losses: Losses,
) -> tuple[list[Replacement], list[Replacement]]:
    """Return the replacements to carry over, and the reverse edges that pairs had beside them.

    `at` tells when each memory was made, `asked` which direction somebody asked for (source,
    target) where that is on record: it decides a pair, else the newer memory replaces the older.
    """
    given = {(edge.source, edge.target): edge for edge in edges}
    straight: list[Replacement] = []
    reverse: list[Replacement] = []
    for (source, target), edge in given.items():
        if source == target:
            losses.add(KIND, "replaces itself", source)
        elif (target, source) not in given:
            straight.append(edge)
        elif source < target:
            chosen = _direction(source, target, at, asked)
            if chosen is None:
                losses.add(
                    KIND,
                    "goes both ways between memories of the same time: nothing tells the newer one",
                    f"{source} and {target}",
                )
            else:
                straight.append(given[chosen])
                reverse.append(given[chosen[1], chosen[0]])
    in_cycle = _in_cycle(straight)
    for edge in in_cycle:
        losses.add(KIND, "is part of a cycle", f"{edge.source} → {edge.target}")
    return [edge for edge in straight if edge not in in_cycle], reverse


def _direction(
    one: str, other: str, at: Mapping[str, datetime], asked: Set[tuple[str, str]]
) -> tuple[str, str] | None:
    on_record = [pair for pair in ((one, other), (other, one)) if pair in asked]
    if len(on_record) == 1:
        return on_record[0]
    if one not in at or other not in at or at[one] == at[other]:
        return None
    return (one, other) if at[one] > at[other] else (other, one)


def _in_cycle(edges: list[Replacement]) -> set[Replacement]:
    """Return the edges whose target leads back to their source."""
    follows: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        follows[edge.source].append(edge.target)
    suspects = _without_ends(follows)
    return {
        edge
        for edge in edges
        if edge.source in suspects
        and edge.target in suspects
        and edge.source in _reached(edge.target, follows)
    }


def _without_ends(follows: Mapping[str, list[str]]) -> set[str]:
    """Take off what leads nowhere, again and again, and return the memories that are left.

    Chains, which is nearly all there is, are gone after that.
    """
    leads_here: dict[str, list[str]] = defaultdict(list)
    out = {source: len(targets) for source, targets in follows.items()}
    for source, targets in follows.items():
        for target in targets:
            leads_here[target].append(source)
            out.setdefault(target, 0)
    ends = [node for node, count in out.items() if count == 0]
    while ends:
        end = ends.pop()
        del out[end]
        for source in leads_here[end]:
            out[source] -= 1
            if out[source] == 0:
                ends.append(source)
    return set(out)


def _reached(start: str, follows: Mapping[str, list[str]]) -> set[str]:
    seen = {start}
    waiting = [start]
    while waiting:
        for target in follows.get(waiting.pop(), ()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen
