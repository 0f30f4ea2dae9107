"""War in tests, with hands of any size and shuffles that do not change the order of the cards."""

import random
from collections.abc import MutableSequence
from typing import Any

from cardgames import GAMES
from cardgames.cards import Card
from cardgames.games.war import State
from cardgames.games.war.rules import Hands
from cardgames.moves import Action
from cardgames.table import Table
from tests.support.play import cards

NAMES = ("Amy", "Brad", "Carl", "Dora", "Emil", "Fay")


class Luck(random.Random):
    """A random source that shuffles cards into the given order, or keeps their order."""

    def __init__(self, order: tuple[int, ...] = ()) -> None:
        super().__init__(0)
        self.order = order
        self.asked: list[list[Card]] = []

    def shuffle(self, x: MutableSequence[Any]) -> None:
        self.asked.append(list(x))
        if self.order:
            x[:] = [x[place] for place in self.order]


def hands(*codes: str) -> Hands:
    return tuple(map(cards, codes))


def playing(dealt: Hands) -> State:
    """Return a newly dealt game in which these hands replace the 52 cards."""
    return State(NAMES[: len(dealt)], dealt, turn=0, battle=None, latest=())


def after_turn(state: State, rng: random.Random) -> State:
    after: State = GAMES["war"].apply(state, Action("turn"), rng)
    return after


def at_table(state: State) -> Table:
    """Return a table with a game in progress."""
    game = GAMES["war"]
    return Table(game, state, game.result(state), round=1)
