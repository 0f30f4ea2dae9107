"""The ranks of students in homework, as pure functions."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from cardgames.advice import POINTS
from web.classroom.homework.models import TournamentPlay

TIE_TOLERANCE: Final = 1e-9
"""Maximum difference, in rounds, between scores that are considered equal. The result of a sum
depends slightly on the order of the addition.
"""

MAX_BEST: Final = 5
"""Maximum number of students whose nicknames others can see."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A student's rank in a tournament."""

    student: int
    name: str
    played: int
    """Number of finished deals."""

    total: float
    """Points given away at the finished deals."""

    rank: int = 0
    """The rank, counted from 1, or 0 if the student has no rank."""

    scores: tuple[float | None, ...] = ()
    """The score at each deal, or None for a deal that was not played. The tuple is empty if the
    scores were not loaded.
    """

    def document(self, *, deals: bool = True) -> dict[str, Any]:
        """Return the rank as JSON.

        If requested, the JSON contains the score at each deal.
        """
        document = {"place": self.rank or None, "name": self.name, "played": self.played}
        points = {"points": self.total, "deals": self.scores} if deals else {"points": self.total}
        return document | points


def ranked(deals: int, students: Iterable[Standing]) -> tuple[Standing, ...]:
    """Return the standings with ranks. Students with a rank come first.

    A student is ranked after finishing all deals; a missing deal does not count as a loss. Students
    with equal scores share the best of their ranks. Students without a rank follow in descending
    order of played deals.

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
    """Return a student's score at each deal, or None for an unfinished deal."""
    scores = {play.deal: play.score for play in plays}
    return tuple(scores.get(number) for number in range(1, deals + 1))
