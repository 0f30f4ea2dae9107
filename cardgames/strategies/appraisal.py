"""The appraisal of a chart for others to see: what it is worth, and what each decision costs.

It is exact for the first round of a fresh deck, an upcard after the other. At Blackjack every round
is one. At the other tables the common decks are played besides, and held against the best chart's.
All of it takes some seconds, so it is done in steps, and can be put aside between two of them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from cardgames.games.twentyone.rules import Rules, Shoe
from cardgames.simulation.chart import Cell, StrategyChart, cells
from cardgames.simulation.rating import POINTS, rate
from cardgames.simulation.strategy import VALUES
from cardgames.strategies.common_decks import ROUNDS, deck_results
from cardgames.strategies.tournament import Interval


@dataclass(frozen=True, slots=True)
class Appraisal:
    """What was found of a chart so far."""

    evs: tuple[float, ...] = ()
    """With each upcard that is done what a first round is worth, times the upcard's chance."""

    costs: tuple[tuple[float, ...], ...] = ()
    """With each of them what the decisions cost against the other ones, in points a round, in the
    order of the chart's lines. Below 0: the decision is the better one. 0: nobody comes there."""

    decks: tuple[float, float] | None = None
    """In points a round by which the chart is better than the best one over the common decks, and
    how far chance reaches to both sides of that."""

    @property
    def ev(self) -> float:
        """Rounds won less rounds lost, in a first round."""
        return math.fsum(self.evs)

    @property
    def points(self) -> float:
        """The same in a hundred rounds."""
        return POINTS * self.ev

    @property
    def interval(self) -> Interval:
        """What charts of a table are ordered by, in points a round."""
        return Interval(*self.decks) if self.decks else Interval(self.points, _ROUNDING)

    def cost_of(self, rules: Rules) -> Mapping[Cell, float]:
        """Return what each decision costs, by its place in the chart."""
        return {
            cell: self.costs[cell.upcard - 1][line]
            for line, row in enumerate(_lines(rules))
            for cell in row
        }


_ROUNDING: Final = 5e-8
"""Exact results that are closer than twice this, in points, are equal: 1e-9 a round."""


def is_exact(rules: Rules) -> bool:
    """Say whether every round is a first one, so that nothing needs to be played."""
    return rules.shoe is Shoe.FRESH


def steps(rules: Rules) -> int:
    """Return how many steps an appraisal takes."""
    return len(VALUES) + (not is_exact(rules))


def steps_done(so_far: Appraisal) -> int:
    """Return how many of them are done."""
    return len(so_far.evs) + (so_far.decks is not None)


def next_step(chart: StrategyChart, best: StrategyChart, so_far: Appraisal) -> Appraisal:
    """Do one step more.

    Args:
        chart: the chart.
        best: the best one of its table, against which the common decks are played.
        so_far: what was found before.
    """
    if len(so_far.evs) < len(VALUES):
        upcard = VALUES[len(so_far.evs)]
        found = rate(chart, [upcard])
        costs = tuple(found.cost(row[upcard - 1]) for row in _lines(chart.rules))
        return replace(so_far, evs=(*so_far.evs, found.ev), costs=(*so_far.costs, costs))
    pairs = zip(deck_results(chart), deck_results(best), strict=True)
    gap = Interval.of([mine - theirs for mine, theirs in pairs])
    share = POINTS / ROUNDS
    return replace(so_far, decks=(share * gap.mean, share * gap.reach))


def _lines(rules: Rules) -> list[tuple[Cell, ...]]:
    """Return the places of a chart, line by line."""
    found = [*cells(rules)]
    width = len(VALUES)
    return [tuple(found[start : start + width]) for start in range(0, len(found), width)]
