"""Simulation of twenty-one rounds with a strategy, each from a fresh deck.

Cards are represented by their values, with 1 for an ace, because suits and the names of the court
cards make no difference.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from cardgames.cards import FULL_DECK
from cardgames.games.twentyone.rules import POINTS, TARGET, Rules, best_total
from cardgames.strategies.strategy import Decision

_DECK: Final = tuple(POINTS[card.rank] for card in FULL_DECK)


def rounds(rules: Rules, decide: Decision, rng: Random) -> Iterator[tuple[int, int]]:
    """Yield the results of rounds.

    Each result is a pair: first 0 for a win, 1 for a tie or 2 for a loss, and then 1 for a win or 0
    otherwise.

    Args:
        rules: The table's rules.
        decide: Function that returns whether the player hits.
        rng: The random number generator for drawing the cards.
    """
    while True:
        won = _play_round(rules, decide, drawn(rng))
        yield 1 - won, int(won > 0)


def drawn(rng: Random) -> Iterator[int]:
    """Yield the cards of a fresh deck, each drawn from a random position."""
    deck = list(_DECK)
    while deck:
        place = int(rng.random() * len(deck))
        deck[place], deck[-1] = deck[-1], deck[place]
        yield deck.pop()


def _play_round(rules: Rules, decide: Decision, cards: Iterator[int]) -> int:
    """Play a round.

    Return 1 if the player wins, -1 if the dealer wins, and 0 for a tie.
    """
    hand = [next(cards), next(cards)]
    dealer = [next(cards)]  # The hole card is drawn later, like any other card.
    upcard = dealer[0]
    total, soft = _total(hand, rules)
    while total <= TARGET and decide(total, soft, upcard):
        hand.append(next(cards))
        total, soft = _total(hand, rules)
    if total > TARGET:
        return -1
    if total == TARGET and rules.stay_on_21_wins:
        return 1
    dealer_total, _ = _total(dealer, rules)
    while dealer_total < rules.dealer_stands:
        dealer.append(next(cards))
        dealer_total, _ = _total(dealer, rules)
    if dealer_total > TARGET or total > dealer_total:
        return 1
    return -1 if dealer_total > total or rules.dealer_wins_ties else 0


def _total(hand: Sequence[int], rules: Rules) -> tuple[int, bool]:
    """Return the value of a hand, and whether an ace in the hand counts as 11."""
    hard = sum(hand)
    total = best_total(hard, ace=1 in hand, ace_may_be_eleven=rules.ace_may_be_eleven)
    return total, total > hard
