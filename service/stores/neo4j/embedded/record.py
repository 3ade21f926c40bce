"""Which process serves a folder: written down at its start, found again by a later service."""

import contextlib
from pathlib import Path
from typing import Final

import psutil
from pydantic import BaseModel, ConfigDict, ValidationError

from service.stores.neo4j.embedded.layout import Memory, Ports, home_argument
from service.stores.neo4j.embedded.secrets import write_private

RECORD_FILE: Final = "run.json"

_SAME_START_S: Final = 2.0
"""The system's own idea of when a process started moves by this much when its clock is set."""


class RunRecord(BaseModel):
    """One started server."""

    model_config = ConfigDict(frozen=True)

    pid: int
    started_at: float
    """Seconds since 1970, as the operating system tells it."""
    version: str
    bolt_port: int
    http_port: int
    heap_mb: int
    page_cache_mb: int

    @property
    def ports(self) -> Ports:
        """The ports it was started with."""
        return Ports(bolt=self.bolt_port, http=self.http_port)

    @property
    def memory(self) -> Memory:
        """The memory it was started with."""
        return Memory(heap_mb=self.heap_mb, page_cache_mb=self.page_cache_mb)


def read_record(home: Path) -> RunRecord | None:
    """What was written down last; None when nothing readable was."""
    try:
        return RunRecord.model_validate_json((home / RECORD_FILE).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def write_record(home: Path, record: RunRecord) -> None:
    """Write down the server of this folder."""
    write_private(home / RECORD_FILE, record.model_dump_json(indent=2) + "\n")


def find_server(home: Path) -> psutil.Process | None:
    """The living server of this folder, whoever started it; None when there is none."""
    argument = home_argument(home)
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if argument in process.cmdline() and is_alive(process):
                return process
    return None


def matches(record: RunRecord | None, process: psutil.Process) -> bool:
    """Whether this process is the one that was written down, and not a later one of its number."""
    return (
        record is not None
        and record.pid == process.pid
        and abs(record.started_at - process.create_time()) < _SAME_START_S
    )


def is_alive(process: psutil.Process) -> bool:
    """Whether the process runs (a dead one that nobody has waited for does not)."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def owns_port(process: psutil.Process, port: int) -> bool:
    """Whether it is this process that listens on the port."""
    try:
        connections = process.net_connections(kind="tcp")
    except psutil.Error:
        return False
    return any(
        each.status == psutil.CONN_LISTEN and each.laddr and each.laddr.port == port
        for each in connections
    )
