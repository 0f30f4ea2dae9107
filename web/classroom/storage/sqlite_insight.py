"""Rounds that wait to be judged, and how students have played, in the sessions' SQLite file."""

import sqlite3
from collections.abc import Sequence

from web.classroom.storage.insight import MAX_WAITING, Judged, StoredPlay, WaitingRound
from web.classroom.storage.sqlite_rows import SQLiteRows


class SQLiteInsight(SQLiteRows):
    """What *insight* keeps, in the file of the classes."""

    def add_rounds(self, code: str, student: int, rounds: Sequence[bytes]) -> None:
        """Let rounds of a student wait."""
        statement = (
            "INSERT INTO class_waiting (class, student, data) "
            "SELECT class, number, ? FROM class_student WHERE class = ? AND number = ? AND "
            "(SELECT count(*) FROM class_waiting WHERE class = ? AND student = ?) < ?"
        )
        for data in rounds:
            self._file.execute(statement, data, code, student, code, student, MAX_WAITING)

    def waiting_class(self) -> str:
        """Return a class in which rounds wait."""
        found = self._rows("SELECT class FROM class_waiting ORDER BY number LIMIT 1")
        return str(found[0][0]) if found else ""

    def waiting(self, code: str, most: int) -> tuple[WaitingRound, ...]:
        """Return some rounds of a class that wait: the oldest."""
        statement = (
            "SELECT student, number, data FROM class_waiting WHERE class = ? "
            "ORDER BY number LIMIT ?"
        )
        return tuple(WaitingRound(*row) for row in self._rows(statement, code, most))

    def count_waiting(self, code: str) -> int:
        """Return how many rounds of a class wait."""
        statement = "SELECT count(*) FROM class_waiting WHERE class = ?"
        return int(self._rows(statement, code)[0][0])

    def plays(self, code: str) -> tuple[StoredPlay, ...]:
        """Return how the students of a class have played."""
        statement = "SELECT student, version, data FROM class_play WHERE class = ? ORDER BY student"
        return tuple(StoredPlay(*row) for row in self._rows(statement, code))

    def play_of(self, code: str, student: int) -> StoredPlay:
        """Return how a student has played."""
        statement = "SELECT version, data FROM class_play WHERE class = ? AND student = ?"
        found = self._rows(statement, code, student)
        return StoredPlay(student, *found[0]) if found else StoredPlay(student, 0, b"")

    def settle(self, code: str, judged: Sequence[Judged]) -> None:
        """Keep what was judged, all of it in one write: players wait for no more than that."""

        def whole(connection: sqlite3.Connection) -> None:
            statement = "DELETE FROM class_waiting WHERE number = ? AND class = ?"
            for play, numbers in judged:
                if _keep(connection, code, play):
                    connection.executemany(statement, [(number, code) for number in numbers])

        self._write(whole)


def _keep(connection: sqlite3.Connection, code: str, play: StoredPlay) -> bool:
    """Write how a student has played, if that is as it was read; say whether it was written."""
    if play.version:
        statement = (
            "UPDATE class_play SET version = version + 1, data = ? "
            "WHERE class = ? AND student = ? AND version = ?"
        )
    else:
        statement = (
            "INSERT OR IGNORE INTO class_play (data, class, student, version) "
            "SELECT ?, class, number, 1 FROM class_student WHERE class = ? AND number = ? AND ? = 0"
        )
    values = (play.data, code, play.student, play.version)
    return connection.execute(statement, values).rowcount == 1
