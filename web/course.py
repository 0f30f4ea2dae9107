"""The course of a tally as a line: up for a round won, down for one lost, level for a tie."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final

SHOWN: Final = 200
"""How many rounds are drawn at most: the latest."""

_LEADS: Final[Mapping[str, int]] = {"player": 1, "A": 1, "dealer": -1, "B": -1}
"""Whose rounds take the line up and whose take it down; any other is a tie."""

_STEPS: Final = {1: "l1-1", -1: "l1 1", 0: "h1"}
_ROOM: Final = 12
"""The width of a short course, in rounds: a first round is not drawn across the whole picture."""


@dataclass(frozen=True, slots=True)
class Course:
    """What a template needs to draw a line and to say it in words."""

    rounds: int
    lead: int
    """The rounds that the first player is ahead by; less than 0 when he is behind."""

    path: str
    """The line as an SVG path, a unit a round, from 0,0."""

    top: float
    width: int
    height: int


@lru_cache(maxsize=1024)
def drawn(winners: tuple[str, ...]) -> Course | None:
    """Return the course of a tally; nothing where no round is over.

    Args:
        winners: who won each round, oldest first, as the tally names them.

    >>> course = drawn(("player", "tie", "player", "dealer"))
    >>> course.lead, course.path
    (1, 'M0 0l1-1h1l1-1l1 1')
    """
    if not winners:
        return None
    steps = [_LEADS.get(winner, 0) for winner in winners[-SHOWN:]]
    leads = list(accumulate(steps, initial=0))
    high, low = max(leads), min(leads)
    return Course(
        rounds=len(steps),
        lead=leads[-1],
        path="M0 0" + "".join(map(_STEPS.__getitem__, steps)),
        top=-high - 0.5,
        width=max(len(steps), _ROOM),
        height=high - low + 1,
    )
