"""Memory, ports, configuration and password file of the embedded server."""

import hashlib
import os
import socket
import stat
from pathlib import Path

import pytest

from service.stores.neo4j.embedded.layout import (
    MB,
    Memory,
    Ports,
    choose_ports,
    command,
    configuration,
    environment,
)
from service.stores.neo4j.embedded.secrets import auth_line, ensure_password, read_password

GB = 1024 * MB


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        (2 * GB, Memory(heap_mb=512, page_cache_mb=128)),
        (8 * GB, Memory(heap_mb=1024, page_cache_mb=512)),
        (64 * GB, Memory(heap_mb=2048, page_cache_mb=1024)),
    ],
)
def test_memory_fits_the_machine(total: int, expected: Memory) -> None:
    assert Memory.fitting(total) == expected


def test_free_ports_are_taken_as_wanted(unused_tcp_port_factory) -> None:
    wanted = Ports(bolt=unused_tcp_port_factory(), http=unused_tcp_port_factory())
    assert choose_ports(wanted) == wanted


def test_a_port_in_use_is_replaced_and_the_other_kept(unused_tcp_port: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        chosen = choose_ports(Ports(bolt=taken, http=unused_tcp_port))
    assert chosen.bolt not in {taken, unused_tcp_port, 0}
    assert chosen.http == unused_tcp_port


def test_clients_are_told_the_address_that_is_listened_on() -> None:
    text = configuration(Ports(bolt=17001, http=17002), Memory(512, 128))
    lines = dict(line.split("=", 1) for line in text.splitlines())
    for name, port in (("bolt", 17001), ("http", 17002)):
        assert lines[f"server.{name}.listen_address"] == f"127.0.0.1:{port}"
        assert lines[f"server.{name}.advertised_address"] == f"127.0.0.1:{port}"
    assert lines["dbms.security.auth_enabled"] == "true"


def test_the_browser_may_read_guides_from_the_named_hosts_alone() -> None:
    text = configuration(Ports(17001, 17002), Memory(512, 128), ["127.0.0.1", "memory.local"])
    lines = dict(line.split("=", 1) for line in text.splitlines())
    assert lines["browser.remote_content_hostname_whitelist"] == "127.0.0.1,memory.local"


def test_no_secret_stands_in_the_command_line(tmp_path: Path) -> None:
    password = ensure_password(tmp_path)
    line = command(tmp_path, [tmp_path / "a.jar", tmp_path / "b.jar"], Memory(512, 128))
    assert password not in " ".join(line)
    assert f"--home-dir={tmp_path}" in line


def test_variables_that_change_java_or_neo4j_are_not_handed_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "secret")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xmx1m")
    monkeypatch.setenv("HARMLESS", "kept")
    kept = environment()
    assert kept["HARMLESS"] == "kept"
    assert not {"NEO4J_PASSWORD", "JAVA_TOOL_OPTIONS"} & set(kept)


def test_the_password_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    assert read_password(tmp_path) is None
    old_umask = os.umask(0)
    try:
        password = ensure_password(tmp_path)
    finally:
        os.umask(old_umask)
    assert len(password) >= 20
    assert ensure_password(tmp_path) == password == read_password(tmp_path)
    for path in (tmp_path / "password", tmp_path / "data" / "dbms" / "auth.ini"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert password not in (tmp_path / "data" / "dbms" / "auth.ini").read_text()


def test_the_line_that_neo4j_reads_its_first_user_from() -> None:
    digest = b"salt" + b"word"
    for _ in range(1024):
        digest = hashlib.sha256(digest).digest()
    expected = f"neo4j:SHA-256,{digest.hex().upper()},{b'salt'.hex().upper()},1024:"
    assert auth_line("neo4j", "word", b"salt") == expected
