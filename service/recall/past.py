"""Whether a question is about how something was, rather than how it is."""

import re
from typing import Final

_ASKS: Final = r"\b(?:what|who|whom|whose|where|which|when|how|why)\b"
_PATTERNS: Final = (
    r"\bdid(?:n['’]?t)?\b[^?.!]*\buse\s+to\b",
    r"\b(?:originally|formerly|previously|historically|initially)\b",
    r"\b(?:in\s+the\s+past|back\s+then|at\s+that\s+time|back\s+in\s+(?:the\s+day|[12]\d{3}))\b",
    r"\bas\s+of\b(?!\s+(?:right\s+)?(?:now|today|this\s+moment|the\s+moment|yet)\b)",
    # "What was it before the move?", "where did it run before?"; a bare "before" says nothing.
    rf"{_ASKS}[^?.!]*\b(?:was|were)\b[^?.!]*\bbefore\b",
    rf"{_ASKS}[^?.!]*\b(?:did|had)\b[^?.!]*\bbefore\W*$",
)
_PAST: Final = re.compile("|".join(_PATTERNS), re.IGNORECASE)
_USED_TO: Final = re.compile(r"\bused\s+to\b", re.IGNORECASE)

# "What is it used to store?", "which tool is mostly used to deploy?": a purpose, not a past. But
# "what is the host that it used to run on?" is one.
_PRONOUN: Final = r"(?:I|we|you|he|she|it|they)\s+"
_PURPOSE: Final = re.compile(
    r"\b(?:is|are|be|been|being|was|were|gets?|got)\s+$"
    rf"|\b(?:is|are|be)\s+(?:{_PRONOUN}|(?:\S+\s+){{0,3}}(?!{_PRONOUN})\S+\s+)$",
    re.IGNORECASE,
)


def is_about_the_past(query: str) -> bool:
    """Whether the query has a plain sign of asking about the past."""
    if _PAST.search(query) is not None:
        return True
    return any(
        _PURPOSE.search(query[: found.start()]) is None for found in _USED_TO.finditer(query)
    )
