import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.providers.embedding.passages import passage_bounds, split_long_runs


def words(text: str) -> list[tuple[int, int]]:
    return [m.span() for m in re.finditer(r"\w+|[^\w\s]", text)]


def cut(text: str, size: int, overlap: int = 0) -> list[str]:
    offsets = words(text)
    bounds = passage_bounds(text, offsets, size=size, overlap=overlap)
    return [text[offsets[a][0] : offsets[b - 1][1]] for a, b in bounds]


def test_a_short_text_is_one_passage() -> None:
    assert cut("one two three", 3) == ["one two three"]


def test_no_token_is_one_empty_passage() -> None:
    assert passage_bounds("", [], size=10, overlap=2) == [(0, 0)]


def test_a_passage_ends_after_a_sentence_in_its_last_quarter() -> None:
    assert cut("a b c d e f. g h i j k l", 8) == ["a b c d e f.", "g h i j k l"]


def test_a_line_end_is_a_sentence_end() -> None:
    assert cut("a b c d e f g\nh i j k l", 8) == ["a b c d e f g", "h i j k l"]


def test_a_full_stop_inside_a_number_ends_nothing() -> None:
    assert cut("a b c d 3.14 e f g h i j k l", 8) == ["a b c d 3.14 e", "f g h i j k l"]


def test_a_sentence_of_a_script_without_spaces_ends_at_its_own_sign() -> None:
    text = "".join("一二三四五六。七八九十一二三")
    offsets = [(i, i + 1) for i in range(len(text))]
    assert passage_bounds(text, offsets, size=8, overlap=0) == [(0, 7), (7, 14)]


def test_tokens_without_any_gap_are_cut_where_the_passage_is_full() -> None:
    offsets = [(i, i + 1) for i in range(25)]
    assert passage_bounds("x" * 25, offsets, size=10, overlap=2) == [(0, 10), (8, 18), (16, 25)]


def test_overlap_begins_at_a_word() -> None:
    text = "aa bb cccc dd ee ff gg"
    offsets = [(0, 2), (3, 5), (6, 8), (8, 10), (11, 13), (14, 16), (17, 19), (20, 22)]
    assert passage_bounds(text, offsets, size=5, overlap=2)[1][0] == 4


@pytest.mark.parametrize("overlap", [-1, 5, 10])
def test_an_overlap_that_could_stop_progress_is_refused(overlap: int) -> None:
    with pytest.raises(ValueError, match=f"overlap {overlap}"):
        passage_bounds("x", [(0, 1)], size=10, overlap=overlap)


@given(
    text=st.text(alphabet="ab .\n。", max_size=400),
    size=st.integers(5, 40),
    overlap=st.integers(0, 2),
)
def test_passages_cover_every_token_in_order(text: str, size: int, overlap: int) -> None:
    offsets = words(text)
    bounds = passage_bounds(text, offsets, size=size, overlap=overlap)
    assert bounds[0][0] == 0
    assert bounds[-1][1] == len(offsets)
    for (start, end), (next_start, next_end) in itertools.pairwise(bounds):
        assert start < next_start <= end < next_end
        assert end - next_start <= overlap
    assert all(end - start <= size for start, end in bounds)


def test_long_runs_are_offered_in_pieces_and_words_stay_whole() -> None:
    assert split_long_runs("a" * 250) == " ".join(["a" * 100, "a" * 100, "a" * 50])
    assert split_long_runs("b" * 100 + " c") == "b" * 100 + " c"
    url = "https://example.org/" + "/".join(["part"] * 40)
    assert split_long_runs(url) == url
