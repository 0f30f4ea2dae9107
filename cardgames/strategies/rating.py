"""The exact rating of a strategy chart, and what each of its decisions is worth.

A round is followed card by card from a fresh deck: the hands that the chart comes to, how likely
each is, and what staying and hitting are worth there. Nothing is played. At Simple 21 and One-deck
it is the first round of the deck.

A hand's raw total grows with each card, so no place of a chart is met twice in a round. What
another decision in one place would change is therefore exact too: the chance of coming there, times
the difference of the two decisions.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from cardgames.advice import Chances
from cardgames.games.twentyone.rules import TARGET
from cardgames.odds.card_sets import VALUES
from cardgames.strategies.chart import Cell, StrategyChart
from cardgames.strategies.hands import Values, dealt, followed, larger, next_cards, total_of
from cardgames.strategies.strategy import stay_chances

POINTS: Final = 100
"""A point is a hundredth of a round."""

_BUST: Final = Chances(win=0.0, tie=0.0, lose=1.0, ev=-1.0)

_ROUNDING: Final = 1e-10
"""Two decisions whose worth is closer than this, in points a round, differ by rounding alone."""


class Mistake(NamedTuple):
    """A decision of a strategy that costs something, if only this one were changed."""

    cost: float
    """Points a round; a point is a hundredth of a round."""

    soft: bool
    total: int
    upcard: int
    hit: bool
    """Whether the strategy hits there."""


class DecisionRating(NamedTuple):
    """What the two decisions in one place of a chart are worth, with the chart played after it."""

    chance: float
    """The chance that a round comes there."""

    hit: float
    stay: float

    def gain(self, *, to_hit: bool) -> float:
        """Return what hitting instead of staying is worth a round, or the other way round."""
        return self.chance * (self.hit - self.stay if to_hit else self.stay - self.hit)


@dataclass(frozen=True, slots=True)
class Rating:
    """What a chart is worth."""

    chart: StrategyChart
    expected_value: float
    """Rounds won less rounds lost, a round."""

    by_upcard: Mapping[int, float]
    """The same with each upcard, times the chance of the upcard: they add up to it."""

    cells: Mapping[Cell, DecisionRating]
    """The places to which the chart comes; to the others it never does."""

    @property
    def points(self) -> float:
        """The same in points a round: rounds won less rounds lost, in a hundred rounds."""
        return self.expected_value * POINTS

    def cost(self, cell: Cell) -> float:
        """Return what the decision in a place costs against the other one, in points a round.

        It is below 0 where the decision is the better one, and 0 where the chart never comes.
        """
        found = self.cells.get(cell)
        return POINTS * found.gain(to_hit=not self.chart.hits(cell)) if found else 0.0

    def mistakes(self) -> tuple[Cell, ...]:
        """Return the places where the other decision would be better, the most costly first."""
        costly = (cell for cell in self.cells if self.cost(cell) > _ROUNDING)
        return tuple(sorted(costly, key=self.cost, reverse=True))


def rate(chart: StrategyChart, upcards: Iterable[int] = VALUES) -> Rating:
    """Rate a chart exactly: what a round from a fresh deck is worth with it.

    Args:
        chart: the chart.
        upcards: those that are looked at, all by default. The ratings with single upcards add up
            to that with all of them.
    """
    rounds = [_Followed(chart, upcard) for upcard in upcards]
    by_upcard = {followed.upcard: followed.expected_value() for followed in rounds}
    return Rating(
        chart,
        math.fsum(by_upcard.values()),
        by_upcard,
        dict(chain.from_iterable(followed.cells().items() for followed in rounds)),
    )


def mistakes(chart: StrategyChart, upcard: int) -> tuple[Mistake, ...]:
    """Return the places with this upcard where a chart would do better with another decision."""
    found = Rating(chart, 0.0, {}, _Followed(chart, upcard).cells())
    return tuple(
        Mistake(found.cost(cell), cell.soft, cell.total, upcard, chart.hits(cell))
        for cell in found.mistakes()
    )


def ends(chart: StrategyChart, upcard: int) -> Iterator[tuple[float, Chances]]:
    """Yield how rounds with an upcard end, by a chart.

    Args:
        chart: the chart.
        upcard: the value of the dealer's card that lies face up.

    Yields:
        For each hand that a round ends with its chance, that of the upcard with it, and what the
        hand is worth.
    """
    followed = _Followed(chart, upcard)
    for hand, chance in followed.met():
        if sum(hand) > TARGET:
            yield chance, _BUST
        elif not chart.hits(followed.cell(hand)):
            yield chance, stay_chances(chart.rules, hand, upcard)


class _Followed:
    """The rounds with one upcard, by a chart."""

    def __init__(self, chart: StrategyChart, upcard: int) -> None:
        self.chart = chart
        self.upcard = upcard
        self.stays: dict[Values, float] = {}
        self.follows: dict[Values, float] = {}

    def expected_value(self) -> float:
        """Return what a round is worth, times the chance of the upcard."""
        return math.fsum(chance * self.follow(hand) for hand, chance in dealt(self.upcard).items())

    def cells(self) -> dict[Cell, DecisionRating]:
        """Return what the decisions are worth in the places where rounds come."""
        met: defaultdict[Cell, list[tuple[float, float, float]]] = defaultdict(list)
        for hand, chance in self.met():
            if sum(hand) <= TARGET:
                weighed = chance * self.hit(hand), chance * self.stay(hand)
                met[self.cell(hand)].append((chance, *weighed))
        # As exact sums they do not depend on the order in which the hands were met.
        sums = {
            cell: tuple(map(math.fsum, zip(*hands, strict=True))) for cell, hands in met.items()
        }
        return {
            cell: DecisionRating(chance, hit / chance, stay / chance)
            for cell, (chance, hit, stay) in sums.items()
        }

    def met(self) -> Iterator[tuple[Values, float]]:
        """Yield the hands to which the chart comes, those over 21 too, and their chances."""
        return followed(self.upcard, lambda hand: self.chart.hits(self.cell(hand)))

    def cell(self, hand: Values) -> Cell:
        """Return the place of the chart to which a hand belongs."""
        total, soft = total_of(hand, self.chart.rules)
        return Cell(soft, total, self.upcard)

    def follow(self, hand: Values) -> float:
        """Return what a hand is worth when the chart is played from here on."""
        if sum(hand) > TARGET:
            return _BUST.ev
        if hand not in self.follows:
            hits = self.chart.hits(self.cell(hand))
            self.follows[hand] = self.hit(hand) if hits else self.stay(hand)
        return self.follows[hand]

    def hit(self, hand: Values) -> float:
        """Return what a hit is worth, and the chart after it."""
        return math.fsum(
            share * self.follow(larger(hand, value))
            for value, share in next_cards(hand, self.upcard)
        )

    def stay(self, hand: Values) -> float:
        """Return what staying is worth."""
        if hand not in self.stays:
            self.stays[hand] = stay_chances(self.chart.rules, hand, self.upcard).ev
        return self.stays[hand]
