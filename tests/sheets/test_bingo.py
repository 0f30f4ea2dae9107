"""Bingo: the sheet's classes agree with the web table, and the self-tests of its files work."""

import contextlib
import io
import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardgames.cards import FULL_DECK, shuffled
from tests.sheets.bingo import SHOUT
from tests.support.amounts import few_or_all
from tests.support.commands import python
from tests.support.sheets import (
    ROOT,
    SHEETS_ROOT,
    Luck,
    WebTable,
    command,
    either_way,
    piped,
    sheet,
)

FOLDER = SHEETS_ROOT / "bingo" / "solution"


def code_of(card: Any) -> str:
    return card.getRank() + card.getSuit()


def shown(act: Callable[[], object]) -> str:
    """Return the output of a call whose value must be None."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert act() is None
    return out.getvalue()


def seen_by_the_web(view: Any) -> str:
    """Return the table in the sheet's format, from the player's view of the web table."""
    text = ""
    for grid, marks in zip(view.grids, view.marks, strict=True):
        text += f"Player {grid.player}:\n"
        for place, card in enumerate(grid.cards):
            text += " [ ]  " if place in grid.covered else f"[ {card} ]"
            text += "\n" * (place % 5 == 4)
        text += SHOUT if marks.winning else "\n"
    return text


RESULTS = {"A": "Player A won!", "B": "Player B won!", "tie": "Tie!"}


@few_or_all("pairs", 50, 500)
def test_the_sheet_and_the_web_table_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pairs: int
) -> None:
    """S4-27, S4-43, S4-45, S4-48, S4-49, S4-50, S4-57, A4-3: equal results for many decks."""
    with sheet("bingo") as load:
        bingo = load("bingo")
    results = dict.fromkeys(RESULTS, 0)
    kinds = list(itertools.product("LCF", "NY"))
    for seed in range(pairs):
        luck, site = Luck(seed, code_of), WebTable("bingo", Luck(seed))
        monkeypatch.setattr(random, "shuffle", luck.shuffle)
        decks = [shuffled(FULL_DECK, random.Random(f"{seed} {name}")) for name in "bc"]
        table = bingo.Table()
        for number, deck in enumerate(decks):
            (tmp_path / "deck.txt").write_text("\n".join(deck))
            table.populateDeck(number, str(tmp_path / "deck.txt"))
        choices = dict(zip(("bingo_deck", "calling_deck"), map("\n".join, decks), strict=True))
        rounds = 3 if seed % 10 == 0 else 1
        for number in range(rounds):
            mode, speed = kinds[(seed + number) % len(kinds)]
            site.play("deal", mode=mode, speed=speed, **choices)
            choices = {}
            table.dealBingo(mode)
            assert shown(table.displayTable) == seen_by_the_web(site.view)
            while not table.isWinner():
                assert site.result is None
                card = table.callCard()
                table.updateTable(card, speed == "Y")
                site.play("call", calls="1")
                assert str(card) == f"[ {site.view.called[-1]} ]"
            assert shown(table.displayTable) == seen_by_the_web(site.view)
            assert table.whoWon() == RESULTS[site.result.winner]
            results[site.result.winner] += 1
            table.clearTable()
            table.resetDecks()
        assert (
            luck.count == 2 * rounds
        )  # the sheet shuffles after a round, but the web table shuffles before it
        assert site.luck.count == 2 * rounds - 2
    assert min(results.values()) > 0.16 * pairs


@either_way
def test_the_tests_for_the_marker(how: str) -> None:
    """S4-11, S4-22, S4-35, S4-51: the self-tests run on their own and pass."""
    printed = piped(*command("bingo", "playingCards", how), "")
    assert printed == "Card: all tests passed\nDeck: all tests passed\n"
    printed = piped(*command("bingo", "bingoTests", how), "")
    assert printed == "Bingo: all tests passed\nTable: all tests passed\n"


BREAKS = {
    "a match toggles": ("bingo.py", "if mine.isFaceUp():", "if mine:"),
    "the centre lies up": ("bingo.py", "== (place == CENTRE)", "== (place == 26)"),
    "no rank only": ("bingo.py", "if rankOnly else", "if False else"),
    "B is not searched": ("bingo.py", "self.__gridB.search", "self.__gridA.search"),
    "a file of 53": ("bingo.py", "len(cards) > DECK_SIZE or ", ""),
    "not shuffled": ("bingo.py", "random.shuffle(pile)", "list(pile)"),
    "added face up": ("playingCards.py", "if card.isFaceUp():", "if False:"),
    "always complete": ("playingCards.py", "return len(different)", "return 52 or len(different)"),
    "small letters": ("playingCards.py", "rank.upper()", "rank"),
    "the face counts": ("playingCards.py", "isinstance(anotherCard, Card)",
                        "str(self) == str(anotherCard)"),
}  # fmt: skip


@pytest.mark.parametrize(("file", "right", "wrong"), BREAKS.values(), ids=BREAKS)
def test_the_tests_for_the_marker_find_mistakes(
    tmp_path: Path, file: str, right: str, wrong: str
) -> None:
    """S4-11, S4-22, S4-35, S4-51: if the code has a mistake, one of the self-tests fails."""
    for source in FOLDER.glob("*.py"):
        (tmp_path / source.name).write_text(source.read_text())
    tests = "bingoTests.py" if file == "bingo.py" else file
    source = (FOLDER / file).read_text()
    assert right in source
    (tmp_path / file).write_text(source.replace(right, wrong, 1))
    done = python("-B", tests, cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert done.returncode == 1
    assert "AssertionError" in done.stderr
