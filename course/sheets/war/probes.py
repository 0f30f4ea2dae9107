"""The probes of War, in the student's process."""

import random
from collections.abc import Callable
from typing import Any


def played_small_games(names: dict[str, Any], games: int) -> tuple[int, int]:
    """Play games with two ranks in two suits.

    Return the number of turns, and the number of player 1's wins.
    """
    shuffle = random.Random(13).shuffle
    turns = firsts = 0
    for _ in range(games):
        players = [names["Player"]("Amy"), names["Player"]("Brad")]
        game = names["Game"](players)
        for _card in game.deck.give_cards():
            pass
        order = [names["Card"](rank, suit) for rank in (2, 3) for suit in "SH"]
        shuffle(order)
        game.deck.receive_cards(order)
        game.deck.size = 4
        real = game.turn

        def turn(*arguments: object, real: Callable[..., object] = real) -> object:
            nonlocal turns
            turns += 1
            return real(*arguments)

        game.turn = turn
        firsts += game.play() is players[0]
    return turns, firsts
