"""What the route of scopes takes."""

from pydantic import Field

from service.api.schemas.fields import Parameters, Scope


class DeleteScopeParameters(Parameters):
    """The name once more, so that no scope is deleted by a slip."""

    confirm: Scope = Field(description="The scope's name again.")
    purge: bool = Field(default=False, description="Remove every trace of it.")
