"""The probes of the course's decks, in the student's process."""

import sys
from typing import Any, Final

DECKS: Final[list[Any]] = []
"""The course's decks that the program has created since the order of the cards was last set."""

SHUFFLES: Final[list[int]] = []
"""Number of cards in each shuffled deck."""


def arrange_decks(order: list[str]) -> None:
    """Arrange the course's decks in this order, and record the program's use of them."""
    cards: Any = sys.modules["cards"]
    if not hasattr(cards, "real"):
        cards.real = cards.Deck.__init__
    DECKS.clear()
    SHUFFLES.clear()

    def make(self: Any) -> None:
        cards.real(self)
        known = {str(card): card for card in list(self._Deck__cards)}
        self._Deck__cards = [known[code] for code in reversed(order)]
        DECKS.append(self)

    def shuffle(self: Any) -> None:
        SHUFFLES.append(len(self))

    cards.Deck.__init__, cards.Deck.shuffle = make, shuffle
