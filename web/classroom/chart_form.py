"""The form of a chart: a grid to press, or the lines that ``python -m cardgames.chart`` prints."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final, NamedTuple

from cardgames.cards import CardGameError
from cardgames.games.twentyone.rules import TABLES, Rules
from cardgames.strategies.chart import UPCARDS, Cell, StrategyChart, cells
from cardgames.text import Text

SAFE: Final = 11
"""With this hard total or less no card busts."""

MAX_TEXT: Final = 8_000
"""Maximum number of characters of a chart as text: the command prints some 2,000."""

KINDS: Final = ("hard", "soft")

NO_TABLE: Final = Text("Charts are for one of these tables: {tables}.")
NO_LINES: Final = Text(
    "There is no line of a chart in it, such as hard 16 HSSSSSHHHH: hard or soft, a total, and H "
    "or S for the upcards A, 2 to 9 and T."
)


class GridCell(NamedTuple):
    """A decision of the grid."""

    name: str
    """The field's: ``hard-16-T``."""

    upcard: str
    hit: bool
    differs: bool = False
    """Whether the chart that it is compared with does something else."""


class GridRow(NamedTuple):
    """What is decided with a hand."""

    soft: bool
    total: int
    cells: tuple[GridCell, ...]


class Group(NamedTuple):
    """Rows that belong together."""

    name: str
    title: Text
    rows: tuple[GridRow, ...]


def chart_sent(sent: Mapping[str, str], file: str) -> tuple[str, StrategyChart]:
    """Read a chart that was sent: a file, a text, or else what was pressed in the grid.

    Args:
        sent: the form's fields.
        file: the text of the file that was sent with it; empty for none.

    Returns:
        The slug of its table, and the chart.

    Raises:
        CardGameError: it is none.
    """
    table = sent.get("table", "")
    if table not in TABLES:
        raise CardGameError(NO_TABLE.fill(tables=", ".join(TABLES)))
    rules = TABLES[table]
    text = file or sent.get("rows", "")
    if "grid" in sent and not text.strip():
        return table, pressed_chart(sent, rules)
    lines = chart_lines(text)
    if not any(line.split()[:1] in (["hard"], ["soft"]) for line in lines.splitlines()):
        raise CardGameError(NO_LINES)
    return table, StrategyChart.read(rules, lines)


def chart_lines(text: str) -> str:
    r"""Return the lines of the first chart in what ``python -m cardgames.chart`` prints.

    They keep their places, so that the number of one that is wrong can be named. A text without the
    line of upcards is the chart itself.

    >>> chart_lines("mine.py, blackjack\n\n# upcard  A23456789T\nhard 4    HHHHHHHHHH\n\nWorth …")
    '\n\n# upcard  A23456789T\nhard 4    HHHHHHHHHH'
    """
    lines = [line.strip() for line in text.replace("\ufeff", "").splitlines()]
    first = next((at for at, line in enumerate(lines) if line.startswith("# upcard")), None)
    if first is None:
        return "\n".join(lines)
    last = next((at for at in range(first, len(lines)) if not lines[at]), len(lines))
    return "\n".join([*[""] * first, *lines[first:last]])


def grid(chart: StrategyChart, other: StrategyChart | None = None) -> tuple[Group, ...]:
    """Return a chart as a grid, in groups.

    Args:
        chart: the chart.
        other: what it is compared with.
    """
    rows = tuple(_rows(chart, other))
    groups = (
        Group(
            "safe",
            Text("Hard hands to {total}", total=SAFE),
            tuple(row for row in rows if not row.soft and row.total <= SAFE),
        ),
        Group(
            "hard",
            Text("Hard hands from {total} on", total=SAFE + 1),
            tuple(row for row in rows if not row.soft and row.total > SAFE),
        ),
        Group("soft", Text("Soft hands: an ace counts 11"), tuple(row for row in rows if row.soft)),
    )
    return tuple(group for group in groups if group.rows)


def pressed_chart(sent: Mapping[str, str], rules: Rules) -> StrategyChart:
    """Return the chart that the grid of a form shows."""
    pressed = (cell for cell in cells(rules) if _name(cell) in sent)
    return StrategyChart(rules, frozenset(pressed))


def _rows(chart: StrategyChart, other: StrategyChart | None) -> Iterator[GridRow]:
    """Yield the lines of a chart."""
    for (soft, total), line in groupby(cells(chart.rules), lambda cell: (cell.soft, cell.total)):
        row = (
            GridCell(
                _name(cell),
                UPCARDS[cell.upcard - 1],
                chart.hits(cell),
                other is not None and chart.hits(cell) != other.hits(cell),
            )
            for cell in line
        )
        yield GridRow(soft, total, tuple(row))


def _name(cell: Cell) -> str:
    return f"{KINDS[cell.soft]}-{cell.total}-{UPCARDS[cell.upcard - 1]}"
