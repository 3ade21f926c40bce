"""Keys on the command line, beside a running service."""

import json
import re
import time
from pathlib import Path

import httpx

from tests.cli.served import Served, environment_of, run, serving

TOKEN = re.compile(r"pal_[0-9a-f]{12}_[A-Za-z0-9_-]{43}\n")
LONG = "0123456789abcdef0123456789abcdef"


def test_keys_guard_the_service_from_the_first_on(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as served:
        assert _status(served, None) == 200
        made = served.run("keys", "create", "robot", "--role", "read", "--scope", "*")
        assert TOKEN.fullmatch(made.stdout), made.stderr
        token = made.stdout.strip()
        _await(served, None, 401)
        assert _status(served, token) == 200
        assert served.run("status").returncode == 1
        with_key = served.environment | {"PALIMPSEST_KEY": token}
        assert run("status", environment=with_key).returncode == 0
        assert run("remember", "a fact", environment=with_key).returncode == 1

        again = served.run("keys", "create", "robot")
        assert again.returncode == 1
        assert "'robot'" in again.stderr
        wrong = served.run("keys", "create", "other", "--scope", "acme*")
        assert wrong.returncode == 1
        assert "acme*" in wrong.stderr

        rotated = served.run("keys", "rotate", "robot").stdout.strip()
        _await(served, token, 401)
        assert _status(served, rotated) == 200
        listed = served.run("keys", "list", "--json").stdout
        (shown,) = json.loads(listed)
        assert shown["name"] == "robot"
        assert shown["state"] == "active"
        assert rotated not in listed + served.run("keys", "list").stdout
        assert "digest" not in shown

        assert served.run("keys", "revoke", "robot").returncode == 0
        _await(served, rotated, 401)
        assert _status(served, None) == 401
        assert served.run("keys", "rotate", "robot").returncode == 1
        assert served.run("keys", "revoke", "nobody").returncode == 1
        _, printed = served.stop()
        assert token not in served.printed + printed
        assert rotated not in served.printed + printed


def test_without_a_running_neo4j_nothing_is_started(tmp_path: Path) -> None:
    done = run("keys", "list", environment=environment_of(tmp_path / "data"))
    assert done.returncode == 1
    assert "does not run" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "data").exists()


def test_a_bad_key_of_the_settings_is_told_without_showing_it(tmp_path: Path) -> None:
    for key in ("too-short", LONG + " with spaces"):
        environment = environment_of(tmp_path / "data") | {"PALIMPSEST_ACCESS__KEY": key}
        done = run("serve", environment=environment)
        assert done.returncode == 1
        assert "access.key" in done.stderr
        assert key not in done.stderr


def _status(served: Served, token: str | None) -> int:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx.get(f"{served.url}/v1/status", headers=headers, timeout=60.0).status_code


def _await(served: Served, token: str | None, status: int) -> None:
    until = time.monotonic() + 60
    while (found := _status(served, token)) != status:
        assert time.monotonic() < until, found
