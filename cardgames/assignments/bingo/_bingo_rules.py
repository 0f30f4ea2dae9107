"""What the Bingo sheet's files ask of the project's rules.

The sheet's own classes know nothing of Bingo: what a card and a whole deck is, who is dealt which
card, what a call turns down, what a BINGO! is and who wins are asked here, in two-character codes
such as ``"TH"``. This file also makes the project importable when a program is run by its file
name, so that the sheet's files import nothing but each other and this.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

sys.path.append(str(Path(__file__, "../../../..").resolve()))

from cardgames.cards import DECK_SIZE, Card, Rank, Suit
from cardgames.deck_file import InvalidDeck, parse_deck
from cardgames.games.bingo.rules import (
    CENTRE,
    GRID_SIZE,
    SIDE,
    Mode,
    Winner,
    dealt,
    is_bingo,
    matches,
    winner_of,
)

__all__ = [
    "CENTRE",
    "DECK_SIZE",
    "GRID_SIZE",
    "SIDE",
    "Mode",
    "Winner",
    "isMatch",
    "isMode",
    "isPattern",
    "isRank",
    "isSuit",
    "isWholeDeck",
    "shares",
    "winner_of",
]

Item = TypeVar("Item")


def isRank(text: object) -> bool:
    """Say whether something is the one character of a rank, in either case."""
    return isinstance(text, str) and text.isascii() and text.upper() in tuple(Rank)


def isSuit(text: object) -> bool:
    """Say whether something is the one character of a suit, in either case."""
    return isinstance(text, str) and text.isascii() and text.upper() in tuple(Suit)


def isMode(text: object) -> bool:
    """Say whether something is the one character of a play mode, in upper case."""
    return text in tuple(Mode)


def isWholeDeck(codes: Iterable[str]) -> bool:
    """Say whether cards with these codes are a deck."""
    try:
        parse_deck("\n".join(codes))
    except InvalidDeck:
        return False
    return True


def shares(cards: list[Item]) -> tuple[list[Item], list[Item]]:
    """Return which of the cards of a bingo deck, top first, A is dealt and which B is."""
    a, b, _ = dealt(tuple(cards))  # type: ignore[arg-type]  # it deals whatever it is given
    return list(a), list(b)  # type: ignore[arg-type]


def isMatch(code: str, called: str, rankOnly: bool) -> bool:  # noqa: FBT001
    """Say whether a called card turns a card of a grid face down."""
    return matches(Card(code), Card(called), speed=rankOnly)


def isPattern(faceDown: set[int], mode: str) -> bool:
    """Say whether the places that lie face down (0 to 24, row by row) make a BINGO!"""
    return is_bingo(faceDown, Mode(mode))
