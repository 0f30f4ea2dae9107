"""What comes out of simulations: whole counts, so adding up the pieces is exact."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from cardgames.advice import Chances
from cardgames.simulation.distribution import Distribution
from cardgames.strategies.rating import Mistake
from cardgames.strategies.strategy import VALUES


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
        return WarResult(
            self.games + other.games,
            tuple(map(sum, zip(self.wins, other.wins, strict=True))),
            self.turns + other.turns,
            self.ties + other.ties,
            self.ran_out + other.ran_out,
        )


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
        return BingoResult(
            self.games + other.games,
            self.a + other.a,
            self.b + other.b,
            self.tie + other.tie,
            self.calls + other.calls,
        )


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
    """The decisions that cost something, with the same upcards, the dearest first."""

    def __add__(self, other: "TwentyOneResult") -> "TwentyOneResult":
        return TwentyOneResult(
            self.games + other.games,
            self.win + other.win,
            self.tie + other.tie,
            self.lose + other.lose,
            tuple(sorted((*self.exact, *other.exact))),
            tuple(sorted((*self.mistakes, *other.mistakes), reverse=True)),
        )

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


Result = WarResult | BingoResult | TwentyOneResult
