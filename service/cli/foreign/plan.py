"""What of another product's store is to be written, what is there, and what stays behind.

A memory that an earlier run brought is known by its id of the file, which its metadata keeps; every
other one by its text. What was replaced or deleted here since is left as it is: an import brings
nothing back.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from service.cli.foreign.model import ForeignStore, Losses, Replacement, Row
from service.cli.foreign.supersession import KIND

_LISTS = ("entities", "relations", "attributes", "hints")

Key = Callable[[str], str]
"""The key that equal texts of the scope share."""


@dataclass(slots=True)
class Here:
    """What the scope holds already."""

    by_origin: dict[str, str] = field(default_factory=dict[str, str])
    """Ids of the file that memories were brought under, to the memories' ids."""
    current: dict[str, str] = field(default_factory=dict[str, str])
    """Keys of texts to the current memories."""
    replaced: dict[str, list[tuple[str, str | None]]] = field(
        default_factory=dict[str, list[tuple[str, str | None]]]
    )
    """Keys of texts to the replaced memories, each with its id of the file, if it has one."""
    deleted: Set[str] = frozenset()
    """Keys of texts that were deleted."""
    deleted_ids: Set[str] = frozenset()
    """Ids of the file whose memories were deleted, whatever text they had by then."""


@dataclass(slots=True)
class Plan:
    """What a run would do."""

    new: list[Row] = field(default_factory=list[Row])
    """To be remembered, in the order of their times."""
    again: list[Row] = field(default_factory=list[Row])
    """Whose text a current memory of other origin has: it is given what structure they bring."""
    there: dict[str, str] = field(default_factory=dict[str, str])
    """Ids of the file to the memories that stand for them here."""
    replacements: list[Replacement] = field(default_factory=list[Replacement])
    """Between what is new or there."""
    replacements_there: int = 0
    losses: Losses = field(default_factory=Losses)

    def to_send(self) -> list[Row]:
        """Return what is to be remembered, in the order of the times."""
        return sorted([*self.new, *self.again], key=lambda row: (row.at, row.id))

    def counts(self) -> dict[str, int]:
        """Return how many things of each kind are to be written."""
        found = {name: 0 for name in _LISTS}
        entities: set[str] = set()
        for row in self.new:
            for name in _LISTS[1:]:
                found[name] += len(row.body.get(name, ()))
            entities.update(each["name"] for each in row.body.get("entities", ()))
        found["entities"] = len(entities)
        return found


def planned(store: ForeignStore, here: Here, key: Key) -> Plan:
    """Compare a store with what the scope holds; the replacements there are not looked at yet."""
    plan = Plan()
    plan.losses.extend(store.losses.all())
    replaced = {edge.target for edge in store.replacements}
    rows, same_as = _merged(store.rows, replaced, key)
    others: dict[str, list[str]] = defaultdict(list)
    for other, one in same_as.items():
        others[one].append(other)
    for row in rows:
        ids = [row.id, *others[row.id]]
        text_key = key(row.body["content"])
        found = _found(ids, text_key, here, replaced)
        if found is not None:
            plan.there[row.id] = found
            if found == here.current.get(text_key) and not here.by_origin.keys() & set(ids):
                plan.again.append(row)
        elif text_key in here.deleted or here.deleted_ids & set(ids):
            plan.losses.add(store.kind, "was deleted here: it is not brought back", row.id)
        else:
            plan.new.append(row)
    plan.replacements = list(_between(store.replacements, same_as, plan))
    return plan


def _merged(rows: Iterable[Row], replaced: Set[str], key: Key) -> tuple[list[Row], dict[str, str]]:
    """Put rows of one text together, unless the earlier one was replaced before the later came."""
    standing: dict[str, Row] = {}
    merged: dict[str, Row] = {}
    same_as: dict[str, str] = {}
    for row in rows:
        text_key = key(row.body["content"])
        twin = standing.get(text_key)
        if twin is None or twin.id in replaced:
            standing[text_key] = merged[row.id] = row
            continue
        same_as[row.id] = twin.id
        standing[text_key] = merged[twin.id] = Row(twin.id, twin.at, _joined(twin.body, row.body))
    return list(merged.values()), same_as


def _joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    joined = dict(one)
    for name in _LISTS:
        both = [*one.get(name, ()), *other.get(name, ())]
        if both:
            joined[name] = [each for at, each in enumerate(both) if each not in both[:at]]
    return joined


def _found(ids: list[str], text_key: str, here: Here, replaced: Set[str]) -> str | None:
    """Return the memory that stands for a row of the file, current or not."""
    for each in ids:
        if each in here.by_origin:
            return here.by_origin[each]
    if text_key in here.current:
        return here.current[text_key]
    if text_key in here.deleted or here.deleted_ids & set(ids):
        return None
    for memory_id, origin in here.replaced.get(text_key, ()):
        # One that the file itself says was replaced is an earlier telling of the same text.
        if origin is None or origin not in replaced:
            return memory_id
    return None


def _between(
    edges: Iterable[Replacement], same_as: Mapping[str, str], plan: Plan
) -> Iterable[Replacement]:
    known = {row.id for row in plan.new} | plan.there.keys()
    seen: set[tuple[str, str]] = set()
    for edge in edges:
        source = same_as.get(edge.source, edge.source)
        target = same_as.get(edge.target, edge.target)
        shown = f"{edge.source} → {edge.target}"
        if source == target:
            plan.losses.add(KIND, "both memories have the same text", shown)
        elif source not in known or target not in known:
            plan.losses.add(KIND, "a memory of it is not carried over", shown)
        elif (source, target) not in seen:
            seen.add((source, target))
            yield Replacement(source, target, edge.reason)
