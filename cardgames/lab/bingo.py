"""Simulation of Bingo rounds: the first call of each card, and the first complete pattern."""

from collections.abc import Iterator
from random import Random

from cardgames.cards import DECK_SIZE, Suit
from cardgames.games.bingo.rules import CENTRE, GRID_SIZE, PATTERNS, Mode


def rounds(mode: Mode, rng: Random, *, speed: bool) -> Iterator[tuple[int, int]]:
    """Yield the results of rounds.

    Each result is the winner (0 for A, 1 for B, 2 for both) and the number of calls.

    Cards are represented by numbers. In speed rounds, the four cards of a rank share a number. All
    sets of 25 cards of a shuffled deck are equally likely, so a grid is a slice of the deck.

    Args:
        mode: The patterns that count as BINGO!
        rng: The random number generator for shuffling the decks.
        speed: Whether only ranks are compared.
    """
    patterns = [tuple(pattern - {CENTRE}) for pattern in PATTERNS[mode]]
    alike = len(Suit) if speed else 1
    deck = [card // alike for card in range(DECK_SIZE)]
    calling = deck.copy()
    while True:
        rng.shuffle(deck)
        rng.shuffle(calling)
        # The order is reversed, so that the first call of a card overwrites later calls.
        first_calls = dict(zip(reversed(calling), range(DECK_SIZE, 0, -1), strict=True))
        a, b = (
            min(max([first_calls[grid[place]] for place in pattern]) for pattern in patterns)
            for grid in (deck[:GRID_SIZE], deck[-GRID_SIZE:])
        )
        yield (a > b) + 2 * (a == b), min(a, b)
