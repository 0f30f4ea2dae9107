"""Rounds of Bingo: when is each card called first, and so when is the first pattern complete?"""

from collections.abc import Iterator
from random import Random

from cardgames.cards import DECK_SIZE, Suit
from cardgames.games.bingo.rules import CENTRE, GRID_SIZE, PATTERNS, Mode


def rounds(mode: Mode, rng: Random, *, speed: bool) -> Iterator[tuple[int, int]]:
    """Yield the results of rounds: who won (0 for A, 1 for B, 2 for both), and at which call.

    A card is a number; in speed rounds the four cards of a rank have the same. Which 25 cards of a
    shuffled deck are a grid makes no difference, so they lie together.

    Args:
        mode: what makes a BINGO!.
        rng: shuffles the decks.
        speed: whether ranks alone are compared.
    """
    patterns = [tuple(pattern - {CENTRE}) for pattern in PATTERNS[mode]]
    alike = len(Suit) if speed else 1
    deck = [card // alike for card in range(DECK_SIZE)]
    calling = deck.copy()
    while True:
        rng.shuffle(deck)
        rng.shuffle(calling)
        # Read backwards, the first call of a card is what stays.
        first_calls = dict(zip(reversed(calling), range(DECK_SIZE, 0, -1), strict=True))
        a, b = (
            min(max([first_calls[grid[place]] for place in pattern]) for pattern in patterns)
            for grid in (deck[:GRID_SIZE], deck[-GRID_SIZE:])
        )
        yield (a > b) + 2 * (a == b), min(a, b)
