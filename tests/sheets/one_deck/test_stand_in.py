"""One-deck Blackjack: the program runs with any module of the same interface."""

from typing import Any

from tests.sheets.one_deck.support import ASKS_HIT, SOURCE, totals
from tests.support.sheets import ROOT, command, piped

STUB = """
class Card:
    def __init__(self, text):
        self.text = text
    def get_rank(self):
        return "?A23456789TJQK".index(self.text[0])
    def get_suit(self):
        return "?cdhs".index(self.text[1])
    def get_value(self):
        return 99
    def __str__(self):
        return "<" + self.text + ">"

class Deck:
    def __init__(self):
        self.cards = "Ks 9h Qd 7c As 2c".split()
    def shuffle(self):
        pass
    def deal(self):
        return Card(self.cards.pop(0)) if self.cards else None
    def is_empty(self):
        return not self.cards
    def cards_count(self):
        return len(self.cards)
"""
WITH_STUB = (
    "Blackjack with one deck\n\nYour cards: <Ks> <Qd>\nDealer's cards: <9h> X\n"
    f"{ASKS_HIT}Your cards: <Ks> <Qd> <As>, total 21\n"
    f"{ASKS_HIT}Your cards: <Ks> <Qd> <As>, total 21\n"
    "The dealer turns over <7c>.\nThe dealer hits.\n"
    "Dealer's cards: <9h> <7c> <2c>, total 18\nThe dealer stands.\n"
    "Dealer's cards: <9h> <7c> <2c>, total 18\nYou win the round.\nThe deck is empty.\n"
    f"{totals(1, 0, 0)}"
)


def test_another_cards_module_on_the_path(tmp_path: Any) -> None:
    """S2-17: also in a file, for the program as a module and for a copy beside that file."""
    (tmp_path / "cards.py").write_text(STUB)
    arguments, _ = command("one_deck", "proj09", "module")
    paths = f"{tmp_path}:{ROOT}"
    assert piped(arguments, ROOT, "h\nn\n", PYTHONPATH=paths) == WITH_STUB
    copy = tmp_path / "proj09.py"
    copy.write_text(SOURCE)
    arguments = [*arguments[:-2], str(copy)]
    assert piped(arguments, tmp_path, "h\nn\n", PYTHONPATH=str(ROOT)) == WITH_STUB
