"""How many cards have been called, worked out from what is kept and the time.

Nobody has to be awake for the next call. While somebody calls, ``calls`` counts; while the clock
calls, a call comes after every interval until the round stops.
"""

from dataclasses import dataclass, replace
from typing import Final

from cardgames.cards import DECK_SIZE

INTERVALS: Final = (3, 5, 8, 12, 20)
"""How many seconds there can be between two calls of the clock."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The calls of a round."""

    calls: int = 0
    """How many had been made at ``since``; there are never fewer again."""

    since: float = 0.0
    """From when on the clock counts, in seconds."""

    every: int = 0
    """How many seconds there are between two calls; 0 where somebody calls."""

    stop: int = DECK_SIZE
    """The call at which it stops."""

    def called(self, now: float) -> int:
        """Return how many cards have been called by a time.

        >>> clock = Clock(calls=2, since=100.0, every=8, stop=5)
        >>> [clock.called(now) for now in (99.0, 107.9, 108.0, 116.0, 999.0)]
        [2, 2, 3, 4, 5]
        """
        if not self.every:
            return self.calls
        # A clock that was set back must not take calls away, nor make one before its time.
        passed = max(0, int((now - self.since) // self.every))
        return max(self.calls, min(self.calls + passed, self.stop))

    def settled(self, now: float) -> "Clock":
        """Return the same clock with what has been called by now as its floor.

        The rhythm stays: the next call comes when it would have come.

        >>> Clock(calls=2, since=100.0, every=8).settled(109.0)
        Clock(calls=3, since=108.0, every=8, stop=52)
        """
        calls = self.called(now)
        return replace(self, calls=calls, since=self.since + (calls - self.calls) * self.every)

    def left(self, now: float) -> float:
        """Return in how many seconds the next call comes; 0 where the clock makes none.

        >>> Clock(calls=2, since=100.0, every=8, stop=4).left(109.5)
        6.5
        >>> Clock(calls=2, since=100.0, every=8, stop=4).left(116.0)
        0.0
        """
        if not self.every or self.called(now) >= self.stop:
            return 0.0
        return self.settled(now).since + self.every - now

    def called_one(self, now: float) -> "Clock":
        """Return the clock after one more call; its interval starts afresh."""
        return replace(self, calls=self.called(now) + 1, since=now)

    def set_to(self, every: int, now: float) -> "Clock":
        """Return the clock at another interval, which begins now; 0 stops it."""
        return replace(self, calls=self.called(now), since=now, every=every)

    def stopping_at(self, stop: int, now: float) -> "Clock":
        """Return the clock with another end, which is never before what has been called."""
        settled = self.settled(now)
        return replace(settled, stop=max(stop, settled.calls))
