"""The course of a tally as a line: up for a round won, down for one lost, level for a tie."""

from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from cardgames.text import Text
from web.charts import Plot, line_plot

_MIN_ROUNDS: Final = 12
"""Minimum width of the chart in rounds: a first round does not go across the picture."""

_STEPS: Final = {"0": 1, "1": -1}
_TITLE: Final = Text("The course of the tally")
_ROUNDS: Final = Text("rounds")
_AHEAD: Final = Text("ahead")


class TallyChart(NamedTuple):
    """The course of a tally."""

    lead: int
    """The rounds that the first player is ahead by; less than 0 when they are behind."""

    plot: Plot


@lru_cache(maxsize=1024)
def build_chart(course: str) -> TallyChart | None:
    """Return the course of a tally; None where no round is over.

    Args:
        course: who won each round, the oldest first: "0" the player, "1" their opponent.

    >>> chart = build_chart("0201")
    >>> chart.lead, chart.plot.lines[0].path
    (1, 'M0 2l1-1l1 0l1-1l1 1')
    """
    if not course:
        return None
    leads = list(accumulate((_STEPS.get(digit, 0) for digit in course), initial=0))
    plot = line_plot(
        _TITLE,
        _ROUNDS,
        _AHEAD,
        [(_AHEAD, tuple(enumerate(leads)))],
        (0, max(len(course), _MIN_ROUNDS)),
        (min(*leads, -1), max(*leads, 1)),
    )
    return TallyChart(leads[-1], plot)
