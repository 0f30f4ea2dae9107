"""The three twenty-one tables: their rules as data, and the engine that applies these rules.

>>> import random
>>> from cardgames.moves import Action
>>> game = TwentyOne("simple-21", "Simple 21", SIMPLE_21, pitch="One deck.")
>>> state = game.deal(None, Action("deal"), random.Random(21))
>>> [move.name for move in game.moves(state)]
['hit', 'stay']
"""

from cardgames.games.twentyone.engine import State, TwentyOne
from cardgames.games.twentyone.rules import BLACKJACK, ONE_DECK, SIMPLE_21, Rules
from cardgames.games.twentyone.words import BLACKJACK_MESSAGES

__all__ = [
    "BLACKJACK",
    "BLACKJACK_MESSAGES",
    "ONE_DECK",
    "SIMPLE_21",
    "Rules",
    "State",
    "TwentyOne",
]
