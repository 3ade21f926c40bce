"""The bound on each input, and the checks that name the field which exceeds it."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from service.domain.errors import InvalidInput
from service.domain.names import canonical_name


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what one memory may bring; all in characters unless the name says otherwise."""

    content: int = 100_000
    name: int = 512
    name_bytes: int = 4_000
    type: int = 64
    value: int = 20_000
    hint: int = 2_000
    metadata_bytes: int = 65_536
    metadata_depth: int = 16
    entities: int = 200
    relations: int = 200
    attributes: int = 200
    hints: int = 50
    supersedes: int = 200
    batch: int = 1_000


def checked_text(field: str, text: str, limit: int, *, blank: bool = False) -> str:
    """Return the text, or raise InvalidInput naming the field.

    Refused are a NUL character and lone surrogates (no store keeps them), more than `limit`
    characters, and, unless `blank`, a text of white space alone.
    """
    if "\x00" in text:
        raise InvalidInput(field, "holds a NUL character (U+0000), which cannot be stored")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            field, f"holds a lone surrogate at position {error.start}, which is no character"
        ) from None
    if not blank and not text.strip():
        raise InvalidInput(field, "is empty")
    if len(text) > limit:
        raise InvalidInput(field, f"has {len(text)} characters; at most {limit} are allowed")
    return text


def checked_name(field: str, name: str, limits: Limits) -> str:
    """Return the name, or raise InvalidInput; the canonical form has a limit of its own."""
    checked_text(field, name, limits.name)
    canonical = canonical_name(name)
    if not canonical:
        raise InvalidInput(field, f"{name!r} has no character left in its canonical form")
    size = len(canonical.encode())
    if size > limits.name_bytes:
        raise InvalidInput(
            field,
            f"takes {size} bytes in its canonical form; at most {limits.name_bytes} are allowed",
        )
    return name


def checked_count(field: str, count: int, limit: int) -> None:
    """Raise InvalidInput when a list has more than `limit` entries."""
    if count > limit:
        raise InvalidInput(field, f"has {count} entries; at most {limit} are allowed")


def checked_metadata(field: str, metadata: Mapping[str, object], limits: Limits) -> None:
    """Raise InvalidInput for a value that is no JSON every reader takes, or one that is too large.

    Refused are text that no store keeps (`checked_text`), numbers that are not finite, integers of
    more than 64 bits, more than `metadata_depth` levels and more than `metadata_bytes` as JSON.
    """
    _check_json(field, metadata, limits, depth=0)
    size = len(json.dumps(metadata, ensure_ascii=False, separators=(",", ":")).encode())
    if size > limits.metadata_bytes:
        raise InvalidInput(
            field, f"takes {size} bytes as JSON; at most {limits.metadata_bytes} are allowed"
        )


def _check_json(field: str, value: object, limits: Limits, *, depth: int) -> None:
    if depth > limits.metadata_depth:
        raise InvalidInput(field, f"is nested deeper than {limits.metadata_depth} levels")
    if isinstance(value, str):
        checked_text(field, value, limits.metadata_bytes, blank=True)
    elif isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(field, f"{value} is not a finite number")
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise InvalidInput(field, "is an integer of more than 64 bits")
    elif isinstance(value, Mapping):
        for key, entry in cast("Mapping[str, object]", value).items():
            checked_text(field, key, limits.name, blank=True)
            _check_json(f"{field}.{key}", entry, limits, depth=depth + 1)
    elif isinstance(value, Sequence):
        for at, entry in enumerate(cast("Sequence[object]", value)):
            _check_json(f"{field}.{at}", entry, limits, depth=depth + 1)
