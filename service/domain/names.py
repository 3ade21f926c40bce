"""The one normaliser each for names, slot keys and relation types (docs/architecture.md, "Names").

Every writer uses these: structured remember, operations, import. Two spellings that a person
takes for the same name must give the same key, and a key must fit into an index.
"""

import hashlib
import json
import re
import unicodedata
from functools import lru_cache

from service.domain.errors import InvalidInput

_WHITE_SPACE = re.compile(r"\s+")
_GAPS = re.compile(r"_+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])")
_SHORT = 128
_SCOPE = re.compile(r"[A-Za-z0-9._:@/\-]{1,128}")

RESERVED_RELATION_TYPES = frozenset(
    {
        "ALIAS_OF",
        "ANSWERED",
        "ASSERTS",
        "FORMERLY_SUPERSEDES",
        "HAS_ASPECT",
        "HAS_ATTRIBUTE",
        "HAS_CHUNK",
        "HAS_EMBEDDING",
        "HAS_HINT",
        "MENTIONS",
        "NEXT",
        "RECALLED",
        "STATED",
        "STATES",
        "SUPERSEDES",
        "TOUCHED",
    }
)
"""Relationship types of the service itself: a relation between entities never has one of them."""

FALLBACK_RELATION_TYPE = "RELATED_TO"
"""The type of a relation whose own would exceed the bound on distinct types of a store."""


def collapsed(text: str) -> str:
    """Return the text trimmed, each run of white space one space."""
    return _WHITE_SPACE.sub(" ", text).strip()


def canonical_name(text: str) -> str:
    """Return the key under which a name is unique: NFKC, case-folded, white space collapsed.

    Idempotent: folding can undo a normalisation, so NFKC runs on both sides of it.
    """
    return _canonical_once(text) if len(text) <= _SHORT else _canonical(text)


def _canonical(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return collapsed(unicodedata.normalize("NFKC", folded))


_canonical_once = lru_cache(maxsize=32_768)(_canonical)


def relation_type(given: str, field: str = "type") -> str:
    """Return the native relationship type of a given spelling: UPPER_SNAKE.

    "runs on", "runs-on" and "runsOn" are one type; letters of every script stay, with the
    marks that spell them.
    Raises InvalidInput when nothing is left, or when the type is one of the service's own.
    """
    spaced = _CAMEL.sub("_", unicodedata.normalize("NFKC", given))
    words = "".join(char if _spells(char) else "_" for char in spaced)
    name = unicodedata.normalize("NFKC", _GAPS.sub("_", words).strip("_").upper())
    if not any(char.isalnum() for char in name):
        raise InvalidInput(field, f"relation type {given!r} has no letter or digit")
    if name in RESERVED_RELATION_TYPES:
        raise InvalidInput(
            field,
            f"relation type {given!r} is {name}, which the service uses itself; choose another",
        )
    return name


def is_native_type(name: str) -> bool:
    """Tell whether a name is one that `relation_type` gives: it can be quoted in a statement."""
    spelled = name != "" and all(char == "_" or _spells(char) for char in name)
    return spelled and name not in RESERVED_RELATION_TYPES


def slot_key(
    entity_id: str, aspect: str, group_key: str | None, claim_key: str | None, value: str
) -> str:
    """Return the key of the place that one current value can hold: 32 hexadecimal digits.

    A digest, since an index key must stay short. Without a claim key there is no such place:
    the value itself is part of the key then, so that siblings never replace each other.
    """
    parts = [entity_id, canonical_name(aspect), canonical_name(group_key or "")]
    if claim_key is None:
        parts += ["value", canonical_name(value)]
    else:
        parts += ["claim", canonical_name(claim_key)]
    return digest(json.dumps(parts, ensure_ascii=False))


@lru_cache(maxsize=1_024)  # asked several times of each memory that is written
def content_key(scope: str, content: str) -> str:
    """Return the key that equal contents of a scope share (white space normalised)."""
    return digest(json.dumps([scope, collapsed(content)], ensure_ascii=False))


def origin_key(scope: str, product: str, given_id: str) -> str:
    """Return the key of what a memory was called in the product that it was carried over from."""
    return digest(json.dumps([scope, product, given_id], ensure_ascii=False))


def session_key(scope: str, session: str) -> str:
    """Return the key of a session of talk in its scope."""
    return digest(json.dumps([scope, session], ensure_ascii=False))


def digest(text: str) -> str:
    """Return 128 bits of BLAKE2b of the text, as 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _spells(char: str) -> bool:
    """Whether a character is part of a word: a letter, a mark on one, or a digit."""
    return unicodedata.category(char)[0] in "LMN"


def checked_scope(scope: str) -> str:
    """Return the scope, or raise InvalidInput: 1-128 characters of letters, digits, `._:@/-`."""
    if not _SCOPE.fullmatch(scope):
        raise InvalidInput(
            "scope", f"{scope[:140]!r} is not 1 to 128 characters of letters, digits and ._:@/-"
        )
    return scope
