"""Bingo: which files there are, and what they may import."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.sheets.bingo.support import FOLDER
from tests.support.sheets import ROOT, command, either_way, piped


@either_way
def test_the_tests_for_the_marker(how: str) -> None:
    """S4-11, S4-22, S4-35, S4-51: they run by themselves, and pass."""
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
    """S4-11, S4-22, S4-35, S4-51: with a mistake in the code, one of them fails."""
    for source in FOLDER.glob("*.py"):
        (tmp_path / source.name).write_text(source.read_text())
    tests = "bingoTests.py" if file == "bingo.py" else file
    source = (FOLDER / file).read_text()
    assert right in source
    (tmp_path / file).write_text(source.replace(right, wrong, 1))
    run = subprocess.run(
        [sys.executable, "-B", tests],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert run.returncode == 1
    assert b"AssertionError" in run.stderr
