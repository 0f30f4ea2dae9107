"""A strategy chart as it is kept, and as it is read again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from cardgames.games.twentyone.rules import Rules
from cardgames.simulation.chart import Cell, StrategyChart
from cardgames.simulation.experiments import TABLES
from cardgames.strategies.appraisal import Appraisal
from web.classroom.state import ClassState, class_store
from web.classroom.strategies.store import StoredChart

FAILED: Final = b"failed"
"""What is kept in the place of a worth that could not be worked out."""


class ChartData(msgspec.Struct, frozen=True, array_like=True):
    """A chart as it is kept."""

    table: str
    rows: str
    """Its lines, as they are written for the lab."""


class WorthData(msgspec.Struct, frozen=True, array_like=True):
    """What a chart is worth, as it is kept."""

    evs: tuple[float, ...]
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

    worth: Appraisal | None
    """What it is worth, without what its decisions cost; ``None`` until that is worked out."""

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
        return "rated" if self.worth else "waiting"


def pack_chart(table: str, chart: StrategyChart) -> bytes:
    """Return a chart as it is kept."""
    return msgspec.msgpack.encode(ChartData(table, str(chart)))


def read_chart(stored: StoredChart) -> HandedIn | None:
    """Return a chart that was kept; ``None`` where another version of the site has written it."""
    try:
        data = msgspec.msgpack.decode(stored.data, type=ChartData)
        failed = stored.worth == FAILED
        worth = _read_worth(stored.worth) if stored.worth and not failed else None
    except msgspec.MsgspecError:
        return None
    if data.table not in TABLES:
        return None
    student, number, at = stored.student, stored.number, stored.handed_in
    return HandedIn(number, student, at, data.table, data.rows, worth, failed)


def kept_chart(stored: StoredChart) -> dict[str, Any]:
    """Return all that is kept of a chart, for whoever handed it in."""
    one = read_chart(stored)
    return {
        "number": stored.number,
        "handed_in": stored.handed_in,
        "table": one.table if one else None,
        "rows": one.rows if one else None,
        "points": one.worth.points if one and one.worth else None,
    }


def pack_worth(found: Appraisal) -> bytes:
    """Return what a chart is worth, as it is kept."""
    return msgspec.msgpack.encode(WorthData(found.evs, found.decks))


def pack_costs(found: Appraisal) -> bytes:
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
    return Appraisal(costs=costs).cost_of(one.rules)


def _read_worth(kept: bytes) -> Appraisal:
    data = msgspec.msgpack.decode(kept, type=WorthData)
    return Appraisal(data.evs, decks=data.decks)
