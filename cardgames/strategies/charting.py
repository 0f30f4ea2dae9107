"""Makes a chart of a ``decide``, which is asked in every situation that its own play can reach.

A chart knows the total, whether it is soft, and the upcard. Where a program looks at more, hands in
the same place are decided differently; then the chart takes the decision of the more likely hands,
and these places are returned with it.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from cardgames import GAMES
from cardgames.cards import Card, Cards
from cardgames.games.twentyone.advisor import TwentyOneAdvisor
from cardgames.games.twentyone.rules import TABLES, TARGET
from cardgames.odds.card_sets import VALUES
from cardgames.strategies.chart import Cell, StrategyChart, cells
from cardgames.strategies.hands import Values, followed, total_of
from cardgames.strategies.program import Decider, view_of
from cardgames.strategies.strategy import CARDS_OF_VALUE
from cardgames.table import Table


class Mixed(NamedTuple):
    """A place of a chart in which a program does not always do the same."""

    cell: Cell
    hit: Cards
    """A hand with which it hits there."""

    stay: Cards
    """One with which it stays."""

    def __str__(self) -> str:
        return (
            f"{self.cell}: it hits with {' '.join(self.hit)} and stays with {' '.join(self.stay)}"
        )


@dataclass(frozen=True, slots=True)
class Made:
    """A chart that was made from a program."""

    chart: StrategyChart
    mixed: tuple[Mixed, ...]
    """Where the program looks at more than a chart does."""


def chart_of(decider: Decider, table: str) -> Made:
    """Make a chart from what a program decides.

    Every hand is shown twice: its cards in order of size, and in the opposite order in other suits.
    In places to which its play never leads, the chart plays as the dealer would.

    Args:
        decider: the program.
        table: the slug of a twenty-one table.

    Raises:
        ProgramEnded: the program does not decide.
    """
    rules = TABLES[table]
    chances: defaultdict[tuple[Cell, str], float] = defaultdict(float)
    examples: defaultdict[Cell, dict[str, Cards]] = defaultdict(dict)
    for upcard in VALUES:
        for cell, decision, chance, hand in _asked(decider, table, upcard):
            chances[cell, decision] += chance
            examples[cell].setdefault(decision, hand)
    hitting = (
        cell
        for cell in cells(rules)
        if (
            chances[cell, "hit"] > chances[cell, "stay"]
            if cell in examples
            else cell.total < rules.dealer_stands
        )
    )
    mixed = (
        Mixed(cell, examples[cell]["hit"], examples[cell]["stay"])
        for cell in cells(rules)
        if cell in examples and len(examples[cell]) > 1
    )
    return Made(StrategyChart(rules, frozenset(hitting)), tuple(mixed))


def _asked(decider: Decider, table: str, upcard: int) -> Iterator[tuple[Cell, str, float, Cards]]:
    """Ask in each situation with this upcard: the place, the decision, its chance, the hand."""
    hits: dict[Values, float] = {}
    for values, chance in followed(upcard, hits.__getitem__):
        hits[values] = 0.0
        for seen in _tables(table, values, upcard) if sum(values) <= TARGET else ():
            decision = decider.decide(view_of(seen))
            total, soft = total_of(values, TABLES[table])
            yield Cell(soft, total, upcard), decision, chance / 2, seen.state.player
            hits[values] += (decision == "hit") / 2


def _tables(table: str, values: Values, upcard: int) -> Iterator[Table]:
    """Yield a table with this hand and upcard twice, with different cards in another order."""
    for places in (1, -1):
        left: dict[int, list[Card]] = {
            value: list(CARDS_OF_VALUE[value][::places]) for value in VALUES
        }
        up = left[upcard].pop()
        player = tuple(left[value].pop(0) for value in values[::places])
        state = TwentyOneAdvisor(TABLES[table]).pose(player, up)
        yield Table(GAMES[table], state, round=1)
