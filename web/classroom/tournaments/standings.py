"""Who stands where in a tournament: a function of what was played and of what decisions cost."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

from cardgames import GAMES
from cardgames.shared_deal import PlayedLine
from web.classroom.tournaments.costs import Costs, line_cost
from web.classroom.tournaments.model import Entry, Play, Tournament
from web.deals.deal import PlayerResult

SAME: Final = 1e-9
"""Who differs by no more than this has the same place: the order of a sum is no merit."""

MAX_BEST: Final = 5
"""So many students are named to others."""

POINTS: Final = 100
"""A round has so many points: what is given away is told in them."""


@dataclass(frozen=True, slots=True)
class Row:
    """One student of a tournament."""

    student: int
    name: str
    """The nickname."""

    scores: tuple[float | None, ...]
    """Of each deal the points given away, or the rounds won; None where it is not played, or not
    worked out yet."""

    played: int
    """How many deals the student has played to their end."""

    known: int
    """Of how many of them the score is known."""

    finished: float
    """When the last deal was over; 0 before."""

    place: int = 0
    """From 1; 0 for nobody's."""

    first: int = 1
    """The first deal that is this student's."""

    @property
    def total(self) -> float:
        """The sum of what is known."""
        return sum(score for score in self.scores if score is not None)

    @property
    def is_ranked(self) -> bool:
        """Whether all deals are played and their scores known."""
        return self.known == len(self.scores)


@dataclass(frozen=True)
class Standings:
    """All students of a tournament, in their order."""

    rows: tuple[Row, ...]
    """First those with a place, then those who have played most."""

    by_play: bool

    @cached_property
    def ranked(self) -> tuple[Row, ...]:
        """Those who have a place."""
        return tuple(row for row in self.rows if row.place)

    @cached_property
    def unranked(self) -> tuple[Row, ...]:
        """Those who have not, though they have begun."""
        return tuple(row for row in self.rows if not row.place)

    @property
    def best(self) -> tuple[Row, ...]:
        """Those who are named to everybody."""
        return self.ranked[:MAX_BEST]

    @property
    def finished(self) -> int:
        """How many have played all deals."""
        return sum(row.played == len(row.scores) for row in self.rows)

    @property
    def to_come(self) -> int:
        """How many rounds that are played are still to be worked out."""
        return sum(row.played - row.known for row in self.rows)

    def row_of(self, student: int) -> Row | None:
        """Return a student's row."""
        return next((row for row in self.rows if row.student == student), None)


def standings(
    tournament: Tournament,
    names: Mapping[int, str],
    entries: Mapping[int, Entry],
    costs: Costs,
) -> Standings:
    """Return who stands where.

    A place needs all deals played: one that is missing is missing, and not lost.

    Args:
        tournament: the tournament.
        names: the nicknames of the students who are counted, by their numbers.
        entries: what students have played.
        costs: what decisions cost, as far as that is known.
    """
    rows = [
        _row(tournament, number, name, entries[number], costs)
        for number, name in names.items()
        if number in entries and entries[number].plays
    ]
    by_play = tournament.ranking == "play"
    ranked = sorted(
        (row for row in rows if row.is_ranked),
        key=lambda row: row.total if by_play else -row.total,
    )
    placed = sorted(_placed(ranked), key=lambda row: (row.place, row.student))
    others = sorted(
        (row for row in rows if not row.is_ranked), key=lambda row: (-row.played, row.student)
    )
    return Standings((*placed, *others), by_play)


def _row(tournament: Tournament, number: int, name: str, entry: Entry, costs: Costs) -> Row:
    scores = tuple(
        _score(tournament, deal, entry.play(deal), costs) for deal in range(1, tournament.deals + 1)
    )
    known = sum(score is not None for score in scores)
    finished = entry.finished if entry.played == tournament.deals else 0.0
    return Row(number, name, scores, entry.played, known, finished, first=entry.first)


def _score(tournament: Tournament, deal: int, play: Play | None, costs: Costs) -> float | None:
    """Return what a student has made of a deal; None where that is not known."""
    if play is None or not play.winner:
        return None
    if tournament.ranking == "result":
        return won(tournament, play.winner)
    if deal > len(costs):
        return None
    return POINTS * line_cost(costs[deal - 1], _line(tournament.table, play))


@lru_cache(maxsize=2048)
def _line(table: str, play: Play) -> PlayedLine:
    """Return what was done at a deal: there is little that can be, so many have done the same."""
    return PlayerResult(play.winner, play.moves, 0).line(GAMES[table])


def won(tournament: Tournament, winner: str) -> float:
    """Return what a round counts: 1 won, ½ tied, 0 lost."""
    advisor = tournament.game.advisor
    return (1 + advisor.points[winner]) / 2 if advisor else 0.0


def _placed(rows: Iterable[Row]) -> Iterable[Row]:
    """Yield rows in their order with their places: equal ones have that of the first of them."""
    first: Row | None = None
    for number, row in enumerate(rows, 1):
        if first is None or abs(row.total - first.total) > SAME * POINTS:
            first = replace(row, place=number)
        yield replace(row, place=first.place)
