"""What the tests of the Blackjack mini-project share."""

import sys
from types import ModuleType
from typing import Any

from tests.support.sheets import ASSIGNMENTS, ROOT

FOLDER = ASSIGNMENTS / "blackjack"
RANKS = "A23456789TJQK"
FRESH = " ".join(suit + rank for suit in "CSHD" for rank in RANKS)


class Recorder:
    """A canvas that remembers what was drawn."""

    def __init__(self) -> None:
        self.images: list[tuple[Any, ...]] = []
        self.texts: list[tuple[Any, ...]] = []

    def draw_image(self, *arguments: Any) -> None:
        self.images.append(arguments)

    def draw_text(self, *arguments: Any) -> None:
        self.texts.append(arguments)

    @property
    def words(self) -> str:
        return " | ".join(text for text, *_ in self.texts)


def drawn(game: ModuleType) -> Recorder:
    canvas = Recorder()
    game.draw(canvas)
    return canvas


def hand_of(game: ModuleType, codes: str) -> Any:
    hand = game.Hand()
    for suit, rank in codes.split():
        hand.add_card(game.Card(suit, rank))
    return hand


def codes(hand: Any) -> str:
    return " ".join(map(str, hand.cards))


ARRANGED = """
import random, runpy, sys
order = ["DT", "ST", "HT", "D6", "H7", "CK", "H9", "S3", "D4"]  # dealt from the end
place = lambda card: order.index(str(card)) if str(card) in order else -1
random.shuffle = lambda cards: cards.sort(key=place)
"""


def arranged(how: str) -> list[str]:
    run = {
        "file": f"sys.path.insert(0, {str(FOLDER)!r});"
        f"runpy.run_path({str(FOLDER / 'blackjack.py')!r}, run_name='__main__')",
        "module": f"sys.path.insert(0, {str(ROOT)!r});"
        "runpy.run_module('cardgames.assignments.blackjack.blackjack', run_name='__main__')",
    }
    return [sys.executable, "-W", "error", "-c", ARRANGED + run[how]]
