"""The best chart of each table: no other decision in any place of it is worth more.

That holds of the first round of a fresh deck, which at Blackjack is every round. Found from two
sides, from the dealer's own play and from the basic strategy: the most costly decision of a chart
is reversed until none costs anything, and both lead here.
"""

from functools import cache
from typing import Final

from cardgames.games.twentyone.rules import TABLES
from cardgames.strategies.chart import StrategyChart
from cardgames.strategies.strategy import BASIC

_BEST: Final = {
    "simple-21": """\
hard 12   HHHSSSHHHH
hard 13   HSSSSSHHHH
hard 14   SSSSSSHHHH
hard 15   SSSSSSHHHH
hard 16   SSSSSSHHHH
""",
    "blackjack": """\
hard 12   HSSSSSHHHH
hard 13   HSSSSSHHHH
hard 14   HSSSSSHHHH
hard 15   HSSSSSHHHS
hard 16   HSSSSSHHSS
hard 17   HSSSSSSSSS
soft 17   HHHHHHHHHH
soft 18   HSSSSSSHHH
""",
    "one-deck": BASIC,
}

DEALER_EXPECTED: Final = {
    "simple-21": -0.0913676255,
    "blackjack": -0.1823526844,
    "one-deck": -0.0800917801,
}
"""What playing as the dealer does is worth, in a first round."""

BEST_EXPECTED: Final = {
    "simple-21": -0.0469652454,
    "blackjack": -0.1312873767,
    "one-deck": -0.0428061253,
}
"""The same of the best chart."""


@cache
def best_chart(table: str) -> StrategyChart:
    """Return the best chart of a twenty-one table.

    Args:
        table: its slug.
    """
    return StrategyChart.read(TABLES[table], _BEST[table])
