"""One process at a time holds a folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.domain.errors import StoreHeld
from service.stores.lock import FolderLock

HOLD = """
import sys
from pathlib import Path
from service.stores.lock import FolderLock
lock = FolderLock.acquire(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreHeld, match=rf"process {holder.pid}\b.*--data-dir"):
            FolderLock.acquire(tmp_path)
        holder.kill()
        holder.wait()
    with FolderLock.acquire(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_the_folder_is_free_again_after_release(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "here"
    first = FolderLock.acquire(folder)
    with pytest.raises(StoreHeld):
        FolderLock.acquire(folder)
    first.release()
    first.release()
    FolderLock.acquire(folder).release()


def test_folders_are_held_one_by_one(tmp_path: Path) -> None:
    with FolderLock.acquire(tmp_path / "a"), FolderLock.acquire(tmp_path / "b"):
        pass
