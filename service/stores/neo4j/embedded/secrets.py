"""The password of the embedded server: random, kept in its folder with mode 0600."""

import hashlib
import os
import secrets
from pathlib import Path
from typing import Final

USER: Final = "neo4j"
PASSWORD_FILE: Final = "password"

_ITERATIONS: Final = 1024


def read_password(home: Path) -> str | None:
    """The password of the server in this folder; None when there has been no server yet."""
    try:
        return (home / PASSWORD_FILE).read_text(encoding="ascii").strip() or None
    except FileNotFoundError:
        return None


def ensure_password(home: Path) -> str:
    """The password of the server in this folder, made when there is none.

    A new one is also laid where Neo4j looks for it at its first start. Later starts ignore that
    file: a password changed inside Neo4j has to be written into the password file by hand.
    """
    password = read_password(home)
    if password is None:
        password = secrets.token_urlsafe(18)
        write_private(home / PASSWORD_FILE, password + "\n")
    auth = home / "data" / "dbms" / "auth.ini"
    if not auth.exists():
        write_private(auth, auth_line(USER, password, secrets.token_bytes(32)) + "\n")
    return password


def auth_line(user: str, password: str, salt: bytes) -> str:
    """A user as Neo4j reads it from `auth.ini`: SHA-256 of salt and password, 1,024 times."""
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(_ITERATIONS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"{user}:SHA-256,{digest.hex().upper()},{salt.hex().upper()},{_ITERATIONS}:"


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    aside = path.with_name(f"{path.name}.{os.getpid()}.new")
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(handle)
    aside.replace(path)
