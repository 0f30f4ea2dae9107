"""A mistake that is planted in our solutions is found at the first move that shows it.

What is expected are the sheet's numbers, and the line into which the mistake was put.
"""

import random
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from browser.table import OwnTable
from browser.worker import driver
from course.grading.sheets import SHEETS
from tests.course.support import SOLUTIONS, copy_of

MAX_MOVES = 40


class Planted(NamedTuple):
    """A text of our solution that is replaced, and what must be said of it."""

    slug: str
    file: str
    old: str
    new: str
    rule: str
    line: str = ""
    """Part of the line to which it must lead; by default the new text."""


PLANTED = (
    Planted("simple-21", "playingCards.py", "return VALUES[self.__rank]", 'return 11 if self.__rank == "A" else VALUES[self.__rank]', "S0-6"),
    Planted("simple-21", "playingCards.py", "return VALUES[self.__rank]", "return RANKS.index(self.__rank) + 1", "S0-5"),
    Planted("simple-21", "simple21.py", "        hidden.turnOver()\n", "", "S0-52", "self.__nextCard()"),
    Planted("simple-21", "simple21.py", "elif player < dealer:", "elif player <= dealer:", "S0-15", "Dealer wins"),
    Planted("simple-21", "simple21.py", "self.__dealer.getHandValue() < DEALER_STANDS", "self.__dealer.getHandValue() < 16", "S0-56", "return bust"),
    Planted("simple-21", "simple21.py", "self.__player.addToHand(self.__nextCard())\n        self.__dealer.addToHand(self.__nextCard())\n", "self.__dealer.addToHand(self.__nextCard())\n        self.__player.addToHand(self.__nextCard())\n", "S0-52", "self.__dealer.addToHand(self.__nextCard())"),
    Planted("simple-21", "simple21.py", "self.__value += card.getValue()", "self.__value = card.getValue()", "S0-8"),
    Planted("simple-21", "simple21.py", "return self.__player.getHandValue() > TARGET", "return self.__player.getHandValue() >= TARGET", "S0-54"),
    Planted("bingo", "bingo.py", "self.__gridA.populate(cards[0::2], mode)", "self.__gridA.populate(cards[:25], mode)", "S4-43", "self.__gridA.populate("),
    Planted("bingo", "bingo.py", "if mine.getRank() == card.getRank() if rankOnly else mine == card:", "if mine.getRank() == card.getRank():", "S4-27", "mine.turnOver()"),
    Planted("bingo", "bingo.py", "if card.isFaceUp() == (place == CENTRE):", "if not card.isFaceUp():", "S4-25", "self.__playMode = playMode"),
    Planted("bingo", "bingo.py", "any(pattern <= faceDown for pattern in PATTERNS[self.__playMode])", "any(pattern < faceDown for pattern in PATTERNS[self.__playMode][:5])", "S4-30", "any(pattern"),
    Planted("bingo", "bingo.py", "return A_WON if self.__gridA.isBingo() else B_WON", "return B_WON if self.__gridA.isBingo() else A_WON", "S4-50"),
    Planted("bingo", "bingo.py", "self.__gridB.search(card, rankOnly)", "self.__gridA.search(card, rankOnly)", "S4-28", "search(card, rankOnly)"),
    Planted("one-deck", "proj09.py", "while worth(hand) < 17:", "while worth(hand) < 16:", "S2-9"),
    Planted("one-deck", "proj09.py", "{dealer[0]} X", "{dealer[0]} {dealer[1]}", "S2-5"),
    Planted("one-deck", "proj09.py", "has_ace and total + 10 <= 21 else", "has_ace else", "S2-30"),
    Planted("one-deck", "proj09.py", "worth(user) > worth(dealer):", "worth(user) >= worth(dealer):", "S2-13", "You win the round."),
    Planted("one-deck", "proj09.py", 'print("The dealer wins the round.")', 'print("You win the round!")', "S2-13"),
    Planted("war", "war.py", "return self.cards.pop(0)", "return self.cards.pop()", "S3-13"),
    Planted("war", "war.py", "return self.rank > other.rank", "return self.rank >= other.rank", "S3-8"),
    Planted("war", "war.py", "return bool(self.rank == other.rank)", "return bool(self.suit == other.suit)", "S3-8"),
    Planted("war", "war.py", "pile = shown + pile", "pile = shown", "S3-28", "winner.receive_cards(pile)"),
    Planted("war", "war.py", "winner.receive_cards(pile)", "self.players[0].receive_cards(pile)", "S3-28"),
    Planted("war", "war.py", "self.players[: self.deck.num_cards]:", "self.players[::-1]:", "S3-22", "player.receive_card(self.deck.give_card())"),
)  # fmt: skip


def play_until_found(slug: str, folder: Path, seed: int) -> OwnTable[Any]:
    """Make moves until there is a difference, or enough of them."""
    table: OwnTable[Any] = driver(slug)(folder, seed)
    choose = random.Random(seed).choice
    for _ in range(MAX_MOVES):
        if table.difference or table.broken:
            break
        moves = [name for name, _ in table.moves() if name != "stop"]
        if not moves:
            break
        table.play(choose(moves))
    return table


@pytest.fixture(autouse=True)
def no_sheet_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what other tests have loaded of the sheets: in a browser nothing is."""
    sheets = str(Path(__file__).parents[2] / "course" / "sheets")
    for name, module in list(sys.modules.items()):
        if "." not in name and (getattr(module, "__file__", None) or "").startswith(sheets):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if not path.startswith(sheets)])


@pytest.mark.parametrize("planted", PLANTED, ids=lambda each: f"{each.rule} {each.new[:40]!r}")
def test_a_planted_mistake_is_found_with_its_rule_and_its_line(
    planted: Planted, tmp_path: Path
) -> None:
    folder = copy_of(SHEETS[planted.slug], tmp_path / "files")
    path = folder / planted.file
    source = path.read_text()
    assert source.count(planted.old) == 1
    path.write_text(source.replace(planted.old, planted.new))
    for seed in range(12):
        table = play_until_found(planted.slug, folder, seed)
        assert not table.broken
        if table.difference:
            break
    found = table.difference
    assert found is not None
    assert found.rule == planted.rule, found
    assert table.place is not None
    file, number = table.place
    line = (folder / file).read_text().split("\n")[number - 1]
    wanted = planted.line or planted.new
    assert wanted in line or line.strip() in wanted, (file, number, line)


@pytest.mark.parametrize(
    ("slug", "folder"),
    [
        pytest.param(slug, folder, id=f"{slug} {folder.name}", marks=marks)
        for slug in ("simple-21", "one-deck", "bingo", "war")
        for folder, marks in (
            (SHEETS[slug].solution, ()),
            *(
                (each, pytest.mark.slow)
                for each in sorted({path.parent for path in (SOLUTIONS / slug).glob("*/*.py")})
            ),
        )
    ],
)
def test_a_solution_is_not_blamed(slug: str, folder: Path) -> None:
    table = play_until_found(slug, folder, 7)
    assert table.difference is None
    assert table.broken == ""
