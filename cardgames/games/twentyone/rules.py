"""The rules of the twenty-one tables as data, and the values of hands under these rules.

The tables differ only in their :class:`Rules`, which the engine (:mod:`.engine`), the odds
(:mod:`cardgames.odds`) and the sheets' programs all read.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from cardgames.cards import Card, Rank
from cardgames.games.twentyone.words import STAND, STAY, StopWords
from cardgames.text import NamedEnum, Text

TARGET: Final = 21
ACE_BONUS: Final = 10
"""The difference in points between an ace that counts 11 and an ace that counts 1."""

POINTS: Final = {rank: min(count, 10) for count, rank in enumerate(Rank, start=1)}
"""The points of each rank, with 1 for an ace and 10 for court cards (S0-4 to S0-6)."""


class Shoe(Enum):
    """The source of the next round's cards."""

    REFILLED = auto()
    """One deck is used for all rounds. When a card is needed and the deck is empty, the discards
    are shuffled into it.
    """

    FRESH = auto()
    """Every deal uses a complete, shuffled deck."""

    ONCE = auto()
    """One deck is used without refills. When the deck is empty, the game ends."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that distinguish one twenty-one table from another."""

    ace_may_be_eleven: bool
    """Whether an ace counts 11 if that does not bust the hand. Otherwise it always counts 1."""

    dealer_stands: int
    """The soft or hard total on which the dealer stands, at most 21. The dealer draws below this
    total.
    """

    dealer_wins_ties: bool
    """Whether the dealer wins if the totals are equal. Otherwise that is a tie."""

    shoe: Shoe
    """The source of the cards."""

    hole: int
    """The index of the dealer's face-down card: 0 or 1."""

    hide_hole_after_bust: bool
    """Whether the hole card is shown only if the dealer plays, so that it stays hidden after a
    bust.
    """

    stay_on_21_wins: bool
    """Whether staying on exactly 21 wins immediately, before the dealer plays."""

    deal_forfeits: bool
    """Whether the player may deal in the middle of a round and thereby lose that round."""

    stop: StopWords
    """The word for stopping."""


SIMPLE_21: Final = Rules(
    ace_may_be_eleven=False,
    dealer_stands=17,
    dealer_wins_ties=False,
    shoe=Shoe.REFILLED,
    hole=1,
    hide_hole_after_bust=True,
    stay_on_21_wins=True,
    deal_forfeits=False,
    stop=STAY,
)

BLACKJACK: Final = Rules(
    ace_may_be_eleven=True,
    dealer_stands=17,
    dealer_wins_ties=True,
    shoe=Shoe.FRESH,
    hole=0,
    hide_hole_after_bust=False,
    stay_on_21_wins=False,
    deal_forfeits=True,
    stop=STAND,
)

ONE_DECK: Final = Rules(
    ace_may_be_eleven=True,
    dealer_stands=17,
    dealer_wins_ties=False,
    shoe=Shoe.ONCE,
    hole=1,
    hide_hole_after_bust=False,
    stay_on_21_wins=False,
    deal_forfeits=False,
    stop=STAND,
)


TABLES: Final = {"simple-21": SIMPLE_21, "blackjack": BLACKJACK, "one-deck": ONE_DECK}
"""The rules of the twenty-one tables, keyed by slug."""


def best_total(hard: int, *, ace: bool, ace_may_be_eleven: bool) -> int:
    """Return the value of a hand: its total closest to 21 without a bust (S2-30).

    Args:
        hard: The total of the hand with every ace as 1.
        ace: Whether the hand has an ace.
        ace_may_be_eleven: The rule of the table (:attr:`Rules.ace_may_be_eleven`).

    >>> best_total(7, ace=True, ace_may_be_eleven=True)
    17
    """
    soft = ace_may_be_eleven and ace and hard + ACE_BONUS <= TARGET
    return hard + ACE_BONUS if soft else hard


def total(cards: Iterable[Card], rules: Rules) -> int:
    """Return the value of a hand.

    >>> total([Card("AS"), Card("AD"), Card("9C")], ONE_DECK)
    21
    >>> total([Card("AS"), Card("AD"), Card("9C")], SIMPLE_21)
    11
    """
    ranks = [card.rank for card in cards]
    return best_total(
        sum(POINTS[rank] for rank in ranks),
        ace=Rank.ACE in ranks,
        ace_may_be_eleven=rules.ace_may_be_eleven,
    )


def is_soft(cards: Iterable[Card], rules: Rules) -> bool:
    """Return whether an ace in the hand counts as 11.

    >>> is_soft([Card("AS"), Card("6D")], BLACKJACK), is_soft([Card("AS"), Card("6D")], SIMPLE_21)
    (True, False)
    """
    hand = tuple(cards)
    return total(hand, rules) > sum(POINTS[card.rank] for card in hand)


def dealer_draws(cards: Iterable[Card], rules: Rules) -> bool:
    """Return whether the dealer must draw.

    At all three tables, the dealer draws below 17 (S0-13).

    >>> dealer_draws([Card("AS"), Card("6D")], ONE_DECK)
    False
    >>> dealer_draws([Card("AS"), Card("6D")], SIMPLE_21)
    True
    """
    return total(cards, rules) < rules.dealer_stands


class Winner(NamedEnum):
    """The winner of a round, with the label for the history."""

    PLAYER = "player", Text("You won")
    DEALER = "dealer", Text("The dealer won")
    TIE = "tie", Text("A tie")


def find_winner(player: Iterable[Card], dealer: Iterable[Card], rules: Rules) -> Winner:
    """Return the winner for two final hands (S0-12 to S0-15, S1-5 to S1-9, S2-11).

    If the player busts, the dealer wins with any hand.

    >>> find_winner([Card("TS"), Card("8D")], [Card("9S"), Card("9D")], BLACKJACK)
    <Winner.DEALER: 'dealer'>
    """
    player_total, dealer_total = total(player, rules), total(dealer, rules)
    if player_total > TARGET:
        return Winner.DEALER
    if dealer_total > TARGET or player_total > dealer_total:
        return Winner.PLAYER
    if dealer_total > player_total or rules.dealer_wins_ties:
        return Winner.DEALER
    return Winner.TIE
