"""What the route of slots takes and answers."""

from pydantic import Field

from service.api.schemas.entities import AttributeBody
from service.api.schemas.fields import Answer, ScopeParameter, Word


class SlotParameters(ScopeParameter):
    """Which slot is read."""

    entity: Word = Field(description="Name or id of the entity.")
    aspect: Word
    group_key: Word | None = None
    claim_key: Word | None = None


class SlotBody(Answer):
    """The value that the slot holds now, and every one it held."""

    current: AttributeBody | None
    history: list[AttributeBody] = Field(description="Newest first, the current one included.")
