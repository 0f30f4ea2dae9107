"""Rounds of class Bingo at random, and every kind of them."""

from random import Random

from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.class_bingo.card import Kind
from cardgames.games.bingo.rules import Mode, dealt

KINDS = tuple(Kind(mode, speed) for mode in Mode for speed in (False, True))


def random_cards(rng: Random, count: int) -> tuple[Cards, list[Cards]]:
    """Return a calling deck and a number of grids, each from a deck of its own."""
    grids = [dealt(shuffled(FULL_DECK, rng))[0] for _ in range(count)]
    return shuffled(FULL_DECK, rng), grids
