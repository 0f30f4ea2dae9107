"""How the program of Bingo is played for an expected transcript."""

from typing import Final

from course.handouts.transcripts import Answer, typing

GAMES: Final = {"line": ("l", "n"), "corners": ("C", "No"), "full-speed": ("f", "Y")}
"""The rounds that are shown: mode, and whether it is a speed round."""


def games() -> dict[str, Answer]:
    """Return the games with good decks, by name."""
    return {
        name: typing("bingoDeck.txt", "callingDeck.txt", *choices, "n")
        for name, choices in GAMES.items()
    }


def with_broken(file: str) -> Answer:
    """Return what is typed for a broken deck, then a good one, and a round."""
    return typing(file, "bingoDeck.txt", "callingDeck.txt", "L", "N", "n")
