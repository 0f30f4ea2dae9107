"""Puzzles: the lines of our own methods, right in our order and wrong in the one first shown."""

from collections import Counter
from pathlib import Path

import pytest

from course.browser.learning import puzzles, solve
from course.grading.sheets import SHEETS
from tests.own.test_planted import no_sheet_is_loaded

__all__ = ["no_sheet_is_loaded"]

ALL = [
    pytest.param(slug, puzzle.name, id=f"{slug} {puzzle.name}", marks=pytest.mark.slow if n else ())
    for slug, sheet in SHEETS.items()
    for n, puzzle in enumerate(puzzles(sheet))
]


@pytest.mark.parametrize(("slug", "name"), ALL)
def test_a_puzzle_is_right_in_our_order_and_wrong_in_the_first(
    slug: str, name: str, tmp_path: Path
) -> None:
    sheet = SHEETS[slug]
    puzzle = next(each for each in puzzles(sheet) if each.name == name)
    mixed = puzzle.shuffled()
    assert Counter(mixed) == Counter(puzzle.lines)
    assert solve(sheet, name, puzzle.lines, tmp_path) == []
    assert solve(sheet, name, mixed, tmp_path) != []


def test_lines_that_may_change_places_may(tmp_path: Path) -> None:
    lines = [
        "def __init__(self, suit, rank):",
        "    self.rank = None",
        "    self.suit = None",
        "    if suit in SUITS and rank in RANKS:",
        "        self.rank = rank",
        "        self.suit = suit",
        "    else:",
        "        print('Invalid card: ', suit, rank)",
    ]
    assert solve(SHEETS["blackjack"], "Card.__init__", lines, tmp_path) == []


def test_other_lines_than_those_of_the_puzzle_are_refused(tmp_path: Path) -> None:
    lines = ["def get_value(self):", "    import os"]
    with pytest.raises(ValueError, match="not the lines"):
        solve(SHEETS["blackjack"], "Hand.get_value", lines, tmp_path)
    assert [*tmp_path.iterdir()] == []
