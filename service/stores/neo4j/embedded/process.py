"""`EmbeddedNeo4j`: start a Neo4j server of one's own, keep it running, stop it."""

import asyncio
import contextlib
import math
import os
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

import psutil
import structlog

from service.domain.errors import ConfigurationError, GraphUnavailable, PalimpsestError
from service.stores.neo4j.driver import Graph
from service.stores.neo4j.embedded.layout import (
    BOLT_PORT,
    HTTP_PORT,
    Memory,
    Ports,
    choose_ports,
    command,
    configuration,
    environment,
    machine_memory,
)
from service.stores.neo4j.embedded.record import (
    RECORD_FILE,
    RunRecord,
    find_server,
    is_alive,
    matches,
    owns_port,
    read_record,
    write_record,
)
from service.stores.neo4j.embedded.resolve import NEO4J_VERSION, Progress, resolve
from service.stores.neo4j.embedded.secrets import PASSWORD_FILE, USER, ensure_password
from service.stores.neo4j.statements import statement

State = Literal["stopped", "starting", "running", "restarting"]

_PING: Final = statement("server/ping")
_LOG: Final = structlog.get_logger(__name__)

_LOOK_S: Final = 0.1
_STOP_S: Final = 20.0
_LONGEST_PAUSE_S: Final = 30.0
_PORT_TRIES: Final = 3
_TAIL_LINES: Final = 15


class EmbeddedNeo4j:
    """A Neo4j Community server in a folder, as a watched child process on loopback ports.

    A server that runs in the folder already, left by a service that was killed, is taken over.
    When the server dies it is started again on the same ports, with growing pauses. The caller
    holds the folder (see `service.stores.lock`): two services over one are not kept apart here.
    """

    def __init__(
        self,
        home: Path,
        cache_dir: Path,
        *,
        memory: Memory | None = None,
        bolt_port: int = BOLT_PORT,
        http_port: int = HTTP_PORT,
        guide_hosts: Sequence[str] = (),
        progress: Progress | None = None,
        jvm_options: Sequence[str] = (),
        readiness_timeout_s: float = 120.0,
    ) -> None:
        """Nothing starts yet. `home` is made when missing; `cache_dir` keeps Neo4j's jars.

        The ports are taken when free, else any others; `memory` None means fitted to the machine.
        `guide_hosts` are the host names that Neo4j Browser may read guides and styles from.
        `jvm_options` are added to those of the service; a server that is taken over keeps its own.
        """
        self._home: Final = home.absolute()
        self._cache_dir: Final = cache_dir
        self._memory: Final = memory or Memory.fitting(machine_memory())
        self._wanted: Final = Ports(bolt=bolt_port, http=http_port)
        self._guide_hosts: Final = tuple(guide_hosts)
        self._progress: Final = progress
        self._jvm_options: Final = tuple(jvm_options)
        self._readiness_timeout_s: Final = readiness_timeout_s
        self._class_path: Sequence[Path] = ()
        self._ports = self._wanted
        self._process: psutil.Process | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._watch: asyncio.Task[None] | None = None
        self.password = ""
        self.state: State = "stopped"
        self.restarts = 0
        """How often the server died and was started again."""
        self.adopted = False
        """Whether `start` found the server running."""

    @property
    def user(self) -> str:
        """The name to log in with."""
        return USER

    @property
    def pid(self) -> int | None:
        """The process id of the server; None while there is none."""
        return self._process.pid if self._process is not None else None

    @property
    def uri(self) -> str:
        """The Bolt address."""
        return self._ports.bolt_url

    @property
    def http_url(self) -> str:
        """The address of Neo4j's HTTP API."""
        return self._ports.http_url

    @property
    def browser_url(self) -> str:
        """The address of Neo4j Browser, its connection form filled."""
        return self._ports.browser_url

    async def start(self) -> None:
        """Have the server running and ready, and watch it.

        Raises GraphUnavailable (it cannot be fetched, does not start, or is not ready in time: the
        end of its log is in the message) and ConfigurationError (its password was changed).
        """
        self.state = "starting"
        try:
            self._class_path = await asyncio.to_thread(resolve, self._cache_dir, self._progress)
            self.password = ensure_password(self._home)
            self.adopted = await self._adopt()
            if not self.adopted:
                await self._launch_on_free_ports()
        except BaseException:
            await self._end()
            self.state = "stopped"
            raise
        self.state = "running"
        self._watch = asyncio.create_task(self._keep_running(), name="neo4j-watch")

    async def stop(self) -> None:
        """Stop watching and end the server: asked first, killed when it takes over 20 s."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
            self._watch = None
        await self._end()
        self.state = "stopped"

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def _adopt(self) -> bool:
        """Take over a healthy server of this folder; end one that is not."""
        process = find_server(self._home)
        if process is None:
            return False
        record = read_record(self._home)
        if record is not None and matches(record, process) and record.version == NEO4J_VERSION:
            self._process, self._ports = process, record.ports
            if record.memory == self._memory:
                try:
                    await self._wait_until_ready()
                except GraphUnavailable as error:
                    _LOG.warning("neo4j.replaced", pid=process.pid, reason=str(error))
                else:
                    _LOG.info("neo4j.adopted", pid=process.pid, uri=self.uri)
                    return True
        self._process = process
        await self._end()
        return False

    async def _launch_on_free_ports(self) -> None:
        for attempt in range(1, _PORT_TRIES + 1):
            self._ports = choose_ports(self._wanted)
            self._launch()
            try:
                await self._wait_until_ready()
            except GraphUnavailable:
                # Between choosing a port and Neo4j's taking it, another program may have come.
                if attempt == _PORT_TRIES or choose_ports(self._ports) == self._ports:
                    raise
                await self._end()
            else:
                return

    def _launch(self) -> None:
        """Start the process and write it down; it is not ready yet."""
        logs = self._home / "logs"
        for folder in (self._home / "conf", logs):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        text = configuration(self._ports, self._memory, self._guide_hosts)
        (self._home / "conf" / "neo4j.conf").write_text(text, encoding="utf-8")
        console = logs / "console.log"
        if console.exists():
            console.replace(logs / "console.previous.log")
        with console.open("wb") as output:
            # A session of its own, so that Ctrl-C in a terminal reaches the service alone, which
            # then stops the server after itself.
            self._child = subprocess.Popen(
                command(self._home, self._class_path, self._memory, self._jvm_options),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self._home,
                env=environment(),
                start_new_session=True,
            )
        self._process = psutil.Process(self._child.pid)
        record = RunRecord(
            pid=self._child.pid,
            started_at=self._process.create_time(),
            version=NEO4J_VERSION,
            bolt_port=self._ports.bolt,
            http_port=self._ports.http,
            heap_mb=self._memory.heap_mb,
            page_cache_mb=self._memory.page_cache_mb,
        )
        write_record(self._home, record)

    async def _wait_until_ready(self) -> None:
        started = time.monotonic()
        last: PalimpsestError | None = None
        while time.monotonic() - started < self._readiness_timeout_s:
            process = self._living()
            if process is None:
                raise GraphUnavailable(f"Neo4j ended while it started.{self._tail()}")
            if owns_port(process, self._ports.bolt):
                try:
                    await self._ping()
                except ConfigurationError as error:
                    raise ConfigurationError(
                        f"the embedded Neo4j does not accept the password in "
                        f"{self._home / PASSWORD_FILE}: write the present one there ({error})"
                    ) from error
                except PalimpsestError as error:
                    last = error
                else:
                    return
            await asyncio.sleep(_LOOK_S)
        why = f" ({last})" if last is not None else ""
        raise GraphUnavailable(
            f"Neo4j was not ready within {self._readiness_timeout_s:g} s{why}.{self._tail()}"
        )

    async def _ping(self) -> None:
        async with await Graph.connect(
            self.uri, self.user, self.password, pool_size=1, connection_timeout_s=3.0
        ) as graph:
            await graph.read_once(_PING, {}, 3.0)

    async def _keep_running(self) -> None:
        pause = 0.0
        while True:
            await self._gone()
            self.state = "restarting"
            _LOG.warning("neo4j.died", pid=self.pid, pause_s=pause)
            await asyncio.sleep(pause)
            try:
                self._launch()
                await self._wait_until_ready()
            except (PalimpsestError, OSError) as error:
                _LOG.error("neo4j.restart_failed", reason=str(error))
                await self._end()
                pause = min(max(2 * pause, 1.0), _LONGEST_PAUSE_S)
            else:
                self.restarts += 1
                self.state = "running"
                pause = 0.0
                _LOG.info("neo4j.restarted", pid=self.pid, uri=self.uri)

    def _living(self) -> psutil.Process | None:
        """The server's process while it lives; a child that ended is waited for here."""
        if self._process is None:
            return None
        if self._child is not None:
            ended = self._child.poll() is not None
        else:
            ended = not is_alive(self._process)
        return None if ended else self._process

    async def _gone(self, within_s: float = math.inf) -> bool:
        """Whether the process ended within a time."""
        deadline = time.monotonic() + within_s
        while self._living() is not None:
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(_LOOK_S)
        return True

    async def _end(self) -> None:
        """End the process, whatever its state, and forget it."""
        if (process := self._living()) is not None:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.terminate()
                process.resume()
            if not await self._gone(_STOP_S):
                _LOG.warning("neo4j.killed", pid=process.pid, waited_s=_STOP_S)
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
                await self._gone()
            (self._home / RECORD_FILE).unlink(missing_ok=True)
        self._process = None
        self._child = None

    def _tail(self) -> str:
        """The end of the server's own log, for a message."""
        path = self._home / "logs" / "console.log"
        try:
            with path.open(encoding="utf-8", errors="replace") as file:
                lines = deque(file, maxlen=_TAIL_LINES)
        except OSError:
            return f" There is no log at {path}."
        return f" The end of {path}:{os.linesep}{''.join(lines).rstrip()}"
