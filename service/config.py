"""Every setting: its unit in its name, one sentence, its default and its range.

Read once at start from the environment (`PALIMPSEST_RECALL__DEADLINE_MS=400`) and from the file
`.env` of the working directory; frozen afterwards. docs/configuration.md is made from this.
"""

import ipaddress
import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from service.domain.cypher.answer import Bounds
from service.domain.errors import ConfigurationError
from service.domain.limits import Limits

_FROZEN = ConfigDict(frozen=True, extra="forbid")
Fraction = Annotated[float, Field(ge=0.0, le=1.0)]


def _data_home() -> Path:
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "palimpsest"


def _cache_home() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "palimpsest"


class HttpSettings(BaseModel):
    """Where the service listens, and what it takes."""

    model_config = _FROZEN

    host: str = Field(
        default="127.0.0.1",
        description="Address to listen on; another than loopback needs a key.",
    )
    port: int = Field(
        default=8321, ge=0, le=65_535, description="Port to listen on; 0 takes a free one."
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=(),
        description="Host names besides loopback that a request may address the service by.",
    )
    max_body_bytes: int = Field(
        default=67_108_864, ge=1_024, le=1_073_741_824, description="Largest request body."
    )

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every name, without a port, that an address of the service may have in a browser."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        return tuple(dict.fromkeys(("127.0.0.1", "localhost", own, *self.allowed_hosts)))

    def is_loopback(self) -> bool:
        """Tell whether only programs of this machine reach the address."""
        host = "127.0.0.1" if self.host == "localhost" else self.host.strip("[]")
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False


def _fits_a_header(key: SecretStr | None) -> SecretStr | None:
    if key is not None and not re.fullmatch(r"[\x21-\x7e]+", key.get_secret_value()):
        raise ValueError("may hold visible ASCII characters only")
    return key


class AccessSettings(BaseModel):
    """Who may call."""

    model_config = _FROZEN

    key: SecretStr | None = Field(
        default=None,
        min_length=32,
        max_length=512,
        description="A key with the role admin and all scopes; never logged.",
    )

    _fits = field_validator("key")(_fits_a_header)


class Neo4jSettings(BaseModel):
    """How the embedded Neo4j runs, and how Neo4j is spoken to."""

    model_config = _FROZEN

    bolt_port: int = Field(
        default=7687, ge=1, le=65_535, description="Wanted Bolt port, else a free one."
    )
    http_port: int = Field(
        default=7474, ge=1, le=65_535, description="Wanted HTTP port, else a free one."
    )
    heap_mb: int | None = Field(
        default=None,
        ge=128,
        le=65_536,
        description="Heap of the embedded server; fitted to the machine.",
    )
    page_cache_mb: int | None = Field(
        default=None, ge=16, le=262_144, description="Page cache of it; fitted to the machine."
    )
    pool_size: int = Field(default=32, ge=2, le=1_000, description="Most connections at a time.")
    write_timeout_s: float = Field(
        default=60.0,
        ge=1.0,
        le=600.0,
        description="Limit of one write transaction, its retries included.",
    )


class EmbeddingSettings(BaseModel):
    """Which model makes the vectors."""

    model_config = _FROZEN

    provider: Literal["onnx", "openai", "hashing"] = Field(
        default="onnx",
        description="onnx: a small English model in the process; openai: any OpenAI-compatible "
        "endpoint; hashing: words only, no model.",
    )
    workers: int = Field(
        default=2, ge=1, le=64, description="Threads of the onnx model, one text each."
    )
    url: str = Field(default="", description="Address of an OpenAI-compatible endpoint, up to /v1.")
    model: str = Field(default="", description="Name of the model at that endpoint.")
    api_key: SecretStr | None = Field(
        default=None, description="Key for that endpoint; never logged."
    )
    dimension: int | None = Field(
        default=None,
        ge=8,
        le=8_192,
        description="Length of its vectors; asked of the endpoint if unset.",
    )
    query_prefix: str = Field(
        default="", description="What that model wants in front of a question."
    )
    timeout_s: float = Field(
        default=30.0, ge=1.0, le=600.0, description="Limit of one request to it."
    )


class RecallOptions(BaseModel):
    """How recall weighs what its channels find."""

    model_config = _FROZEN

    deadline_ms: int = Field(default=250, ge=1, le=60_000, description="Deadline of a recall.")
    alpha: Fraction = Field(default=0.7, description="Weight of vector against text.")
    candidates: int = Field(
        default=100, ge=10, le=1_000, description="Memories a channel brings at most."
    )
    superseded_factor: Fraction = Field(
        default=0.25, description="What the score of a superseded memory is multiplied by."
    )
    succession: bool = Field(
        default=True, description="Whether what replaced a found memory joins with its score."
    )
    context: bool = Field(
        default=True,
        description="Whether what stands around a memory in its session, who said it and a date in "
        "the question lift it.",
    )


class GraphSettings(BaseModel):
    """What the graph adds to recall, and what writes it without being asked."""

    model_config = _FROZEN

    enabled: bool = Field(
        default=True, description="Whether recall reads, traverses and boosts by it."
    )
    link_names: bool = Field(
        default=True, description="Whether a new memory is linked to known entities by their names."
    )
    boost_weight: Fraction = Field(default=0.15, description="What a traversal score of 1 adds.")
    entities: int = Field(
        default=20, ge=1, le=200, description="Entities a query starts from at most."
    )
    neighbors: int = Field(default=50, ge=1, le=500, description="Entities one hop away at most.")
    memories: int = Field(
        default=200, ge=1, le=2_000, description="Memories traversal brings at most."
    )
    relation_types: int = Field(
        default=1_000, ge=1, le=10_000, description="Distinct relation types of a store."
    )


class CypherSettings(BaseModel):
    """What a query that an analyst sends may cost."""

    model_config = _FROZEN

    enabled: bool = Field(default=True, description="Whether Cypher over HTTP is served.")
    timeout_ms: int = Field(default=5_000, ge=100, le=60_000, description="Time of one query.")
    rows: int = Field(default=1_000, ge=1, le=10_000, description="Rows of one answer.")
    answer_bytes: int = Field(
        default=4_194_304, ge=1_024, le=67_108_864, description="Bytes of one answer."
    )
    concurrency: int = Field(default=2, ge=1, le=8, description="Queries at a time.")

    def bounds(self) -> Bounds:
        """Return what one query may cost."""
        return Bounds(self.rows, self.answer_bytes, self.timeout_ms / 1000, self.concurrency)


class ProjectionSettings(BaseModel):
    """How the indexes follow the graph."""

    model_config = _FROZEN

    page: int = Field(default=1_000, ge=10, le=10_000, description="Changes applied at a time.")
    poll_s: float = Field(
        default=1.0,
        ge=0.05,
        le=60.0,
        description="How often changes of other processes are looked for.",
    )
    wait_s: float = Field(
        default=30.0, ge=0.1, le=600.0, description="How long a write waits until recall sees it."
    )
    snapshot_s: float = Field(
        default=60.0, ge=1.0, le=3_600.0, description="How often the vectors are written to disk."
    )
    exact_rows: int = Field(
        default=10_000,
        ge=0,
        le=1_000_000,
        description="Vectors of a scope that are searched exactly.",
    )


class LimitSettings(BaseModel):
    """Bounds on what one memory may bring; docs/api.md lists them."""

    model_config = _FROZEN

    content: int = Field(
        default=100_000, ge=1_000, le=1_000_000, description="Characters of a content."
    )
    name: int = Field(default=512, ge=64, le=512, description="Characters of a name.")
    name_bytes: int = Field(
        default=4_000, ge=256, le=4_000, description="Bytes of a canonical name."
    )
    value: int = Field(default=20_000, ge=100, le=100_000, description="Characters of a value.")
    hint: int = Field(default=2_000, ge=10, le=20_000, description="Characters of a hint.")
    entities: int = Field(default=200, ge=1, le=1_000, description="Entities of a memory.")
    relations: int = Field(default=200, ge=1, le=1_000, description="Relations of a memory.")
    attributes: int = Field(default=200, ge=1, le=1_000, description="Attributes of a memory.")
    hints: int = Field(default=50, ge=0, le=200, description="Hints of a memory.")
    supersedes: int = Field(default=200, ge=1, le=1_000, description="Memories that one replaces.")
    batch: int = Field(default=1_000, ge=1, le=1_000, description="Memories of a batch.")

    def limits(self) -> Limits:
        """Return the limits as the domain checks them."""
        return Limits(**self.model_dump())


class LogSettings(BaseModel):
    """What is logged, and how."""

    model_config = _FROZEN

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least level."
    )
    format: Literal["console", "json"] = Field(
        default="console", description="For people, or machines."
    )


class Settings(BaseSettings):
    """All settings of a service."""

    model_config = SettingsConfigDict(
        env_prefix="PALIMPSEST_",
        env_nested_delimiter="__",
        env_file=".env",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    data_dir: Path = Field(
        default_factory=_data_home,
        description="All of a store: Neo4j's data, its password, the indexes.",
    )
    cache_dir: Path = Field(
        default_factory=_cache_home, description="Downloads: Neo4j and the embedding model."
    )
    neo4j_uri: str | None = Field(
        default=None,
        validation_alias=AliasChoices("NEO4J_URI", "PALIMPSEST_NEO4J_URI"),
        description="Another Neo4j, 5.26 or newer, instead of the embedded one.",
    )
    neo4j_user: str = Field(
        default="neo4j",
        validation_alias=AliasChoices("NEO4J_USER", "NEO4J_USERNAME", "PALIMPSEST_NEO4J_USER"),
        description="Its user.",
    )
    neo4j_password: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("NEO4J_PASSWORD", "PALIMPSEST_NEO4J_PASSWORD"),
        description="Its password; never logged.",
    )
    key: SecretStr | None = Field(
        default=None,
        max_length=512,
        description="The key that commands send to a running service; never logged.",
    )
    http: HttpSettings = HttpSettings()
    access: AccessSettings = AccessSettings()
    neo4j: Neo4jSettings = Neo4jSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    recall: RecallOptions = RecallOptions()
    graph: GraphSettings = GraphSettings()
    cypher: CypherSettings = CypherSettings()
    projection: ProjectionSettings = ProjectionSettings()
    limits: LimitSettings = LimitSettings()
    log: LogSettings = LogSettings()

    _fits = field_validator("key")(_fits_a_header)


def _shown(fault: ErrorDetails) -> str:
    secret = str(fault["loc"][-1]).lower().endswith(("key", "password"))
    return "(not shown)" if secret else repr(fault["input"])


def read_settings(**values: Any) -> Settings:
    """Return the settings of the environment, with `values` over them.

    Raises ConfigurationError, one line a fault: the key, the value and what is allowed.
    """
    try:
        return Settings(**values)
    except ValidationError as error:
        lines = [
            f"{'.'.join(str(part) for part in fault['loc'])} is {_shown(fault)}: {fault['msg']}"
            for fault in error.errors()
        ]
        raise ConfigurationError("; ".join(lines)) from None
