"""The lab: equal results for equal seeds, rejected options, and exact values of Bingo."""

from collections.abc import Mapping
from itertools import islice
from random import Random

import pytest

from cardgames.cards import CardGameError
from cardgames.games.bingo.rules import Mode
from cardgames.lab import OPTIONS, TooSlow, ask, bingo, run
from cardgames.lab.distribution import Distribution
from tests.support.amounts import few_or_all
from tests.support.lab import likely, near


@pytest.mark.parametrize("game", OPTIONS)
def test_seed_determines_the_result(game: str) -> None:
    result = run(ask(game, {}, 100, 5))
    assert result == run(ask(game, {}, 100, 5))
    assert result != run(ask(game, {}, 100, 6))
    assert sum(result.ends) == 100


def test_a_choice_is_followed() -> None:
    for game, options in OPTIONS.items():
        for option in options:
            results = [str(run(ask(game, {option.name: value}, 100, 5))) for value in option.texts]
            assert len({*results}) == len(option.texts), option.name


@pytest.mark.parametrize(
    ("game", "choices", "rounds", "seed", "field", "says"),
    [
        ("war", {}, 99, 1, "rounds", "must be a whole number from 100 to 10,000"),
        ("war", {}, 10_001, 1, "rounds", "The number of rounds"),
        ("war", {}, 100, -1, "seed", "The seed"),
        ("war", {}, 100, 2**53, "seed", "The seed"),
        ("war", {"players": "7"}, 100, 1, "players", "Players: choose one of the options."),
        ("bingo", {"mode": "X"}, 100, 1, "mode", "Mode: choose one of the options."),
        (
            "blackjack",
            {"strategy": "16"},
            100,
            1,
            "strategy",
            "Strategy: choose one of the options.",
        ),
        ("poker", {}, 100, 1, "game", "The lab does not play that game."),
    ],
)
def test_unplayable_questions_are_rejected(
    game: str, choices: Mapping[str, str], rounds: int, seed: int, field: str, says: str
) -> None:
    with pytest.raises(CardGameError, match=says) as refused:
        ask(game, choices, rounds, seed)
    assert refused.value.field == field


def test_overlong_experiment_is_given_up() -> None:
    with pytest.raises(TooSlow):
        run(ask("war", {}, 10_000, 1), seconds=0.01)


# ---- Bingo's exact values ------------------------------------------------------------------------

EXACT = {
    (Mode.LINE, False): (24.61609375, 0.5, 0),
    (Mode.LINE, True): (8.12881428, 0.44317512, 0.11364976),
    (Mode.CORNERS, False): (1696 / 45, 0.5, 0),
    (Mode.CORNERS, True): (15.56329219, 0.42952900, 0.14094201),
    (Mode.FULL, False): (61056 / 1225, 0.5, 0),
    (Mode.FULL, True): (27.01850969, 0.07562676, 0.84874648),
}
"""The mean number of calls, the probability that A wins (the same as for B), and the probability of
a tie.
"""


@few_or_all("rounds", 2_000, 20_000)
@pytest.mark.parametrize(("mode", "speed"), EXACT)
def test_bingo_has_the_exact_values(mode: Mode, *, speed: bool, rounds: int) -> None:
    calls, win, tie = EXACT[mode, speed]
    played = [*islice(bingo.rounds(mode, Random(3), speed=speed), rounds)]
    assert near(Distribution.of(call for _, call in played), calls)
    for end, chance in enumerate((win, win, tie)):
        assert likely(sum(found == end for found, _ in played), rounds, chance)
