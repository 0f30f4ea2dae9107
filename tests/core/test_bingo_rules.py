"""Bingo's rules by themselves: patterns, matches, winners, and what chance gives."""

import random
from fractions import Fraction
from itertools import combinations
from math import comb, sqrt

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from cardgames.games.bingo.rules import (
    LINES,
    PATTERNS,
    Mode,
    face_down_positions,
    is_bingo,
    matches,
    winner_of,
    winning_positions,
)
from cardgames.moves import Action
from tests.support.bingo import KINDS, Reference, as_mask, positions_of

BINGO = GAMES["bingo"]


def test_the_twelve_lines_are_the_rows_the_columns_and_the_diagonals() -> None:
    assert len(LINES) == len(set(LINES)) == 12
    assert set(map(as_mask, LINES)) == set(Reference.LINES)
    assert [as_mask(pattern) for pattern in PATTERNS[Mode.CORNERS]] == [Reference.CORNERS]
    assert [as_mask(pattern) for pattern in PATTERNS[Mode.FULL]] == [Reference.FULL]


@pytest.mark.parametrize("mode", "LCF")
def test_every_set_of_at_most_five_cards_down_and_of_at_most_five_up(mode: str) -> None:
    """No line is larger than five cards, and five cards face up can break all: 2 x 68,406 sets."""
    for size in range(6):
        for some in combinations(range(25), size):
            mask = as_mask(some)
            for down in (mask, Reference.FULL & ~mask):
                assert is_bingo(positions_of(down), Mode(mode)) is Reference.bingo(down, mode)


def test_a_line_short_of_any_one_card_is_no_line() -> None:
    for line in map(positions_of, Reference.LINES):
        assert is_bingo(line, Mode.LINE)
        assert winning_positions(line, Mode.LINE) == line
        for missing in line:
            assert not is_bingo(line - {missing}, Mode.LINE)
            assert winning_positions(line - {missing}, Mode.LINE) == frozenset()


def test_two_lines_at_once_win_together() -> None:
    row, column = positions_of(Reference.ROWS[1]), positions_of(Reference.COLUMNS[3])
    assert winning_positions(row | column | {0, 24}, Mode.LINE) == row | column


@pytest.mark.slow
@pytest.mark.parametrize("mode", "LCF")
def test_every_set_of_cards_down_with_the_centre(mode: str) -> None:
    """All 2^24 of them, in the order in which one card turns at a time."""
    places = [place for place in range(25) if place != 12]
    down, mask, bingos = {12}, Reference.CENTRE, 0
    for number in range(2**24):
        if number:
            place = places[(number & -number).bit_length() - 1]
            down ^= {place}
            mask ^= 1 << place
        found = is_bingo(down, Mode(mode))
        assert found is Reference.bingo(mask, mode)
        bingos += found
    assert bingos == {"L": sets_with_a_line(), "C": 2**20, "F": 1}[mode]


def sets_with_a_line() -> int:
    """Count the sets with the centre that hold a line, by inclusion and exclusion."""
    total = 0
    for size in range(1, 13):
        for lines in combinations(Reference.LINES, size):
            union = Reference.CENTRE
            for line in lines:
                union |= line
            total += (-1) ** (size + 1) * 2 ** (25 - union.bit_count())
    return total


@pytest.mark.parametrize("speed", [False, True])
def test_a_match_is_the_same_card_or_in_a_speed_round_the_same_rank(speed: bool) -> None:  # noqa: FBT001
    """S4-27."""
    for one in FULL_DECK:
        for other in FULL_DECK:
            same = one.value[0] == other.value[0] if speed else one.value == other.value
            assert matches(one, other, speed=speed) is same
            assert (0 in face_down_positions((one,), (other,), speed=speed)) is same


def test_who_wins() -> None:
    """S4-49, S4-50."""
    ends = [winner_of(a_bingo=a, b_bingo=b) for a in (False, True) for b in (False, True)]
    assert ends == [None, "B", "A", "tie"]


# ---- What chance gives ---------------------------------------------------------------------


def mean_calls_until_either(needed: int) -> Fraction:
    """Return the mean number of calls until one of two disjoint sets of cards is all called.

    It is the sum over n of P(not over after n calls); a given set of k is called with
    C(n, k)/C(52, k).
    """
    return sum(
        1
        - 2 * Fraction(comb(n, needed), comb(52, needed))
        + Fraction(comb(n, 2 * needed), comb(52, 2 * needed))
        for n in range(52)
    )


NUMBERS = {
    "LN": (24.61609375, 1 / 2, 0),
    "LY": (8.12881428, 0.44317512, 0.11364976),
    "CN": (1696 / 45, 1 / 2, 0),
    "CY": (15.56329219, 0.42952900, 0.14094201),
    "FN": (61056 / 1225, 1 / 2, 0),
    "FY": (27.01850969, 0.07562676, 0.84874648),
}
"""Mean calls, P(A) and P(tie): the reference numbers of the project, from two other programs."""


def test_the_reference_means_are_what_counting_gives() -> None:
    assert mean_calls_until_either(4) == Fraction(1696, 45)
    assert mean_calls_until_either(24) == Fraction(61056, 1225)


@pytest.mark.parametrize(
    "rounds", [pytest.param(300, id="few"), pytest.param(20_000, id="many", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("kind", KINDS)
def test_simulated_rounds_agree_with_the_reference_numbers(kind: str, rounds: int) -> None:
    """Within four standard errors; the deal and every shuffle are the game's own.

    And a round that is no speed round never ties.
    """
    rng, wins = random.Random(rounds), {"A": 0, "B": 0, "tie": 0}
    deal = Action("deal", (("mode", kind[0]), ("speed", kind[1])))
    lengths = []
    for _ in range(rounds):
        state = BINGO.deal(None, deal, rng)
        while (result := BINGO.result(state)) is None:
            state = BINGO.apply(state, Action("call"), rng)
        wins[result.winner] += 1
        lengths.append(state.calls)
    mean_calls, p_a, p_tie = NUMBERS[kind]
    mean = sum(lengths) / rounds
    variance = sum((length - mean) ** 2 for length in lengths) / (rounds - 1)
    assert abs(mean - mean_calls) <= 4 * sqrt(variance / rounds)
    for winner, p in (("A", p_a), ("B", p_a), ("tie", p_tie)):
        assert abs(wins[winner] / rounds - p) <= 4 * sqrt(p * (1 - p) / rounds)
