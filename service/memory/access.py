"""Making, listing, rotating and revoking keys."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from service.domain.access import (
    ApiKey,
    Role,
    checked_name,
    checked_scopes,
    new_id,
    new_token,
    token_digest,
)
from service.domain.errors import Conflict, InvalidInput, NotFound
from service.stores.neo4j.access import create_key, list_keys, revoke_key, rotate_key
from service.stores.neo4j.driver import Graph


class Keys:
    """The keys of a store; running services take a change over within about a second."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def create(
        self, name: str, role: Role, scopes: Sequence[str], expires_in: timedelta | None = None
    ) -> tuple[ApiKey, str]:
        """Make a key; returns it with its token, which is not kept and cannot be shown again.

        Raises InvalidInput, and Conflict for a name that a key has or had.
        """
        now = datetime.now(UTC)
        if expires_in is not None and expires_in <= timedelta():
            raise InvalidInput("expires", "has to lie ahead")
        key_id = new_id()
        token = new_token(key_id)
        key = ApiKey(
            id=key_id,
            name=checked_name(name),
            role=role,
            scopes=checked_scopes(scopes),
            digest=token_digest(token),
            created_at=now,
            expires_at=now + expires_in if expires_in is not None else None,
        )
        kept = await self._graph.write(create_key, key)
        if kept is None:
            raise Conflict(
                f"there is a key {name!r}, or was one: names are not used twice; choose another"
            )
        return kept, token

    async def list(self) -> list[ApiKey]:
        """Return every key, those revoked too, oldest first."""
        return await self._graph.read(list_keys)

    async def rotate(self, name: str) -> tuple[ApiKey, str]:
        """Give a key another secret; the one before is refused from then on.

        Raises NotFound, and Conflict for a revoked key.
        """
        key = await self._named(name)
        token = new_token(key.id)
        kept = await self._graph.write(rotate_key, name, token_digest(token), datetime.now(UTC))
        if kept is None:
            raise Conflict(f"the key {name!r} is revoked, which is final: make another")
        return kept, token

    async def revoke(self, name: str) -> ApiKey:
        """Refuse a key for ever; once more it changes nothing. Raises NotFound."""
        kept = await self._graph.write(revoke_key, name, datetime.now(UTC))
        if kept is None:
            raise NotFound(f"there is no key {name!r}")
        return kept

    async def _named(self, name: str) -> ApiKey:
        for key in await self.list():
            if key.name == name:
                return key
        raise NotFound(f"there is no key {name!r}")
