"""Charts as numbers for templates/_charts.html, which draws columns and lines.

Positions are percentages of the drawing, so that a chart fills the available width while its labels
keep their size. Colours are defined in the style sheet, for light and dark mode. The numbers of
every chart are also shown in a table.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, starmap
from typing import Final, NamedTuple

from cardgames.text import Text, format_number

MAX_TICKS: Final = 5
"""Maximum number of ticks on an axis in addition to 0, so that their labels fit on a phone."""

MAX_ROWS: Final = 12
"""Maximum number of rows in the table below a line chart."""

_STEPS: Final = (1, 2, 5, 10)

Point = tuple[int, int]


class Tick(NamedTuple):
    """A tick at a round number on an axis."""

    at: float
    """Position in percent, from the left or from the top."""

    label: str


class Column(NamedTuple):
    """A column of a histogram, which represents a class of values.

    The column's position is in percent, from the left and from the top.
    """

    x: float
    y: float
    width: float
    height: float


class Line(NamedTuple):
    """A line of a plot."""

    name: str
    path: str
    """The line as an SVG path in the plot's ``view_box``."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart with two axes and columns or lines."""

    title: str
    """A description of the chart in words, for users who cannot see the chart."""

    x_title: str
    y_title: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    columns: tuple[Column, ...] = ()
    lines: tuple[Line, ...] = ()
    view_box: str = ""
    head: tuple[str, ...] = ()
    """The column headings of the chart's table."""

    rows: tuple[tuple[str, ...], ...] = ()


class AxisEnd(NamedTuple):
    """The upper end of an axis that starts at 0."""

    value: float
    label: Text


def axis_end(highest: float) -> AxisEnd:
    """Return the upper end of an axis that starts at 0 and includes a number.

    >>> axis_end(17.5)
    AxisEnd(value=20.0, label='20')
    """
    step, count = _axis(highest)
    top = step * count
    return AxisEnd(top, format_number(top, f",.{_decimals(step)}f"))


def histogram(
    title: str,
    x_title: str,
    y_title: str,
    classes: Sequence[tuple[int, int, float]],
) -> Plot:
    """Return a histogram of consecutive classes.

    Args:
        title: Title of the chart.
        x_title: Title of the horizontal axis.
        y_title: Title of the vertical axis, which shows proportions.
        classes: First value, last value and proportion of each class.
    """
    first, last = classes[0][0] - 1, classes[-1][1]
    width = last - first
    top, ticks = _share_axis(max(share for *_, share in classes))

    def column(low: int, high: int, share: float) -> Column:
        start, size = _percent(low - 1 - first, width), _percent(high - low + 1, width)
        return Column(start, _percent(top - share, top), size, _percent(share, top))

    return Plot(
        title,
        x_title,
        y_title,
        x_ticks=_class_ticks(classes),
        y_ticks=_from_top(ticks),
        columns=tuple(starmap(column, classes)),
    )


def line_plot(
    title: str,
    x_title: str,
    y_title: str,
    lines: Sequence[tuple[str, Sequence[Point]]],
    x_range: Point,
    y_range: Point,
) -> Plot:
    """Return a line chart whose lines share the same integer x values.

    Args:
        title: Title of the chart.
        x_title: Title of the horizontal axis.
        y_title: Title of the vertical axis.
        lines: Name and points of each line; the points are sorted from left to right.
        x_range: Ends of the horizontal axis.
        y_range: Ends of the vertical axis.
    """
    (left, right), (bottom, top) = x_range, y_range
    return Plot(
        title,
        x_title,
        y_title,
        x_ticks=_whole_ticks(left, right),
        y_ticks=_from_top(_whole_ticks(bottom, top, MAX_TICKS - 1)),
        lines=tuple(Line(name, _path(line, top)) for name, line in lines),
        view_box=f"{left} 0 {right - left} {top - bottom}",
        head=(x_title, *(name for name, _ in lines)),
        rows=tuple(_rows([points for _, points in lines])),
    )


def _rows(lines: Sequence[Sequence[Point]]) -> Iterator[tuple[Text, ...]]:
    """Yield the rows of a line chart's table: a position and the lines' values."""
    last = len(lines[0]) - 1
    every = -(-max(1, last) // (MAX_ROWS - 1))
    for value in (*range(0, last, every), last):
        yield tuple(map(_whole, (lines[0][value][0], *(points[value][1] for points in lines))))


def _path(points: Sequence[Point], top: int) -> str:
    """Return points as an SVG path.

    The vertical coordinates increase downwards.
    """
    x, y = points[0]
    steps = [f"M{x} {top - y}"]
    for (left, low), (right, high) in pairwise(points):
        down = low - high
        steps.append(f"l{right - left} {down}" if down >= 0 else f"l{right - left}{down}")
    return "".join(steps)


def _axis(highest: float, most: int = MAX_TICKS) -> tuple[float, int]:
    """Return an axis's step, and the number of steps from 0 to a given value.

    >>> _axis(0.34), _axis(0.071)
    ((0.1, 4), (0.02, 4))
    """
    highest = highest or 1.0
    step = _round_step(highest / most)
    return step, math.ceil(round(highest / step, 6))


def _round_step(least: float) -> float:
    """Return a value rounded up to 1, 2 or 5 times a power of ten."""
    exponent = math.floor(math.log10(least))
    steps = (float(f"{step}e{exponent}") for step in _STEPS)
    return min(step for step in steps if step >= least * (1 - 1e-9))


def _whole_ticks(low: int, high: int, most: int = MAX_TICKS) -> tuple[Tick, ...]:
    """Return ticks at round integers in a range.

    >>> [tick.label for tick in _whole_ticks(0, 1739)]
    ['0', '500', '1,000', '1,500']
    """
    step = max(1, int(_round_step(max(1, high - low) / most)))
    marks = range(-(-low // step) * step, high + 1, step)
    return tuple(Tick(_percent(mark - low, high - low), _whole(mark)) for mark in marks)


def _class_ticks(classes: Sequence[tuple[int, int, float]]) -> tuple[Tick, ...]:
    """Return the ticks of a histogram's classes.

    The ticks are at the ends of the classes, or in the middle of each class if every class is a
    single number.

    >>> [(tick.label, tick.at) for tick in _class_ticks([(0, 0, 0.5), (1, 1, 0.5)])]
    [('0', 25.0), ('1', 75.0)]
    """
    (low, high, _), last = classes[0], classes[-1][1]
    ticks = _whole_ticks(low - 1, last)
    if high > low:
        return ticks
    half = 50 / len(classes)
    return tuple(tick._replace(at=round(tick.at - half, 2)) for tick in ticks if tick.at > half)


def _whole(number: int) -> Text:
    return format_number(number, ",")


def _share_axis(highest: float) -> tuple[float, tuple[Tick, ...]]:
    """Return the upper end and the ticks of a percentage axis.

    The labels of the ticks have as many decimals as needed.
    """
    step, count = _axis(highest)
    top, digits = step * count, max(0, _decimals(step) - 2)
    marks = (step * number for number in range(count + 1))
    return top, tuple(
        Tick(_percent(mark, top), format_number(mark, f".{digits if mark else 0}%"))
        for mark in marks
    )


def _from_top(ticks: Iterable[Tick]) -> tuple[Tick, ...]:
    """Return the ticks of a vertical axis, with positions measured from the top."""
    return tuple(Tick(_percent(100 - tick.at, 100), tick.label) for tick in ticks)


def _decimals(step: float) -> int:
    """Return the number of decimal places of the numbers on an axis.

    >>> _decimals(0.2), _decimals(50.0)
    (1, 0)
    """
    return max(0, -math.floor(math.log10(step)))


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else 0.0
