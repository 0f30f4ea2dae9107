"""The form in which a strategy chart is handed in: a grid to press, or the lines of a chart."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from cardgames.cards import CardGameError
from cardgames.games.twentyone.rules import TABLES, Rules
from cardgames.strategies.chart import UPCARDS, Cell, StrategyChart, cells, lines
from cardgames.text import Text

SAFE: Final = 11
"""The largest hard total that no card busts."""

NO_TABLE: Final = Text("Charts are for one of these tables: {tables}.")
NO_LINES: Final = Text(
    "There is no line of a chart in it, such as hard 16 HSSSSSHHHH: hard or soft, a total, and H "
    "or S for the upcards A, 2 to 9 and T."
)


class Group(NamedTuple):
    """Lines of a chart that belong together."""

    name: str
    title: Text
    lines: tuple[tuple[Cell, ...], ...]
    """A line for each hand, with its places by the dealer's card."""


def chart_groups(rules: Rules) -> list[Group]:
    """Return the lines of a table's charts in groups."""
    titles = {
        "safe": Text("Hard hands to {total}", total=SAFE),
        "hard": Text("Hard hands from {total} on", total=SAFE + 1),
        "soft": Text("Soft hands: an ace counts 11"),
    }

    def name_of(cell: Cell) -> str:
        return "soft" if cell.soft else "safe" if cell.total <= SAFE else "hard"

    groups = (
        Group(name, title, tuple(line for line in lines(rules) if name_of(line[0]) == name))
        for name, title in titles.items()
    )
    return [group for group in groups if group.lines]


def field_name(cell: Cell) -> str:
    """Return the name of the field of a place in the grid.

    >>> field_name(Cell(soft=False, total=16, upcard=10))
    'hard-16-T'
    """
    return f"{'soft' if cell.soft else 'hard'}-{cell.total}-{UPCARDS[cell.upcard - 1]}"


def pressed_chart(sent: Mapping[str, str], rules: Rules) -> StrategyChart:
    """Return the chart that the grid of a form shows."""
    return StrategyChart(
        rules, frozenset(cell for cell in cells(rules) if field_name(cell) in sent)
    )


def chart_sent(sent: Mapping[str, str], text: str) -> tuple[str, StrategyChart]:
    """Read a chart that was sent: a text, or else what was pressed in the grid.

    Return the slug of its table and the chart; raise CardGameError where it is none.
    """
    table = sent.get("table", "")
    if table not in TABLES:
        raise CardGameError(NO_TABLE.fill(tables=", ".join(TABLES)))
    rules = TABLES[table]
    if "grid" in sent and not text.strip():
        return table, pressed_chart(sent, rules)
    written = chart_lines(text)
    if not any(line.split()[:1] in (["hard"], ["soft"]) for line in written.splitlines()):
        raise CardGameError(NO_LINES)
    return table, StrategyChart.read(rules, written)


def chart_lines(text: str) -> str:
    r"""Return the lines of the first chart in what ``python -m cardgames.chart`` prints.

    They keep their places, so that the number of one that is wrong can be named. A text without the
    line of upcards is the chart itself.

    >>> chart_lines("mine.py, blackjack\n\n# upcard  A23456789T\nhard 4    HHHHHHHHHH\n\nWorth …")
    '\n\n# upcard  A23456789T\nhard 4    HHHHHHHHHH'
    """
    found = [line.strip() for line in text.replace("\ufeff", "").splitlines()]
    first = next((at for at, line in enumerate(found) if line.startswith("# upcard")), None)
    if first is None:
        return "\n".join(found)
    last = next((at for at in range(first, len(found)) if not found[at]), len(found))
    return "\n".join([*[""] * first, *found[first:last]])
