"""What students have played of tournaments, in the sessions' SQLite file."""

import sqlite3
from collections.abc import Mapping
from typing import Any, Final

from web.classroom.storage.sqlite_rows import SQLiteRows
from web.classroom.storage.tournaments import StoredEntry

_LOOK_AGAIN: Final = "UPDATE class SET students = students + 1 WHERE code = ?"


class SQLiteTournaments(SQLiteRows):
    """What tournaments keep, in the file of the classes."""

    def entries(self, code: str, tournament: int) -> Mapping[int, bytes]:
        """Return what each student has played of a tournament, by their numbers."""
        statement = "SELECT student, data FROM class_entry WHERE class = ? AND tournament = ?"
        return dict(self._rows(statement, code, tournament))

    def entries_of(self, code: str, student: int) -> Mapping[int, bytes]:
        """Return what a student has played, by the numbers of the tournaments."""
        statement = "SELECT tournament, data FROM class_entry WHERE class = ? AND student = ?"
        return dict(self._rows(statement, code, student))

    def save_entry(self, code: str, entry: StoredEntry, seen: bytes, *, finished: bool) -> bool:
        """Compare and set what a student has played."""

        def whole(connection: sqlite3.Connection) -> bool:
            written = _write(connection, code, entry, seen)
            if written and finished:
                connection.execute(_LOOK_AGAIN, (code,))
            return written

        return self._write(whole)

    def deals_played(self, code: str) -> bytes:
        """Return what is kept of the browsers of forgotten students."""
        found = self._rows("SELECT data FROM class_deals_played WHERE class = ?", code)
        return found[0][0] if found else b""

    def costs(self, code: str, tournament: int) -> bytes:
        """Return what decisions cost at the deals of a tournament; nothing before it is known."""
        statement = "SELECT data FROM class_cost WHERE class = ? AND tournament = ?"
        found = self._rows(statement, code, tournament)
        return found[0][0] if found else b""

    def keep_costs(self, code: str, tournament: int, data: bytes) -> None:
        """Keep that, if the class is there still."""

        def whole(connection: sqlite3.Connection) -> None:
            statement = "REPLACE INTO class_cost SELECT code, ?, ? FROM class WHERE code = ?"
            connection.execute(statement, (tournament, data, code))
            connection.execute(_LOOK_AGAIN, (code,))

        self._write(whole)


def _write(connection: sqlite3.Connection, code: str, entry: StoredEntry, seen: bytes) -> bool:
    """Write what a student has played, if it is as it was read; say whether it was written."""
    if seen:
        statement = (
            "UPDATE class_entry SET data = ? "
            "WHERE class = ? AND tournament = ? AND student = ? AND data = ?"
        )
        values: tuple[Any, ...] = (entry.data, code, entry.tournament, entry.student, seen)
    else:
        statement = (
            "INSERT OR IGNORE INTO class_entry SELECT class, ?, number, ? FROM class_student "
            "WHERE class = ? AND number = ?"
        )
        values = (entry.tournament, entry.data, code, entry.student)
    return connection.execute(statement, values).rowcount == 1
