"""A small typed client of the HTTP interface, for scripts and for the command line.

It imports nothing else of the service:

    from service.client import Client

    with Client(scope="acme") as client:
        client.remember({"content": "The build cache moved to host birch."})
        for result in client.recall("where does the build cache run?")["results"]:
            print(result["score"], result["content"])
"""

from service.client.client import DEFAULT_URL, Client
from service.client.errors import ClientError, RequestRefused, ServiceUnreachable
from service.client.types import (
    BatchResult,
    Channel,
    Currentness,
    DeletedMemory,
    DoctorReport,
    Lineage,
    LineageEdge,
    Memory,
    NewMemory,
    Problem,
    Recalled,
    Remembered,
    Result,
)

__all__ = [
    "DEFAULT_URL",
    "BatchResult",
    "Channel",
    "Client",
    "ClientError",
    "Currentness",
    "DeletedMemory",
    "DoctorReport",
    "Lineage",
    "LineageEdge",
    "Memory",
    "NewMemory",
    "Problem",
    "Recalled",
    "Remembered",
    "RequestRefused",
    "Result",
    "ServiceUnreachable",
]
