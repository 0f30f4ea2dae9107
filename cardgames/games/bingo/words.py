"""The house rules and the texts of Bingo. The texts are worded as in the sheet's sample output."""

from collections.abc import Iterable, Mapping
from typing import Final

from cardgames.cards import Card
from cardgames.game import HouseRule
from cardgames.games.bingo.rules import Mode, Winner
from cardgames.text import Text, comma_join, plural

BEGINNING: Final = Text("Round {round} beginning...")
CALLING: Final = Text("Now calling [ {card} ]")
WHO_WON: Final = {
    Winner.A: Text("Round {round}: Player A won!"),
    Winner.B: Text("Round {round}: Player B won!"),
    Winner.TIE: Text("Round {round}: Tie!"),
}

BEGUN: Final = Text("Two new grids are dealt.")
CALLED: Final = Text("Called: {cards}.")
TURNED: Final[Mapping[str, Text]] = {
    "A": Text("You have {cards}."),
    "B": Text("Rosa has {cards}."),
}
NEAR: Final[Mapping[str, Text]] = {
    "A": Text("You are one card away: {cards}."),
    "B": Text("Rosa is one card away: {cards}."),
}
"""A page's sentences about a call: the cards, the matches, and the players who need one more card.
The player is A, and B is called Rosa.
"""

OWN_BINGO_DECK: Final = (Text("Bingo deck file"), Text("Bingo deck of your own"))
OWN_CALLING_DECK: Final = (Text("Calling deck file"), Text("Calling deck of your own"))
"""The labels for the player's own decks in the deal form."""

_PATTERNS: Final = {
    Mode.LINE: (Text("a line"), "line"),
    Mode.CORNERS: (Text("all four corners"), "corners"),
    Mode.FULL: (Text("a full grid"), "full"),
}
"""A winner's pattern, and the URL anchor of its house rule."""


def list_names(cards: Iterable[Card]) -> str:
    """Return the names of cards, separated by commas."""
    return comma_join(card.full_name for card in cards)


def cards_text(number: int) -> Text:
    """Return the label for the given number of cards to call."""
    return plural("{number} card", "{number} cards", number)


def calls_text(number: int) -> Text:
    """Return the message with the number of called cards."""
    return plural("{number} call", "{number} calls", number)


def verdict(winner: Winner, mode: Mode, calls: int) -> tuple[Text, str]:
    """Return the message about the winner, and the anchor of the house rule.

    Player A is called "you".
    """
    pattern, rule = _PATTERNS[mode]
    match winner:
        case Winner.TIE:
            text = plural(
                "BINGO! Both cards have {pattern} after {number} call: a tie",
                "BINGO! Both cards have {pattern} after {number} calls: a tie",
                calls,
                pattern=pattern,
            )
            return text, "tie"
        case Winner.A:
            text = plural(
                "BINGO! You have {pattern} after {number} call",
                "BINGO! You have {pattern} after {number} calls",
                calls,
                pattern=pattern,
            )
        case Winner.B:
            text = plural(
                "BINGO! Rosa has {pattern} after {number} call",
                "BINGO! Rosa has {pattern} after {number} calls",
                calls,
                pattern=pattern,
            )
    return text, rule


HOUSE_RULES: Final = (
    HouseRule(
        "aim",
        Text("The aim"),
        Text(
            "You and Rosa each have a grid of cards. Cards are called one by one; the first "
            "player whose covered cards make the round's pattern has BINGO! and wins."
        ),
    ),
    HouseRule(
        "deal",
        Text("The grids"),
        Text(
            "One deck is dealt card by card to you and Rosa in turn, row by row, until both "
            "grids have five rows of five. The two cards left over stay hidden. The centre card "
            "of each grid is free: it is covered from the start and never shown."
        ),
    ),
    HouseRule(
        "calls",
        Text("The calls"),
        Text(
            "The top card of a second deck is called, and the same card in a grid is covered. "
            "The card stays covered for the rest of the round, and the page still names it."
        ),
    ),
    HouseRule(
        "speed",
        Text("Speed rounds"),
        Text(
            "In a speed round only the rank is compared: one call covers every card of that "
            "rank, up to four in a grid."
        ),
    ),
    HouseRule(
        "line",
        Text("Mode Line"),
        Text(
            "Five covered cards in a row, in a column or on one of the two diagonals. The "
            "free centre counts."
        ),
    ),
    HouseRule("corners", Text("Mode Corners"), Text("The cards in all four corners are covered.")),
    HouseRule("full", Text("Mode Full"), Text("All 25 cards of a grid are covered.")),
    HouseRule(
        "tie",
        Text("Ties"),
        Text(
            "Both players check their grids after every call. If the same call gives both a "
            "BINGO!, the round is a tie. This happens only in speed rounds. In other rounds a "
            "call changes at most one grid, because the grids share no card."
        ),
    ),
    HouseRule(
        "rounds",
        Text("The next round"),
        Text(
            "Mode and speed are chosen for every round. After a round, both decks are complete "
            "again, with 52 cards each, and freshly shuffled."
        ),
    ),
)
