"""Starting and stopping the service, and what it says."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.served import Served, environment_of, run, serving


def test_the_start_shows_a_replaced_fact_behind_its_replacement(served: Served) -> None:
    printed = served.printed
    assert "The build cache lives in the object store bucket otter" in printed
    replaced = printed.index("superseded The build cache runs on host alder")
    assert printed.index("The build cache lives") < replaced
    assert "→" in printed[replaced:]


def test_the_start_tells_addresses_and_how_to_log_in(served: Served) -> None:
    assert f"{served.url}/docs" in served.printed
    assert "/browser/?connectURL=neo4j://" in served.printed
    assert "neo4j password" in served.printed


def test_a_second_start_does_not_load_the_sample_again(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with serving(folder, "--sample") as first:
        scopes = json.loads(first.run("status", "--json").stdout)["scopes"]
        assert "Sample loaded" in first.printed
        with _idle_connection(first):
            code, rest = first.stop()
        assert code == 0
        assert rest.endswith("Stopped.\n")
    with serving(folder, "--sample") as second:
        assert "Sample loaded" not in second.printed
        assert "superseded" in second.printed
        assert json.loads(second.run("status", "--json").stdout)["scopes"] == scopes


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", "::"])
def test_another_address_than_loopback_is_refused(host: str, tmp_path: Path) -> None:
    done = run("serve", "--host", host, environment=environment_of(tmp_path / "data"))
    assert _only_line(done.stderr).startswith("palimpsest: http.host is")
    assert "without access keys" in done.stderr
    assert done.returncode == 1
    assert not (tmp_path / "data").exists()


def test_a_held_folder_names_its_holder(served: Served) -> None:
    done = served.run("serve", "--port", "0")
    assert f"in use by process {served.process.pid}" in _only_line(done.stderr)
    assert done.returncode == 1


def test_a_taken_port_is_told(served: Served, tmp_path: Path) -> None:
    port = served.url.rsplit(":", 1)[1]
    done = run("serve", "--port", port, environment=environment_of(tmp_path / "data"))
    assert f"port {port} of 127.0.0.1 cannot be taken" in _only_line(done.stderr)
    assert done.returncode == 1


def test_a_setting_out_of_its_range_stops_the_start_with_one_line(tmp_path: Path) -> None:
    environment = environment_of(tmp_path / "data") | {"PALIMPSEST_RECALL__DEADLINE_MS": "0"}
    line = _only_line(run("serve", environment=environment).stderr)
    assert "recall.deadline_ms" in line
    assert "'0'" in line
    assert "1" in line


def _only_line(text: str) -> str:
    lines = text.splitlines()
    assert len(lines) == 1, text
    return lines[0]


@contextmanager
def _idle_connection(served: Served) -> Iterator[None]:
    """A client that began a request and says no more."""
    host, port = served.url.split("//")[1].split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\n")
        yield
