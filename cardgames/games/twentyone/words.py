"""The texts of the twenty-one tables: the dealer's messages, results and decisions."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cardgames.cards import Rank
from cardgames.text import Text, plural


class DealerMessage(StrEnum):
    """The dealer's possible messages."""

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
        *(
            DealerMessage.FORFEIT,
            DealerMessage.PLAYER_BUST,
            DealerMessage.RAN_OUT,
            DealerMessage.PLAYER_21,
        ),
        *(DealerMessage.PLAYER_WINS, DealerMessage.DEALER_WINS, DealerMessage.TIE),
    )
)
"""The messages that contain the number of the round."""

Messages = Mapping[DealerMessage, Text]

DEALER_MESSAGES: Final[Messages] = {
    DealerMessage.FORFEIT: Text("You dealt in the middle of round {number}: you lose it."),
    DealerMessage.DEALING: Text("Dealing cards to player and dealer..."),
    DealerMessage.REFILL: Text("Repopulating deck with cards..."),
    DealerMessage.REVEAL: Text("Dealer turns over the {card}, value = {number}."),
    DealerMessage.PLAYER_TAKES: Text("You take the {card}, value = {number}."),
    DealerMessage.MUST_TAKE: Text("Dealer must take a card..."),
    DealerMessage.DEALER_TAKES: Text("Dealer takes the {card}, value = {number}."),
    DealerMessage.STANDS: Text("Dealer stays with {number}."),
    DealerMessage.DEALER_BUST: Text("Dealer went bust."),
    DealerMessage.DEALER_21: Text("Dealer has a natural 21!"),
    DealerMessage.PLAYER_BUST: Text("Player went bust. Dealer wins round {number}!"),
    DealerMessage.RAN_OUT: Text(
        "There are not enough cards to finish round {number}: it is a draw."
    ),
    DealerMessage.PLAYER_21: Text("Player wins round {number} with a NATURAL 21!"),
    DealerMessage.PLAYER_WINS: Text("Player wins round {number}!"),
    DealerMessage.DEALER_WINS: Text("Dealer wins round {number}!"),
    DealerMessage.TIE: Text("Tie! No one wins round {number}!"),
}
"""The dealer's messages, worded as in the Simple 21 sheet if it has the message."""

BLACKJACK_MESSAGES: Final[Messages] = {
    **DEALER_MESSAGES,
    DealerMessage.MUST_TAKE: Text("Dealer hits."),
    DealerMessage.STANDS: Text("Dealer stands on {number}."),
    DealerMessage.DEALER_BUST: Text("Dealer has busted."),
    DealerMessage.DEALER_21: Text("Dealer stands on 21."),
    DealerMessage.PLAYER_BUST: Text("You have busted. Dealer wins round {number}!"),
    DealerMessage.PLAYER_WINS: Text("You win round {number}!"),
    DealerMessage.TIE: Text("Round {number} is a draw."),
}
"""The same messages for the two Blackjack tables, in the words of their sheets."""

STORY: Final[Messages] = {
    DealerMessage.FORFEIT: Text("You gave up round {number}."),
    DealerMessage.DEALING: Text(
        "You have the {first} and the {second}: {number}. The dealer shows the {card}."
    ),
    DealerMessage.REFILL: Text("The deck was empty: the discards are shuffled into it."),
    DealerMessage.REVEAL: Text("The dealer turns over the {card}: {number}."),
    DealerMessage.PLAYER_TAKES: Text("You take the {card}: {number}."),
    DealerMessage.DEALER_TAKES: Text("The dealer takes the {card}: {number}."),
}
"""A page's sentences about the events of a move. The end of a round has no sentence here, because
the result is a separate sentence.
"""


@dataclass(frozen=True, slots=True)
class StopWords:
    """The word for stopping at a table, in the form that each sentence needs."""

    label: Text
    verb: Text
    verb_s: Text
    done: Text
    question: Text
    best: Text
    hard: Text
    """The decision to stop on a hand in which no ace counts 11."""

    soft: Text
    regret: Text
    """The question for a player who did not stop and then lost."""


STAY: Final = StopWords(
    label=Text("Stay"),
    verb=Text("stay"),
    verb_s=Text("stays"),
    done=Text("You stayed."),
    question=Text("Hit or stay?"),
    best=Text("The best play is to stay."),
    hard=Text("Staying on {total} {against}"),
    soft=Text("Staying on soft {total} {against}"),
    regret=Text("What if I had stayed?"),
)

STAND: Final = StopWords(
    label=Text("Stand"),
    verb=Text("stand"),
    verb_s=Text("stands"),
    done=Text("You stood."),
    question=Text("Hit or stand?"),
    best=Text("The best play is to stand."),
    hard=Text("Standing on {total} {against}"),
    soft=Text("Standing on soft {total} {against}"),
    regret=Text("What if I had stood?"),
)

OTHER_DECISIONS: Final = {
    ("hit", False): Text("Hitting {total} {against}"),
    ("hit", True): Text("Hitting soft {total} {against}"),
    ("deal", False): Text("Giving up {total} {against}"),
    ("deal", True): Text("Giving up soft {total} {against}"),
}
"""Names of decisions other than hitting, keyed by move and by whether the hand was soft."""

WAS_BEST: Final = Text("{decision} was the best play.")
COST: Final = Text("{decision} was a mistake: −{points} points.")

AGAINST: Final = {
    Rank.ACE: Text("against an ace"),
    Rank.TWO: Text("against a two"),
    Rank.THREE: Text("against a three"),
    Rank.FOUR: Text("against a four"),
    Rank.FIVE: Text("against a five"),
    Rank.SIX: Text("against a six"),
    Rank.SEVEN: Text("against a seven"),
    Rank.EIGHT: Text("against an eight"),
    Rank.NINE: Text("against a nine"),
    Rank.TEN: Text("against a ten"),
    Rank.JACK: Text("against a jack"),
    Rank.QUEEN: Text("against a queen"),
    Rank.KING: Text("against a king"),
}
"""The dealer's upcard, as part of a sentence."""

RANK_COUNTS: Final = {
    Rank.ACE: plural("{number} ace", "{number} aces", 1),
    Rank.TWO: plural("{number} two", "{number} twos", 1),
    Rank.THREE: plural("{number} three", "{number} threes", 1),
    Rank.FOUR: plural("{number} four", "{number} fours", 1),
    Rank.FIVE: plural("{number} five", "{number} fives", 1),
    Rank.SIX: plural("{number} six", "{number} sixes", 1),
    Rank.SEVEN: plural("{number} seven", "{number} sevens", 1),
    Rank.EIGHT: plural("{number} eight", "{number} eights", 1),
    Rank.NINE: plural("{number} nine", "{number} nines", 1),
    Rank.TEN: plural("{number} ten", "{number} tens", 1),
    Rank.JACK: plural("{number} jack", "{number} jacks", 1),
    Rank.QUEEN: plural("{number} queen", "{number} queens", 1),
    Rank.KING: plural("{number} king", "{number} kings", 1),
}
"""A number of cards of a rank."""
