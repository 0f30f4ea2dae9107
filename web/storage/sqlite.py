"""The store in one SQLite file, from the standard library: the default for one machine."""

import random
import sqlite3
import time
from collections.abc import Iterator
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
_PLACE: Final = "SELECT id, expires FROM place WHERE name = ?"
_NEW_PLACE: Final = "INSERT INTO place (name, expires) VALUES (?, ?)"
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
"""Maximum number of places that go for each new one: those that have ended cannot pile up."""

_PURGE_BITE: Final = 50
"""Maximum number that the command purges at a time: no player waits for it for long."""

_AFTER_ALL: Final = "\U0010ffff"
"""Comes after every character of a key or a name."""


class SQLiteStore:
    """Places in one SQLite file, shared by all workers of one machine."""

    def __init__(self, path: Path, limit: int = 0) -> None:
        """Open the file, making it where needed; it is full at a number of bytes, 0 for never.

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
        self,
        place: str,
        put: Put,
        seen: Seen,
        *,
        expires: int = 0,
        ends: int = 0,
        before: float = NEVER,
    ) -> bool:
        """Write one known row in one statement, and all else in a transaction."""
        if before == NEVER and not ends and len(put) == len(seen) == 1:
            ((key, data),) = put.items()
            revision = seen.get(key)
            if revision and data is not None:
                values = (_new_revision(), data, key, revision, place, time.time(), expires)
                if self._file.execute(_REPLACE, *values):
                    return True
                if not expires:
                    return False  # as it stands; else the place may only have to live longer
        with self._file.transaction() as db:
            now = time.time()  # the file is ours: nobody writes between this and the end
            number, known = db.execute(_PLACE, (place,)).fetchone() or (0, 0)
            if now > before or max(known, expires) <= now:
                return False
            if not _is_as_seen(db, number if known > now else 0, seen):
                return False
            if known <= now:
                db.execute("DELETE FROM place WHERE id = ?", (number,))
                self._make_room(db, now)
                number = db.execute(_NEW_PLACE, (place, ends or expires)).lastrowid
            elif until := ends or (expires > known and expires):
                db.execute("UPDATE place SET expires = ? WHERE id = ?", (until, number))
            _put(db, number, put)
            return True

    def _make_room(self, db: sqlite3.Connection, now: float) -> None:
        """Drop some places that have ended, and if the store is full what ends within a day.

        Raises:
            StoreFull: there are none.
        """
        if db.execute(_DROP, (now, _DROPPED_FOR_ONE)).rowcount:
            return
        is_full = self.limit and db.execute(_SIZE).fetchone()[0] >= self.limit
        if is_full and not db.execute(_DROP, (now + DAY, _DROPPED_FOR_ONE)).rowcount:
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


def _is_as_seen(db: sqlite3.Connection, place: int, seen: Seen) -> bool:
    """Say whether rows of a place have these revisions."""
    keys = ",".join("?" * len(seen))
    statement = f"SELECT key, revision FROM row WHERE place = ? AND key IN ({keys})"  # noqa: S608
    found = dict(db.execute(statement, (place, *seen)).fetchall()) if seen else {}
    return all(found.get(key, 0) == revision for key, revision in seen.items())


def _put(db: sqlite3.Connection, place: int, put: Put) -> None:
    for key, data in put.items():
        if data is None:
            db.execute("DELETE FROM row WHERE place = ? AND key = ?", (place, key))
        else:
            db.execute(_PUT, (place, key, _new_revision(), data))
    if None in put.values() or not put:
        db.execute(_DROP_EMPTY, (place, place))


def _new_revision() -> int:
    """Return a number that no row had: of 48 bits, so that chance alone does not repeat it."""
    return random.getrandbits(48) + 1
