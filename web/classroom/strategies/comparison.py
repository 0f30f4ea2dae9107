"""One chart beside another: where they part, and what that costs."""

from collections.abc import Iterable, Mapping
from typing import Final

from cardgames.strategies.best import BEST_EXPECTED, DEALER_EXPECTED, best_chart
from cardgames.strategies.chart import Cell, StrategyChart
from web.classroom.strategies.model import HandedIn

BEST: Final = "best"
DEALER: Final = "dealer"
"""What a chart can be compared with besides the other ones."""

POINTS: Final = 100
"""Of a round."""


def others_at_table(one: HandedIn, charts: Iterable[HandedIn]) -> dict[str, HandedIn]:
    """Return the other charts of the same table, by what they are called in addresses."""
    return {
        str(other.number): other
        for other in charts
        if other.table == one.table and other.number != one.number
    }


def other_chart(
    one: HandedIn, others: Mapping[str, HandedIn], compared: str
) -> StrategyChart | None:
    """Return the chart with which one is compared; ``None`` where there is none of that name."""
    if compared == BEST:
        return best_chart(one.table)
    if compared == DEALER:
        return StrategyChart.read(one.rules, DEALER)
    found = others.get(compared)
    return found.chart if found else None


def differences(
    one: HandedIn, other: StrategyChart, costs: Mapping[Cell, float]
) -> list[tuple[Cell, float]]:
    """Return the places in which a chart parts from another, the dearest first.

    With what its own decision there costs by itself, in points a round: below 0 if it saves that.
    """
    places = one.chart.differences(other)
    return sorted(((cell, costs.get(cell, 0.0)) for cell in places), key=lambda row: -row[1])


def gap(one: HandedIn, others: Mapping[str, HandedIn], compared: str) -> float | None:
    """Return by how many points a first round is worth more with a chart than with another.

    ``None`` until the worth of both is known.
    """
    if one.rating is None:
        return None
    if compared in (BEST, DEALER):
        return (
            one.rating.points
            - POINTS * (BEST_EXPECTED if compared == BEST else DEALER_EXPECTED)[one.table]
        )
    rating = others[compared].rating
    return one.rating.points - rating.points if rating else None
