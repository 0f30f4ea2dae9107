"""Thousands of games at once, and what they say about chance.

An :data:`Experiment` says what to play, how often, and from which seed; :func:`run` plays it::

    >>> *_, (_, result) = run(WarGames(games=200, seed=1, players=2))
    >>> sum(result.wins), round(result.turns.mean)
    (200, 553)

In a terminal: ``python -m cardgames.lab war --games 10000 --seed 1``.
"""

from cardgames.simulation.experiments import (
    BingoRounds,
    Experiment,
    TwentyOneRounds,
    WarGames,
    count_steps,
    work,
)
from cardgames.simulation.results import BingoResult, Result, TwentyOneResult, WarResult
from cardgames.simulation.run import play_step, run

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
