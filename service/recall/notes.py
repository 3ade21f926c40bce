"""What a result says about being superseded: a sentence, and the memory to take instead."""

from collections.abc import Mapping
from typing import Final

from service.domain.names import collapsed
from service.domain.recall import Currentness, Replacement
from service.projection.catalogue import Catalogue
from service.projection.currentness import Standing, Step

_QUOTED_CHARACTERS: Final = 100
_OTHER_HEADS: Final = 3


def head_of(ordinal: int, standing: Standing) -> Step | None:
    """The newest end of the memory's chain."""
    return next(iter(standing.heads(ordinal)), None)


def currentness(
    ordinal: int, standing: Standing, catalogue: Catalogue, contents: Mapping[int, str]
) -> Currentness:
    """Why this superseded memory is superseded, and by what.

    `contents` holds what the head of its chain says. The note names the direct successor as well
    where that is another memory.
    """
    heads = standing.heads(ordinal)
    direct = standing.direct(ordinal)
    head_entry = catalogue.entry(heads[0].ordinal) if heads else None
    # Of several direct successors the one that is current itself says most.
    first = next((step for step in direct if heads and step.ordinal == heads[0].ordinal), None)
    first = first or next(iter(direct), None)
    direct_entry = catalogue.entry(first.ordinal) if first is not None else None
    if direct_entry is None:
        # Whatever a memory states has that memory to point to.
        return Currentness(
            "Superseded: an operation replaced what it states, and no memory says so; the slot and "
            "the audit log show what holds now.",
            None,
        )
    since = f"Superseded on {direct_entry.event_at.date().isoformat()} by {direct_entry.id}"
    if head_entry is None:
        return Currentness(f"{since}, which is superseded too; nothing current follows.", None)
    content = contents.get(head_entry.ordinal, "")
    said = f": “{_short(content)}”." if content else "."
    chain = "" if head_entry.id == direct_entry.id else f", and now by {head_entry.id}"
    note = f"{since}{chain}{said}{_others(heads[1:], catalogue)}"
    return Currentness(note, Replacement(head_entry.id, content, heads[0].attribute_id))


def _others(heads: tuple[Step, ...], catalogue: Catalogue) -> str:
    """The further heads of a fork; their number where there are many."""
    if not heads:
        return ""
    entries = [catalogue.entry(step.ordinal) for step in heads[:_OTHER_HEADS]]
    named = ", ".join(entry.id for entry in entries if entry is not None)
    more = f" and {len(heads) - _OTHER_HEADS} more" if len(heads) > _OTHER_HEADS else ""
    return f" Also by {named}{more}."


def _short(content: str) -> str:
    text = collapsed(content)
    if len(text) <= _QUOTED_CHARACTERS:
        return text
    return text[: _QUOTED_CHARACTERS - 1].rstrip() + "…"
