"""The HTTP server in this process: opened, announced, stopped by a signal, closed."""

import asyncio
import ipaddress
import signal
import socket
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Any, cast

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from service.api.app import create_app
from service.bootstrap import Service, has_store
from service.config import HttpSettings, Settings
from service.domain.errors import ConfigurationError

Announce = Callable[[Service, str], Awaitable[None]]
"""Told the open service and its address, once requests are served."""

_GRACE_S = 3
_KEEP_ALIVE_S = 75


async def serve(settings: Settings, announce: Announce) -> None:
    """Serve until SIGINT or SIGTERM, then close everything and return.

    Requests that run get 3 s to end; connections that say nothing are closed at once.
    Raises ConfigurationError (host or port), and what `open_service` raises.
    """
    _require_key_or_loopback(
        settings, has_keys=settings.access.key is not None or has_store(settings)
    )
    listener = _bind(settings.http)
    address = _address(listener)
    app = create_app(settings)
    control = _Control()
    try:
        with control.signals(), listener:
            async with app.router.lifespan_context(app) as state:
                ring = cast("dict[str, Any]", state)["service"].key_ring
                _require_key_or_loopback(settings, has_keys=ring.has_keys())
                server = _server(app, cast("dict[str, Any]", state))
                control.server = server
                told = asyncio.create_task(
                    _announce(server, cast("dict[str, Any]", state)["service"], address, announce)
                )
                await server.serve([listener])
                told.cancel()
                await asyncio.gather(told, return_exceptions=True)
    except asyncio.CancelledError:
        if not control.stopping:
            raise
    except OSError as error:
        raise ConfigurationError(f"{address} cannot be served: {error}") from error


class _Server(uvicorn.Server):
    """A server that leaves signals to `_Control`, and tells when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


class _Control:
    """What a signal does: gives up opening, or asks the server to end; the second one presses."""

    def __init__(self) -> None:
        self.stopping = False
        self.server: _Server | None = None
        self._task = asyncio.current_task()

    @contextmanager
    def signals(self) -> Generator[None]:
        loop = asyncio.get_running_loop()
        both = (signal.SIGINT, signal.SIGTERM)
        for each in both:
            loop.add_signal_handler(each, self._stop)
        try:
            yield
        finally:
            for each in both:
                loop.remove_signal_handler(each)

    def _stop(self) -> None:
        if self.server is not None:
            self.server.force_exit = self.server.should_exit
            self.server.should_exit = True
        elif not self.stopping and self._task is not None:
            self._task.cancel()
        self.stopping = True


async def _announce(server: _Server, service: Service, address: str, announce: Announce) -> None:
    await server.listening.wait()
    await announce(service, address)


def _server(app: FastAPI, state: dict[str, Any]) -> _Server:
    config = uvicorn.Config(
        _with_state(app, state),
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_GRACE_S,
    )
    return _Server(config)


def _with_state(app: FastAPI, state: dict[str, Any]) -> ASGIApp:
    """Give each request what the app holds; uvicorn does it only where it runs the lifespan.

    It is run outside of uvicorn here, so that its errors reach the caller as they are.
    """

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"] = dict(state)
        await app(scope, receive, send)

    return served


def _require_key_or_loopback(settings: Settings, *, has_keys: bool) -> None:
    """Raise ConfigurationError for an address that others reach, where no key is asked for."""
    if not has_keys and not settings.http.is_loopback():
        raise ConfigurationError(
            f"http.host is {settings.http.host!r}: without access keys only a loopback address "
            "such as 127.0.0.1 is served; make one with `palimpsest keys create` while the "
            "service runs on loopback, or set PALIMPSEST_ACCESS__KEY"
        )


def _bind(http: HttpSettings) -> socket.socket:
    """Take the port before anything is opened. Raises ConfigurationError."""
    host = "127.0.0.1" if http.host == "localhost" else http.host.strip("[]")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        address = None
    if address is None:
        raise ConfigurationError(f"http.host is {http.host!r}: give an IP address, or localhost")
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, http.port))
    except OSError as error:
        listener.close()
        raise ConfigurationError(
            f"port {http.port} of {http.host} cannot be taken ({error.strerror}): stop the "
            "program that uses it, or choose another with --port (0 takes a free one)"
        ) from error
    return listener


def _address(listener: socket.socket) -> str:
    host, port, *_ = listener.getsockname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
