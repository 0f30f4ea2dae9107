"""Card games for a class, with rules as plain values that can be read, imported and extended.

>>> from cardgames import GAMES
>>> GAMES["simple-21"].info.title
'Simple 21'
"""

from typing import Final

from cardgames.game import AnyGame
from cardgames.games.bingo import Bingo
from cardgames.games.twentyone import BLACKJACK, BLACKJACK_MESSAGES, ONE_DECK, SIMPLE_21, TwentyOne
from cardgames.games.twentyone.advisor import TwentyOneAdvisor
from cardgames.games.war import War
from cardgames.registry import registered
from cardgames.text import Text

__version__ = "1.0.0"

GAMES: Final[dict[str, AnyGame]] = registered(
    TwentyOne(
        "simple-21",
        "Simple 21",
        SIMPLE_21,
        pitch=Text("Aces are one. Start here."),
        advisor=TwentyOneAdvisor(SIMPLE_21),
    ),
    TwentyOne(
        "blackjack",
        "Blackjack",
        BLACKJACK,
        BLACKJACK_MESSAGES,
        pitch=Text("Hit or stand? Ties go to the dealer."),
        template="blackjack",
        advisor=TwentyOneAdvisor(BLACKJACK),
    ),
    TwentyOne(
        "one-deck",
        "One-deck Blackjack",
        ONE_DECK,
        BLACKJACK_MESSAGES,
        pitch=Text("52 cards, no refill. Can you count?"),
        short="One-deck",
        advisor=TwentyOneAdvisor(ONE_DECK),
    ),
    War(),
    Bingo(),
)
"""All playable games, keyed by slug, one line per game."""
