"""Thousands of games at once, and what they say about chance.

An :data:`Experiment` says what to play, how often, and from which seed; :func:`run` plays it::

    >>> *_, (_, result) = run(WarGames(games=200, seed=1, players=2))
    >>> sum(result.wins), round(result.turns.mean)
    (200, 553)

In a terminal: ``python -m cardgames.lab war --games 10000 --seed 1``.
"""

from collections.abc import Iterator
from typing import Any

from cardgames.simulation import bingo, twentyone, war
from cardgames.simulation.experiments import (
    BingoRounds,
    Experiment,
    TwentyOneRounds,
    WarGames,
    count_steps,
    work,
)
from cardgames.simulation.results import BingoResult, Result, TwentyOneResult, WarResult

__all__ = [
    "BingoResult",
    "BingoRounds",
    "Experiment",
    "Result",
    "TwentyOneResult",
    "TwentyOneRounds",
    "WarGames",
    "WarResult",
    "count_steps",
    "play_step",
    "run",
    "work",
]


def play_step(experiment: Experiment, step: int) -> Result:
    """Do one step of an experiment: a function of the two and of nothing else.

    Args:
        experiment: what to play.
        step: which step, from 0.

    Returns:
        What came out; the sum over all steps is the result of the experiment.
    """
    match experiment:
        case WarGames():
            return war.play_step(experiment, step)
        case BingoRounds():
            return bingo.play_step(experiment, step)
        case TwentyOneRounds():
            return twentyone.play_step(experiment, step)


def run(
    experiment: Experiment, done: int = 0, so_far: Result | None = None
) -> Iterator[tuple[int, Result]]:
    """Do an experiment step by step; a caller may stop between two steps.

    Args:
        experiment: what to play.
        done: how many steps are done already.
        so_far: what came out of these.

    Yields:
        After each step, how many are done, and the result so far. The last is the whole result.
    """
    result: Any = so_far
    for step in range(done, count_steps(experiment)):
        found = play_step(experiment, step)
        result = found if result is None else result + found
        yield step + 1, result
