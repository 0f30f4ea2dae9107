"""Bingo's rules: patterns, matches, winners and probabilities."""

from itertools import combinations

import pytest

from cardgames.cards import FULL_DECK
from cardgames.games.bingo.rules import (
    LINES,
    PATTERNS,
    Mode,
    face_down_positions,
    is_bingo,
    one_away,
)
from tests.support.amounts import few_or_all
from tests.support.bingo import Reference, as_mask, positions_of


def test_twelve_lines_are_rows_columns_and_diagonals() -> None:
    assert len(LINES) == len(set(LINES)) == 12
    assert set(map(as_mask, LINES)) == set(Reference.LINES)
    assert [as_mask(pattern) for pattern in PATTERNS[Mode.CORNERS]] == [Reference.CORNERS]
    assert [as_mask(pattern) for pattern in PATTERNS[Mode.FULL]] == [Reference.FULL]


@few_or_all("most", 3, 5)
@pytest.mark.parametrize("mode", "LCF")
def test_every_set_of_a_few_cards_down_and_of_a_few_up(mode: str, most: int) -> None:
    """No line has more than five cards, and five face-up cards can break all lines.

    Therefore it is enough to test all sets of up to five face-down or face-up cards.
    """
    for size in range(most + 1):
        for some in combinations(range(25), size):
            mask = as_mask(some)
            for down in (mask, Reference.FULL & ~mask):
                assert is_bingo(positions_of(down), Mode(mode)) is Reference.bingo(down, mode)


@pytest.mark.parametrize("speed", [False, True])
def test_match_is_the_card_or_its_rank_in_a_speed_round(speed: bool) -> None:
    """Covers S4-27."""
    for one in FULL_DECK:
        for other in FULL_DECK:
            same = one.value[0] == other.value[0] if speed else one.value == other.value
            assert (0 in face_down_positions((one,), (other,), speed=speed)) is same


def test_nothing_is_wanted_any_more_once_there_is_a_bingo() -> None:
    almost = frozenset((10, 11, 12, 13, 4, 8, 16))
    assert one_away(almost, Mode.LINE) == {14, 20}
    assert one_away(almost | {14}, Mode.LINE) == frozenset()
    assert one_away(frozenset((0, 4)), Mode.CORNERS) == frozenset()  # two cards are missing
