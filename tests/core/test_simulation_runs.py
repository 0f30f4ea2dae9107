"""The same seed gives the same result, in pieces and in a terminal; refusals; Bingo's values."""

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
from tests.support.amounts import few_or_all
from tests.support.commands import Done, python
from tests.support.simulation import likely, near, steps_of, whole

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


# ---- Bingo's exact values -------------------------------------------------------------------

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


# ---- In a terminal --------------------------------------------------------------------------


def terminal(*arguments: str) -> Done:
    return python("-m", "cardgames.lab", *arguments)


def test_the_same_seed_prints_the_same_tables() -> None:
    first = terminal("war", "--games", "300", "--seed", "1", "--players", "3")
    assert first.returncode == 0
    assert first.stdout.startswith("War, 3 players: 300 games, from seed 1\n")
    for part in ("Who won", "Player 3", "Turns a game", "median", "How long games last"):
        assert part in first.stdout
    assert first.stdout.splitlines()[-1].startswith("Games take ")
    assert "a second" in first.stderr
    again = terminal("war", "--games", "300", "--seed", "1", "--players", "3")
    assert again.stdout == first.stdout


def test_what_cannot_be_played_is_refused_in_a_sentence() -> None:
    refused = terminal("war", "--games", "0")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.strip() == (
        "The number of games must be a whole number from 1 to 1,000,000."
    )
