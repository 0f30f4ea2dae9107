"""The course of a tally as a line: up for a round won, down for one lost, level for a tie."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final

_STEPS: Final = {1: "l1-1", -1: "l1 1", 0: "h1"}
_MIN_WIDTH: Final = 12
"""The width of a short course, in rounds: a first round is not drawn across the whole picture."""


@dataclass(frozen=True, slots=True)
class TallyChart:
    """What a template needs to draw a line and to say it in words."""

    rounds: int
    lead: int
    """The rounds that the first player is ahead by; less than 0 when they are behind."""

    path: str
    """The line as an SVG path, a unit a round, from 0,0."""

    top: float
    width: int
    height: int


@lru_cache(maxsize=1024)
def build_chart(course: str) -> TallyChart | None:
    """Return the course of a tally; None where no round is over.

    Args:
        course: who won each round, the oldest first: "0" the player, "1" their opponent.

    >>> chart = build_chart("0201")
    >>> chart.lead, chart.path
    (1, 'M0 0l1-1h1l1-1l1 1')
    """
    if not course:
        return None
    steps = [{"0": 1, "1": -1}.get(digit, 0) for digit in course]
    leads = list(accumulate(steps, initial=0))
    high, low = max(leads), min(leads)
    return TallyChart(
        rounds=len(steps),
        lead=leads[-1],
        path="M0 0" + "".join(map(_STEPS.__getitem__, steps)),
        top=-high - 0.5,
        width=max(len(steps), _MIN_WIDTH),
        height=high - low + 1,
    )
