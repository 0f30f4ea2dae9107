"""What the tests of the Simple 21 sheet share."""

from pathlib import Path
from typing import Any

from tests.support.sheets import DECKS, SHEETS_ROOT

FOLDER = SHEETS_ROOT / "simple21"
SHUFFLED = (DECKS / "shuffledDeck.txt").read_text()
ORDER = SHUFFLED.split()
ASKS_FILE = "Name of file that should be used to populate the deck of cards: "


def deck_file(folder: Path, text: str) -> Path:
    """A deck file of this text."""
    file = folder / "deck.txt"
    file.write_bytes(text.encode())
    return file


def codes_on(table: Any) -> list[str]:
    """Every code on a table, wherever its card lies."""
    private = {name.removeprefix("_Table__"): value for name, value in vars(table).items()}
    found = list(private["discardPile"])
    for player in (private["player"], private["dealer"]):
        found += player._Player__hand
    (queue,) = vars(private["deck"]).values()
    found += [card for card in queue._CircularQueue__places if card is not None]
    return sorted(card.getRank() + card.getSuit() for card in found)
