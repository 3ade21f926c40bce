"""What a client raises.

ClientError
├── ServiceUnreachable      nobody answers at the address, or the answer broke off
└── RequestRefused          the service said no: carries its problem
"""

from service.client.types import Problem


class ClientError(Exception):
    """Base of all errors of the client."""


class ServiceUnreachable(ClientError):
    """Nobody answers at the address, or the answer broke off."""


class RequestRefused(ClientError):
    """The service did not do what was asked; `problem` is its answer."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem["detail"])
        self.problem = problem
        self.status = problem["status"]
