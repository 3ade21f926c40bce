"""Cut a text into the passages that an embedding model of bounded length can see."""

import re
from collections.abc import Sequence

# WordPiece gives up on a word of more than 100 characters and answers one "unknown" for all of it:
# such a run (a script without spaces, an encoded blob) is offered in pieces instead.
_LONG_RUN = re.compile(r"(\w{100})(?=\w)")
_SENTENCE_END = re.compile(r"[.!?\u2026\u061f][\"')\]\u00bb\u201d\u2019]*\s+$|\n\s*$")
_WIDE_SENTENCE_END = re.compile(r"[\u3002\uff01\uff1f\u0964]\s*$")


def split_long_runs(text: str) -> str:
    """Return the text with a space after each 100 word characters in a row."""
    return _LONG_RUN.sub(r"\1 ", text)


def passage_bounds(
    text: str, offsets: Sequence[tuple[int, int]], *, size: int, overlap: int
) -> list[tuple[int, int]]:
    """Return `[start, end)` token ranges that cover all tokens of the text, in order.

    `offsets` are each token's `[start, end)` characters in `text`. A range holds at most `size`
    tokens and begins at most `overlap` tokens before the end of the one in front of it. It ends
    after a sentence where one ends in its last quarter, else between words, else where it is full.
    A text of at most `size` tokens is one range. Always makes progress: `overlap < size / 2`.
    """
    if overlap < 0 or 2 * overlap >= size:
        raise ValueError(f"overlap {overlap} must be at least 0 and under half the size {size}")
    count = len(offsets)
    bounds: list[tuple[int, int]] = []
    start = 0
    while count - start > size:
        end = _cut(text, offsets, start, start + size)
        bounds.append((start, end))
        start = _next_word(offsets, end - overlap, end)
    bounds.append((start, count))
    return bounds


def _cut(text: str, offsets: Sequence[tuple[int, int]], start: int, full: int) -> int:
    """The best place to end a range that has to end at token `full` at the latest."""
    earliest = full - (full - start) // 4
    between_words: int | None = None
    for end in range(full, earliest, -1):
        before, after = offsets[end - 1][1], offsets[end][0]
        tail = text[max(0, before - 8) : after]
        if _SENTENCE_END.search(tail) or _WIDE_SENTENCE_END.search(tail):
            return end
        if after > before and between_words is None:
            between_words = end
    return full if between_words is None else between_words


def _next_word(offsets: Sequence[tuple[int, int]], wanted: int, limit: int) -> int:
    """The first token at or after `wanted`, before `limit`, that begins a word; else `wanted`."""
    for index in range(wanted, limit):
        if offsets[index][0] > offsets[index - 1][1]:
            return index
    return wanted
