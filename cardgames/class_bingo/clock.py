"""The number of called cards, computed from the stored clock and the time.

The next call therefore needs no background process. If a person makes the calls, ``calls`` is the
number of calls so far. If the clock makes the calls, a call is due after every interval until the
round stops.
"""

from dataclasses import dataclass, replace
from typing import Final

from cardgames.cards import DECK_SIZE

INTERVALS: Final = (3, 5, 8, 12, 20)
"""The possible intervals of the clock, in seconds."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The calls of a round."""

    calls: int = 0
    """The number of calls at the time ``since``. It never decreases."""

    since: float = 0.0
    """The time from which the clock counts, in seconds."""

    every: int = 0
    """The number of seconds between two calls, or 0 if a person makes the calls."""

    stop: int = DECK_SIZE
    """The call at which the clock stops."""

    def called(self, now: float) -> int:
        """Return the number of cards that have been called by the given time.

        >>> clock = Clock(calls=2, since=100.0, every=8, stop=5)
        >>> [clock.called(now) for now in (99.0, 107.9, 108.0, 116.0, 999.0)]
        [2, 2, 3, 4, 5]
        """
        if not self.every:
            return self.calls
        # If the system's clock is set back, calls must not disappear or be made too early.
        passed = max(0, int((now - self.since) // self.every))
        return max(self.calls, min(self.calls + passed, self.stop))

    def settled(self, now: float) -> "Clock":
        """Return the clock with the current number of calls as its starting point.

        The time of the next call does not change.

        >>> Clock(calls=2, since=100.0, every=8).settled(109.0)
        Clock(calls=3, since=108.0, every=8, stop=52)
        """
        calls = self.called(now)
        return replace(self, calls=calls, since=self.since + (calls - self.calls) * self.every)

    def left(self, now: float) -> float:
        """Return the seconds until the next call, or 0 if the clock makes no calls.

        >>> Clock(calls=2, since=100.0, every=8, stop=4).left(109.5)
        6.5
        >>> Clock(calls=2, since=100.0, every=8, stop=4).left(116.0)
        0.0
        """
        if not self.every or self.called(now) >= self.stop:
            return 0.0
        return self.settled(now).since + self.every - now

    def called_one(self, now: float) -> "Clock":
        """Return the clock after another call. Its interval restarts."""
        return replace(self, calls=self.called(now) + 1, since=now)

    def set_to(self, every: int, now: float) -> "Clock":
        """Return the clock with a new interval that starts now.

        An interval of 0 stops the clock.
        """
        return replace(self, calls=self.called(now), since=now, every=every)

    def stopping_at(self, stop: int, now: float) -> "Clock":
        """Return the clock with a new last call, which is at least the current call."""
        settled = self.settled(now)
        return replace(settled, stop=max(stop, settled.calls))
