"""Strategies at the twenty-one tables: when to hit, written as a line or as a table.

``below N`` hits below a total of N (``below 2`` never does), ``dealer`` plays as the dealer must,
``best`` plays what :mod:`cardgames.odds` finds best. Anything else is a table: a line for a total,
as ``hard 16 HSSSSSHHHH`` or ``soft 18 HSSSSSSSHH``, which says for the upcards A, 2 to 9 and T
whether to hit or to stay. A total that has no line is played as the dealer would; ``#`` begins a
remark.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from cardgames.advice import Chances, Odds
from cardgames.cards import FULL_DECK, CardGameError, check_range
from cardgames.games.twentyone.rules import POINTS, TARGET, Rules
from cardgames.odds import odds
from cardgames.odds.card_sets import DECK, NO_CARDS, ONE, VALUES, Hidden, hand_of, of_values, size
from cardgames.odds.dealer import Dealer
from cardgames.odds.player import Solver
from cardgames.text import Text, format_number

CARDS_OF_VALUE: Final = {
    value: tuple(card for card in FULL_DECK if POINTS[card.rank] == value) for value in VALUES
}

MAX_LENGTH: Final = 2_000
"""Maximum number of characters of a strategy."""

Decision = Callable[[int, bool, int, Sequence[int]], bool]
"""Says whether to hit: of a total, whether an ace counts 11 in it, the upcard, and the hand; cards
by their values, the ace as 1."""

Rows = Mapping[tuple[bool, int], str]
"""A table of decisions: by soft or not and the total, a letter H or S for each upcard."""

BASIC: Final = """\
# upcard  A23456789T
hard 12   HHHSSSHHHH
hard 13   HSSSSSHHHH
hard 14   HSSSSSHHHH
hard 15   HSSSSSHHHH
hard 16   HSSSSSHHHH
soft 17   HHHHHHHHHH
soft 18   HSSSSSSSHH
"""
"""The basic strategy without doubling and splitting, as :func:`parse_rows` reads it."""

_TOTALS: Final = frozenset(map(str, range(2, TARGET + 1)))


def decision(strategy: str, rules: Rules) -> Decision:
    """Return how a strategy decides.

    Raises:
        CardGameError: the text is not a strategy.

    >>> from cardgames.games.twentyone import BLACKJACK
    >>> decision("below 12", BLACKJACK)(12, False, 10, (2, 10))
    False
    """
    match strategy.split():
        case ["dealer"]:
            return _below(rules.dealer_stands)
        case ["best"]:
            return lambda _total, _soft, upcard, hand: _best_hits(
                rules, tuple(sorted(hand)), upcard
            )
        case ["below", number] if number.isascii() and number.isdigit():
            check_range(
                "below", Text("The total below which to hit"), int(number[:9]), 2, TARGET + 1
            )
            return _below(int(number))
    rows = parse_rows(strategy)
    return lambda total, soft, upcard, _hand: hits(rows, rules, total, upcard, soft=soft)


def hits(rows: Rows, rules: Rules, total: int, upcard: int, *, soft: bool) -> bool:
    """Say whether a table of decisions hits.

    Args:
        rows: the table of decisions; where it says nothing, the player does as the dealer does.
        rules: the rules of the twenty-one table.
        total: the player's total.
        upcard: the value of the dealer's card that lies face up, an ace as 1.
        soft: whether an ace counts 11 in the total.
    """
    row = rows.get((soft, total))
    return total < rules.dealer_stands if row is None else row[upcard - 1] == "H"


def parse_rows(strategy: str) -> Rows:
    """Read a table of decisions.

    Raises:
        CardGameError: the text is not such a table.
    """
    if len(strategy) > MAX_LENGTH:
        refusal = Text("A strategy has at most {most} characters.")
        raise CardGameError(refusal.fill(most=format_number(MAX_LENGTH, ",")), "strategy")
    rows: dict[tuple[bool, int], str] = {}
    for number, line in enumerate(strategy.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        match words:
            case [("hard" | "soft") as kind, total, letters] if (
                total in _TOTALS and len(letters) == len(VALUES) and set(letters) <= {"H", "S"}
            ):
                rows[kind == "soft", int(total)] = letters
            case _:
                refusal = Text(
                    "Line {number} of the strategy is not hard or soft, a total from 2 to 21, and "
                    "ten letters H or S for the upcards A, 2 to 9 and T."
                )
                raise CardGameError(refusal.fill(number=number), "strategy")
    if not rows:
        is_one = Text("A strategy is below N, dealer, best, or the lines of a table.")
        raise CardGameError(is_one, "strategy")
    return rows


def format_rows(rows: Rows) -> str:
    """Write a table of decisions, as :func:`parse_rows` reads it.

    >>> format_rows({(False, 12): "HHHSSSHHHH"})
    'hard 12 HHHSSSHHHH'
    """
    kinds = {False: "hard", True: "soft"}
    return "\n".join(f"{kinds[soft]} {total} {letters}" for (soft, total), letters in rows.items())


def odds_of(rules: Rules, hand: Iterable[int], upcard: int) -> Odds:
    """Return the odds in the first round of a fresh deck.

    Args:
        rules: the table's rules.
        hand: the values of the player's cards; of the cards of a value any will do.
        upcard: the value of the dealer's card that lies face up.
    """
    counts = Counter(hand)
    held = [card for value, count in counts.items() for card in CARDS_OF_VALUE[value][:count]]
    up = CARDS_OF_VALUE[upcard][-1]
    return odds(rules, held, up, set(FULL_DECK).difference(held, (up,)))


@lru_cache(maxsize=65_536)  # all three tables' hands: 20 MB, and the next chart takes a sixth
def stay_chances(rules: Rules, hand: tuple[int, ...], upcard: int) -> Chances:
    """Return what staying is worth in the first round of a fresh deck; the odds have the hit too.

    Args:
        rules: the table's rules.
        hand: the values of the player's cards.
        upcard: the value of the dealer's card that lies face up.
    """
    unseen = DECK - ONE[upcard] - of_values(hand)
    dealer = Dealer(upcard, rules)
    outcomes = dealer.outcomes(Hidden(unseen, size(unseen) - 1, NO_CARDS))
    solver = Solver(rules, dealer.longest)
    total = solver.total(hand_of(of_values(hand)))
    return solver.stay(total, outcomes.against(total)).chances()


def _below(limit: int) -> Decision:
    return lambda total, _soft, _upcard, _hand: total < limit


@lru_cache(maxsize=100_000)
def _best_hits(rules: Rules, hand: tuple[int, ...], upcard: int) -> bool:
    return odds_of(rules, hand, upcard).best == "hit"
