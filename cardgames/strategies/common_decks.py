"""The common decks: every chart plays the same rounds of the same decks, so luck is out of it.

Where one deck lasts for several rounds, what a later one is worth depends on what was dealt before
it, and nobody works that out exactly. So it is played: the first rounds of many decks. What comes
out is compared with the best chart's on the same decks, one by one: that difference varies far less
than the results do.

Cards are their values here, an ace 1: suits and the names of the court cards change nothing.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import Final

from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.games.twentyone.rules import POINTS
from cardgames.shuffling import SaltedRandom
from cardgames.strategies.chart import StrategyChart
from cardgames.strategies.hands import round_points

DECKS: Final = 10_000
"""How many there are."""

ROUNDS: Final = 5
"""How many rounds are played of each: fewer than a deck has, so that hardly any runs out."""


def common_deck(number: int) -> Cards:
    """Return a common deck, the top first: the same for ever, as it follows from its number."""
    salt = sha256(f"common deck {number}".encode()).hexdigest()
    return shuffled(FULL_DECK, SaltedRandom(lambda: salt))


def deck_results(chart: StrategyChart) -> tuple[int, ...]:
    """Return what a chart makes of each common deck: rounds won less rounds lost."""
    return tuple(deck_result(chart, deck) for deck in _decks())


def deck_result(chart: StrategyChart, deck: Sequence[int]) -> int:
    """Return the rounds won less the rounds lost of the first rounds of a deck.

    A round in which the cards run out counts for nobody, and is the last.

    Args:
        chart: who plays; with the table's rules.
        deck: the values of the cards, the top first.
    """
    cards, won = iter(deck), 0
    try:
        for _ in range(ROUNDS):
            won += _round_result(chart, cards)
    except StopIteration:
        pass
    return won


@cache
def _decks() -> tuple[bytes, ...]:
    """Return the values of the cards of all decks: half a megabyte, and half a second's work."""
    return tuple(
        bytes(POINTS[card.rank] for card in common_deck(number)) for number in range(DECKS)
    )


def _round_result(chart: StrategyChart, cards: Iterator[int]) -> int:
    rules, hitting = chart.rules, chart.hitting
    first, *dealer = next(cards), next(cards)
    hand = [first, next(cards)]
    dealer.append(next(cards))

    def decide(total: int, soft: bool, upcard: int, _hand: Sequence[int]) -> bool:  # noqa: FBT001 - as it is called
        return (soft, total, upcard) in hitting

    return round_points(rules, decide, hand, dealer, dealer[1 - rules.hole], cards)
