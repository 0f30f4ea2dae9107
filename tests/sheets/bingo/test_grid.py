"""Bingo: the class Bingo, a player's grid."""
# Blanks at the end of a grid's row are part of the format.
# ruff: noqa: W291

import itertools
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.sheets.bingo.support import (
    CENTRE_A,
    CODES,
    DOWN,
    GRID_A,
    IN_A,
    SAME_CARD,
    SAME_RANK,
    UP,
    code_of,
    faces_down,
)
from tests.support.sheets import public_names

DIAGONAL = """\
 [ ]  [ AH ][ 6C ][ 5H ][ KC ]
[ TD ] [ ]  [ 9C ][ 8S ][ 4C ]
[ 2D ][ AC ] [ ]  [ 4S ][ 4D ]
[ 5D ][ 3D ][ TC ] [ ]  [ JC ]
[ 9H ][ 5C ][ 7C ][ 5S ] [ ]  
            BINGO!            """
"""The sheet's second picture, trailing blanks included."""

LINES = [
    *([5 * row + column for column in range(5)] for row in range(5)),
    *([5 * row + column for row in range(5)] for column in range(5)),
    [0, 6, 12, 18, 24],
    [4, 8, 12, 16, 20],
]
PATTERNS = {"L": LINES, "C": [[0, 4, 20, 24]], "F": [list(range(25))]}


def test_the_interface_of_a_grid(bingo: ModuleType) -> None:
    """S4-23, S4-24: four public methods; a private empty 2-D grid and a private play mode."""
    assert public_names(bingo.Bingo) == {"populate", "search", "isBingo", "clear"}
    assert "__str__" in vars(bingo.Bingo)
    assert vars(bingo.Bingo()) == {"_Bingo__grid": [[]] * 5, "_Bingo__playMode": "L"}


def test_an_empty_grid(bingo: ModuleType, card: Callable[..., Any]) -> None:
    """S4-24, A4-10, A4-11: nothing to clear, no BINGO!, no match, and a text all the same."""
    grid = bingo.Bingo()
    assert (grid.isBingo(), grid.clear(), str(grid)) == (False, [], "\n\n\n\n\n")
    assert grid.search(card("KS"), SAME_RANK) is False


@pytest.mark.parametrize("faces", [[UP], [DOWN], [UP, DOWN]], ids=["up", "down", "mixed"])
def test_populating(bingo: ModuleType, card: Callable[..., Any], faces: list[bool]) -> None:
    """S4-25, S4-34, A4-2: row by row, all face up but the middle one, whatever they were."""
    codes = list(IN_A)
    dealt = [card(code, face) for code, face in zip(codes, itertools.cycle(faces))]
    grid = bingo.Bingo()
    assert grid.populate(dealt, "L") is None
    assert str(grid) == GRID_A
    assert [one.isFaceUp() for one in dealt] == [place != 12 for place in range(25)]
    assert [len(row) for row in str(grid).split("\n")] == [30, 30, 30, 30, 30, 0]


def test_populating_with_more_cards_than_fit(bingo: ModuleType, card: Callable[..., Any]) -> None:
    """S4-26, A4-12: the first 25 are laid, and the list stays its owner's."""
    dealt = [card(code) for code in IN_A] + [card("2S", DOWN), card("KH", UP)]
    grid = bingo.Bingo()
    grid.populate(dealt, "C")
    assert str(grid) == GRID_A
    assert [one.isFaceUp() for one in dealt[25:]] == [False, True]
    assert len(dealt) == 27
    assert grid.clear() == dealt[:25]


@pytest.mark.parametrize("mode", ["", "l", "c", "f", "X", "LC", "LCF", " L", None, 1, ["L"]])
def test_what_is_no_play_mode(bingo: ModuleType, card: Callable[..., Any], mode: object) -> None:
    """S4-26, A4-13: an AssertionError, for small letters too; the grid stays empty."""
    grid = bingo.Bingo()
    dealt = [card(code) for code in IN_A]
    with pytest.raises(AssertionError):
        grid.populate(dealt, mode)
    assert grid.clear() == []
    assert all(one.isFaceUp() for one in dealt)


def test_what_cannot_fill_a_grid(bingo: ModuleType, card: Callable[..., Any]) -> None:
    """S4-26, A4-12: too few cards, something that is no list, and things that are no cards."""
    enough = [card(code) for code in IN_A]
    grid = bingo.Bingo()
    for wrong in (enough[:24], [], tuple(enough), [*enough[:24], "KS"], IN_A, None, "KS" * 25):
        with pytest.raises(AssertionError):
            grid.populate(wrong, "L")
        assert str(grid) == "\n" * 5


def test_the_play_mode_is_updated(grid: Callable[..., Any], card: Callable[..., Any]) -> None:
    """S4-25: each time the grid is populated."""
    one = grid("F")
    for mode, expected in (("C", True), ("F", False), ("L", False), ("C", True)):
        one.populate(one.clear(), mode)
        for code in ("KS", "KC", "9H", "JS"):
            one.search(card(code), SAME_CARD)
        assert one.isBingo() is expected


def test_the_pictures_of_the_sheet(grid: Callable[..., Any], card: Callable[..., Any]) -> None:
    """S4-28, S4-30, S4-34, S4-67, A4-2: KS, 7H, 8C and JS face down, and BINGO! under it."""
    mine = grid("L")
    for code in ("KS", "7H", "8C"):
        assert mine.search(card(code), SAME_CARD) is True
        assert "BINGO!" not in str(mine)
        assert str(mine).endswith("]\n")
    assert mine.search(card("JS"), SAME_CARD) is True
    assert str(mine) == DIAGONAL
    corners = grid("C")
    for code in ("KS", "7H", "8C", "JS"):
        corners.search(card(code), SAME_CARD)
    assert str(corners) == DIAGONAL.rpartition("\n")[0] + "\n"


def test_searching_by_card(grid: Callable[..., Any], card: Callable[..., Any]) -> None:
    """S4-27, S4-28: one card at most is turned; without a match nothing is."""
    for code, face_up in itertools.product(CODES, [UP, DOWN]):
        mine, called = grid(), card(code, face_up)
        assert mine.search(called, SAME_CARD) is (code in IN_A)
        turned = {IN_A.index(code)} if code in IN_A else set()
        assert faces_down(mine) == {12} | turned
        assert called.isFaceUp() is face_up


def test_searching_by_rank(grid: Callable[..., Any], card: Callable[..., Any]) -> None:
    """S4-27, S4-28: up to four are turned, all of the rank."""
    numbers = set()
    for code in CODES:
        mine = grid()
        turned = {place for place, one in enumerate(IN_A) if one[0] == code[0]}
        assert mine.search(card(code), SAME_RANK) is bool(turned)
        assert faces_down(mine) == {12} | turned
        numbers.add(len(turned))
    assert {0, 4} <= numbers


@pytest.mark.parametrize("rank_only", [SAME_CARD, SAME_RANK])
def test_a_card_that_lies_face_down_stays_so(
    grid: Callable[..., Any],
    card: Callable[..., Any],
    rank_only: bool,  # noqa: FBT001
) -> None:
    """S4-28, S4-67, A4-3, A4-4: it is a match again, and is never turned up."""
    mine = grid()
    for code in ("KS", CENTRE_A):
        mine.search(card(code), rank_only)
    down = faces_down(mine)
    assert {0, 12} <= down
    for code in (CENTRE_A, "KS", CENTRE_A):
        assert mine.search(card(code), rank_only) is True
        assert faces_down(mine) == down


def test_the_centre_alone_is_a_match(grid: Callable[..., Any], card: Callable[..., Any]) -> None:
    """S4-28, A4-3, A4-4: it lies face down from the start; the sample's toggle is not followed."""
    mine = grid()
    for _ in range(3):
        assert mine.search(card(CENTRE_A), SAME_CARD) is True
        assert str(mine) == GRID_A


@pytest.mark.parametrize(
    ("thing", "rank_only"), [("KS", False), (None, True), (0, False), ("card", 0), ("card", None)]
)
def test_what_cannot_be_searched(
    grid: Callable[..., Any], card: Callable[..., Any], thing: object, rank_only: object
) -> None:
    """S4-29: an AssertionError for what is no card, or neither True nor False."""
    mine = grid()
    with pytest.raises(AssertionError):
        mine.search(card("KS") if thing == "card" else thing, rank_only)
    assert str(mine) == GRID_A


@pytest.mark.parametrize("mode", PATTERNS)
def test_each_pattern(grid: Callable[..., Any], card: Callable[..., Any], mode: str) -> None:
    """S4-30, S4-31, S4-32, S4-34: complete it is a BINGO!, and without any one of its cards not."""
    for pattern in PATTERNS[mode]:
        needed = [place for place in pattern if place != 12]
        for missing in (None, *needed):
            mine = grid(mode)
            for place in needed:
                if place != missing:
                    mine.search(card(IN_A[place]), SAME_CARD)
            assert mine.isBingo() is (missing is None)
            assert str(mine).split("\n")[5] == ("BINGO!".center(30) if missing is None else "")


def test_any_cards_face_down(grid: Callable[..., Any], card: Callable[..., Any]) -> None:
    """S4-30, S4-31, S4-32: 200 random sets of places, each in every mode."""
    luck = random.Random(30)
    seen = set()
    for _ in range(200):
        places = {12, *luck.sample(range(25), luck.randrange(26))}
        for mode, patterns in PATTERNS.items():
            mine = grid(mode)
            for place in places - {12}:
                mine.search(card(IN_A[place]), SAME_CARD)
            expected = any(places.issuperset(pattern) for pattern in patterns)
            assert mine.isBingo() is expected
            seen.add((mode, expected))
    assert len(seen) == 6


def test_clearing_a_grid(grid: Callable[..., Any]) -> None:
    """S4-33, A4-10: every card comes back once, in a list of its own."""
    mine = grid()
    removed = mine.clear()
    assert list(map(code_of, removed)) == list(IN_A)
    assert (mine.clear(), str(mine), mine.isBingo()) == ([], "\n" * 5, False)
    mine.populate(removed, "L")
    removed.clear()
    assert str(mine) == GRID_A
