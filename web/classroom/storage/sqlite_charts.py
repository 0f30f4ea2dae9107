"""Strategy charts in the sessions' SQLite file."""

import sqlite3
import time
from typing import Final

from web.classroom.storage.charts import MAX_A_DAY, MAX_KEPT, NotTaken, StoredChart
from web.classroom.storage.sqlite_rows import SQLiteRows

_DAY: Final = 86_400


class SQLiteCharts(SQLiteRows):
    """The charts of classes, in the file of the classes."""

    def add(self, code: str, student: int, data: bytes) -> int | NotTaken:
        """Keep a chart; the count and the write are one whole."""
        return self._write(lambda connection: _added(connection, code, student, data))

    def charts(self, code: str) -> tuple[StoredChart, ...]:
        """Return the charts of a class, the oldest first."""
        statement = (
            "SELECT number, student, handed_in, data, worth FROM class_chart WHERE class = ? "
            "ORDER BY number"
        )
        return tuple(StoredChart(*row) for row in self._rows(statement, code))

    def waiting(self) -> tuple[str, StoredChart] | None:
        """Return the chart that has waited longest, and its class."""
        statement = (
            "SELECT class, number, student, handed_in, data, worth FROM class_chart "
            "WHERE worth = x'' ORDER BY handed_in LIMIT 1"
        )
        found = self._rows(statement)
        return (found[0][0], StoredChart(*found[0][1:])) if found else None

    def settle(self, code: str, number: int, worth: bytes, costs: bytes) -> None:
        """Keep what a chart is worth."""
        statement = "UPDATE class_chart SET worth = ?, costs = ? WHERE class = ? AND number = ?"
        self._file.execute(statement, worth, costs, code, number)

    def costs(self, code: str, number: int) -> bytes:
        """Return what the decisions of a chart cost."""
        statement = "SELECT costs FROM class_chart WHERE class = ? AND number = ?"
        found = self._rows(statement, code, number)
        return found[0][0] if found else b""


def _added(connection: sqlite3.Connection, code: str, student: int, data: bytes) -> int | NotTaken:
    now = time.time()
    statement = "SELECT 1 FROM class_student WHERE class = ? AND number = ?"
    if not connection.execute(statement, (code, student)).fetchone():
        return NotTaken.GONE
    statement = (
        "SELECT count(*), coalesce(sum(handed_in > ?), 0) FROM class_chart "
        "WHERE class = ? AND student = ?"
    )
    kept, today = connection.execute(statement, (now - _DAY, code, student)).fetchone()
    if today >= MAX_A_DAY:
        return NotTaken.TODAY
    if kept >= MAX_KEPT:
        return NotTaken.FULL
    statement = "INSERT OR IGNORE INTO class_chart_count VALUES (?, 0)"
    connection.execute(statement, (code,))
    statement = "UPDATE class_chart_count SET last = last + 1 WHERE class = ? RETURNING last"
    (number,) = connection.execute(statement, (code,)).fetchone()
    statement = "INSERT INTO class_chart VALUES (?, ?, ?, ?, ?, x'', x'')"
    connection.execute(statement, (code, number, student, now, data))
    return int(number)
