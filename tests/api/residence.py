"""One slot that tests fill: where Mara lives."""

from typing import Any

from tests.api.client import Api

SLOT = {"aspect": "residence", "group_key": "home", "claim_key": "city"}


def lives_in(city: str, **more: Any) -> dict[str, Any]:
    """What a remember says of the slot."""
    return {"attributes": [{"entity": "Mara", **SLOT, "value": city, **more}]}


async def history(api: Api) -> tuple[str | None, list[tuple[str, str]]]:
    """The slot's current value, and every value with its status, newest first."""
    slot = await api.get("/v1/slots", entity="Mara", **SLOT)
    current = slot["current"]
    return (
        None if current is None else current["value"],
        [(each["value"], each["status"]) for each in slot["history"]],
    )
