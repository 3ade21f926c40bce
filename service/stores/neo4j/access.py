"""Keys in Neo4j."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from service.domain.access import ApiKey, Role
from service.stores.neo4j.driver import Transaction, fetch
from service.stores.neo4j.records import maybe_moment, moment
from service.stores.neo4j.statements import statement

_LIST = statement("access/list")
_CREATE = statement("access/create")
_ROTATE = statement("access/rotate")
_REVOKE = statement("access/revoke")


async def list_keys(tx: Transaction) -> list[ApiKey]:
    """Return every key, those revoked too, oldest first."""
    return [_view(row["key"]) for row in await fetch(tx, _LIST)]


async def create_key(tx: Transaction, key: ApiKey) -> ApiKey | None:
    """Keep a new key; None where its name is taken."""
    rows = await fetch(
        tx,
        _CREATE,
        id=key.id,
        name=key.name,
        role=key.role.value,
        scopes=list(key.scopes),
        digest=key.digest,
        now=key.created_at,
        expires_at=key.expires_at,
    )
    return _view(rows[0]["key"]) if rows else None


async def rotate_key(tx: Transaction, name: str, digest: str, now: datetime) -> ApiKey | None:
    """Give a key another secret; None where it is unknown or revoked."""
    rows = await fetch(tx, _ROTATE, name=name, digest=digest, now=now)
    return _view(rows[0]["key"]) if rows else None


async def revoke_key(tx: Transaction, name: str, now: datetime) -> ApiKey | None:
    """Revoke a key; None where there is none of the name."""
    rows = await fetch(tx, _REVOKE, name=name, now=now)
    return _view(rows[0]["key"]) if rows else None


def _view(node: Mapping[str, Any]) -> ApiKey:
    return ApiKey(
        id=node["id"],
        name=node["name"],
        role=Role(node["role"]),
        scopes=tuple(node["scopes"]),
        digest=node["digest"],
        created_at=moment(node["created_at"]),
        rotated_at=maybe_moment(node.get("rotated_at")),
        revoked_at=maybe_moment(node.get("revoked_at")),
        expires_at=maybe_moment(node.get("expires_at")),
    )
