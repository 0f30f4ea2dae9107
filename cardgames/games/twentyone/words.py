"""What is said at the twenty-one tables: by the dealer, of a result, and of a decision."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from cardgames.games.twentyone.rules import Winner
from cardgames.text import Text

OWN_DECK: Final = (Text("Deck file"), Text("Play your own deck"))
"""What the form of a deal calls the player's own deck, and the sentence that offers it."""


class Said(StrEnum):
    """What the dealer can say."""

    FORFEIT = "forfeit"
    DEALING = "dealing"
    REFILL = "refill"
    REVEAL = "reveal"
    PLAYER_TAKES = "player takes"
    MUST_TAKE = "must take"
    DEALER_TAKES = "dealer takes"
    STANDS = "stands"
    DEALER_BUST = "dealer bust"
    DEALER_21 = "dealer 21"
    PLAYER_BUST = "player bust"
    RAN_OUT = "ran out"
    PLAYER_21 = "player 21"
    PLAYER_WINS = "player wins"
    DEALER_WINS = "dealer wins"
    TIE = "tie"


NUMBERED: Final = frozenset(
    (
        *(Said.FORFEIT, Said.PLAYER_BUST, Said.RAN_OUT, Said.PLAYER_21),
        *(Said.PLAYER_WINS, Said.DEALER_WINS, Said.TIE),
    )
)
"""What is said with the number of the round."""

Messages = Mapping[Said, Text]

DEALER_MESSAGES: Final[Messages] = {
    Said.FORFEIT: Text("You dealt in the middle of round {number}: you lose it."),
    Said.DEALING: Text("Dealing cards to player and dealer..."),
    Said.REFILL: Text("Repopulating deck with cards..."),
    Said.REVEAL: Text("Dealer turns over the {card}, value = {number}."),
    Said.PLAYER_TAKES: Text("You take the {card}, value = {number}."),
    Said.MUST_TAKE: Text("Dealer must take a card..."),
    Said.DEALER_TAKES: Text("Dealer takes the {card}, value = {number}."),
    Said.STANDS: Text("Dealer stays with {number}."),
    Said.DEALER_BUST: Text("Dealer went bust."),
    Said.DEALER_21: Text("Dealer has a natural 21!"),
    Said.PLAYER_BUST: Text("Player went bust. Dealer wins round {number}!"),
    Said.RAN_OUT: Text("There are not enough cards to finish round {number}: it is a draw."),
    Said.PLAYER_21: Text("Player wins round {number} with a NATURAL 21!"),
    Said.PLAYER_WINS: Text("Player wins round {number}!"),
    Said.DEALER_WINS: Text("Dealer wins round {number}!"),
    Said.TIE: Text("Tie! No one wins round {number}!"),
}
"""What the dealer says, in the words of the Simple 21 sheet where it has any."""

BLACKJACK_MESSAGES: Final[Messages] = {
    **DEALER_MESSAGES,
    Said.MUST_TAKE: Text("Dealer hits."),
    Said.STANDS: Text("Dealer stands on {number}."),
    Said.DEALER_BUST: Text("Dealer has busted."),
    Said.DEALER_21: Text("Dealer stands on 21."),
    Said.PLAYER_BUST: Text("You have busted. Dealer wins round {number}!"),
    Said.PLAYER_WINS: Text("You win round {number}!"),
    Said.TIE: Text("Round {number} is a draw."),
}
"""The same at the two Blackjack tables, in the words of their sheets."""

RESULTS: Final[Mapping[str, Text]] = {
    Winner.PLAYER: Text("You won"),
    Winner.DEALER: Text("The dealer won"),
    Winner.TIE: Text("A tie"),
}
"""Who won, in the history."""
