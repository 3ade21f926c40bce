"""What surrounds every request: its id, the checks of host and size, one log line, the counts."""

import re
import time
import uuid
from collections.abc import Collection

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.errors import ProblemResponse, problem_of, problem_of_status
from service.api.metrics import Metrics

REQUEST_ID = "X-Request-ID"

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PORT = re.compile(r":\d*$")
_log = structlog.get_logger("palimpsest.http")


class Edge:
    """Serves a request through the app, and answers a fault of the service with a plain 500.

    A request under a host name that is neither loopback nor allowed gets 421: a web page whose
    name was pointed at this machine must not reach a service without keys.
    A body of more than `max_body_bytes` gets 413.
    """

    def __init__(
        self, app: ASGIApp, *, allowed_hosts: Collection[str], max_body_bytes: int, metrics: Metrics
    ) -> None:
        self._app = app
        self._hosts = _LOOPBACK | {host.lower() for host in allowed_hosts}
        self._max_body_bytes = max_body_bytes
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get(REQUEST_ID, "")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        started = time.perf_counter()
        status = 0

        async def send_marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID] = request_id
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._serve(scope, headers, receive, send_marked)
            except Exception as error:
                _log.exception("fault", error=type(error).__name__)
                if not status:
                    await ProblemResponse(problem_of(error))(scope, receive, send_marked)
            finally:
                seconds = time.perf_counter() - started
                route = getattr(scope.get("route"), "path", "(none)")
                self._metrics.served(scope["method"], route, status, seconds)
                _log.info(
                    "served",
                    method=scope["method"],
                    route=route,
                    status=status,
                    ms=round(seconds * 1000, 1),
                )

    async def _serve(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        refusal = self._refusal(headers)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        size = 0

        async def receive_bounded() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self._max_body_bytes:
                raise HTTPException(413, self._too_large())
            return message

        await self._app(scope, receive_bounded, send)

    def _refusal(self, headers: Headers) -> ProblemResponse | None:
        host = headers.get("host", "")
        if _PORT.sub("", host).lower() not in self._hosts:
            return ProblemResponse(
                problem_of_status(
                    421,
                    f"The host {host!r} is not served here: use 127.0.0.1 or localhost, or add "
                    "the name to the setting http.allowed_hosts.",
                )
            )
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > self._max_body_bytes:
            return ProblemResponse(problem_of_status(413, self._too_large()))
        return None

    def _too_large(self) -> str:
        return f"The body has more than {self._max_body_bytes} bytes; send it in parts."
