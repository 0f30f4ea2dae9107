"""A tournament of strategies: all play the same deals, so luck is out of the comparison.

A deal is one round from a fresh deck that follows from the seed. Who is better is decided by the
differences deal by deal: they vary far less than the results do. A place is a range where these
differences do not settle it: from one more than the number of those who are surely better, to as
far from the end as there are some who are surely worse.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from cardgames import GAMES
from cardgames.cards import CardGameError
from cardgames.moves import Action
from cardgames.shared_deal import SharedDeal
from cardgames.strategies.program import Decider, ProgramEnded, view_of
from cardgames.table import Phase, Table

MIN_DEALS: Final = 100
"""Minimum number of deals of a tournament."""

MAX_DEALS: Final = 1_000_000

POINTS: Final = {"player": 1, "tie": 0, "dealer": -1}
"""What a round is worth, by its winner."""

_SURE: Final = 1.96
"""Standard errors that chance allows in nineteen cases of twenty."""

_SALT_LENGTH: Final = 32


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and how far chance reaches to both sides of it in nineteen cases of twenty."""

    mean: float
    reach: float

    @classmethod
    def of(cls, results: Sequence[int]) -> "Interval":
        """Return the mean of some results, with its 95 % interval."""
        n = len(results)
        if not n:
            return cls(0.0, math.inf)
        mean = sum(results) / n
        squares = sum((result - mean) ** 2 for result in results)
        return cls(mean, _SURE * math.sqrt(squares / n / (n - 1)) if n > 1 else math.inf)

    @property
    def above(self) -> bool:
        """Whether it lies above 0 as a whole."""
        return self.mean > self.reach

    @property
    def lower(self) -> float:
        """Where it begins."""
        return self.mean - self.reach

    @property
    def upper(self) -> float:
        """Where it ends."""
        return self.mean + self.reach


@dataclass(slots=True)
class Entry:
    """Who takes part, and what they have done."""

    decider: Decider
    results: list[int] = field(default_factory=list)
    """1, 0 or -1 for each deal played."""

    ended: str = ""
    """Why they do not play on, if so."""

    @property
    def name(self) -> str:
        """What they are called."""
        return self.decider.name

    def play(self, deal: SharedDeal, dealt: Table) -> None:
        """Play a deal; an error ends their part in the tournament, and nobody else's."""
        if self.ended:
            return
        table = dealt
        try:
            while table.phase is Phase.PLAYING:
                table = deal.play(table, self.decider.decide(view_of(table)))
        except ProgramEnded as error:
            self.ended = f"{error} (deal {len(self.results) + 1})"
        else:
            self.results.append(POINTS[table.result.winner] if table.result else 0)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where somebody stands who has played every deal."""

    name: str
    first: int
    """The best place that is theirs perhaps."""

    last: int
    """The worst one."""

    result: Interval
    """Rounds won less rounds lost, a round."""

    @property
    def place(self) -> str:
        """The place, or the range of places."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


def deal_of(table: str, seed: int, number: int) -> SharedDeal:
    """Return a deal of a tournament.

    Args:
        table: the slug of a twenty-one table.
        seed: the tournament's.
        number: the deal's, from 1.
    """
    salt = sha256(f"tournament {table} {seed} {number}".encode()).hexdigest()[:_SALT_LENGTH]
    return SharedDeal(GAMES[table], Action("deal"), salt)


def play(
    entries: Sequence[Entry],
    table: str,
    deals: int,
    seed: int,
    report: Callable[[int], None] = lambda _done: None,
) -> None:
    """Play a tournament; the entries keep what came out.

    Args:
        entries: who takes part.
        table: the slug of a twenty-one table.
        deals: how many they play.
        seed: what the deals follow from: the same seed gives the same deals.
        report: called after each deal with the number of deals done.

    Raises:
        CardGameError: it cannot be played.
    """
    if not MIN_DEALS <= deals <= MAX_DEALS:
        raise CardGameError(f"A tournament has {MIN_DEALS:,} to {MAX_DEALS:,} deals.")
    for number in range(1, deals + 1):
        deal = deal_of(table, seed, number)
        dealt = deal.dealt()
        for entry in entries:
            entry.play(deal, dealt)
        report(number)


def difference(one: Entry, other: Entry) -> Interval:
    """Return by how much one is better than another, a round, over the deals that both played."""
    pairs = zip(one.results, other.results, strict=False)
    return Interval.of([mine - theirs for mine, theirs in pairs])


def places(intervals: Sequence[Interval]) -> tuple[tuple[int, int], ...]:
    """Return the best and the worst place that each of some results may have.

    It is surely behind those whose intervals lie above its own, and before those below.

    >>> places([Interval(3, 1), Interval(0, 2.5), Interval(-4, 1)])
    ((1, 2), (1, 2), (3, 3))
    """
    count = len(intervals)
    lower = sorted(interval.lower for interval in intervals)
    upper = sorted(interval.upper for interval in intervals)
    return tuple(
        (
            1 + count - bisect_right(lower, interval.upper),
            count - bisect_left(upper, interval.lower),
        )
        for interval in intervals
    )


def standings(entries: Sequence[Entry]) -> tuple[Standing, ...]:
    """Return where those stand who have played every deal, the best first."""
    placed = [entry for entry in entries if not entry.ended]
    found = []
    for entry in placed:
        better = sum(difference(other, entry).above for other in placed if other is not entry)
        worse = sum(difference(entry, other).above for other in placed if other is not entry)
        last = len(placed) - worse
        found.append(Standing(entry.name, 1 + better, last, Interval.of(entry.results)))
    return tuple(sorted(found, key=lambda one: (-one.result.mean, one.name)))
