"""What came out of a run, as its page shows it: a chart where there is one, and a table."""

from dataclasses import dataclass
from typing import Final

from cardgames.simulation.report import Finding
from web.charts import Bars, Plot, bar_chart, histogram

MAX_ROWS: Final = 10
"""A table of more rows lies behind "the same in numbers"."""

_FEWEST_BARS: Final = 2


@dataclass(frozen=True, slots=True)
class Figure:
    """A finding, drawn."""

    finding: Finding
    bars: Bars | None
    plot: Plot | None

    @property
    def is_long(self) -> bool:
        """Whether its table has many rows."""
        return len(self.finding.rows) > MAX_ROWS

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The cells of a table of one row, each with its head: so they are read on a phone.

        Without the row's own name, which the title has.
        """
        if len(self.finding.rows) != 1:
            return ()
        return tuple(zip(self.finding.head[1:], self.finding.rows[0][1:], strict=True))


def figure_of(finding: Finding) -> Figure:
    """Draw a finding."""
    bars, plot = None, None
    if len(finding.bars) >= _FEWEST_BARS:
        values = ((bar.label, bar.share, bar.low, bar.high, bar.exact) for bar in finding.bars)
        bars = bar_chart(finding.title, values)
    if finding.histogram and finding.histogram.classes:
        found = finding.histogram
        plot = histogram(finding.title, found.unit, found.shares_of, found.classes)
    return Figure(finding, bars, plot)
