"""The bound on each input, and the checks that name the field which exceeds it."""

from dataclasses import dataclass

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
