"""What comes out of simulations: whole counts, so adding up the pieces is exact."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from cardgames.advice import Chances
from cardgames.odds.card_sets import VALUES
from cardgames.simulation.distribution import Distribution
from cardgames.strategies.rating import Mistake


@dataclass(frozen=True, slots=True)
class WarResult:
    """What happened in games of War."""

    games: int
    wins: tuple[int, ...]
    """Games won, in players' order."""

    turns: Distribution
    """Turns a game."""

    ties: Distribution
    """Ties for the highest card a game, each further one of the same war counted too."""

    ran_out: int
    """Games whose last pile was taken because somebody had no card left for a tie."""

    def __add__(self, other: "WarResult") -> "WarResult":
        wins = tuple(map(sum, zip(self.wins, other.wins, strict=True)))
        return replace(WarResult(*_sums(self, other)), wins=wins)


@dataclass(frozen=True, slots=True)
class BingoResult:
    """What happened in rounds of Bingo."""

    games: int
    a: int
    b: int
    tie: int
    calls: Distribution
    """Calls until somebody had BINGO!, that call included."""

    def __add__(self, other: "BingoResult") -> "BingoResult":
        return BingoResult(*_sums(self, other))


class UpcardChances(NamedTuple):
    """The exact chances that the upcard has a value and that the round then ends so."""

    upcard: int
    win: float
    tie: float
    lose: float


@dataclass(frozen=True, slots=True)
class TwentyOneResult:
    """What happened in rounds of twenty-one, and what was to be expected."""

    games: int
    win: int
    tie: int
    lose: int
    exact: tuple[UpcardChances, ...]
    """The exact chances as far as they are worked out, by upcard."""

    mistakes: tuple[Mistake, ...] = ()
    """The decisions that cost something, with the same upcards, the most costly first."""

    def __add__(self, other: "TwentyOneResult") -> "TwentyOneResult":
        both = TwentyOneResult(*_sums(self, other))
        mistakes = tuple(sorted(both.mistakes, reverse=True))
        return replace(both, exact=tuple(sorted(both.exact)), mistakes=mistakes)

    @property
    def mean(self) -> float:
        """Rounds won less rounds lost, a round."""
        return (self.win - self.lose) / max(1, self.games)

    @property
    def standard_error(self) -> float:
        """How far the mean is likely to be from the exact value."""
        decided = (self.win + self.lose) / max(1, self.games)
        return math.sqrt((decided - self.mean**2) / max(1, self.games))

    @property
    def expected(self) -> Chances | None:
        """The exact chances of a round, once those of every upcard are there."""
        if len(self.exact) < len(VALUES):
            return None
        _, *ends = zip(*self.exact, strict=True)
        win, tie, lose = map(math.fsum, ends)
        return Chances(win, tie, lose, win - lose)


def _sums(one: Any, other: Any) -> Iterator[Any]:
    """Yield the sum of each field of two results; rows of values stand one behind the other."""
    for field in fields(one):
        yield getattr(one, field.name) + getattr(other, field.name)


Result = WarResult | BingoResult | TwentyOneResult
