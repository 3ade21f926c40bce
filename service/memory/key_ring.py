"""The keys of a store in this process, so that who calls is told without Neo4j."""

import asyncio
import hmac
from datetime import UTC, datetime
from time import monotonic

import structlog

from service.domain.access import (
    EVERYWHERE,
    OWNER,
    ApiKey,
    Caller,
    Role,
    id_of,
    token_digest,
)
from service.domain.errors import PalimpsestError, Unauthenticated
from service.stores.neo4j.access import list_keys
from service.stores.neo4j.driver import Graph

_log = structlog.stdlib.get_logger(__name__)

_POLL_S = 1.0
_LEAST_PAUSE_S = 0.25
_READ_S = 2.0


class KeyRing:
    """A copy of the keys, read anew each second, and when an unknown one is shown.

    Where Neo4j cannot be read it goes on with what it has: nobody is locked out, a key made
    meanwhile is not known yet, and one revoked meanwhile still opens. `failure` says so.
    Expiry needs no reading.
    """

    def __init__(self, graph: Graph, *, settings_key: str | None, loopback: bool) -> None:
        self._graph = graph
        self._settings_digest = token_digest(settings_key) if settings_key else None
        self._loopback = loopback
        self._keys: dict[str, ApiKey] = {}
        self._failure: str | None = None
        self._read_at = 0.0
        self._reading = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Read the keys and follow them from now on. Raises GraphUnavailable."""
        await self._read()
        self._task = asyncio.create_task(self._follow(), name="key-ring")

    async def close(self) -> None:
        """Stop following."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @property
    def failure(self) -> str | None:
        """Why the keys could not be read the last time; None when they were."""
        return self._failure

    def has_keys(self) -> bool:
        """Tell whether a key was ever made, or the settings have one.

        A revoked or expired one counts: that the last key ends must not open the service.
        """
        return self._settings_digest is not None or bool(self._keys)

    def status(self) -> dict[str, str | int]:
        """Return how the service is guarded, how many keys are active, and how they are read."""
        now = datetime.now(UTC)
        return {
            "mode": "keys" if self.has_keys() or not self._loopback else "open on loopback",
            "active_keys": sum(key.state(now) == "active" for key in self._keys.values()),
            "settings_key": "set" if self._settings_digest is not None else "unset",
            "refresh": self._failure or "ok",
        }

    async def caller(self, token: str | None) -> Caller:
        """Return who comes with a token. Raises Unauthenticated, which tells nothing of why."""
        if self._loopback and not self.has_keys():
            return OWNER
        if token is None:
            raise Unauthenticated("Send a key: Authorization: Bearer pal_….")
        found = self._known(token)
        if found is None and id_of(token) is not None:
            await self._read_again()
            found = self._known(token)
        if found is None:
            raise Unauthenticated("The key is unknown, revoked or expired.")
        return found

    def _known(self, token: str) -> Caller | None:
        if self._settings_digest is not None and hmac.compare_digest(
            self._settings_digest, token_digest(token)
        ):
            return Caller("settings", Role.ADMIN, (EVERYWHERE,))
        key = self._keys.get(id_of(token) or "")
        if key is not None and key.opens_with(token, datetime.now(UTC)):
            return key.caller()
        return None

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(_POLL_S)
            async with self._reading:
                await self._try_to_read()

    async def _read_again(self) -> None:
        """Read the keys once more, a pause after the last time; who waits meanwhile shares it."""
        asked_at = monotonic()
        async with self._reading:
            if self._read_at >= asked_at:
                return
            await asyncio.sleep(max(0.0, self._read_at + _LEAST_PAUSE_S - monotonic()))
            await self._try_to_read()

    async def _try_to_read(self) -> None:
        try:
            await self._read()
        except PalimpsestError as error:
            self._read_at = monotonic()
            if self._failure is None:
                _log.warning("keys cannot be read; going on with those known", reason=str(error))
            self._failure = f"cannot be read, going on with those known: {error}"

    async def _read(self) -> None:
        started = monotonic()
        keys = await self._graph.read(list_keys, timeout_s=_READ_S)
        self._keys = {key.id: key for key in keys}
        self._failure, self._read_at = None, started
