"""Makes a chart of a ``decide``, which is asked in every situation that its own play can reach.

A chart knows the total, whether it is soft, and the upcard. Where a program looks at more, hands in
the same place are decided differently; then the chart takes the decision of the more likely hands,
and these places are returned with it.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from cardgames import GAMES
from cardgames.cards import Card, Cards
from cardgames.games.twentyone.advisor import TwentyOneAdvisor
from cardgames.games.twentyone.rules import TABLES, TARGET
from cardgames.strategies.chart import Cell, StrategyChart, cells
from cardgames.strategies.hands import chance_of, next_cards, total_of
from cardgames.strategies.program import Decider, view_of
from cardgames.strategies.strategy import CARDS_OF_VALUE, VALUES
from cardgames.table import Table

_FIRST_CARDS: Final = 2


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
    rules = TABLES[table]
    hands: Mapping[tuple[int, ...], float] = {(): chance_of(upcard)}
    size = 0
    while hands:
        larger: defaultdict[tuple[int, ...], float] = defaultdict(float)
        for values, chance in hands.items():
            going_on = chance
            if size >= _FIRST_CARDS:
                going_on = 0.0
                for seen in _tables(table, values, upcard):
                    decision = decider.decide(view_of(seen))
                    total, soft = total_of(values, rules)
                    yield Cell(soft, total, upcard), decision, chance / 2, seen.state.player
                    going_on += chance / 2 * (decision == "hit")
            for value, share in next_cards(values, upcard) if going_on else ():
                if sum(values) + value <= TARGET:
                    larger[tuple(sorted((*values, value)))] += going_on * share
        hands, size = larger, size + 1


def _tables(table: str, values: tuple[int, ...], upcard: int) -> Iterator[Table]:
    """Yield a table with this hand and upcard twice, with different cards in another order."""
    for places in (1, -1):
        left: dict[int, list[Card]] = {
            value: list(CARDS_OF_VALUE[value][::places]) for value in VALUES
        }
        up = left[upcard].pop()
        player = tuple(left[value].pop(0) for value in values[::places])
        state = TwentyOneAdvisor(TABLES[table]).pose(player, up)
        yield Table(GAMES[table], state, round=1)
