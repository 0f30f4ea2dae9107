"""What the Simple 21 sheet's files ask of the project's rules.

The sheet's own classes know nothing of twenty-one: what a card is worth, when the dealer draws,
who wins and what a valid deck file is are asked here, in two-character codes such as ``"TH"``.
This is also the one file that makes the project importable when a program is run by its file name.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.append(str(Path(__file__, "../../../..").resolve()))

from cardgames.cards import DECK_SIZE, FULL_DECK, Card
from cardgames.deck_file import File, parse_deck
from cardgames.games.twentyone.rules import (
    SIMPLE_21,
    TARGET,
    Winner,
    dealer_draws,
    total,
    winner_of,
)

__all__ = [
    "DECK_SIZE",
    "TARGET",
    "Winner",
    "codesInFile",
    "dealerMustDraw",
    "isCode",
    "value",
    "winner",
]


def isCode(text: str) -> bool:
    """Say whether a text is the code of a card, in either case."""
    return text.isascii() and text.upper() in FULL_DECK


def codesInFile(name: str, content: bytes) -> tuple[str, ...]:
    """Return the 52 codes of a deck file, first line first; a ValueError says it is not one."""
    return parse_deck(File(name, content))


def value(code: str) -> int:
    """Return what one card is worth."""
    return total([Card(code)], SIMPLE_21)


def dealerMustDraw(codes: Iterable[str]) -> bool:
    """Say whether a dealer who holds these cards takes another one."""
    return dealer_draws(map(Card, codes), SIMPLE_21)


def winner(player: Iterable[str], dealer: Iterable[str]) -> Winner:
    """Say who wins with these two hands."""
    return winner_of(map(Card, player), map(Card, dealer), SIMPLE_21)
