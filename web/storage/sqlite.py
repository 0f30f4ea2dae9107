"""The store in one SQLite file, from the standard library: the default for one machine."""

import random
import sqlite3
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from web.storage.sqlite_file import SQLiteFile
from web.storage.store import DAY, NEVER, Put, Read, Row, Seen, StoreFull

FORMAT: Final = 1
"""The number in the file of what is kept in it, and how."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS place (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, expires INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS place_expires ON place (expires);
CREATE TABLE IF NOT EXISTS row (
    place INTEGER NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, data BLOB NOT NULL,
    UNIQUE (place, key)
);
CREATE TRIGGER IF NOT EXISTS place_rows AFTER DELETE ON place BEGIN
    DELETE FROM row WHERE place = old.id;
END;
"""

_ROWS: Final = (
    "SELECT key, revision, data FROM place JOIN row ON row.place = place.id "
    "WHERE name = ? AND expires > ? AND "
)
_REPLACE: Final = (
    "UPDATE row SET revision = ?, data = ? WHERE key = ? AND revision = ? AND "
    "place = (SELECT id FROM place WHERE name = ? AND expires > ? AND expires >= ?)"
)
_PUT: Final = (
    "INSERT INTO row VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET revision = ?3, data = ?4"
)
_DROP: Final = (
    "DELETE FROM place WHERE id IN "
    "(SELECT id FROM place WHERE expires <= ? ORDER BY expires, id LIMIT ?)"
)
_DROP_EMPTY: Final = (
    "DELETE FROM place WHERE id = ? AND NOT EXISTS (SELECT 1 FROM row WHERE place = ?)"
)
_SIZE: Final = (
    "SELECT (page_count - freelist_count) * page_size "
    "FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()"
)

_DROPPED_FOR_ONE: Final = 2
"""How many places go at most for each new one: those that have ended cannot pile up."""

_PURGE_BITE: Final = 50
"""How many go at a time when the command purges: no player waits for it for long."""

_AFTER_ALL: Final = "\U0010ffff"
"""Comes after every character of a key or a name."""


class SQLiteStore:
    """Places in one SQLite file, shared by all workers of one machine."""

    def __init__(self, path: Path, limit: int = 0) -> None:
        """Open the file, making it and its tables where needed.

        Args:
            path: where it lies.
            limit: how many bytes it may take before it counts as full; 0 for any number.

        Raises:
            StoreUnavailable: the file cannot be used, or its disk cannot share it.
        """
        self.limit = limit
        self._file = SQLiteFile(path, _SCHEMA, FORMAT)

    def read(self, place: str, *keys: str) -> Read:
        """Return the rows with these keys that are there."""
        return self._read(f"{_ROWS}key IN ({','.join('?' * len(keys))})", place, *keys)

    def scan(self, place: str, prefix: str = "") -> Read:
        """Return all rows whose keys begin with a prefix, ordered by key."""
        statement = f"{_ROWS}key >= ? AND key < ? ORDER BY key"
        return self._read(statement, place, prefix, prefix + _AFTER_ALL)

    def _read(self, statement: str, place: str, *values: str) -> Read:
        now = time.time()
        found = self._file.read(statement, place, now, *values)
        return Read(now, {key: Row(revision, data) for key, revision, data in found})

    def write(
        self, place: str, put: Put, seen: Seen, *, expires: int = 0, before: float = NEVER
    ) -> bool:
        """Write one known row in one statement, and all else in a transaction."""
        if before == NEVER and len(put) == len(seen) == 1:
            ((key, data),) = put.items()
            revision = seen.get(key)
            if revision and data is not None:
                values = (_new_revision(), data, key, revision, place, time.time(), expires)
                if self._file.execute(_REPLACE, *values):
                    return True
                if not expires:
                    return False  # as it stands; else the place may only have to live longer

        def write_rows(connection: sqlite3.Connection) -> bool:
            with connection:  # commits, or takes back
                connection.execute("BEGIN IMMEDIATE")
                now = time.time()  # the file is ours: nobody writes between this and the end
                number = self._number(connection, place, expires, now)
                if now > before or not number or not _is_as_seen(connection, number, seen):
                    connection.execute("ROLLBACK")
                    return False
                _put(connection, number, put)
                return True

        return self._file.write(write_rows)

    def _number(self, connection: sqlite3.Connection, place: str, expires: int, now: float) -> int:
        """Return the number of a place that lives now, and does so until then; 0 for none."""
        statement = "SELECT id, expires FROM place WHERE name = ?"
        number, known = connection.execute(statement, (place,)).fetchone() or (0, 0)
        if known > now:
            if expires > known:
                connection.execute("UPDATE place SET expires = ? WHERE id = ?", (expires, number))
            return int(number)
        if not expires:
            return 0
        connection.execute("DELETE FROM place WHERE id = ?", (number,))
        self._make_room(connection, now)
        statement = "INSERT INTO place (name, expires) VALUES (?, ?)"
        return connection.execute(statement, (place, expires)).lastrowid or 0

    def _make_room(self, connection: sqlite3.Connection, now: float) -> None:
        """Drop some places that have ended, and if the store is full what ends within a day.

        Raises:
            StoreFull: there are none.
        """
        if connection.execute(_DROP, (now, _DROPPED_FOR_ONE)).rowcount:
            return
        is_full = self.limit and connection.execute(_SIZE).fetchone()[0] >= self.limit
        if is_full and not connection.execute(_DROP, (now + DAY, _DROPPED_FOR_ONE)).rowcount:
            raise StoreFull

    def forget(self, place: str) -> None:
        """Remove a place; a trigger takes its rows."""
        self._file.execute("DELETE FROM place WHERE name = ?", place)

    def scrub(self) -> None:
        """Empty the log of writes; in the file itself SQLite overwrites what is deleted."""
        self._file.empty_log()

    def places(self, prefix: str = "") -> Iterator[str]:
        """Return the names of all places that have not ended and begin with a prefix."""
        statement = "SELECT name FROM place WHERE name >= ? AND name < ? AND expires > ?"
        found = self._file.read(statement, prefix, prefix + _AFTER_ALL, time.time())
        yield from (name for (name,) in found)

    def purge(self) -> int:
        """Remove one bite of the places that have ended; return how many."""
        return self._file.execute(_DROP, time.time(), _PURGE_BITE)

    def size(self) -> int:
        """Return how many bytes of the file are in use."""
        ((size,),) = self._file.read(_SIZE)
        return int(size)

    def check_read(self) -> None:
        """Read once, in the file that was opened."""
        self._file.check()
        self.read("probe", "")

    def check_write(self) -> None:
        """Write a place that has ended."""
        self._file.execute("INSERT OR REPLACE INTO place (name, expires) VALUES ('probe', 0)")

    def faults(self) -> str:
        """Return what SQLite's own check finds wrong with the file."""
        lines = "; ".join(line for (line,) in self._file.read("PRAGMA integrity_check(3)"))
        return "" if lines == "ok" else f"{self._file.path} is damaged: {lines}"

    def close(self) -> None:
        """Close this thread's connection."""
        self._file.close()


def _is_as_seen(connection: sqlite3.Connection, place: int, seen: Mapping[str, int]) -> bool:
    """Say whether rows of a place have these revisions."""
    statement = "SELECT revision FROM row WHERE place = ? AND key = ?"
    for key, revision in seen.items():
        found = connection.execute(statement, (place, key)).fetchone()
        if (found[0] if found else 0) != revision:
            return False
    return True


def _put(connection: sqlite3.Connection, place: int, put: Mapping[str, bytes | None]) -> None:
    for key, data in put.items():
        if data is None:
            connection.execute("DELETE FROM row WHERE place = ? AND key = ?", (place, key))
        else:
            connection.execute(_PUT, (place, key, _new_revision(), data))
    if None in put.values() or not put:
        connection.execute(_DROP_EMPTY, (place, place))


def _new_revision() -> int:
    """Return a number that no row had: of 48 bits, so that chance alone does not repeat it."""
    return random.getrandbits(48) + 1
