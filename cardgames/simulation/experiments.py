"""Experiments: a number of games of one kind, played from a seed.

An experiment is played in small steps that know nothing of each other, each with random numbers of
its own. So the same experiment gives the same result in one go, in pieces, in any order or on
several machines.
"""

import math
import random
from dataclasses import dataclass
from typing import Final

from cardgames.cards import CardGameError, Rank, Suit, check_range
from cardgames.games.bingo.rules import Mode
from cardgames.games.twentyone.rules import TABLES, Rules
from cardgames.odds.card_sets import VALUES
from cardgames.strategies.strategy import decision
from cardgames.text import Text

MAX_GAMES: Final = 1_000_000
"""Maximum number of games in one experiment."""

MAX_SEED: Final = 2**53 - 1
"""Largest seed: every program that reads JSON can hold it."""

STEP_GAMES: Final = 1_000
"""How many games a step plays at most: a fraction of a second, so that cancelling is quick."""


@dataclass(frozen=True, slots=True)
class WarGames:
    """Games of War: with how many players, and a deck of how many ranks and suits."""

    games: int
    seed: int
    players: int
    ranks: int = len(Rank)
    suits: int = len(Suit)

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        _check_size(self.games, self.seed)
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
        _check_size(self.games, self.seed)


@dataclass(frozen=True, slots=True)
class TwentyOneRounds:
    """Rounds at a twenty-one table, each from a fresh deck, by a strategy.

    :mod:`cardgames.strategies.strategy` says how a strategy is written.
    """

    games: int
    seed: int
    table: str
    strategy: str

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        _check_size(self.games, self.seed)
        if self.table not in TABLES:
            no_such = Text("There is no such table: it is one of {tables}.")
            raise CardGameError(no_such.fill(tables=", ".join(TABLES)), "table")
        decision(self.strategy, self.rules)

    @property
    def rules(self) -> Rules:
        """The rules of the table."""
        return TABLES[self.table]


def _check_size(games: int, seed: int) -> None:
    check_range("games", Text("The number of games"), games, 1, MAX_GAMES)
    check_range("seed", Text("The seed"), seed, 0, MAX_SEED)


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
    # Python hashes a text for the seed: chunks 1 and 2 have nothing in common.
    return random.Random(f"{experiment.seed}/{chunk}")


def work(experiment: Experiment) -> int:
    """Return about how long an experiment takes: milliseconds of one core, in plain Python.

    Measured on a machine of 2026; it compares experiments and promises nothing.
    """
    match experiment:
        case WarGames(games=games, players=players):
            return 1 + games * players // 12
        case BingoRounds(games=games):
            return 1 + games // 20
        case TwentyOneRounds(games=games, strategy=strategy):
            exact = 2_000 if strategy.split() == ["best"] else 3_000
            return exact + games // 200
