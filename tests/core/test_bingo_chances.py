"""When the first BINGO! comes: against counting by hand, and rounds that were played."""

from math import comb

import pytest

from cardgames.class_bingo.card import Kind
from cardgames.class_bingo.chances import first_bingo_chances
from cardgames.class_bingo.expectations import KINDS, SIZES, expected
from cardgames.games.bingo.rules import Mode


@pytest.mark.parametrize("cards", [1, 2, 60])
@pytest.mark.parametrize(("mode", "positions"), [(Mode.CORNERS, 4), (Mode.FULL, 24)])
def test_one_pattern_is_complete_when_its_cards_are_among_the_calls(
    mode: Mode, positions: int, cards: int
) -> None:
    chances = first_bingo_chances(Kind(mode), cards)
    for calls in range(53):
        own = comb(calls, positions) / comb(52, positions)
        assert sum(chances[:calls]) == pytest.approx(1 - (1 - own) ** cards, abs=1e-12)


def test_the_first_lines_are_those_that_can_be_counted_by_hand() -> None:
    """Four lines go through the free centre and need four cards; the other eight need five."""
    chances = first_bingo_chances(Kind(), 1)
    assert chances[:3] == (0.0, 0.0, 0.0)
    assert chances[3] == pytest.approx(4 / comb(52, 4), abs=1e-15)
    assert sum(chances[:5]) == pytest.approx((4 * 48 + 8) / comb(52, 5), abs=1e-15)


def test_the_first_call_of_a_speed_round_wins_with_four_corners_of_its_rank() -> None:
    chance = 1 / comb(52, 4)
    assert first_bingo_chances(Kind(Mode.CORNERS, speed=True), 3)[0] == pytest.approx(
        1 - (1 - chance) ** 3, rel=1e-9
    )


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("cards", SIZES)
def test_the_mean_is_that_of_rounds_that_were_played(kind: Kind, cards: int) -> None:
    """The 8,000 rounds of ``expected.csv`` have a standard error of 0.09 calls at most."""
    chances = first_bingo_chances(kind, cards)
    assert sum(chances) == pytest.approx(1, abs=1e-12)
    mean = sum(call * chance for call, chance in enumerate(chances, 1))
    assert mean == pytest.approx(expected(kind, cards).calls, abs=0.35)
