"""The call of the first BINGO!: the table compared with simulated rounds."""

from math import sqrt
from random import Random

import pytest

from cardgames.class_bingo.card import BingoCard, Kind
from cardgames.class_bingo.chances import expected
from cardgames.games.bingo.rules import Mode
from tests.support.amounts import few_or_all
from tests.support.class_bingo import KINDS, random_cards

INTERPOLATED = 0.1
"""The maximum error of the interpolated values, in calls."""


@few_or_all("rounds", 50, 4_000)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_played_rounds_come_out_as_expected(kind: Kind, rounds: int) -> None:
    """Means and proportions are within four standard errors, even between table entries."""
    rng = Random(8)
    played = []
    for _ in range(rounds):
        calling, grids = random_cards(rng, 30)
        played.append([BingoCard.of(0, grid, calling, kind).bingo_call for grid in grids])
    for cards in (1, 2, 7, 20, 30):
        firsts = [min(calls[:cards]) for calls in played]
        mean = sum(firsts) / rounds
        spread = sqrt(sum((first - mean) ** 2 for first in firsts) / rounds)
        found = expected(kind, cards)
        assert abs(found.calls - mean) < 4 * spread / sqrt(rounds) + INTERPOLATED
        tied = sum(calls[:cards].count(min(calls[:cards])) > 1 for calls in played) / rounds
        near = 4 * sqrt(found.tied * (1 - found.tied) / rounds) + 2 / rounds
        assert abs(found.tied - tied) < near + 0.03


@pytest.mark.parametrize(
    ("cards", "means"),
    [
        (2, (24.6, 8.1, 37.7, 15.7, 49.9, 27.0)),
        (10, (18.0, 5.7, 27.3, 9.4, 47.9, 24.5)),
        (30, (14.7, 4.5, 21.1, 6.9, 46.6, 21.8)),
        (60, (12.9, 4.0, 18.4, 5.8, 45.6, 21.0)),
    ],
)
def test_means_are_those_of_independent_simulations(cards: int, means: tuple[float, ...]) -> None:
    """Two simulations of 5,000 to 8,000 rounds each agree within 0.6 calls."""
    kinds = [Kind(mode, speed) for mode in Mode for speed in (False, True)]
    for kind, mean in zip(kinds, means, strict=True):
        assert expected(kind, cards).calls == pytest.approx(mean, abs=0.6)


@pytest.mark.parametrize("cards", [1, 1_000, 5_000])
def test_every_number_of_cards_has_a_value(cards: int) -> None:
    for kind in KINDS:
        found = expected(kind, cards)
        assert 1 < found.calls < 52
        assert 0 <= found.tied < 1
