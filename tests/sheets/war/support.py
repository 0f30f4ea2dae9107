"""What the tests of the War notebook share."""

from collections.abc import Iterable
from typing import Any

from tests.support.sheets import SHEETS_ROOT

FOLDER = SHEETS_ROOT / "war"
RANKS = [*map(str, range(2, 11)), "J", "Q", "K", "A"]
SYMBOLS = {"S": "\u2660", "H": "\u2661", "C": "\u2663", "D": "\u2662"}
NAMES = ("Amy", "Brad", "Carl", "Dora", "Emil", "Fay")


def faces(cards: Iterable[Any]) -> list[str]:
    return [str(card) for card in cards]
