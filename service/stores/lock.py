"""One process at a time in a folder: a lock that the operating system drops with its holder."""

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from service.domain.errors import StoreHeld


class FolderLock:
    """The hold of this process on a folder, from `acquire` to `release` or the process's end."""

    def __init__(self, path: Path, handle: int) -> None:
        self._path: Final = path
        self._handle: int | None = handle

    @classmethod
    def acquire(cls, folder: Path, name: str = "lock", *, wait: bool = False) -> Self:
        """Take the folder, which is made if it is missing.

        Raises StoreHeld with the holder's process id; with `wait`, blocks until it is free.
        """
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError as error:
            holder = os.pread(handle, 32, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(handle)
            raise StoreHeld(
                f"the folder {folder} is in use by process {holder}: stop that one, or choose "
                "another folder with --data-dir"
            ) from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode("ascii"), 0)
        return cls(path, handle)

    def release(self) -> None:
        """Let go of the folder; a second call does nothing."""
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
