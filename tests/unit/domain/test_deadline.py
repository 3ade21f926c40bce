"""Deadlines: absolute, never negative."""

from service.domain.deadline import Deadline


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_remaining_time_shrinks_and_never_goes_below_zero() -> None:
    clock = Clock()
    deadline = Deadline.after(250, clock)
    assert deadline.remaining() == 0.25
    assert not deadline.expired
    clock.now += 0.2
    assert abs(deadline.remaining() - 0.05) < 1e-9
    clock.now += 10
    assert deadline.remaining() == 0.0
    assert deadline.expired
