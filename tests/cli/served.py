"""A service started as people start it: `palimpsest serve`, in a process of its own."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
SCRIPTS = Path(sys.executable).parent
COMMAND = SCRIPTS / "palimpsest"
START_S = 240.0
_SERVES = re.compile(r"serves on (http://\S+)")
_READY = "Ctrl-C"


@dataclass
class Served:
    """A running service and what it printed so far."""

    url: str
    data_dir: Path
    process: subprocess.Popen[str]
    printed: str
    environment: dict[str, str] = field(repr=False)

    def run(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command against this service."""
        return run(*arguments, stdin=stdin, environment=self.environment)

    def move_in(self, product: str, path: Path, scope: str, *options: str) -> dict[str, Any]:
        """What an import of another product's store tells."""
        done = self.run(
            "import", "--from", product, str(path), "--scope", scope, "--json", *options
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def export(self, scope: str) -> str:
        """Every memory of a scope, as JSON Lines."""
        done = self.run("export", "--scope", scope)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def shell(self, script: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """Run a script as it stands in a document, which says 127.0.0.1:8321."""
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script.replace(STANDARD, self.url.split("//")[1])],
            cwd=folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=START_S,
            check=False,
        )

    def stop(self) -> tuple[int, str]:
        """Send SIGTERM; the exit code and what was printed since."""
        self.process.send_signal(signal.SIGTERM)
        rest, _ = self.process.communicate(timeout=START_S)
        return self.process.returncode, rest


STANDARD = "127.0.0.1:8321"


def run(
    *arguments: str, stdin: str | None = None, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command `palimpsest`."""
    return subprocess.run(
        [COMMAND, *arguments],
        input=stdin,
        env=environment or environment_of(None),
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )


def environment_of(data_dir: Path | None, url: str = "http://127.0.0.1:9") -> dict[str, str]:
    """The variables of a person who keeps the store in this folder, on a small machine."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PALIMPSEST_", "NEO4J_")) or key == "PALIMPSEST_CACHE_DIR"
    }
    kept |= {
        "PATH": f"{SCRIPTS}{os.pathsep}{kept['PATH']}",
        "COLUMNS": "120",
        "PALIMPSEST_URL": url,
        "PALIMPSEST_NEO4J__HEAP_MB": "256",
        "PALIMPSEST_NEO4J__PAGE_CACHE_MB": "64",
        "PALIMPSEST_LOG__LEVEL": "warning",
    }
    if data_dir is not None:
        kept["PALIMPSEST_DATA_DIR"] = str(data_dir)
    return kept


@contextmanager
def serving(data_dir: Path, *options: str) -> Iterator[Served]:
    """A service over this folder, on the standard port where that is free."""
    environment = environment_of(data_dir)
    process = subprocess.Popen(
        [COMMAND, "serve", "--port", "8321" if is_free(8321) else "0", *options],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        printed = _until_ready(process)
        found = _SERVES.search(printed)
        assert found is not None, printed
        environment = environment_of(data_dir, found[1])
        yield Served(found[1], data_dir, process, printed, environment)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=START_S)


def is_free(port: int) -> bool:
    """Whether nobody has the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def require(program: str) -> str:
    """The path of a program that documents use."""
    found = shutil.which(program)
    assert found is not None, f"{program} is needed to run the documents' commands"
    return found


def _until_ready(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    printed = ""
    for line in process.stdout:
        printed += line
        if _READY in line:
            return printed
    raise AssertionError(f"the service ended with {process.wait()}:\n{printed}")
