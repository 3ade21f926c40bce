"""What the library raises, said in the service's own errors."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from service.domain.errors import IndexDamaged, StoreHeld, TextIndexUnavailable

# The library raises ValueError for nearly everything, and a panic of its own when a thread dies.
_PANIC = "PanicException"


@contextmanager
def opening(folder: Path) -> Generator[None]:
    """Turn the library's errors into `StoreHeld` or `IndexDamaged`, naming the folder."""
    try:
        yield
    except BaseException as error:
        if not _is_of_library(error):
            raise
        if "LockBusy" in str(error):
            raise StoreHeld(
                f"the text index in {folder} is held by another process: stop it, or give this "
                "one a data folder of its own"
            ) from error
        raise IndexDamaged(
            f"the text index in {folder} cannot be read ({error}): it has to be rebuilt"
        ) from error


@contextmanager
def working(action: str) -> Generator[None]:
    """Turn the library's errors into `TextIndexUnavailable`, naming what was tried."""
    try:
        yield
    except BaseException as error:
        if not _is_of_library(error):
            raise
        raise TextIndexUnavailable(f"the text index could not {action}: {error}") from error


def _is_of_library(error: BaseException) -> bool:
    if type(error).__name__ == _PANIC:
        return True
    return isinstance(error, ValueError | OSError | RuntimeError)
