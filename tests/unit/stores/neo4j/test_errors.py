"""No error of the driver reaches a caller as it is."""

import pytest
from neo4j import exceptions as vendor

from service.domain import errors as own
from service.stores.neo4j.errors import ERRORS, mapped_errors, translate

EXPORTED = [
    kind
    for name in vendor.__all__
    if isinstance(kind := getattr(vendor, name), type) and issubclass(kind, Exception)
]


@pytest.mark.parametrize("kind", EXPORTED, ids=lambda kind: kind.__name__)
def test_every_error_of_the_driver_becomes_one_of_ours(kind: type[Exception]) -> None:
    error = kind("what the server said")
    with pytest.raises(own.PalimpsestError) as caught, mapped_errors("reading"):
        raise error
    assert caught.value.__cause__ is error
    assert str(caught.value).startswith("reading: ")


def test_the_table_names_only_what_the_driver_exports() -> None:
    assert set(ERRORS) <= set(EXPORTED)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (vendor.ServiceUnavailable, own.GraphUnavailable),
        (vendor.ReadServiceUnavailable, own.GraphUnavailable),
        (vendor.SessionExpired, own.GraphUnavailable),
        (vendor.DatabaseUnavailable, own.GraphUnavailable),
        (vendor.ConnectionAcquisitionTimeoutError, own.GraphTimedOut),
        (vendor.AuthError, own.ConfigurationError),
        (vendor.TokenExpired, own.ConfigurationError),
        (vendor.ConstraintError, own.Conflict),
        (vendor.CypherSyntaxError, own.GraphFailed),
        (vendor.ResultConsumedError, own.GraphFailed),
        (vendor.UnsupportedServerProduct, own.IncompatibleStore),
    ],
)
def test_the_most_specific_class_wins(
    kind: type[Exception], expected: type[own.PalimpsestError]
) -> None:
    assert type(translate(kind("said"), "writing")) is expected


@pytest.mark.parametrize(
    "code",
    [
        "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
        "Neo.ClientError.Transaction.TransactionTimedOut",
    ],
)
def test_a_server_that_ended_a_transaction_for_its_time_timed_out(code: str) -> None:
    error = vendor.Neo4jError._hydrate_neo4j(code=code, message="terminated")
    assert type(translate(error, "reading")) is own.GraphTimedOut


def test_errors_of_others_pass() -> None:
    with pytest.raises(ZeroDivisionError), mapped_errors("reading"):
        raise ZeroDivisionError
