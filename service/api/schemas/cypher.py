"""What the route of Cypher takes and answers."""

from typing import Any

from pydantic import ConfigDict, Field, JsonValue

from service.api.schemas.fields import Answer, Body
from service.domain.cypher.guard import MOST_CHARACTERS


class CypherRequest(Body):
    """A query that only reads."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "query": "MATCH (e:Entity {scope: $scope}) RETURN e.name, e.mentions "
                    "ORDER BY e.mentions DESC",
                    "parameters": {"scope": "acme"},
                    "limit": 10,
                }
            ]
        }
    )

    query: str = Field(max_length=MOST_CHARACTERS, description="One statement of Cypher.")
    parameters: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="By name, without the dollar sign; at most 10,000 values and 200,000 "
        "characters in all.",
    )
    limit: int = Field(
        default=100, ge=1, le=10_000, description="Rows at most; `cypher.rows` bounds it further."
    )


class CypherBody(Answer):
    """Rows in the order of the columns."""

    columns: tuple[str, ...]
    rows: list[list[Any]] = Field(
        description="Nodes, relationships and paths as objects, moments in RFC 3339."
    )
    truncated: bool = Field(description="Whether there was more than the answer may hold.")
    took_ms: float
