"""Card games for a class: the rules as plain values, to read, to import and to extend.

>>> from cardgames import GAMES
>>> GAMES["simple-21"].info.title
'Simple 21'
"""

from typing import Final

from cardgames.game import AnyGame
from cardgames.games.bingo import Bingo
from cardgames.games.twentyone import (
    BLACKJACK,
    BLACKJACK_MESSAGES,
    ONE_DECK,
    SIMPLE_21,
    TwentyOne,
)
from cardgames.games.twentyone.advisor import TwentyOneAdvisor
from cardgames.games.war import War
from cardgames.registry import registered
from cardgames.text import Text

GAMES: Final[dict[str, AnyGame]] = registered(
    TwentyOne(
        "simple-21",
        "Simple 21",
        SIMPLE_21,
        pitch=Text("Aces count 1, and one deck comes back round after round."),
        advisor=TwentyOneAdvisor(SIMPLE_21),
    ),
    TwentyOne(
        "blackjack",
        "Blackjack",
        BLACKJACK,
        BLACKJACK_MESSAGES,
        pitch=Text("Aces count 1 or 11, every deal has a fresh deck, and the dealer wins ties."),
        advisor=TwentyOneAdvisor(BLACKJACK),
    ),
    TwentyOne(
        "one-deck",
        "One-deck Blackjack",
        ONE_DECK,
        BLACKJACK_MESSAGES,
        pitch=Text("One deck, shuffled once: when it is empty, the game is over."),
        advisor=TwentyOneAdvisor(ONE_DECK),
    ),
    War(),
    Bingo(),
)
"""Every game that can be played, by its slug: one line a game."""
