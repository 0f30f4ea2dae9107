"""How the program of Simple 21 is played for an expected transcript."""

import re
from typing import Final

from course.handouts.transcripts import Answer, typing

HIT_BELOW: Final = 15
ENOUGH_CARDS: Final = 30
"""Number of cards seen after which no further round begins, so that the deck is not refilled."""


def playing_21(file: str) -> Answer:
    """Return an answer that plays Simple 21: hits below 15, and plays while there are cards."""

    def answer(shown: str) -> str | None:
        if shown.endswith("deck of cards: "):
            return file
        if shown.endswith("(Y/N)? >> "):
            seen = {*re.findall(r"\[ (\w\w) \]", shown)}
            return "y" if len(seen) < ENOUGH_CARDS else "n"
        mine = re.findall(r"Player's hand:.*value = (\d+)", shown)[-1]
        return "h" if int(mine) < HIT_BELOW else "s"

    return answer


def games() -> dict[str, Answer]:
    """Return the games with a good deck, by name."""
    return {"deck": playing_21("deck.txt")}


def with_broken(file: str) -> Answer:
    """Return what is typed for a broken deck."""
    return typing(file)
