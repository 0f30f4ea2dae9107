"""Card games for a class: the rules as plain values, to read, to import and to extend.

>>> from cardgames import GAMES
>>> GAMES["simple-21"].title
'Simple 21'
"""

from typing import Final

from cardgames.bingo import Bingo
from cardgames.game import AnyGame
from cardgames.twentyone import BLACKJACK, BLACKJACK_WORDS, ONE_DECK, SIMPLE_21, TwentyOne
from cardgames.war import War
from cardgames.words import Text

GAMES: Final[dict[str, AnyGame]] = {
    game.slug: game
    for game in (
        TwentyOne(
            "simple-21",
            "Simple 21",
            SIMPLE_21,
            pitch=Text("Aces count 1, and one deck comes back round after round."),
        ),
        TwentyOne(
            "blackjack",
            "Blackjack",
            BLACKJACK,
            BLACKJACK_WORDS,
            pitch=Text(
                "Aces count 1 or 11, every deal has a fresh deck, and the dealer wins ties."
            ),
        ),
        TwentyOne(
            "one-deck",
            "One-deck Blackjack",
            ONE_DECK,
            BLACKJACK_WORDS,
            pitch=Text("One deck, shuffled once: when it is empty, the game is over."),
        ),
        War(),
        Bingo(),
    )
}
"""Every game that can be played, by its slug: one line a game."""
