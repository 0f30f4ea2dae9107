"""The lab: thousands of rounds at once, and what they say about luck.

An :class:`Experiment` says what to play, how often and from which seed; :func:`run` plays it::

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
"""Minimum number of rounds: of fewer nothing follows."""

MAX_ROUNDS: Final = 10_000

MAX_SEED: Final = 2**53 - 1
"""Largest seed: every program that reads JSON can hold it."""

TOGETHER: Final = 10
"""Number of rounds of twenty-one whose results are added up."""


class Option(NamedTuple):
    """Something to choose in an experiment."""

    name: str
    title: Text
    texts: Mapping[str, Text]
    """What each value is called; the first is chosen where nothing is said."""


_PLAYERS: Final = Option(
    "players", Text("Players"), {str(n): Text(str(n)) for n in range(2, MAX_PLAYERS + 1)}
)
_MODE: Final = Option("mode", Text("Mode"), Mode.texts())
_SPEED: Final = Option(
    "speed",
    Text("What a call covers"),
    {"N": Text("That card"), "Y": Text("Every card of its rank")},
)
_STRATEGY: Final = Option("strategy", Text("Strategy"), Strategy.texts())

OPTIONS: Final[Mapping[str, tuple[Option, ...]]] = {
    "war": (_PLAYERS,),
    "bingo": (_MODE, _SPEED),
    **dict.fromkeys(TABLES, (_STRATEGY,)),
}
"""The games that can be played, by their slugs, and what there is to choose."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """A number of rounds of a game, from a seed. :func:`ask` makes one."""

    game: str
    """The game's slug."""

    choices: Mapping[str, str]
    """The value of each option of the game."""

    rounds: int
    seed: int


@dataclass(frozen=True, slots=True)
class LabResult:
    """What came out of an experiment."""

    ends: tuple[int, ...]
    """How many rounds each player has won at War; A, B and both at Bingo; and how many were won,
    tied and lost at twenty-one."""

    lengths: Distribution
    """Turns a game at War, calls a round at Bingo; at twenty-one how many of ten rounds in a
    row are won."""


class TooSlow(Exception):
    """An experiment takes more time than it may."""


def ask(game: str, choices: Mapping[str, str], rounds: int, seed: int) -> Experiment:
    """Return an experiment.

    Args:
        game: the slug of a game of the lab.
        choices: a value for each option; what is missing is as usual.
        rounds: how many are played.
        seed: what all luck follows from.

    Raises:
        CardGameError: it cannot be played.
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
    """Play an experiment: the same one always gives the same result.

    Args:
        experiment: what to play.
        seconds: maximum number of seconds of processor time that it may take.

    Raises:
        TooSlow: it takes more.
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
    """Return the results of rounds without end: how each ends, and a number that is counted."""
    rng, chosen = Random(experiment.seed), experiment.choices
    match experiment.game:
        case "war":
            return war.games(int(chosen["players"]), rng)
        case "bingo":
            return bingo.rounds(Mode(chosen["mode"]), rng, speed=chosen["speed"] == "Y")
        case table:
            decide = decision(Strategy(chosen["strategy"]), table)
            return twentyone.rounds(TABLES[table], decide, rng)
