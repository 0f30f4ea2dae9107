"""The same seed gives the same result, in any pieces; and what cannot be played is refused."""

from collections.abc import Callable

import pytest

from cardgames.cards import CardGameError
from cardgames.games.bingo.rules import Mode
from cardgames.simulation import (
    BingoRounds,
    Experiment,
    TwentyOneRounds,
    WarGames,
    count_steps,
    play_step,
    run,
)
from cardgames.simulation.report import title
from tests.support.simulation import steps_of, whole

EXPERIMENTS: list[Experiment] = [
    WarGames(2500, 1, 2, 5, 4),
    WarGames(2500, 1, 3, 5, 4),
    BingoRounds(2500, 1, Mode.LINE, speed=True),
]


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=title)
def test_the_same_seed_gives_the_same_result_in_any_pieces(experiment: Experiment) -> None:
    expected = whole(experiment)
    assert whole(experiment) == expected
    assert count_steps(experiment) == 3
    for order in ((2, 1, 0), (1, 2, 0)):
        assert steps_of(experiment, *order) == expected


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=title)
def test_a_run_that_was_left_off_is_gone_on_with(experiment: Experiment) -> None:
    expected = list(run(experiment))
    for done, so_far in expected[:-1]:
        assert list(run(experiment, done, so_far)) == expected[done:]
    assert list(run(experiment, 3, expected[-1][1])) == []


@pytest.mark.parametrize(
    ("make", "part", "says"),
    [
        (
            lambda: WarGames(0, 1, 2),
            "games",
            "The number of games must be a whole number from 1 to 1,000,000.",
        ),
        (lambda: WarGames(1_000_001, 1, 2), "games", "1,000,000"),
        (lambda: WarGames(1, -1, 2), "seed", "The seed"),
        (lambda: WarGames(1, 2**53, 2), "seed", "The seed"),
        (lambda: WarGames(1, 1, 1), "players", "must be a whole number from 2 to 6"),
        (lambda: WarGames(1, 1, 7), "players", "The number of players"),
        (lambda: WarGames(1, 1, 2, 14), "ranks", "The number of ranks"),
        (lambda: WarGames(1, 1, 2, 13, 0), "suits", "The number of suits"),
        (lambda: BingoRounds(0, 1, Mode.LINE, speed=False), "games", "The number of games"),
        (lambda: TwentyOneRounds(1, 1, "poker", "best"), "table", "There is no such table"),
    ],
)
def test_what_cannot_be_played_is_refused(make: Callable[[], object], part: str, says: str) -> None:
    with pytest.raises(CardGameError, match=says) as refused:
        make()
    assert refused.value.field == part


def test_every_step_has_random_numbers_of_its_own() -> None:
    experiment = WarGames(2_000, 1, 2)
    assert play_step(experiment, 0) != play_step(experiment, 1)
