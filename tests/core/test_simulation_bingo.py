"""Simulated Bingo has the exact values, and the law of the table."""

import pytest

from cardgames.games.bingo.rules import Mode
from cardgames.simulation import BingoRounds
from tests.support.amounts import few_or_all
from tests.support.simulation import likely, near, whole

EXACT = {
    (Mode.LINE, False): (24.61609375, 0.5, 0),
    (Mode.LINE, True): (8.12881428, 0.44317512, 0.11364976),
    (Mode.CORNERS, False): (1696 / 45, 0.5, 0),
    (Mode.CORNERS, True): (15.56329219, 0.42952900, 0.14094201),
    (Mode.FULL, False): (61056 / 1225, 0.5, 0),
    (Mode.FULL, True): (27.01850969, 0.07562676, 0.84874648),
}
"""The mean number of calls, the chance that A wins, which is B's, and the chance of a tie."""


@few_or_all("rounds", 5_000, 20_000)
@pytest.mark.parametrize(("mode", "speed"), EXACT)
def test_bingo_has_the_exact_values(mode: Mode, *, speed: bool, rounds: int) -> None:
    calls, win, tie = EXACT[mode, speed]
    result = whole(BingoRounds(rounds, 3, mode, speed))
    assert near(result.calls, calls)
    assert likely(result.a, rounds, win)
    assert likely(result.b, rounds, win)
    assert likely(result.tie, rounds, tie)
    assert result.a + result.b + result.tie == result.calls.size == rounds
