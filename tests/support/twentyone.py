"""Twenty-one tables in tests, with stacked decks and with decks that are nearly empty."""

import random
from dataclasses import replace
from typing import Any

from cardgames.cards import FULL_DECK, Card
from cardgames.table import Table
from tests.support.play import cards, deck_file, play

SLUGS = ["simple-21", "blackjack", "one-deck"]


class Sorting(random.Random):
    """A random source that can only shuffle, and sorts the cards alphabetically."""

    def __init__(self) -> None:
        super().__init__(0)
        self.shuffles: list[list[Card]] = []

    def shuffle(self, x: Any) -> None:
        self.shuffles.append(sorted(x))
        x.sort()


def deal(slug: str, top: str, *moves: str) -> Table:
    """Deal from a stacked deck without a shuffle, and play the following moves."""
    return play(slug, "deal", *moves, deck=deck_file(top))


def names(table: Table) -> list[str]:
    return [move.name for move in table.moves()]


def tally(table: Table) -> tuple[int, ...]:
    return tuple(table.counts().values())


def with_deck(table: Table, deck: str) -> Table:
    """Return the table with only these cards left in the deck.

    The other cards have been played.
    """
    left, state = cards(deck), table.state
    on_table = {*state.player, *state.dealer, *left}
    gone = tuple(card for card in FULL_DECK if card not in on_table)
    return replace(table, state=replace(state, deck=left, discards=gone, unseen_discards=()))
