"""Rates a chart in short steps, for a class's background process: all of them take some seconds.

A step rates the first round of a fresh deck exactly, with one upcard. At Blackjack every round is a
first one. At the other tables the last step plays the common decks too, and compares the results
with those of the best chart.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from cardgames.games.twentyone.rules import Rules, Shoe
from cardgames.odds.card_sets import VALUES
from cardgames.strategies.chart import Cell, StrategyChart, lines
from cardgames.strategies.common_decks import ROUNDS, deck_results
from cardgames.strategies.rating import POINTS, rate
from cardgames.strategies.tournament import Interval

_ROUNDING: Final = 5e-8
"""Exact results that are closer than twice this, in points, are equal: 1e-9 a round."""


@dataclass(frozen=True, slots=True)
class PartialRating:
    """The rating of a chart so far."""

    expected_values: tuple[float, ...] = ()
    """Of a first round by upcard, each times the chance of the upcard."""

    costs: tuple[tuple[float, ...], ...] = ()
    """By upcard, for each line of the chart: what its decision costs against the other one, in
    points a round. Below 0 the decision is the better one; 0 where the chart never comes."""

    decks: tuple[float, float] | None = None
    """By how many points a round the chart is better than the best one over the common decks, and
    the half-width of the 95 % interval of that."""

    @property
    def expected_value(self) -> float:
        """Rounds won less rounds lost, in a first round."""
        return math.fsum(self.expected_values)

    @property
    def points(self) -> float:
        """The same in a hundred rounds."""
        return POINTS * self.expected_value

    @property
    def interval(self) -> Interval:
        """What charts of a table are ordered by, in points a round."""
        return Interval(*self.decks) if self.decks else Interval(self.points, _ROUNDING)

    def cost_of(self, rules: Rules) -> Mapping[Cell, float]:
        """Return what each decision costs, by its place in the chart."""
        return {
            cell: self.costs[cell.upcard - 1][line]
            for line, row in enumerate(lines(rules))
            for cell in row
        }


def is_exact(rules: Rules) -> bool:
    """Say whether every round is a first one, so that nothing needs to be played."""
    return rules.shoe is Shoe.FRESH


def steps(rules: Rules) -> int:
    """Return how many steps a rating takes."""
    return len(VALUES) + (not is_exact(rules))


def steps_done(so_far: PartialRating) -> int:
    """Return how many of them are done."""
    return len(so_far.expected_values) + (so_far.decks is not None)


def next_step(chart: StrategyChart, best: StrategyChart, so_far: PartialRating) -> PartialRating:
    """Return the rating after one more step.

    Args:
        chart: the chart.
        best: the best one of its table, for the comparison over the common decks.
        so_far: the rating before the step.
    """
    done = len(so_far.expected_values)
    if done < len(VALUES):
        found = rate(chart, [VALUES[done]])
        costs = tuple(found.cost(row[done]) for row in lines(chart.rules))
        return PartialRating(
            (*so_far.expected_values, found.expected_value), (*so_far.costs, costs)
        )
    pairs = zip(deck_results(chart), deck_results(best), strict=True)
    gap = Interval.of([mine - theirs for mine, theirs in pairs])
    share = POINTS / ROUNDS
    return replace(so_far, decks=(share * gap.mean, share * gap.reach))
