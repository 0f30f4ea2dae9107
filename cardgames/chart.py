"""``python -m cardgames.chart``: a strategy as a chart, and what it is worth exactly."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, TextIO

from cardgames.cards import CardGameError
from cardgames.games.twentyone.rules import TABLES
from cardgames.strategies.chart import Cell, StrategyChart
from cardgames.strategies.charting import Mixed, chart_of
from cardgames.strategies.program import Program, source_of
from cardgames.strategies.rating import Rating, rate

DESCRIPTION: Final = """\
Makes a chart from a file with a function decide(view), or reads one: a file with its lines, or
dealer, basic, "below 16". Rates it exactly: nothing is played. With two, says where they differ.
At simple-21 and one-deck it is the first round of the deck.
"""

MAX_LINES: Final = 12
"""Maximum number of lines of a list."""

_REFUSED: Final = 2


def main(arguments: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Print charts and their ratings.

    Args:
        arguments: the command line's, by default.
        out: where they go, standard output by default.

    Returns:
        0; 2 where there is no chart to be had.
    """
    out = out or sys.stdout
    asked = _parser().parse_args(arguments)
    try:
        ratings: list[Rating] = []
        for text in filter(None, (asked.strategy, asked.other)):
            chart, mixed = _read(text, asked.table)
            if asked.save and not ratings:
                _save(chart, asked.save)
            ratings.append(rate(chart))
            lines = [f"{_name(text)}, {asked.table}", "", str(chart), "", *_more(mixed)]
            print("\n".join((*lines, *_rating(ratings[-1]))), file=out)
    except CardGameError as error:
        print(error, file=sys.stderr)
        return _REFUSED
    if asked.other:
        names = _name(asked.strategy), _name(asked.other)
        print("\n".join(_compared(ratings[0], ratings[1], *names)), file=out)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m cardgames.chart",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("strategy", help="a file, or a strategy in words")
    parser.add_argument("other", nargs="?", help="another one to compare it with")
    parser.add_argument("--table", choices=[*TABLES], default="blackjack", help="(%(default)s)")
    parser.add_argument("--save", metavar="FILE", help="write the (first) chart alone into a file")
    return parser


def _read(text: str, table: str) -> tuple[StrategyChart, tuple[Mixed, ...]]:
    """Return a chart, and where the program that it was made from looks at more."""
    source = source_of(text)
    if isinstance(source, str):
        return StrategyChart.read(TABLES[table], source), ()
    with Program(source) as program:
        made = chart_of(program, table)
    return made.chart, made.mixed


def _save(chart: StrategyChart, path: str) -> None:
    """Write a chart into a file, to be handed in or compared."""
    try:
        Path(path).write_text(f"{chart}\n", encoding="utf-8")
    except OSError as error:
        raise CardGameError(f"{path}: {error.strerror}.") from None


def _name(text: str) -> str:
    return Path(text).name if Path(text).is_file() else text


def _more(mixed: tuple[Mixed, ...]) -> list[str]:
    """Say where a program looks at more than its chart can."""
    if not mixed:
        return []
    first = "It looks at more than the total, softness and the upcard; the chart does what it does"
    return [first, "with the likelier hands:", *_cut(f"  {place}" for place in mixed), ""]


def _rating(rating: Rating) -> list[str]:
    """Say what a chart is worth, and which of its cells cost something."""
    lines = [f"Worth {rating.expected_value:+.10f} a round: {rating.points:+.4f} in a hundred."]
    mistakes = rating.mistakes()
    if mistakes:
        lines += ["Where another decision would be better, in points a round (a hundredth of one):"]
        lines += _cut(_costly(rating, cell) for cell in mistakes)
    else:
        lines += ["No other decision in a single place would be better."]
    return [*lines, ""]


def _costly(rating: Rating, cell: Cell) -> str:
    chosen = "hit" if rating.chart.hits(cell) else "stay"
    return f"  {cell}: {chosen} costs {rating.cost(cell):.4f}"


def _compared(one: Rating, other: Rating, name: str, other_name: str) -> list[str]:
    places = one.chart.differences(other.chart)
    gap = one.points - other.points
    first = f"{name} against {other_name}: {gap:+.4f} points a round."
    second = f"They differ in {len(places)} of the places; what each costs or saves by itself:"
    lines = [first, second]
    for cell in sorted(places, key=one.cost, reverse=True):
        does, cost = "hit" if one.chart.hits(cell) else "stay", one.cost(cell)
        lines.append(f"  {cell}: {does} {'costs' if cost > 0 else 'saves'} {abs(cost):.4f}")
    return lines


def _cut(lines: Iterable[str]) -> list[str]:
    """Return the first lines, and how many more there are."""
    found = [*lines]
    more = [f"  and {len(found) - MAX_LINES} more"] * (len(found) > MAX_LINES)
    return [*found[:MAX_LINES], *more]


if __name__ == "__main__":
    sys.exit(main())
