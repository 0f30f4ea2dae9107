"""The lab: thousands of rounds in one run, to show the effects of chance.

An :class:`Experiment` has a game, its options, a number of rounds and a seed. :func:`run` plays the
rounds::

    >>> result = run(ask("war", {"players": "2"}, rounds=200, seed=1))
    >>> sum(result.ends), 400 < result.lengths.mean < 800
    (200, True)
"""

import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Final, NamedTuple

from cardgames.cards import CardGameError, check_range
from cardgames.games.bingo.rules import Mode
from cardgames.games.twentyone.rules import TABLES
from cardgames.games.war.rules import MAX_PLAYERS
from cardgames.lab import bingo, twentyone, war
from cardgames.lab.distribution import Distribution
from cardgames.strategies.strategy import Strategy, decision
from cardgames.text import Text

MIN_ROUNDS: Final = 100
"""Minimum number of rounds. Smaller samples do not allow conclusions."""

MAX_ROUNDS: Final = 10_000

MAX_SEED: Final = 2**53 - 1
"""Largest seed that all JSON parsers represent exactly."""

TOGETHER: Final = 10
"""Number of consecutive rounds of twenty-one whose results are added up."""


class Option(NamedTuple):
    """An option of an experiment."""

    name: str
    title: Text
    texts: Mapping[str, Text]
    """The label of each value. The first value is the default."""


_PLAYERS: Final = Option(
    "players", Text("Players"), {str(n): Text(str(n)) for n in range(2, MAX_PLAYERS + 1)}
)
_MODE: Final = Option("mode", Text("Mode"), Mode.texts())
_SPEED: Final = Option(
    "speed",
    Text("Cards covered by a call"),
    {"N": Text("That card"), "Y": Text("Every card of its rank")},
)
_STRATEGY: Final = Option("strategy", Text("Strategy"), Strategy.texts())

OPTIONS: Final[Mapping[str, tuple[Option, ...]]] = {
    "war": (_PLAYERS,),
    "bingo": (_MODE, _SPEED),
    **dict.fromkeys(TABLES, (_STRATEGY,)),
}
"""The games of the lab with their options, keyed by slug."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """A game of the lab with its options, its number of rounds and its seed.

    Use :func:`ask` to create an experiment.
    """

    game: str
    """The game's slug."""

    choices: Mapping[str, str]
    """The value of each option of the game."""

    rounds: int
    seed: int


@dataclass(frozen=True, slots=True)
class LabResult:
    """The result of an experiment."""

    ends: tuple[int, ...]
    """The number of rounds for each winner. The winners are the players in War, and A, B or both in
    Bingo. In twenty-one, these are the numbers of won, tied and lost rounds.
    """

    lengths: Distribution
    """The distribution of the number of turns per game (War), of calls per round (Bingo), or of won
    rounds per ten consecutive rounds (twenty-one).
    """


class TooSlow(Exception):
    """An error raised when an experiment exceeds its time limit."""


def ask(game: str, choices: Mapping[str, str], rounds: int, seed: int) -> Experiment:
    """Return an experiment after validating its options.

    Args:
        game: The slug of a game of the lab.
        choices: The values of the options. A missing option has its default.
        rounds: The number of rounds.
        seed: The seed of all random numbers.

    Raises:
        CardGameError: If the game, an option, the number of rounds or the seed is invalid.
    """
    if game not in OPTIONS:
        raise CardGameError(Text("The lab does not play that game."), "game")
    chosen: dict[str, str] = {}
    for option in OPTIONS[game]:
        chosen[option.name] = choices.get(option.name, next(iter(option.texts)))
        if chosen[option.name] not in option.texts:
            refusal = Text("{what}: choose one of the options.", what=option.title)
            raise CardGameError(refusal, option.name)
    check_range("rounds", Text("The number of rounds"), rounds, MIN_ROUNDS, MAX_ROUNDS)
    check_range("seed", Text("The seed"), seed, 0, MAX_SEED)
    return Experiment(game, chosen, rounds, seed)


def run(experiment: Experiment, seconds: float = math.inf) -> LabResult:
    """Play an experiment. The same experiment always has the same result.

    Args:
        experiment: The game with its options, number of rounds and seed.
        seconds: Maximum processor time, in seconds.

    Raises:
        TooSlow: If the experiment exceeds the time limit.
    """
    until = time.process_time() + seconds
    ends: Counter[int] = Counter()
    lengths: list[int] = []
    for end, length in islice(_play(experiment), experiment.rounds):
        ends[end] += 1
        lengths.append(length)
        if time.process_time() > until:
            raise TooSlow
    if experiment.game in TABLES:
        starts = range(0, len(lengths) - TOGETHER + 1, TOGETHER)
        lengths = [sum(lengths[start : start + TOGETHER]) for start in starts]
    kinds = int(experiment.choices.get("players", "3"))
    return LabResult(tuple(ends[end] for end in range(kinds)), Distribution.of(lengths))


def _play(experiment: Experiment) -> Iterator[tuple[int, int]]:
    """Return an endless iterator of rounds.

    Each round is a pair: its winner, and its value in the distribution.
    """
    rng, chosen = Random(experiment.seed), experiment.choices
    match experiment.game:
        case "war":
            return war.games(int(chosen["players"]), rng)
        case "bingo":
            return bingo.rounds(Mode(chosen["mode"]), rng, speed=chosen["speed"] == "Y")
        case table:
            decide = decision(Strategy(chosen["strategy"]), table)
            return twentyone.rounds(TABLES[table], decide, rng)
