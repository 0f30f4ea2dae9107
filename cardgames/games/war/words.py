"""The texts of War: the log of a turn in the sheet's words, and the house rules."""

from typing import Final

from cardgames.game import HouseRule
from cardgames.games.war.rules import MAX_TURNS
from cardgames.text import NamedEnum, Text, format_number, plural


class WarMessage(NamedEnum):
    """The messages about events, worded as in the sheet's log if it has the message."""

    DEALING = "dealing", Text("Dealing {number} cards to {players} players...")
    SKIPPED = "skipped", Text("{number} turns were played. The last turn:")
    TIE = "tie", Text("war: {cards} TIE!")
    NO_CARD = "no card", Text("{name} has no card left for the tie.")
    NO_CARDS = (
        "no cards",
        Text("None of the tied players has a card left: the last of them takes the pile."),
    )
    TAKES = "takes", Text("war: {cards} => {name}")
    OUT = "out", Text("{name} is out of cards and of the game.")
    WINS = "wins", Text("{name} wins!")


SHOWS: Final = Text("{name}: {card}")
BATTLE: Final = Text("{cards}.")
TIE: Final = Text("War! {cards}.")
"""A page's sentences about a turn: each player's card, and further cards after a tie."""


def takes_text(name: str, cards: int) -> Text:
    """Return the message about a player who takes cards. An empty name means "you"."""
    if not name:
        return plural("You take {number} card.", "You take {number} cards.", cards)
    return plural("{name} takes {number} card.", "{name} takes {number} cards.", cards, name=name)


def players_text(number: int) -> Text:
    """Return the label for the given number of players."""
    return plural("{number} player", "{number} players", number)


def turns_text(number: int) -> Text:
    """Return the label for the given number of turns."""
    return plural("{number} turn", "{number} turns", number)


def verdict(name: str, cards: int, turns: int) -> Text:
    """Return the message about the winner of a game. An empty name means "you"."""
    if not name:
        return plural(
            "You win with all {cards} cards after {number} turn",
            "You win with all {cards} cards after {number} turns",
            turns,
            cards=cards,
        )
    return plural(
        "{name} wins with all {cards} cards after {number} turn",
        "{name} wins with all {cards} cards after {number} turns",
        turns,
        name=name,
        cards=cards,
    )


def ending(name: str, turns: int) -> Text:
    """Return the label for a winner in a list of games. An empty name means "you"."""
    number = format_number(turns, ",")
    if not name:
        return plural(
            "You won after {turns} turn", "You won after {turns} turns", turns, turns=number
        )
    return plural(
        "{name} won after {turns} turn",
        "{name} won after {turns} turns",
        turns,
        name=name,
        turns=number,
    )


HOUSE_RULES: Final = (
    HouseRule(
        "aim",
        Text("The aim"),
        Text("Collect all 52 cards. There are no decisions to make: it is all luck."),
    ),
    HouseRule(
        "deal",
        Text("The deal"),
        Text(
            "The complete deck is dealt one card at a time, starting with the first player. Two "
            "to six players can play. If 52 cards do not divide evenly, the first players get "
            "one more card each."
        ),
    ),
    HouseRule(
        "turn",
        Text("A turn"),
        Text(
            "Every player who has cards shows the top card. The highest rank takes all these "
            "cards; aces are high, and suits do not count."
        ),
    ),
    HouseRule(
        "ties",
        Text("Ties"),
        Text(
            "If the highest cards tie, only the tied players show another card each, face up. "
            "These cards go in front of the pile, in the players' order. The player who then shows "
            "the highest card takes the complete pile. If these cards tie too, the tied players "
            "repeat this step."
        ),
    ),
    HouseRule(
        "running-out",
        Text("Running out of cards in a tie"),
        Text(
            "A tied player without a card left drops out of that war. If only one tied player "
            "has cards left, that player takes the pile. If no tied player has cards left, the "
            "last of these players takes the pile. With two players, this is the second player."
        ),
    ),
    HouseRule(
        "shuffle",
        Text("Shuffling"),
        Text(
            "The pile goes under the winner's hand, and then the complete hand is shuffled. The "
            "other hands keep their order."
        ),
    ),
    HouseRule(
        "end",
        Text("The end"),
        Text(
            "A player with no cards left is out. The game ends when one player has all 52. With "
            "two players, a game takes 574 turns on average, and half of the games take 434 "
            "turns or fewer."
        ),
    ),
    HouseRule(
        "to-the-end",
        Text("Playing to the end"),
        Text(
            "One click plays at most {turns} turns; in a longer game, click again.",
            turns=format_number(MAX_TURNS, ","),
        ),
    ),
    HouseRule(
        "tally",
        Text("Games won"),
        Text(
            "Wins are added up as long as the same players continue in the same order. Changing "
            "the players, or Start over, resets them to zero."
        ),
    ),
)
"""The rules of the table in plain words."""
