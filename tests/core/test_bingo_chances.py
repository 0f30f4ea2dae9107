"""When the first BINGO! comes: against counting by hand, and rounds that were played."""

from collections import Counter
from itertools import accumulate
from math import comb, sqrt
from random import Random

import pytest

from cardgames.class_bingo.card import BingoCard, Kind
from cardgames.class_bingo.chances import expected, first_bingo_chances
from cardgames.games.bingo.rules import Mode
from tests.support.amounts import few_or_all
from tests.support.class_bingo import KINDS, random_cards


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


@few_or_all("rounds", 100, 4_000)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_rounds_that_are_played_come_out_as_expected(kind: Kind, rounds: int) -> None:
    """Within four standard errors of each share, and two rounds where there are hardly any."""
    rng = Random(8)
    played = []
    for _ in range(rounds):
        calling, grids = random_cards(rng, 20)
        played.append([BingoCard.of(0, grid, calling, kind).bingo_call for grid in grids])
    for cards in (1, 2, 20):
        firsts = Counter(min(calls[:cards]) for calls in played)
        tied = sum(calls[:cards].count(min(calls[:cards])) > 1 for calls in played)
        found, chances = expected(kind, cards), first_bingo_chances(kind, cards)
        assert sum(chances) == pytest.approx(1, abs=1e-12)
        over = [0.0, *accumulate(chances)]
        for call in range(1, 53):
            near = 4 * sqrt(over[call] * (1 - min(1, over[call])) / rounds) + 2 / rounds
            share = sum(firsts[n] for n in range(call + 1)) / rounds
            assert share == pytest.approx(over[call], abs=near)
        near = 4 * sqrt(found.tied * (1 - found.tied) / rounds) + 1e-9
        assert tied / rounds == pytest.approx(found.tied, abs=near)
        assert found.calls == pytest.approx(sum(1 - done for done in over[:-1]), abs=1e-9)
        assert over[found.low - 1] < 0.05 <= over[found.low]
        assert over[found.high - 1] < 0.95 <= over[found.high]


@pytest.mark.parametrize("cards", [2, 3])
def test_a_tie_of_full_cards_can_be_counted_by_hand(cards: int) -> None:
    """Of each card 24 places must be called: this counts the ways to have the last at call n."""
    of = [comb(call - 1, 23) / comb(52, 24) for call in range(1, 53)]
    later = [1 - done for done in accumulate(of)]
    alone = sum(cards * own * rest ** (cards - 1) for own, rest in zip(of, later, strict=True))
    assert expected(Kind(Mode.FULL), cards).tied == pytest.approx(1 - alone, abs=1e-12)
