"""What is kept of strategy charts: who handed in which, and the rating of each.

A chart goes with its student. It is written once, and what it is worth once more. A hint that its
class has charts to be rated is written before the chart (:mod:`web.classroom.hints`).
"""

from collections.abc import Collection
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from web.classroom.hints import Hints
from web.classroom.rows import HEAD, ClassCounters, ClassRows, number_in_key, place_of, student_key
from web.storage.store import DAY, Put, Read, Store, decide

MAX_A_DAY: Final = 5
"""Maximum number of charts that a student hands in within a day."""

MAX_KEPT: Final = 60
"""Maximum number of charts that are kept of a student."""


class StoredChart(NamedTuple):
    """A chart as it is kept."""

    number: int
    """Counts up in its class, and is never used again."""

    student: int
    handed_in: float
    """When, by the store's time."""

    data: bytes
    rating: bytes
    """Its rating; empty until it is rated."""


class NotTaken(Enum):
    """Why a chart is not kept."""

    GONE = "gone"
    """There is no such student."""

    TODAY = "today"
    """They have handed in as many within a day as they may."""

    FULL = "full"
    """As many are kept of them as can be."""


class ChartStore(ClassRows):
    """Strategy charts, as rows of their class."""

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        super().__init__(store)
        self._hints = Hints(store, "charts")

    def add(self, code: str, student: int, data: bytes) -> int | NotTaken:
        """Keep a chart that a student hands in; return its number, or why it is not taken."""
        owner = student_key(student)

        def attempt() -> tuple[int | NotTaken] | None:
            head, read = self._read(code, owner)
            if head is None or not read[owner].revision:
                return (NotTaken.GONE,)
            own = self._charts(code, f"chart/{student:04}/")
            if sum(chart.handed_in > read.now - DAY for chart in own) >= MAX_A_DAY:
                return (NotTaken.TODAY,)
            if len(own) >= MAX_KEPT:
                return (NotTaken.FULL,)
            chart = StoredChart(head.charts + 1, student, read.now, data, b"")
            put = {HEAD: head.packed(charts=chart.number), _key(chart): _packed(chart)}
            checked = {row: read[row].revision for row in (HEAD, owner)}
            done = self._store.write(place_of(code), put, checked, before=until)
            return (chart.number,) if done else None

        until = self._hints.note(code)
        return decide(attempt)[0]

    def charts(self, code: str) -> tuple[StoredChart, ...]:
        """Return the charts of a class, the oldest first."""
        return self._charts(code, "chart/")

    def waiting(self) -> tuple[str, StoredChart] | None:
        """Return a chart whose worth is not worked out yet, and its class; None for none.

        The class that has waited longest comes first, and of each class the oldest chart.
        """
        for hint in self._hints.all():
            for chart in self.charts(hint.key):
                if not chart.rating:
                    return hint.key, chart
            if hint.is_over:
                self._hints.replace(hint, None)
        return None

    def settle(self, code: str, chart: StoredChart, rating: bytes, costs: bytes) -> None:
        """Keep the rating of a chart, and what its decisions cost, unless it is gone."""
        key = _key(chart)

        def rows(_: ClassCounters, read: Read) -> Put | None:
            rated = {key: _packed(chart._replace(rating=rating)), _cost_key(chart.number): costs}
            return rated if read[key].revision else None

        self._update(code, (key,), rows)

    def costs(self, code: str, number: int) -> bytes:
        """Return what the decisions of a chart cost; empty until that is worked out."""
        key = _cost_key(number)
        return self._store.read(place_of(code), key)[key].data

    def keys_of(self, code: str, students: Collection[int]) -> list[str]:
        """Return the rows that go with some students."""
        theirs = [chart for chart in self.charts(code) if chart.student in students]
        return [key for chart in theirs for key in (_key(chart), _cost_key(chart.number))]

    def _charts(self, code: str, prefix: str) -> tuple[StoredChart, ...]:
        rows = self._scan(code, prefix)
        found = (_unpacked(key, data) for key, data in rows.items())
        return tuple(sorted(found, key=lambda chart: chart.number))


def _key(chart: StoredChart) -> str:
    return f"chart/{chart.student:04}/{chart.number:04}"


def _cost_key(number: int) -> str:
    return f"cost/chart/{number:04}"


def _packed(chart: StoredChart) -> bytes:
    return msgspec.msgpack.encode((chart.handed_in, chart.data, chart.rating))


def _unpacked(key: str, data: bytes) -> StoredChart:
    rest = msgspec.msgpack.decode(data, type=tuple[float, bytes, bytes])
    return StoredChart(number_in_key(key), int(key.split("/")[1]), *rest)
