"""What the tests of the Blackjack mini-project share."""

from types import ModuleType
from typing import Any

from tests.support.sheets import SHEETS_ROOT

FOLDER = SHEETS_ROOT / "blackjack"
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


def codes(hand: Any) -> str:
    return " ".join(map(str, hand.cards))
