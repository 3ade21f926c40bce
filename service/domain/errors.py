"""Every error that the service raises on purpose.

PalimpsestError
├── InvalidInput            the caller's input is not valid: names the field
├── Unauthenticated         the caller shows no key, or none that opens
├── Forbidden               the caller's key may not do this, or not in this scope
├── NotFound                something named by id is not there (in this scope)
├── Conflict                the request is valid, the state does not allow it
├── Unavailable             a part the request needs does not answer now
│   ├── GraphUnavailable        Neo4j
│   │   └── GraphTimedOut           Neo4j did not finish within the time given
│   ├── QueriesBusy             as many hand-written queries run as may
│   ├── EmbeddingUnavailable    the embedding model or its endpoint
│   └── TextIndexUnavailable    the text index
├── QueryTimedOut           a hand-written query was ended because its time was over
├── GraphFailed             Neo4j refused a statement: a fault of this code or of the server
├── IncompatibleStore       the store or server is of a version this code must not touch
├── StoreHeld               another process holds the data folder
├── IndexDamaged            a projection on disk cannot be read and has to be rebuilt
├── EmbeddingRejected       the model answered something that is no usable vector
└── ConfigurationError      a setting is missing or out of its range

`is_retryable` tells whether the same request may succeed later without a change.
HTTP status codes live in `service/api/errors.py` only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field of an input: its dotted path and one sentence."""

    field: str
    message: str


class PalimpsestError(Exception):
    """Base of all errors of the service; its text is safe to show to a caller."""

    is_retryable: bool = False
    index: int | None = None
    """Of a set of operations: the one that was refused, counted from 0."""
    offer: Mapping[str, Any] | None = None
    """An operation that would do what was probably meant."""

    def of_operation(self, index: int) -> "PalimpsestError":
        """Return the same refusal with the place of the operation in its set."""
        refusal = self._placed(f"operations.{index}")
        refusal.index, refusal.offer = index, self.offer
        return refusal

    def _placed(self, place: str) -> "PalimpsestError":
        return type(self)(f"{place}: {self}")


class InvalidInput(PalimpsestError):
    """The caller's input is not valid."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.errors: tuple[FieldError, ...] = (FieldError(field, message),)

    @classmethod
    def of(cls, errors: Sequence[FieldError]) -> Self:
        """Return one error for all that is wrong with an input (at least one field)."""
        error = cls(errors[0].field, errors[0].message)
        error.errors = tuple(errors)
        return error

    def _placed(self, place: str) -> "PalimpsestError":
        return InvalidInput.of(
            [FieldError(f"{place}.{each.field}", each.message) for each in self.errors]
        )


class Unauthenticated(PalimpsestError):
    """The caller shows no key, or none that opens."""


class Forbidden(PalimpsestError):
    """The caller's key may not do this, or not in this scope."""


class NotFound(PalimpsestError):
    """Something that the caller named by id does not exist in the scope."""


class Conflict(PalimpsestError):
    """The request is valid, but the state of the store does not allow it."""

    def __init__(self, message: str, *, offer: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.offer = offer


class Unavailable(PalimpsestError):
    """A part that the request needs does not answer at the moment."""

    is_retryable = True


class GraphUnavailable(Unavailable):
    """Neo4j does not answer."""


class GraphTimedOut(GraphUnavailable):
    """Neo4j did not finish within the time given; of a write it is not known whether it landed."""


class QueriesBusy(Unavailable):
    """As many hand-written queries run as may at a time."""


class EmbeddingUnavailable(Unavailable):
    """The embedding model, or its endpoint, does not answer."""


class TextIndexUnavailable(Unavailable):
    """The text index cannot be searched or written."""


class QueryTimedOut(PalimpsestError):
    """A hand-written query was ended because its time was over; it has to ask for less."""


class GraphFailed(PalimpsestError):
    """Neo4j refused a statement or broke its own promise: a fault of this code or the server."""


class IncompatibleStore(PalimpsestError):
    """The store or its server is of a version that this code must not touch."""


class StoreHeld(PalimpsestError):
    """Another process holds the data folder."""


class IndexDamaged(PalimpsestError):
    """A projection on disk cannot be read; it has to be rebuilt from Neo4j."""


class EmbeddingRejected(PalimpsestError):
    """The model answered NaN, infinity, zeros, nothing, or another dimension."""

    is_retryable = True


class ConfigurationError(PalimpsestError):
    """A setting is missing or out of its range."""
