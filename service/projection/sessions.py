"""Sessions of talk: which memory was said before and after which, in the process."""

from bisect import bisect_left, insort

Moment = tuple[int, int]
"""When a memory was made (microseconds since 1970) and its ordinal: memories of the same time
stand in the order of their ordinals, as in the graph's `NEXT` chain."""


class Sessions:
    """The memories of each session of each scope, in the order of their time. Not thread safe."""

    def __init__(self) -> None:
        self._turns: dict[tuple[str, str], list[Moment]] = {}

    def add(self, scope: str, session: str, turn: Moment) -> None:
        """Put a memory into its session."""
        insort(self._turns.setdefault((scope, session), []), turn)

    def remove(self, scope: str, session: str, turn: Moment) -> None:
        """Take a memory out of its session."""
        turns = self._turns[scope, session]
        del turns[bisect_left(turns, turn)]
        if not turns:
            del self._turns[scope, session]

    def around(self, scope: str, session: str, turn: Moment) -> tuple[int | None, int | None]:
        """The ordinals of the memories right before and right after it in its session.

        It need not be there itself.
        """
        turns = self._turns.get((scope, session), [])
        at = bisect_left(turns, turn)
        later = at + 1 if turns[at : at + 1] == [turn] else at
        before = turns[at - 1][1] if at > 0 else None
        after = turns[later][1] if later < len(turns) else None
        return before, after
