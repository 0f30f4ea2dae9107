"""Classes in the sessions' SQLite file: the default for one machine."""

import sqlite3
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from cardgames.class_bingo.results import Claim
from web.classroom.storage.protocol import (
    Change,
    Newcomer,
    Presence,
    Pulse,
    RealNames,
    Refused,
    StoredClass,
    StoredStudent,
)
from web.classroom.storage.sqlite_changes import (
    ChangedMeanwhile,
    add_browser,
    change_student,
    fields_of,
    kept_claim,
    number_of,
    numbers_read,
    pulse_of,
    write_beside,
)
from web.classroom.storage.sqlite_charts import SQLiteCharts
from web.classroom.storage.sqlite_insight import SQLiteInsight
from web.classroom.storage.sqlite_rows import SQLiteRows
from web.classroom.storage.sqlite_schema import SCHEMA
from web.classroom.storage.sqlite_tournaments import SQLiteTournaments
from web.storage.sqlite_file import SQLiteFile

_PURGE_BITE: Final = 20
"""So many expired classes go whenever a new one is made."""

_NUMBERS: Final = (
    "version, students, claims, right_claims, round, is_open, calls, since, every, stop"
)
_AS_READ: Final = (
    "code = ? AND version = ? AND students = ? AND claims = ? AND stop = ? AND expires > ?"
)
"""Which row a change is written to: the one that was read."""

T = TypeVar("T")


class SQLiteClassStore(SQLiteRows):
    """Classes in one SQLite file, shared by all workers of one machine."""

    def __init__(self, path: Path) -> None:
        """Open the file, making it and its tables where needed.

        Raises:
            StoreUnavailable: the file cannot be used, or its disk cannot share it.
        """
        super().__init__(SQLiteFile(path, SCHEMA))
        self.insight = SQLiteInsight(self._file)
        self.charts = SQLiteCharts(self._file)
        self.tournaments = SQLiteTournaments(self._file)
        self._is_scrubbed = True

    # ---- Classes -----------------------------------------------------------------------------

    def create(self, code: str, data: bytes, expires: int) -> bool:
        """Keep a new class, in the place of one that has expired if need be."""
        now = int(time.time())

        def whole(connection: sqlite3.Connection) -> bool:
            bite = f"SELECT code FROM class WHERE expires <= ? LIMIT {_PURGE_BITE}"  # noqa: S608
            connection.execute(f"DELETE FROM class WHERE code IN ({bite})", (now,))  # noqa: S608
            connection.execute("DELETE FROM class WHERE code = ? AND expires <= ?", (code, now))
            connection.execute("DELETE FROM class_link WHERE expires <= ?", (now,))
            statement = "INSERT OR IGNORE INTO class (code, expires, data) VALUES (?, ?, ?)"
            return bool(connection.execute(statement, (code, expires, data)).rowcount)

        return self._write(whole)

    def load(self, code: str) -> StoredClass | None:
        """Return a class that has not expired."""
        row = self._row(code, f"{_NUMBERS}, expires, joined, data")
        return row and StoredClass(pulse_of(row), *row[-3:])

    def pulse(self, code: str) -> Pulse | None:
        """Return only the numbers of a class that has not expired."""
        row = self._row(code, _NUMBERS)
        return row and pulse_of(row)

    def commit(self, code: str, seen: Pulse, change: Change) -> bool:
        """Compare and set: one statement decides, and the others follow in the same whole."""

        def whole(connection: sqlite3.Connection) -> bool:
            now = time.time()
            if now > change.until:
                return False
            fields = fields_of(change, seen)
            names = ", ".join(f"{name} = ?" for name in fields)
            if change.next_card is not None and change.round is None:
                names = names.replace("next_card = ?", "next_card = max(next_card, ?)")
            statement = f"UPDATE class SET {names} WHERE {_AS_READ}"  # noqa: S608 - names of ours
            values = (*fields.values(), code, *numbers_read(seen), now)
            if not connection.execute(statement, values).rowcount:
                return False
            for one in change.students:
                change_student(connection, code, one)
            write_beside(connection, code, change)
            return True

        try:
            written = self._write(whole)
        except ChangedMeanwhile:
            return False
        if written and (change.forget_names or any(one.data is None for one in change.students)):
            self._scrub()
        return written

    def touch(self, code: str, expires: int) -> None:
        """Let a class live until a time at least."""
        statement = "UPDATE class SET expires = ? WHERE code = ? AND expires < ?"
        self._file.execute(statement, expires, code, expires)

    def delete(self, code: str) -> None:
        """Forget a class; triggers take what belongs to it."""

        def whole(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM class WHERE code = ?", (code,))

        self._write(whole)
        self._scrub()

    # ---- Students ----------------------------------------------------------------------------

    def join(self, code: str, seen: Pulse, newcomer: Newcomer) -> int | Refused:
        """Add a student, or find the one that the browser is already."""

        def whole(connection: sqlite3.Connection) -> int | Refused:
            if known := number_of(connection, code, newcomer.browser):
                return known
            now = time.time()
            statement = (
                "SELECT joined, (SELECT count(*) FROM class_student WHERE class = code) "
                "FROM class WHERE code = ? AND version = ? AND expires > ?"
            )
            row = connection.execute(statement, (code, seen.version, now)).fetchone()
            if not row or now > newcomer.until:
                return Refused.CHANGED
            number, count = int(row[0]) + 1, int(row[1])
            if count >= newcomer.limit:
                return Refused.FULL
            statement = "INSERT OR IGNORE INTO class_student VALUES (?, ?, 1, ?, ?)"
            values = (code, number, newcomer.key, newcomer.data)
            if not connection.execute(statement, values).rowcount:
                return Refused.TAKEN
            add_browser(connection, code, newcomer.browser, number)
            if newcomer.receipt:
                add_browser(connection, code, newcomer.receipt, number)
            if newcomer.real:
                statement = "INSERT INTO class_name VALUES (?, ?, ?)"
                connection.execute(statement, (code, number, newcomer.real))
            statement = (
                "UPDATE class SET joined = ?, students = students + 1, stop = min(stop, ?) "
                "WHERE code = ?"
            )
            stop = seen.clock.stop if newcomer.stop is None else newcomer.stop
            connection.execute(statement, (number, stop, code))
            return number

        return self._write(whole)

    def students(self, code: str) -> tuple[StoredStudent, ...]:
        """Return all students, in the order of their numbers."""
        statement = (
            "SELECT number, version, data FROM class_student WHERE class = ? ORDER BY number"
        )
        return tuple(StoredStudent(*row) for row in self._rows(statement, code))

    def student_of(self, code: str, browser: str) -> StoredStudent | None:
        """Return the student of a browser."""
        statement = (
            "SELECT number, version, data FROM class_browser JOIN class_student "
            "ON class_student.class = class_browser.class AND number = student "
            "WHERE class_browser.class = ? AND browser = ?"
        )
        found = self._rows(statement, code, browser)
        return StoredStudent(*found[0]) if found else None

    def save_student(self, code: str, student: StoredStudent) -> bool:
        """Compare and set a student's own data."""
        statement = (
            "UPDATE class_student SET version = version + 1, data = ? "
            "WHERE class = ? AND number = ? AND version = ?"
        )
        values = (student.data, code, student.number, student.version)
        return bool(self._file.execute(statement, *values))

    def real_names(self, code: str) -> RealNames:
        """Return all the real names of a class."""
        rows = self._rows("SELECT number, name FROM class_name WHERE class = ?", code)
        roster = sorted((-number, name) for number, name in rows if number < 0)
        given = {number: name for number, name in rows if number > 0}
        return RealNames(given, tuple(name for _, name in roster))

    def has_real_name(self, code: str, number: int) -> bool:
        """Say whether a student has given a real name."""
        statement = "SELECT 1 FROM class_name WHERE class = ? AND number = ?"
        return bool(self._rows(statement, code, number))

    def note_presence(self, code: str, places: Mapping[str, str]) -> None:
        """Write where some browsers were seen just now."""
        now = time.time()
        statement = (
            "INSERT OR REPLACE INTO class_seen SELECT class, student, ?, ? FROM class_browser "
            "WHERE class = ? AND browser = ?"
        )
        rows = [(now, place, code, browser) for browser, place in places.items()]
        self._write(lambda connection: connection.executemany(statement, rows).rowcount)

    def presence(self, code: str) -> Mapping[int, Presence]:
        """Return when each student was last seen, and where."""
        rows = self._rows("SELECT student, at, place FROM class_seen WHERE class = ?", code)
        return {number: Presence(at, place) for number, at, place in rows}

    # ---- Rounds ------------------------------------------------------------------------------

    def take_card(self, code: str) -> int:
        """Return the next number of a card that nobody has, and never again."""

        def whole(connection: sqlite3.Connection) -> int:
            statement = "SELECT next_card FROM class WHERE code = ?"
            (number,) = connection.execute(statement, (code,)).fetchone() or (1,)
            connection.execute("UPDATE class SET next_card = ? WHERE code = ?", (number + 1, code))
            return int(number)

        return self._write(whole)

    def claim(self, code: str, seen: Pulse, claim: Claim, until: float) -> Claim | None:
        """Keep a claim; the first right one stops the clock."""

        def whole(connection: sqlite3.Connection) -> Claim | None:
            now = time.time()
            statement = (
                "SELECT claims + 1 FROM class WHERE code = ? AND version = ? AND round = ? "
                "AND is_open AND expires > ?"
            )
            row = connection.execute(statement, (code, seen.version, seen.round, now)).fetchone()
            if not row or now > until:
                return None
            statement = "INSERT OR IGNORE INTO class_claim VALUES (?, ?, ?, ?, ?, ?)"
            values = (code, row[0], claim.card, claim.call, claim.heat, claim.since)
            if not connection.execute(statement, values).rowcount:
                return kept_claim(connection, code, claim)
            connection.execute("UPDATE class SET claims = claims + 1 WHERE code = ?", (code,))
            if claim.right:
                statement = (
                    "UPDATE class SET calls = ?, since = ?, stop = ? "
                    "WHERE code = ? AND right_claims = 0"
                )
                connection.execute(statement, (seen.calls, now, seen.calls, code))
                statement = "UPDATE class SET right_claims = right_claims + 1 WHERE code = ?"
                connection.execute(statement, (code,))
            return claim

        return self._write(whole)

    def claims(self, code: str) -> tuple[Claim, ...]:
        """Return the claims of the newest round, in the order they came."""
        statement = (
            "SELECT card, call, heat, since FROM class_claim WHERE class = ? ORDER BY number"
        )
        return tuple(Claim(*row) for row in self._rows(statement, code))

    def finished(self, code: str) -> tuple[tuple[int, bytes], ...]:
        """Return the rounds that are over, by their numbers, the oldest first."""
        statement = "SELECT number, data FROM class_round WHERE class = ? ORDER BY number"
        return tuple((number, data) for number, data in self._rows(statement, code))

    # ---- Links -------------------------------------------------------------------------------

    def keep_link(self, key: str, data: bytes, lifetime: int) -> None:
        """Keep what a one-time link is good for."""
        self._file.execute(
            "REPLACE INTO class_link VALUES (?, ?, ?)", key, int(time.time()) + lifetime, data
        )

    def link(self, key: str) -> bytes | None:
        """Return what a one-time link is good for, if it is good still."""
        statement = "SELECT data FROM class_link WHERE key = ? AND expires > ?"
        found = self._rows(statement, key, time.time())
        return found[0][0] if found else None

    def take_link(self, key: str) -> bytes | None:
        """Return what a one-time link is good for, and end it."""

        def whole(connection: sqlite3.Connection) -> bytes | None:
            statement = "DELETE FROM class_link WHERE key = ? AND expires > ? RETURNING data"
            rows = connection.execute(statement, (key, time.time())).fetchall()
            return rows[0][0] if rows else None

        return self._write(whole)

    def swap_link(self, key: str, old: bytes | None, new: bytes, lifetime: int) -> bool:
        """Keep other bytes under a key of the links, if it still holds what was read."""

        def whole(connection: sqlite3.Connection) -> bool:
            now = int(time.time())
            connection.execute("DELETE FROM class_link WHERE key = ? AND expires <= ?", (key, now))
            if old is None:
                statement = "INSERT OR IGNORE INTO class_link VALUES (?, ?, ?)"
                values: tuple[Any, ...] = (key, now + lifetime, new)
            else:
                statement = "UPDATE class_link SET expires = ?, data = ? WHERE key = ? AND data = ?"
                values = (now + lifetime, new, key, old)
            return bool(connection.execute(statement, values).rowcount)

        return self._write(whole)

    # ---- The file ----------------------------------------------------------------------------

    def _row(self, code: str, columns: str) -> Any:
        """Return some columns of a class, and the time at which they were read."""
        now = time.time()
        statement = f"SELECT {columns} FROM class WHERE code = ? AND expires > ?"  # noqa: S608
        found = self._rows(statement, code, now)
        return (*found[0][:10], now, *found[0][10:]) if found else None

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Write as a whole, once what was deleted before is out of the log of writes."""
        if not self._is_scrubbed:
            self._scrub()
        return super()._write(work)

    def _scrub(self) -> None:
        """Take what was deleted out of the log of writes too.

        While somebody is reading that cannot be; then it is done before the next write.
        """
        with self._file.reading() as connection:
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        self._is_scrubbed = not busy
