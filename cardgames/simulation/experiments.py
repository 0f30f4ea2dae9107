"""What can be simulated: so many games of one kind, from a seed.

An experiment is played in small steps that know nothing of each other, each with random numbers of
its own. So the same experiment gives the same result in one go, in pieces, in any order or on
several machines.
"""

import math
import random
from dataclasses import dataclass
from typing import Final

from cardgames.cards import Rank, Suit
from cardgames.games.bingo.rules import Mode
from cardgames.games.twentyone.rules import BLACKJACK, ONE_DECK, SIMPLE_21, Rules
from cardgames.simulation.limits import SimulationError, check_range, check_size
from cardgames.simulation.strategy import VALUES, decision
from cardgames.text import Text

STEP_GAMES: Final = 1_000
"""How many games a step plays at most: a fraction of a second, so that cancelling is quick."""

TABLES: Final = {"simple-21": SIMPLE_21, "blackjack": BLACKJACK, "one-deck": ONE_DECK}
"""The rules of the twenty-one tables, by slug."""


@dataclass(frozen=True, slots=True)
class WarGames:
    """Games of War for so many players, with a deck of so many ranks in so many suits."""

    games: int
    seed: int
    players: int
    ranks: int = len(Rank)
    suits: int = len(Suit)

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        check_size(self.games, self.seed)
        check_range("players", Text("The number of players"), self.players, 2, 6)
        check_range("ranks", Text("The number of ranks"), self.ranks, 2, len(Rank))
        check_range("suits", Text("The number of suits"), self.suits, 1, len(Suit))


@dataclass(frozen=True, slots=True)
class BingoRounds:
    """Rounds of Bingo in one mode; in speed rounds ranks alone are compared."""

    games: int
    seed: int
    mode: Mode
    speed: bool

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        check_size(self.games, self.seed)


@dataclass(frozen=True, slots=True)
class TwentyOneRounds:
    """Rounds at a twenty-one table, each from a fresh deck, by a strategy.

    How a strategy is written is told in :mod:`cardgames.simulation.strategy`.
    """

    games: int
    seed: int
    table: str
    strategy: str

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        check_size(self.games, self.seed)
        if self.table not in TABLES:
            no_such = Text("There is no such table: it is one of {tables}.")
            raise SimulationError(no_such.fill(tables=", ".join(TABLES)), "table")
        decision(self.strategy, self.rules)

    @property
    def rules(self) -> Rules:
        """The rules of the table."""
        return TABLES[self.table]


Experiment = WarGames | BingoRounds | TwentyOneRounds


def count_steps(experiment: Experiment) -> int:
    """Return how many steps an experiment has.

    A step plays up to ``STEP_GAMES`` games; at twenty-one the first ten work out the exact chances,
    one for each upcard.
    """
    exact = len(VALUES) if isinstance(experiment, TwentyOneRounds) else 0
    return exact + math.ceil(experiment.games / STEP_GAMES)


def games_in(experiment: Experiment, chunk: int) -> int:
    """Return how many games there are in a chunk of ``STEP_GAMES``, from 0."""
    return min(STEP_GAMES, experiment.games - chunk * STEP_GAMES)


def random_numbers(experiment: Experiment, chunk: int | str) -> random.Random:
    """Return the random numbers of a chunk of games; every chunk has its own."""
    return random.Random(f"{experiment.seed}/{chunk}")


def work(experiment: Experiment) -> int:
    """Return about how long an experiment takes: milliseconds of one core, in plain Python.

    Measured on a machine of today (``make bench``); it compares experiments and promises nothing.
    """
    match experiment:
        case WarGames(games=games, players=players):
            return 1 + games * players // 12
        case BingoRounds(games=games):
            return 1 + games // 20
        case TwentyOneRounds(games=games, strategy=strategy):
            exact = 2_000 if strategy.split() == ["best"] else 3_000
            return exact + games // 200
