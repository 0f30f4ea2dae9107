"""The places of students in homework, as pure functions."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from cardgames.advice import POINTS
from web.classroom.homework.models import TournamentPlay

TIE_TOLERANCE: Final = 1e-9
"""Maximum difference of equal places, in rounds, because sums in another order differ slightly."""

MAX_BEST: Final = 5
"""Maximum number of students whose nicknames others see."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The place of one student in a tournament."""

    student: int
    name: str
    played: int
    """Number of finished deals."""

    total: float
    """Points given away at these deals."""

    rank: int = 0
    """The place, counted from 1; 0 if the student has none."""

    scores: tuple[float | None, ...] = ()
    """The score at each deal, if loaded; None for a deal that was not played."""

    def document(self, *, deals: bool = True) -> dict[str, Any]:
        """Return the place as JSON, with the score at each deal if requested."""
        document = {"place": self.rank or None, "name": self.name, "played": self.played}
        points = {"points": self.total, "deals": self.scores} if deals else {"points": self.total}
        return document | points


def ranked(deals: int, students: Iterable[Standing]) -> tuple[Standing, ...]:
    """Return the students who have begun with their places, those with a place first.

    A place requires all deals. A missing deal does not count as lost. Equal students share the
    place of the first of them. The others follow, in descending order of played deals.

    Args:
        deals: Number of deals.
        students: The students in the order of their numbers.
    """
    begun = [*students]
    complete = (row for row in begun if row.played == deals)
    places, rank, first = [], 0, float("nan")
    for number, row in enumerate(sorted(complete, key=lambda row: row.total), 1):
        if not abs(row.total - first) <= TIE_TOLERANCE * POINTS:
            rank, first = number, row.total
        places.append(replace(row, rank=rank))
    places.sort(key=lambda row: (row.rank, row.student))
    others = [row for row in begun if row.played < deals]
    others.sort(key=lambda row: (-row.played, row.student))
    return (*places, *others)


def deal_scores(plays: Iterable[TournamentPlay], deals: int) -> tuple[float | None, ...]:
    """Return a student's score at each deal, or None for each that is not finished."""
    scores = {play.deal: play.score for play in plays}
    return tuple(scores.get(number) for number in range(1, deals + 1))
