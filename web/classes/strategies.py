"""Strategy charts that students hand in: what is kept of them, and where they stand.

A chart goes with its student. It is written once, and its rating once more. A hint that its class
has charts to be rated is written before the chart (:mod:`web.storage.hints`).
"""

from collections.abc import Collection, Iterable, Mapping
from enum import Enum
from typing import Final, Literal, NamedTuple

import msgspec

from cardgames.games.twentyone.rules import TABLES, Rules
from cardgames.strategies.chart import Cell, StrategyChart
from cardgames.strategies.rating_steps import PartialRating, is_exact
from cardgames.strategies.tournament import places
from cardgames.text import Text
from web.classes import words
from web.classes.rows import HEAD, ClassCounters, ClassRows, number_in_key, student_key
from web.storage.store import DAY, Put, Read, pack, unpack

MAX_A_DAY: Final = 5
"""Maximum number of charts that a student hands in within a day."""

MAX_KEPT: Final = 60
"""Maximum number of charts that are kept of a student."""

MAX_SHOWN: Final = 5
"""Maximum number of places that students are shown, besides their own."""

RATED: Final = "rated"
"""The key of a row whose revision changes with each rating that is kept."""


class StoredChart(msgspec.Struct, frozen=True, array_like=True):
    """A chart as it is kept."""

    handed_in: float
    """When, by the store's time."""

    table: str
    rows: str
    """Its lines, as they are written for the lab."""

    phase: Literal["waiting", "rated", "failed"] = "waiting"
    expected_values: tuple[float, ...] = ()
    """With each upcard what a first round is worth, times the upcard's chance."""

    decks: tuple[float, float] | None = None
    """Against the best chart over the common decks, and how far chance reaches."""


class Chart(NamedTuple):
    """A chart that a student has handed in."""

    number: int
    """Counts up in its class; none is used again."""

    student: int
    kept: StoredChart

    @property
    def table(self) -> str:
        """The slug of its table."""
        return self.kept.table

    @property
    def rules(self) -> Rules:
        """Those of its table."""
        return TABLES[self.kept.table]

    @property
    def chart(self) -> StrategyChart:
        """The chart itself, read anew; CardGameError if another version has written it."""
        return StrategyChart.read(self.rules, self.kept.rows)

    @property
    def rating(self) -> PartialRating | None:
        """Its rating, without what its decisions cost; None until it is rated."""
        values, decks = self.kept.expected_values, self.kept.decks
        return PartialRating(values, decks=decks) if self.kept.phase == "rated" else None


class Standing(NamedTuple):
    """Where the best chart of a student stands."""

    chart: Chart
    rating: PartialRating
    first: int
    """The best place that it may have."""

    last: int
    """The worst place."""


class NotTaken(Enum):
    """Why a chart is not kept, as its student reads it."""

    GONE = words.JOIN_FIRST
    TODAY = Text("You have handed in {most} charts within a day: that is the most.", most=MAX_A_DAY)
    FULL = Text("You have handed in {most} charts: that is the most.", most=MAX_KEPT)


class ChartStore(ClassRows):
    """Strategy charts, as rows of their class."""

    hints_at = "hints/charts"

    def add(self, code: str, student: int, table: str, rows: str) -> int | NotTaken:
        """Keep a chart that a student hands in; return its number, or why it is not taken.

        One that they have handed in before keeps its number.
        """
        owner = student_key(student)

        def decision(head: ClassCounters | None, read: Read) -> tuple[int | NotTaken, Put]:
            if head is None or not read[owner].revision:
                return NotTaken.GONE, {}
            own = self.charts(code, student)
            for chart in own:
                if (chart.kept.table, chart.kept.rows) == (table, rows):
                    return chart.number, {}
            if sum(chart.kept.handed_in > read.now - DAY for chart in own) >= MAX_A_DAY:
                return NotTaken.TODAY, {}
            if len(own) >= MAX_KEPT:
                return NotTaken.FULL, {}
            number = head.charts + 1
            handed_in = pack(StoredChart(read.now, table, rows))
            return number, {HEAD: head.packed(charts=number), _key(student, number): handed_in}

        return self._decide(code, (owner,), decision, before=self.hints.note(code))

    def charts(self, code: str, student: int = 0) -> tuple[Chart, ...]:
        """Return the charts of a student, by default of a whole class; the oldest first."""
        prefix = f"chart/{student:04}/" if student else "chart/"
        found = (_unpacked(key, data) for key, data in self._scan(code, prefix).items())
        return tuple(sorted(filter(None, found), key=lambda chart: chart.number))

    def version(self, code: str) -> tuple[int, int]:
        """Return what changes with every chart that is handed in or rated."""
        head, read = self._read(code, RATED)
        return head.charts if head else 0, read[RATED].revision

    def waiting(self) -> tuple[str, Chart] | None:
        """Return a chart that is not rated yet, and the code of its class; None for none.

        The class that has waited longest comes first, and of each class the oldest chart.
        """
        for hint in self.hints.all():
            for chart in self.charts(hint.key):
                if chart.kept.phase == "waiting":
                    return hint.key, chart
            if hint.is_over:
                self.hints.replace(hint, None)
        return None

    def settle(self, code: str, chart: Chart, rating: PartialRating | None) -> None:
        """Keep the rating of a chart, and what its decisions cost, unless the chart is gone."""
        key, kept = _key(chart.student, chart.number), chart.kept
        after = msgspec.structs.replace(
            kept,
            phase="rated" if rating else "failed",
            expected_values=rating.expected_values if rating else (),
            decks=rating.decks if rating else None,
        )
        put = {
            key: pack(after),
            _cost_key(chart.number): pack(rating.costs if rating else ()),
            RATED: b"",
        }

        def rows(_: ClassCounters, read: Read) -> Put | None:
            return put if read[key].revision else None

        self._update(code, (key,), rows)

    def costs(self, code: str, chart: Chart) -> Mapping[Cell, float]:
        """Return what each decision of a chart costs by itself, in points a round."""
        costs = self._value(code, _cost_key(chart.number), tuple[tuple[float, ...], ...])
        return PartialRating(costs=costs).cost_of(chart.rules) if costs else {}

    def keys_of(self, code: str, students: Collection[int]) -> list[str]:
        """Return the rows that go with some students."""
        theirs = [key for key in self._scan(code, "chart/") if _student_in(key) in students]
        return [*theirs, *(_cost_key(number_in_key(key)) for key in theirs)]


def standings(charts: Iterable[Chart], table: str) -> tuple[Standing, ...]:
    """Return where the students' best charts of a table stand, the best first.

    Where the rating is exact, equal charts have the same place. Elsewhere a place is a range where
    intervals overlap.
    """
    best: dict[int, tuple[Chart, PartialRating]] = {}
    for chart in charts:
        if chart.table == table and (rating := chart.rating):
            known = best.get(chart.student)
            if known is None or rating.interval.mean > known[1].interval.mean:
                best[chart.student] = chart, rating
    entered = sorted(best.values(), key=lambda entry: (-entry[1].interval.mean, entry[0].number))
    found = places([rating.interval for _, rating in entered])
    exact = is_exact(TABLES[table])
    return tuple(
        Standing(chart, rating, first, first if exact else last)
        for (chart, rating), (first, last) in zip(entered, found, strict=True)
    )


def _key(student: int, number: int) -> str:
    return f"chart/{student:04}/{number:04}"


def _cost_key(number: int) -> str:
    return f"cost/chart/{number:04}"


def _student_in(key: str) -> int:
    return int(key.split("/")[1])


def _unpacked(key: str, data: bytes) -> Chart | None:
    """Return a chart that was kept; None where another version of the site has written it."""
    kept = unpack(data, StoredChart)
    if kept is None or kept.table not in TABLES:
        return None
    return Chart(number_in_key(key), _student_in(key), kept)
