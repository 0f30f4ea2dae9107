"""Where the charts of a class stand: the best one of each student, table by table."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from cardgames.strategies.rating_steps import is_exact
from cardgames.strategies.tournament import places
from web.classroom.state import ClassState
from web.classroom.strategies.model import HandedIn

BEST_SHOWN: Final = 5
"""Students are shown so many, and themselves."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a chart stands."""

    chart: HandedIn
    first: int
    """The best place that is its own perhaps."""

    last: int
    """The worst one."""

    @property
    def place(self) -> str:
        """The place, or the range of places."""
        return str(self.first) if self.first == self.last else f"{self.first} - {self.last}"


def standings(charts: Iterable[HandedIn], table: str) -> tuple[Standing, ...]:
    """Return where the students' best charts of a table stand, the best first.

    Where the worth of a round is exact, equal charts have the same place. Elsewhere a place is a
    range where intervals overlap.
    """
    best: dict[int, HandedIn] = {}
    for one in charts:
        if one.table == table and one.rating:
            best[one.student] = max(best.get(one.student, one), one, key=_goodness)
    entered = sorted(best.values(), key=lambda one: (-_goodness(one), one.number))
    found = places([one.rating.interval for one in entered if one.rating])
    return tuple(
        Standing(one, first, first if is_exact(one.rules) else last)
        for one, (first, last) in zip(entered, found, strict=True)
    )


def may_see(one: Standing, place: int, me: int, *, leads: bool) -> bool:
    """Say whether a place is shown: to students the best ones and their own.

    Args:
        one: the chart at the place.
        place: which it is, from 0.
        me: the number of the student who asks; 0 for none.
        leads: it is the instructor who asks.
    """
    return leads or place < BEST_SHOWN or one.chart.student == me


def name_of(state: ClassState, one: HandedIn) -> str:
    """Return the nickname of whoever handed a chart in."""
    return state.members[one.student].student.name


def _goodness(one: HandedIn) -> float:
    return one.rating.interval.mean if one.rating else float("-inf")
