"""Strategies at the twenty-one tables, keyed by name: rules of thumb, and the best play.

The best play depends on the total, on whether the total is soft, and on the upcard. In the first
round of a fresh deck, no other strategy based on these three values has a higher expected value. At
Blackjack every round starts with a fresh deck.
"""

from collections.abc import Callable, Mapping
from typing import Final

from cardgames.games.twentyone.rules import TABLES
from cardgames.text import NamedEnum, Text

MAX_SAFE: Final = 11
"""The largest hard total that cannot bust with one more card."""

Decision = Callable[[int, bool, int], bool]
"""A function that returns whether to hit, given a total, whether it is soft, and the upcard (1 for
an ace).
"""


class Strategy(NamedEnum):
    """A strategy, with its name."""

    DEALER = "dealer", Text("Stand on 17, as the dealer")
    NEVER_BUST = "never-bust", Text("Never risk a bust")
    BEST = "best", Text("The best play")


# Hit (H) or stay (S) for each total, hard or soft, and for the upcards A, 2 to 9 and T.
_BEST: Final[Mapping[str, Mapping[tuple[bool, int], str]]] = {
    "simple-21": {
        (False, 12): "HHHSSSHHHH",
        (False, 13): "HSSSSSHHHH",
        (False, 14): "SSSSSSHHHH",
        (False, 15): "SSSSSSHHHH",
        (False, 16): "SSSSSSHHHH",
    },
    "blackjack": {
        (False, 12): "HSSSSSHHHH",
        (False, 13): "HSSSSSHHHH",
        (False, 14): "HSSSSSHHHH",
        (False, 15): "HSSSSSHHHS",
        (False, 16): "HSSSSSHHSS",
        (False, 17): "HSSSSSSSSS",
        (True, 17): "HHHHHHHHHH",
        (True, 18): "HSSSSSSHHH",
    },
    "one-deck": {
        (False, 12): "HHHSSSHHHH",
        (False, 13): "HSSSSSHHHH",
        (False, 14): "HSSSSSHHHH",
        (False, 15): "HSSSSSHHHH",
        (False, 16): "HSSSSSHHHH",
        (True, 17): "HHHHHHHHHH",
        (True, 18): "HSSSSSSSHH",
    },
}


def decision(strategy: Strategy, table: str) -> Decision:
    """Return the decision function of a strategy.

    Args:
        strategy: The strategy whose decisions are returned.
        table: The slug of a twenty-one table.

    >>> decision(Strategy.BEST, "blackjack")(16, False, 10)
    False
    """
    limit, best = TABLES[table].dealer_stands, _BEST[table]

    def as_dealer(total: int, _soft: bool, _upcard: int) -> bool:  # noqa: FBT001 - called with positional arguments
        return total < limit

    def without_risk(total: int, soft: bool, _upcard: int) -> bool:  # noqa: FBT001 - likewise
        return total <= MAX_SAFE or (soft and total < limit)

    def at_best(total: int, soft: bool, upcard: int) -> bool:  # noqa: FBT001 - likewise
        row = best.get((soft, total))
        return total < limit if row is None else row[upcard - 1] == "H"

    return {
        Strategy.DEALER: as_dealer,
        Strategy.NEVER_BUST: without_risk,
        Strategy.BEST: at_best,
    }[strategy]
