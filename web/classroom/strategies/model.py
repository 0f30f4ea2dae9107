"""A strategy chart as it is kept, and as it is read again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from cardgames.games.twentyone.rules import TABLES, Rules
from cardgames.strategies.chart import Cell, StrategyChart
from cardgames.strategies.rating_steps import PartialRating
from web.classroom.state import ClassState, class_store
from web.classroom.strategies.store import StoredChart

FAILED: Final = b"failed"
"""What is kept in the place of a rating that failed."""


class ChartData(msgspec.Struct, frozen=True, array_like=True):
    """A chart as it is kept."""

    table: str
    rows: str
    """Its lines, as they are written for the lab."""


class RatingData(msgspec.Struct, frozen=True, array_like=True):
    """The rating of a chart, as it is stored."""

    expected_values: tuple[float, ...]
    decks: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class HandedIn:
    """A chart that a student has handed in."""

    number: int
    student: int
    at: float
    table: str
    rows: str
    """The chart as text: most pages need no more of it."""

    rating: PartialRating | None
    """Its rating, without the costs of its decisions; ``None`` until it is rated."""

    failed: bool = False
    """Whether it could not be worked out."""

    @property
    def rules(self) -> Rules:
        """Those of its table."""
        return TABLES[self.table]

    @property
    def chart(self) -> StrategyChart:
        """The chart, read anew.

        Raises:
            CardGameError: another version of the site has written it.
        """
        return StrategyChart.read(self.rules, self.rows)

    @property
    def phase(self) -> Literal["waiting", "rated", "failed"]:
        """Where it stands."""
        if self.failed:
            return "failed"
        return "rated" if self.rating else "waiting"


def pack_chart(table: str, chart: StrategyChart) -> bytes:
    """Return a chart as it is kept."""
    return msgspec.msgpack.encode(ChartData(table, str(chart)))


def read_chart(stored: StoredChart) -> HandedIn | None:
    """Return a chart that was kept; ``None`` where another version of the site has written it."""
    try:
        data = msgspec.msgpack.decode(stored.data, type=ChartData)
        failed = stored.rating == FAILED
        rating = _read_rating(stored.rating) if stored.rating and not failed else None
    except msgspec.MsgspecError:
        return None
    if data.table not in TABLES:
        return None
    student, number, at = stored.student, stored.number, stored.handed_in
    return HandedIn(number, student, at, data.table, data.rows, rating, failed)


def kept_chart(stored: StoredChart) -> dict[str, Any]:
    """Return all that is kept of a chart, for whoever handed it in."""
    one = read_chart(stored)
    return {
        "number": stored.number,
        "handed_in": stored.handed_in,
        "table": one.table if one else None,
        "rows": one.rows if one else None,
        "points": one.rating.points if one and one.rating else None,
    }


def pack_rating(found: PartialRating) -> bytes:
    """Return the rating of a chart, as it is kept."""
    return msgspec.msgpack.encode(RatingData(found.expected_values, found.decks))


def pack_costs(found: PartialRating) -> bytes:
    """Return what its decisions cost, as it is kept."""
    return msgspec.msgpack.encode(found.costs)


def charts_of(state: ClassState) -> tuple[HandedIn, ...]:
    """Return the charts of a class's students, the oldest first; none of those who are banned."""
    students = {member.number for member in state.students}
    stored = class_store().charts.charts(state.code)
    found = (read_chart(one) for one in stored if one.student in students)
    return tuple(one for one in found if one)


def costs_of(state: ClassState, one: HandedIn) -> Mapping[Cell, float]:
    """Return what the decisions of a chart cost, each by itself, in points a round."""
    kept = class_store().charts.costs(state.code, one.number)
    if not kept:
        return {}
    costs = msgspec.msgpack.decode(kept, type=tuple[tuple[float, ...], ...])
    return PartialRating(costs=costs).cost_of(one.rules)


def _read_rating(kept: bytes) -> PartialRating:
    data = msgspec.msgpack.decode(kept, type=RatingData)
    return PartialRating(data.expected_values, decks=data.decks)
