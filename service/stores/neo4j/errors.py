"""The one place where the Neo4j driver's errors become the service's own."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from neo4j import exceptions as vendor

from service.domain.errors import (
    ConfigurationError,
    Conflict,
    GraphFailed,
    GraphTimedOut,
    GraphUnavailable,
    IncompatibleStore,
    PalimpsestError,
)

# The most specific class wins. A vendor class that is not named here takes its nearest ancestor's.
ERRORS: Final[dict[type[Exception], type[PalimpsestError]]] = {
    vendor.AuthConfigurationError: ConfigurationError,
    vendor.AuthError: ConfigurationError,
    vendor.CertificateConfigurationError: ConfigurationError,
    vendor.ClientError: GraphFailed,
    vendor.ConfigurationError: ConfigurationError,
    vendor.ConnectionAcquisitionTimeoutError: GraphTimedOut,
    vendor.ConnectionPoolError: GraphUnavailable,
    vendor.ConstraintError: Conflict,
    vendor.DatabaseError: GraphFailed,
    vendor.DriverError: GraphFailed,
    vendor.Forbidden: ConfigurationError,
    vendor.GqlError: GraphFailed,
    vendor.ServiceUnavailable: GraphUnavailable,
    vendor.SessionExpired: GraphUnavailable,
    vendor.TransientError: GraphUnavailable,
    vendor.UnsupportedServerProduct: IncompatibleStore,
}

_TIMED_OUT: Final = "TransactionTimedOut"
"""Part of the code of every error that says that the server ended a transaction for its time."""


@contextmanager
def mapped_errors(doing: str) -> Generator[None]:
    """Raise the service's errors for those of the driver; `doing` names what was attempted."""
    try:
        yield
    except (vendor.GqlError, vendor.DriverError) as error:
        raise translate(error, doing) from error


def translate(error: Exception, doing: str) -> PalimpsestError:
    """The service's error for one of the driver's."""
    if isinstance(error, vendor.Neo4jError) and _TIMED_OUT in (error.code or ""):
        return GraphTimedOut(f"{doing}: Neo4j ended it because its time was over")
    target = next(ERRORS[kind] for kind in type(error).__mro__ if kind in ERRORS)
    return target(_explain(target, error, doing))


def _explain(target: type[PalimpsestError], error: Exception, doing: str) -> str:
    said = (error.message if isinstance(error, vendor.Neo4jError) else None) or str(error)
    said = " ".join(said.split())[:400] or type(error).__name__
    if isinstance(error, vendor.AuthError):
        return (
            f"{doing}: Neo4j does not accept the user and password ({said}); set NEO4J_USER and "
            "NEO4J_PASSWORD to an account of that server"
        )
    if issubclass(target, GraphTimedOut):
        return f"{doing}: no connection to Neo4j became free in time ({said})"
    if issubclass(target, GraphUnavailable):
        return f"{doing}: Neo4j does not answer ({said}); check that it runs and can be reached"
    return f"{doing}: {said}"
