"""Drawing cards at random by looking up: what a random number of 11 bits, a *word*, draws.

A word is one of 2,048 places of a table in which every card stands equally often; where the cards
do not divide 2,048 evenly, the places left over mean "draw again", so nothing is biased.
"""

from functools import cache
from itertools import product
from typing import Final

WORD_COUNT: Final = 2**11
"""How many words there are: 0 to 2,047."""

DRAW_AGAIN: Final = -1
NOBODY: Final = (0, 0)
"""What the places left over of a table mean: a word that decides nothing."""


@cache
def pair_table(size: int) -> list[list[tuple[int, int]]]:
    """Return, by how many cards the first hand has, what each word draws for two players.

    That is a place of the first hand and one of the second, in a deck that is laid out with the
    first hand in front. A word left over is no pair, and neither is any when a hand is empty.
    """
    rows = []
    # The same few tuples again and again: they stay in the processor's cache.
    same = {(left, right): (left, right) for left, right in product(range(size), repeat=2)}
    for border in range(size + 1):
        every = [same[pair] for pair in product(range(border), range(border, size))]
        times = WORD_COUNT // len(every) if every else 0
        rows.append(every * times + [NOBODY] * (WORD_COUNT - times * len(every)))
    return rows


@cache
def place_table(size: int) -> list[list[int]]:
    """Return, by how many cards there are, which of them each word draws."""
    drawn = [
        list(range(cards)) * (WORD_COUNT // cards) + [DRAW_AGAIN] * (WORD_COUNT % cards)
        for cards in range(1, size + 1)
    ]
    return [[DRAW_AGAIN] * WORD_COUNT, *drawn]
