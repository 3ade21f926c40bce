import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_room_for(size: int) -> Iterator[None]:
    """No file may grow past `size` bytes: what a full disk looks like to a writer."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
