"""Who may do what: roles, scopes, keys, and the caller that a request turns out to be."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from service.domain.errors import Forbidden, InvalidInput
from service.domain.names import checked_scope

EVERYWHERE: Final = "*"
"""The pattern of all scopes."""
MOST_SCOPES: Final = 100

_BELOW: Final = "/*"
_TOKEN: Final = re.compile(r"pal_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_ID_BYTES: Final = 6
_SECRET_BYTES: Final = 32


class Role(StrEnum):
    """What a caller may do; each role may do what the ones before it may."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def includes(self, other: "Role") -> bool:
        """Tell whether who has this role may do what `other` may."""
        order = list(Role)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what they may do."""

    name: str
    """The key's name; `owner` where the service runs without keys, `settings` for their key."""
    role: Role
    scopes: tuple[str, ...]

    def everywhere(self) -> bool:
        """Tell whether the caller may touch all scopes."""
        return EVERYWHERE in self.scopes

    def may_touch(self, scope: str) -> bool:
        """Tell whether one of the caller's patterns names the scope."""
        return any(_names(pattern, scope) for pattern in self.scopes)

    def require_role(self, role: Role) -> None:
        """Raise Forbidden unless the caller has the role or a higher one."""
        if not self.role.includes(role):
            raise Forbidden(
                f"The key {self.name!r} has the role {self.role.value}; this needs {role.value}."
            )

    def require_scope(self, scope: str) -> None:
        """Raise Forbidden unless the caller may touch the scope."""
        if not self.may_touch(scope):
            raise Forbidden(
                f"The key {self.name!r} may not touch the scope {scope!r}; "
                f"its scopes: {', '.join(self.scopes)}."
            )

    def require_everywhere(self) -> None:
        """Raise Forbidden unless the caller may touch all scopes."""
        if not self.everywhere():
            raise Forbidden(
                f"This is about all scopes, and the key {self.name!r} may touch "
                f"{', '.join(self.scopes)} only; name one of them where the request takes a scope."
            )


OWNER: Final = Caller("owner", Role.ADMIN, (EVERYWHERE,))
"""Everybody who reaches a service without keys, which listens on loopback only."""


ANYBODY: Final = "caller"
"""Who it was, for the audit log, on a service without keys."""
acting: Final[ContextVar[str]] = ContextVar("acting", default=ANYBODY)
"""The name of the key with which the current request came."""


def key_name() -> str | None:
    """Return the name of that key; None on a service without keys."""
    name = acting.get()
    return None if name == ANYBODY else name


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as the store keeps it: everything but its secret."""

    id: str
    """12 hexadecimal digits, the part of the token that may be shown."""
    name: str
    role: Role
    scopes: tuple[str, ...]
    digest: str
    created_at: datetime
    rotated_at: datetime | None = None
    revoked_at: datetime | None = None
    expires_at: datetime | None = None

    def state(self, now: datetime) -> str:
        """Return `active`, `revoked` or `expired`."""
        if self.revoked_at is not None:
            return "revoked"
        if self.expires_at is not None and self.expires_at <= now:
            return "expired"
        return "active"

    def opens_with(self, token: str, now: datetime) -> bool:
        """Tell whether the token is this key's and may be used; takes the same time either way."""
        same = hmac.compare_digest(self.digest, token_digest(token))
        return same and self.state(now) == "active"

    def caller(self) -> Caller:
        """Return who comes with this key."""
        return Caller(self.name, self.role, self.scopes)


def new_id() -> str:
    """Return the public part of a new key."""
    return secrets.token_hex(_ID_BYTES)


def new_token(key_id: str) -> str:
    """Return `pal_<id>_<secret>` with 256 random bits in the secret."""
    return f"pal_{key_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"


def id_of(token: str) -> str | None:
    """Return the public part of a token; None for what is no token."""
    found = _TOKEN.fullmatch(token)
    return found[1] if found else None


def token_digest(token: str) -> str:
    """Return what is kept of a token: its SHA-256.

    A slow or salted hash defends secrets that people choose. Nobody guesses 256 random bits, no
    table holds them, and a fast hash costs a request nothing.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def checked_name(name: str) -> str:
    """Return the name of a key, or raise InvalidInput: 1-64 letters, digits and `._@-`."""
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            "name",
            f"{name[:70]!r} is not 1 to 64 letters, digits and ._@- with a letter or digit first",
        )
    return name


def checked_scopes(patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns without repetition, or raise InvalidInput.

    A pattern is a scope, `acme/*` for every scope below `acme/` (not `acme` itself), or `*`.
    """
    if not 1 <= len(patterns) <= MOST_SCOPES:
        raise InvalidInput("scopes", f"are {len(patterns)}; name 1 to {MOST_SCOPES}")
    for pattern in patterns:
        if pattern == EVERYWHERE:
            continue
        try:
            checked_scope(pattern.removesuffix(_BELOW))
        except InvalidInput:
            raise InvalidInput(
                "scopes",
                f"{pattern[:140]!r} is neither a scope nor one followed by /* nor * alone",
            ) from None
    return tuple(dict.fromkeys(patterns))


def _names(pattern: str, scope: str) -> bool:
    if pattern == EVERYWHERE:
        return True
    if pattern.endswith(_BELOW):
        above = pattern.removesuffix("*")
        return scope.startswith(above) and len(scope) > len(above)
    return pattern == scope
