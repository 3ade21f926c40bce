"""Which dates a question names, and how near a day is to them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.recall.dates import Period, nearness, periods


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("what happened on 2024-03-05?", [Period(2024, 3, 5)]),
        ("the plan of 2024-03", [Period(2024, 3, None)]),
        ("on 5 March 2024", [Period(2024, 3, 5)]),
        ("on the 5th of March, 2024", [Period(2024, 3, 5)]),
        ("on March 5th, 2024", [Period(2024, 3, 5)]),
        ("Mar. 5", [Period(None, 3, 5)]),
        ("in MARCH 2024 or in April", [Period(2024, 3, None), Period(None, 4, None)]),
        ("in March of 2024", [Period(2024, 3, None)]),
        ("in May", [Period(None, 5, None)]),
        ("2024年3月5日 と 2023年12月", [Period(2024, 3, 5), Period(2023, 12, None)]),
        ("what may happen, and who will march", []),
        ("May I ask?", []),
        ("2024-13-01 and 30 February", [Period(None, 2, None)]),
        ("version 2024.3.5, port 8321, 12345-03-05", []),
        ("the Decameron and Juliette", []),
        ("", []),
    ],
)
def test_dates_and_months_are_read(query: str, expected: list[Period]) -> None:
    assert sorted(periods(query), key=repr) == sorted(expected, key=repr)


def test_a_day_within_is_nearest_and_others_fade() -> None:
    march = [Period(2024, 3, None)]
    assert nearness(march, date(2024, 3, 1)) == nearness(march, date(2024, 3, 31)) == 1.0
    assert 0.0 < nearness(march, date(2024, 4, 20)) < nearness(march, date(2024, 4, 2)) < 1.0
    assert nearness(march, date(2025, 3, 10)) < 1e-9


def test_without_a_year_the_nearest_one_counts() -> None:
    assert nearness([Period(None, 12, 31)], date(2024, 1, 1)) == pytest.approx(
        nearness([Period(2023, 12, 31)], date(2024, 1, 1))
    )
    assert nearness([Period(None, 2, 29)], date(2023, 2, 28)) == 1.0


@given(st.text(max_size=200), st.dates())
def test_no_text_fails_and_every_nearness_is_a_share(query: str, day: date) -> None:
    assert 0.0 <= nearness(periods(query), day) <= 1.0


@given(st.dates(), st.dates())
def test_any_iso_date_is_read_and_nearest_to_itself(named: date, other: date) -> None:
    found = periods(f"at {named.isoformat()} it rained")
    assert nearness(found, named) == 1.0
    assert nearness(found, other) <= 1.0
