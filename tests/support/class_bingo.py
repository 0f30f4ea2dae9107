"""Random rounds of class Bingo, and a list of every kind of round."""

from random import Random

from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.class_bingo.card import Kind
from cardgames.games.bingo.rules import Mode, dealt

KINDS = tuple(Kind(mode, speed) for mode in Mode for speed in (False, True))


def random_cards(rng: Random, count: int) -> tuple[Cards, list[Cards]]:
    """Return a calling deck and several grids, each from a separate deck."""
    grids = [dealt(shuffled(FULL_DECK, rng))[0] for _ in range(count)]
    return shuffled(FULL_DECK, rng), grids
