"""A strategy chart: what to do for each total, soft or hard, and each upcard, as data."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple, Self

from cardgames.cards import CardGameError
from cardgames.games.twentyone.rules import ACE_BONUS, TARGET, Rules
from cardgames.odds.card_sets import VALUES
from cardgames.strategies.strategy import BASIC, decision

UPCARDS: Final = "A23456789T"
"""How the upcards are written, by their values from 1 on."""

_SOFTEST: Final = ACE_BONUS + 2
"""The lowest soft total: two aces."""


class Cell(NamedTuple):
    """A place in a chart.

    >>> str(Cell(soft=True, total=18, upcard=9))
    'soft 18 against 9'
    """

    soft: bool
    """Whether an ace counts 11 in the total."""

    total: int
    upcard: int
    """What the upcard counts, an ace as 1."""

    def __str__(self) -> str:
        kind = "soft" if self.soft else "hard"
        return f"{kind} {self.total} against {UPCARDS[self.upcard - 1]}"


def lines(rules: Rules) -> Iterator[tuple[Cell, ...]]:
    """Yield the lines of a chart at a table: of each hand the places, by the upcard."""
    eleven = rules.ace_may_be_eleven
    lowest = 4 if eleven else 2  # two aces are soft where an ace may count 11
    for soft, first in ((False, lowest), *(((True, _SOFTEST),) if eleven else ())):
        for total in range(first, TARGET + 1):
            yield tuple([Cell(soft, total, upcard) for upcard in VALUES])


def cells(rules: Rules) -> Iterator[Cell]:
    """Return every place of a chart at a table, line by line.

    >>> from cardgames.games.twentyone import BLACKJACK, SIMPLE_21
    >>> len([*cells(BLACKJACK)]), len([*cells(SIMPLE_21)])
    (280, 200)
    """
    return chain.from_iterable(lines(rules))


@dataclass(frozen=True, slots=True)
class StrategyChart:
    """What to do in each place of a chart, at a table with given rules."""

    rules: Rules
    hitting: frozenset[Cell]
    """Where to hit; everywhere else the player stays."""

    @classmethod
    def read(cls, rules: Rules, text: str) -> Self:
        """Read a chart as it is written for the lab; a total without a line plays as the dealer.

        Args:
            rules: the table's.
            text: ``dealer``, ``basic``, ``below N``, or lines such as ``hard 16 HSSSSSHHHH``.

        Raises:
            CardGameError: the text is not a chart.
        """
        if text.split() == ["best"]:
            raise CardGameError("The best play looks at every card: it is no chart.")
        decide = decision(BASIC if text.split() == ["basic"] else text, rules)
        hitting = [cell for cell in cells(rules) if decide(cell.total, cell.soft, cell.upcard, ())]
        return cls(rules, frozenset(hitting))

    def hits(self, cell: Cell) -> bool:
        """Say whether the chart hits here."""
        return cell in self.hitting

    def differences(self, other: "StrategyChart") -> tuple[Cell, ...]:
        """Return the places where two charts of one table part, line by line."""
        return tuple(cell for cell in cells(self.rules) if self.hits(cell) != other.hits(cell))

    def changed(self, *places: Cell) -> "StrategyChart":
        """Return the chart with another decision in these places."""
        return StrategyChart(self.rules, self.hitting.symmetric_difference(places))

    def __str__(self) -> str:
        """Return the chart as :meth:`read` reads it."""
        written = [f"# upcard  {UPCARDS}"]
        for line in lines(self.rules):
            kind = "soft" if line[0].soft else "hard"
            letters = "".join(["H" if cell in self.hitting else "S" for cell in line])
            written.append(f"{kind} {line[0].total:<4} {letters}")
        return "\n".join(written)
