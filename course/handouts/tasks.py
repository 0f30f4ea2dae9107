"""What each of the five sheets asks for, in our own words, and sample decks to try it with."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from cardgames.text import Text
from course.handouts.decks import broken, deck_of, text_of


class Task(NamedTuple):
    """A sheet for those who are to do it."""

    slug: str
    """The sheet, by the slug of its game."""

    pitch: Text
    build: Mapping[str, Text]
    """What to build, by file; a sheet that names no file has one that may be called anything."""

    given: tuple[str, ...] = ()
    """The files that the course gives."""

    decks: tuple[str, ...] = ()
    """The sample decks that its program reads."""


_BROKEN: Final = ("51-cards.txt", "double.txt", "10H.txt", "byte-order-mark.txt", "blank-end.txt")

TASKS: Final = (
    Task(
        "simple-21",
        Text(
            "A program for the terminal: one player against the dealer, with a deck from a file. "
            "An ace counts 1, and equal values are a tie."
        ),
        {
            "playingCards.py": Text(
                "A card that lies face up or face down, a deck that is read from a file and can be "
                "filled again with the cards that were played, and the exception of an empty deck."
            ),
            "simple21.py": Text(
                "A player with a hand, and the table: it deals, lets both take cards, and says who "
                "won."
            ),
            "assignment2.py": Text(
                "The program: it greets, asks, plays round after round, and says goodbye."
            ),
        },
        ("queues.py",),
        ("deck.txt", *_BROKEN),
    ),
    Task(
        "blackjack",
        Text(
            "A window with three buttons, Deal, Hit and Stand, and a score. An ace counts 1 or 11, "
            "and the dealer wins ties."
        ),
        {
            "": Text(
                "The classes Card, Hand and Deck, a handler for each button, and one that draws "
                "the table with simplegui. First the rules, with messages in the terminal; then "
                "the picture."
            )
        },
        ("simplegui.py", "simplegui_canvas.py", "codeskulptor.py", "python2.py"),
    ),
    Task(
        "one-deck",
        Text(
            "A program for the terminal that plays until one deck is used up. Two aces are 12, the "
            "dealer draws up to 17, and a round that lacks cards is a draw."
        ),
        {
            "proj09.py": Text(
                "Functions without global variables, at least three besides main: they deal, count "
                "a hand, play for the user and for the dealer, and add the rounds up at the end."
            )
        },
        ("cards.py",),
    ),
    Task(
        "war",
        Text(
            "Classes for a game without decisions: the higher card takes both, and equal ones put "
            "more cards into the pile. Then play it a thousand times."
        ),
        {
            "war.py": Text(
                "Card, Hand, Deck, Player and Game, each with what Python expects of such a thing: "
                "comparing, going through it, printing. In a notebook or a file."
            )
        },
    ),
    Task(
        "bingo",
        Text(
            "A program for the terminal: two players have grids of 25 cards each, and cards are "
            "called until a line, the corners or the whole grid are face down."
        ),
        {
            "playingCards.py": Text(
                "A card that can be compared and turned over, and a deck that knows whether it is "
                "complete."
            ),
            "bingo.py": Text(
                "A player's grid and the table with its two decks, and the program that plays "
                "rounds. No break, no continue, and few imports."
            ),
            "bingoTests.py": Text("Your own tests of the grid and of the table."),
        },
        ("queues.py",),
        ("bingoDeck.txt", "callingDeck.txt", *_BROKEN),
    ),
)
"""The sheets, in the order of their tables."""


def sample_decks() -> dict[str, str]:
    """Return deck files by name: good ones, and those that are deliberately wrong."""
    good = {name: deck_of("sample", "", name) for name in ("deck", "bingoDeck", "callingDeck")}
    texts = {f"{name}.txt": text_of(codes) for name, codes in good.items()}
    return texts | broken(good["deck"])
