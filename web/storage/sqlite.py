"""The store in one SQLite file, from the standard library: the default for one machine."""

import os
import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from web.settings import make_private
from web.storage.breaker import Breaker
from web.storage.store import DAY, NEVER, Put, Read, Row, Seen, Store, StoreFull, StoreUnavailable

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

_PRIMARY: Final = 0xFF  # which part of an error's code says of what kind it is

_TIMEOUT: Final = 1.0
"""How long a write waits for that of another process, in seconds. Ours take less than one in a
hundred; what holds the file for longer is another program."""

_FAULTS: Final = (sqlite3.Error, UnicodeDecodeError)
"""What sqlite3 raises: the latter where its sentence quotes what is damaged, which is no text."""

_AFTER_ALL: Final = "\U0010ffff"  # comes after every character of a key or a name


class _Connection(sqlite3.Connection):
    """A connection that is closed with the thread or the store that had it.

    From Python 3.13 on sqlite3 warns of one that nobody has closed, and a thread that ends is not
    asked. Another thread may be the one that tidies up.
    """

    def __del__(self) -> None:
        self.close()


class SQLiteStore(Store):
    """Places in one file in WAL mode, which all workers of a machine share.

    Each thread has a connection. WAL lets readers and the writer work side by side.
    ``synchronous=NORMAL`` keeps every answered move when the server is killed; only a crash of the
    whole machine can lose the last ones.
    """

    def __init__(self, path: Path, limit: int = 0) -> None:
        """Open the file, making it where needed; it is full at a number of bytes, 0 for never.

        Raises:
            StoreUnavailable: the file cannot be used, or its disk cannot share it (network
                drives do not keep SQLite's write-ahead log safe).
        """
        self.path, self.limit = path, limit
        self._local = threading.local()
        self._has_full_log = False
        self._writers = Breaker(f"{path} is held by another program, which", self._ask_to_write)
        self._make_private()
        # Closed again at once: workers are forked from a process that has checked the settings,
        # and SQLite's locks do not survive a fork. A connection that was open then would leave the
        # workers' own without any, and the next program to look would delete their log of writes.
        try:
            with closing(self.connect()) as connection:
                self._prepare(connection)
        except _FAULTS as error:
            raise self._fault(error) from error
        self._identity = _identity(path)

    def read(self, place: str, *keys: str) -> Read:
        """Return the rows with these keys that are there."""
        return self._read(f"{_ROWS}key IN ({','.join('?' * len(keys))})", place, *keys)

    def scan(self, place: str, prefix: str = "") -> Read:
        """Return all rows whose keys begin with a prefix, ordered by key."""
        # A range and not LIKE, which takes capitals for small letters and so uses no index.
        statement = f"{_ROWS}key >= ? AND key < ? ORDER BY key"
        return self._read(statement, place, prefix, prefix + _AFTER_ALL)

    def _read(self, statement: str, place: str, *values: str) -> Read:
        now = time.time()
        found = self._query(statement, place, now, *values)
        return Read(now, {key: Row(revision, data) for key, revision, data in found})

    def _write(
        self, place: str, put: Put, seen: Seen, expires: int, ends: int, before: float
    ) -> bool:
        """Write one known row in one statement, and all else in a transaction."""
        if before == NEVER and not ends and len(put) == len(seen) == 1:
            ((key, data),) = put.items()
            revision = seen.get(key)
            if revision and data is not None:
                values = (_new_revision(), data, key, revision, place, time.time(), expires)
                if self._execute(_REPLACE, *values):
                    return True
                if not expires:
                    return False  # as it stands; else the place may only have to live longer
        with self._transaction() as db:
            now = time.time()  # the file is ours: nobody writes between this and the end
            number, known = db.execute(_PLACE, (place,)).fetchone() or (0, 0)
            if now > before or max(known, expires) <= now:
                return False
            if not _is_as_seen(db, number if known > now else 0, seen):
                return False
            # One that has ended is another place: its rows go, or the new one would find them.
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
            StoreFull: none ends within a day.
        """
        if db.execute(_DROP, (now, _DROPPED_FOR_ONE)).rowcount:
            return
        is_full = self.limit and db.execute(_SIZE).fetchone()[0] >= self.limit
        if is_full and not db.execute(_DROP, (now + DAY, _DROPPED_FOR_ONE)).rowcount:
            raise StoreFull

    def forget(self, place: str) -> None:
        """Remove a place; a trigger takes its rows."""
        self._execute("DELETE FROM place WHERE name = ?", place)

    def scrub(self) -> None:
        """Empty the log of writes; in the file itself SQLite overwrites what is deleted.

        While somebody reads that cannot be, but before the next write.
        """
        ((busy, *_),) = self._query("PRAGMA wal_checkpoint(TRUNCATE)")
        self._has_full_log = bool(busy)

    def places(self, prefix: str = "") -> Iterator[str]:
        """Return the names of all places that have not ended and begin with a prefix."""
        statement = "SELECT name FROM place WHERE name >= ? AND name < ? AND expires > ?"
        found = self._query(statement, prefix, prefix + _AFTER_ALL, time.time())
        yield from (name for (name,) in found)

    def purge(self) -> int:
        """Remove one bite of the places that have ended; return how many."""
        return self._execute(_DROP, time.time(), _PURGE_BITE)

    def size(self) -> int:
        """Return how many bytes of the file are in use."""
        ((size,),) = self._query(_SIZE)
        return int(size)

    def check_read(self) -> None:
        """Read once, in the file that was opened."""
        self._check()
        self.read("probe", "")

    def check_write(self) -> None:
        """Write a place that has ended."""
        self._execute("INSERT OR REPLACE INTO place (name, expires) VALUES ('probe', 0)")

    def faults(self) -> str:
        """Return what SQLite's own check finds wrong with the file."""
        lines = "; ".join(line for (line,) in self._query("PRAGMA integrity_check(3)"))
        return "" if lines == "ok" else f"{self.path} is damaged: {lines}"

    def connect(self) -> sqlite3.Connection:
        """Return a new connection."""
        connection = sqlite3.connect(
            self.path,
            timeout=_TIMEOUT,
            # Python would begin transactions by itself, and ask for the lock in their middle.
            isolation_level=None,
            check_same_thread=False,
            factory=_Connection,
        )
        connection.execute("PRAGMA synchronous=NORMAL")
        # What a student has asked to be forgotten must not stay in the file's free pages.
        connection.execute("PRAGMA secure_delete=ON")
        return connection

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self.connect()
        return connection

    def close(self) -> None:
        """Close this thread's connection; the next question opens another."""
        connection = self._local.__dict__.pop("connection", None)
        if connection:
            connection.close()

    def _check(self) -> None:
        """Return if it is still the same file that lies at its path.

        Raises:
            StoreUnavailable: what is written now, nobody would find again.
        """
        if _identity(self.path) != self._identity:
            raise StoreUnavailable(
                f"{self.path} was deleted or replaced while the site was running. Stop the site, "
                "put the right file there, and start it again."
            )

    def _query(self, statement: str, *values: str | float) -> list[Any]:
        """Return what a statement finds."""
        try:
            return self._connection().execute(statement, values).fetchall()
        except _FAULTS as error:
            raise self._fault(error) from error

    def _execute(self, statement: str, *values: str | float | bytes) -> int:
        """Run one statement that writes, and return how many rows it has written."""
        self._writers.check()
        self._check()
        if self._has_full_log:
            self.scrub()
        try:
            try:
                return self._connection().execute(statement, values).rowcount
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & _PRIMARY != sqlite3.SQLITE_READONLY:
                    raise
                self.close()  # a new one can write if the disk is not read-only any more
                return self._connection().execute(statement, values).rowcount
        except _FAULTS as error:
            raise self._fault(error) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Write whatever the block executes, or nothing when it raises."""
        self._execute("BEGIN IMMEDIATE")
        try:
            with self._connection() as connection:
                yield connection
        except _FAULTS as error:
            raise self._fault(error) from error

    def _make_private(self) -> None:
        """Make the file for the owner alone; SQLite gives its companions the same rights.

        One that was restored from a copy may have come with others: it has hidden cards in it.
        """
        try:
            if not self.path.exists():
                self.path.touch(mode=0o600)
        except OSError as error:
            raise StoreUnavailable(f"{self.path}: {error.strerror}.") from None
        for path in self.path.parent.glob(f"{self.path.name}*"):
            make_private(path)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables of a file that has none.

        Raises:
            StoreUnavailable: it is another's, or of another version of the site.
        """
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if tables and found != FORMAT:
            raise StoreUnavailable(
                f"{self.path} has format {found}, and this version of the site keeps format "
                f"{FORMAT}. Nothing in it was changed: move it away, or set another DATA_DIR."
            )
        mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
        if mode != "wal":
            raise StoreUnavailable(
                f"The disk of {self.path} cannot keep a shared database (journal mode {mode}, not "
                "wal). Set DATA_DIR to a local disk."
            )
        if not tables:  # else nothing is written: others may be at it
            connection.executescript(
                f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version={FORMAT}; COMMIT"
            )

    def _fault(self, error: Exception) -> StoreUnavailable:
        match getattr(error, "sqlite_errorcode", 0) & _PRIMARY:
            case sqlite3.SQLITE_BUSY:
                # It has waited for _TIMEOUT already: nobody else of this worker is to.
                self._writers.trip()
            case sqlite3.SQLITE_READONLY:
                self.close()  # it stays so, also when the disk is not any more
        return StoreUnavailable(f"{self.path}: {error}")

    def _ask_to_write(self) -> None:
        with closing(self.connect()) as connection:
            # The lock alone is asked for: closing gives it back, and nothing is written.
            connection.execute("BEGIN IMMEDIATE")


def _identity(path: Path) -> tuple[int, int]:
    """Return which file lies at a path; no file's where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - asked before every write, and half the price
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _is_as_seen(db: sqlite3.Connection, place: int, seen: Seen) -> bool:
    keys = ",".join("?" * len(seen))
    statement = f"SELECT key, revision FROM row WHERE place = ? AND key IN ({keys})"  # noqa: S608 - `?`
    found = dict(db.execute(statement, (place, *seen)).fetchall()) if seen else {}
    return all(found.get(key, 0) == revision for key, revision in seen.items())


def _put(db: sqlite3.Connection, place: int, put: Put) -> None:
    for key, data in put.items():
        if data is None:
            db.execute("DELETE FROM row WHERE place = ? AND key = ?", (place, key))
        else:
            db.execute(_PUT, (place, key, _new_revision(), data))
    # A write that adds rows cannot leave a place empty, and is spared the look.
    if None in put.values() or not put:
        db.execute(_DROP_EMPTY, (place, place))


def _new_revision() -> int:
    """Return a number that no row had: of 48 bits, so that chance alone does not repeat it."""
    return random.getrandbits(48) + 1
