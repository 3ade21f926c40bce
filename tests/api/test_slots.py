"""A slot holds one value at a time, and its history is one line in time."""

import asyncio

import pytest

from tests.api.client import Api, fields
from tests.api.residence import SLOT, history, lives_in


async def test_the_value_of_a_slot_is_decided_by_time_not_by_arrival(api: Api) -> None:
    await api.remember("Munich now.", created_at="2026-05-01T00:00:00Z", **lives_in("Munich"))
    late = await api.remember(
        "Berlin then.", created_at="2026-01-01T00:00:00Z", **lives_in("Berlin")
    )

    assert await history(api) == ("Munich", [("Munich", "active"), ("Berlin", "superseded")])
    assert (await api.get(f"/v1/memories/{late['id']}"))["superseded"] is True
    slot = await api.get("/v1/slots", entity="Mara", **SLOT)
    assert slot["history"][1]["valid_from"] == "2026-01-01T00:00:00Z"
    assert slot["history"][1]["valid_to"] == "2026-05-01T00:00:00Z"


@pytest.mark.parametrize("order", [("Berlin", "Munich"), ("Munich", "Berlin")])
async def test_equal_times_are_decided_the_same_in_any_order(
    api: Api, order: tuple[str, str]
) -> None:
    for city in order:
        await api.remember(
            f"Mara lives in {city}.", created_at="2026-05-01T00:00:00Z", **lives_in(city)
        )

    current, values = await history(api)
    assert current == values[0][0]
    assert sorted(status for _, status in values) == ["active", "superseded"]
    other = api.within(f"{api.scope}-other")
    for city in reversed(order):
        await other.remember(
            f"Mara lives in {city}.", created_at="2026-05-01T00:00:00Z", **lives_in(city)
        )
    assert await history(other) == (current, values)


async def test_many_writers_of_one_slot_leave_exactly_one_active_value(api: Api) -> None:
    cities = [f"City {n}" for n in range(12)]
    await asyncio.gather(
        *(
            api.remember(
                f"Mara lives in {city}.",
                created_at=f"2026-01-{n + 1:02}T00:00:00Z",
                **lives_in(city),
            )
            for n, city in enumerate(cities)
        )
    )

    current, values = await history(api)
    assert current == "City 11"
    assert [status for _, status in values].count("active") == 1
    assert [value for value, _ in values] == list(reversed(cities))


async def test_there_and_back_again_is_three_values_of_a_slot(api: Api) -> None:
    for month, city in ((1, "Berlin"), (3, "Munich"), (5, "Berlin")):
        await api.remember(
            f"{city} in month {month}.", created_at=f"2026-0{month}-01T00:00:00Z", **lives_in(city)
        )
    await api.remember("Bonn between.", created_at="2026-02-01T00:00:00Z", **lives_in("Bonn"))

    assert await history(api) == (
        "Berlin",
        [
            ("Berlin", "active"),
            ("Munich", "superseded"),
            ("Bonn", "superseded"),
            ("Berlin", "superseded"),
        ],
    )
    slot = await api.get("/v1/slots", entity="Mara", **SLOT)
    line = [(each["valid_from"][:7], each["valid_to"]) for each in slot["history"]]
    assert line == [
        ("2026-05", None),
        ("2026-03", "2026-05-01T00:00:00Z"),
        ("2026-02", "2026-03-01T00:00:00Z"),
        ("2026-01", "2026-02-01T00:00:00Z"),
    ]


async def test_an_equal_value_adds_evidence_and_replaces_nothing(api: Api) -> None:
    one = await api.remember("Mara lives in Berlin.", **lives_in("Berlin"))
    two = await api.remember("Berlin it is.", **lives_in("  BERLIN "))

    assert two["superseded_attributes"] == []
    slot = await api.get("/v1/slots", entity="Mara", **SLOT)
    assert len(slot["history"]) == 1
    assert set(slot["current"]["memory_ids"]) == {one["id"], two["id"]}


async def test_a_slot_of_many_values_keeps_them_all(api: Api) -> None:
    for city in ("Berlin", "Munich"):
        answer = await api.remember(
            f"Mara has a flat in {city}.", **lives_in(city, cardinality="many")
        )
        assert answer["superseded_attributes"] == []

    _, values = await history(api)
    assert sorted(values) == [("Berlin", "active"), ("Munich", "active")]


async def test_other_slots_of_the_aspect_stay(api: Api) -> None:
    await api.remember("Berlin.", **lives_in("Berlin"))
    for change in (
        {"claim_key": "country"},
        {"group_key": "work"},
        {"claim_key": None},
        {"group_key": None, "claim_key": None},
    ):
        answer = await api.remember(f"Other {change}.", **lives_in("Other", **change))
        assert answer["superseded_attributes"] == []

    assert (await history(api))[0] == "Berlin"


async def test_a_constraint_answers_with_a_contradiction(api: Api) -> None:
    law = await api.remember("Always Berlin.", **lives_in("Berlin", kind="constraint"))
    answer = await api.remember("Now Munich.", **lives_in("Munich"))

    (contradiction,) = answer["contradictions"]
    assert contradiction["value"] == "Berlin"
    assert contradiction["proposed"] == "Munich"
    assert await history(api) == ("Berlin", [("Berlin", "active")])
    assert (await api.get(f"/v1/memories/{law['id']}"))["superseded"] is False


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("2026-01-01T00:00:00", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00+08:00", "2025-12-31T16:00:00Z"),
        ("2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.500000Z"),
        ("2026-01-01t00:00:00z", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00-00:00", "2026-01-01T00:00:00Z"),
        ("2026-01-01", "2026-01-01T00:00:00Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
    ],
)
async def test_a_time_is_normalised_to_utc(api: Api, given: str, shown: str) -> None:
    made = await api.remember("Berlin.", created_at=given, **lives_in("Berlin", valid_from=given))

    assert made["created_at"] == shown
    slot = await api.get("/v1/slots", entity="Mara", **SLOT)
    assert slot["current"]["valid_from"] == shown


@pytest.mark.parametrize(
    "given",
    [
        "2026-13-40",
        "2026-02-30T00:00:00Z",
        "2026-01-01T25:00:00Z",
        "26-01-01",
        "now",
        "",
        "2026-01-01T00:00:00+25:00",
        "0000-01-01T00:00:00Z",
        "２０２６-01-01",
        1767225600,
    ],
)
async def test_what_is_no_time_is_refused(api: Api, given: object) -> None:
    answer = await api.post(
        "/v1/memories", {"content": "Berlin.", **lives_in("Berlin", valid_from=given)}
    )

    assert fields(answer) == ["attributes.0.valid_from"]
