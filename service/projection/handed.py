"""What this process's writer hands to the projections, so that they need not read it back."""

from collections import deque
from typing import Final

from service.domain.change import Commit, MemoryChange

_PAGES_KEPT: Final = 4


class Handed:
    """Commits that follow each other without a gap, the oldest first.

    At most four pages of memories are kept. What does not fit is dropped: the feed has it too.
    """

    def __init__(self, page: int) -> None:
        """`page` is the number of memories up to which commits are joined."""
        self._commits: deque[Commit] = deque()
        self._page = page

    def add(self, commit: Commit) -> None:
        """Take a commit over; one of which only the feed can tell ends what came before it."""
        follows = not self._commits or self._commits[-1].upto == commit.after
        full = sum(map(_size, self._commits)) + _size(commit) > _PAGES_KEPT * self._page
        if commit.changes is None or full or not follows:
            self._commits.clear()
        if commit.changes is not None:
            self._commits.append(commit)

    def take(self, after: int) -> Commit | None:
        """Return what was handed over after a revision, as one commit; None when unknown.

        A memory that a later commit changed again is one to read again. What is older than
        `after` is dropped: a projection that has fallen behind reads the feed.
        """
        while self._commits and self._commits[0].after < after:
            self._commits.popleft()
        if not self._commits or self._commits[0].after != after:
            return None
        made: dict[int, MemoryChange] = {}
        altered: dict[int, None] = {}
        size, upto = 0, after
        for commit in self._commits:
            size += _size(commit)
            if size > self._page and upto > after:
                break
            made.update((change.ordinal, change) for change in commit.changes or ())
            for ordinal in commit.reread:
                made.pop(ordinal, None)
                altered[ordinal] = None
            upto = commit.upto
        return Commit(after, upto, tuple(made.values()), tuple(altered))


def _size(commit: Commit) -> int:
    return len(commit.changes or ()) + len(commit.reread)
