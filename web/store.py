"""Where sessions are kept: one small interface, and the embedded SQLite file behind it.

Whoever saves says which version it has read. A save of any other version is refused, so of two
simultaneous moves one is always told to look again; nothing is ever overwritten unseen.
"""

import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple, Protocol

LIFETIME: Final = 14 * 86_400
"""How long a session lives after its last move, in seconds."""

_DAY: Final = 86_400
_PAGE: Final = 2048
"""SQLite's page size: a session is 0.4 to 4 KB, and pages of 4 KB would stand half empty."""

_PRIMARY: Final = 0xFF
"""Which part of an error's code says of what kind it is."""

_PROBE: Final = "probe"
"""The id under which :meth:`Store.probe` writes; no signed cookie can hold it."""

_PURGE_ONE_IN: Final = 50
"""A save in this many also purges expired sessions."""

_PURGE_BITE: Final = 200
"""How many expired sessions are purged at a time, so that no player waits for it."""


class StoreUnavailable(Exception):
    """The store cannot be read or written just now; nothing was changed."""


class Saved(NamedTuple):
    """A session as it lies in the store: its version, from 1, and its bytes."""

    version: int
    data: bytes


class Store(Protocol):
    """What the sessions need of a store."""

    def load(self, sid: str) -> Saved | None:
        """Return a session that has not expired."""

    def save(self, sid: str, version: int, data: bytes) -> bool:
        """Write ``version + 1`` if ``version`` is what the store holds; 0 is a new session.

        Returns whether it was written: False when somebody else has saved meanwhile.
        """

    def delete(self, sid: str) -> None:
        """Forget a session."""

    def ping(self) -> None:
        """Return if the store answers."""

    def probe(self) -> None:
        """Return if the store takes a write."""

    def count(self) -> int:
        """Return how many sessions there are."""

    def purge(self) -> int:
        """Delete some expired sessions and return how many; 0 when none are left."""

    def each(self) -> Iterator[tuple[str, Saved]]:
        """Return every session that has not expired, by its id."""

    def faults(self) -> str:
        """Return what is wrong with the store in words, or nothing."""


def opened(folder: Path, address: str) -> Store:
    """Return the store at an address of Redis, or without one the file in a folder.

    Raises:
        StoreUnavailable: there can be none.
    """
    if not address:
        return SQLiteStore(folder / "sessions.db")
    from web.redis_store import RedisStore  # noqa: PLC0415 - 19 MB that one machine does not need

    try:
        return RedisStore(address)
    except ValueError as error:
        raise StoreUnavailable(f"SESSION_STORE: {error}.") from None


class SQLiteStore:
    """Sessions in one SQLite file, shared by all workers of one machine.

    WAL lets readers and the writer work side by side. ``synchronous=NORMAL`` keeps every answered
    move when the server is killed; only a crash of the whole machine can lose the last ones.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, making it and its table where needed.

        Raises:
            StoreUnavailable: the file cannot be used, or its disk cannot share it (network
                drives do not keep SQLite's write-ahead log safe).
        """
        self._path = path
        self._local = threading.local()
        if not path.exists():
            self._make()
        # Closed again at once: workers are forked from a process that has checked the settings,
        # and SQLite's locks do not survive a fork. A connection that was open then would leave the
        # workers' own without any, and the next program to look would delete their log of writes.
        with self._faults_named(), closing(self._connected()) as connection:
            connection.execute(f"PRAGMA page_size={_PAGE}")
            mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            if mode != "wal":
                raise StoreUnavailable(
                    f"The disk of {path} cannot keep a shared database (journal mode {mode}, not "
                    "wal). Set DATA_DIR to a local disk."
                )
            connection.execute(
                "CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, version INTEGER NOT "
                "NULL, expires INTEGER NOT NULL, data BLOB NOT NULL)"
            )
            connection.execute("CREATE INDEX IF NOT EXISTS session_expires ON session (expires)")

    def _make(self) -> None:
        """Make the file for the owner alone; SQLite gives its companions the same rights."""
        try:
            self._path.touch(mode=0o600)
        except OSError as error:
            raise StoreUnavailable(f"{self._path}: {error.strerror}.") from None

    def load(self, sid: str) -> Saved | None:
        """Return a session that has not expired."""
        with self._connection() as connection:
            row = connection.execute(
                "SELECT version, data FROM session WHERE id = ? AND expires > ?",
                (sid, int(time.time())),
            ).fetchone()
        return row and Saved(*row)

    def save(self, sid: str, version: int, data: bytes) -> bool:
        """Compare and set, in one statement that SQLite runs alone."""
        # Rounded up to a day: the index over expiry changes once a day, not with every move.
        expires = (int(time.time()) + LIFETIME) // _DAY * _DAY + _DAY
        if version:
            # Never sooner than it was: a clock that was set back must not end a session.
            statement = (
                "UPDATE session SET version = version + 1, expires = max(expires, ?), data = ? "
                "WHERE id = ? AND version = ?"
            )
            written = self._write(statement, expires, data, sid, version) == 1
        else:
            statement = "INSERT OR IGNORE INTO session VALUES (?, 1, ?, ?)"
            written = self._write(statement, sid, expires, data) == 1
        if written and random.random() < 1 / _PURGE_ONE_IN:
            self.purge()
        return written

    def delete(self, sid: str) -> None:
        """Forget a session."""
        self._write("DELETE FROM session WHERE id = ?", sid)

    def purge(self) -> int:
        """Delete one bite of expired sessions and return how many."""
        return self._write(
            "DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires <= ? LIMIT ?)",
            int(time.time()),
            _PURGE_BITE,
        )

    def ping(self) -> None:
        """Read the table once."""
        with self._connection() as connection:
            connection.execute("SELECT 1 FROM session LIMIT 1").fetchone()

    def probe(self) -> None:
        """Write a row that expires at once."""
        self._write("REPLACE INTO session VALUES (?, 1, 0, x'')", _PROBE)

    def count(self) -> int:
        """Return how many sessions there are."""
        with self._connection() as connection:
            statement = "SELECT count(*) FROM session WHERE expires > ?"
            found: int = connection.execute(statement, (int(time.time()),)).fetchone()[0]
            return found

    def each(self) -> Iterator[tuple[str, Saved]]:
        """Return every session that has not expired, by its id."""
        with self._connection() as connection:
            statement = "SELECT id, version, data FROM session WHERE expires > ?"
            for sid, version, data in connection.execute(statement, (int(time.time()),)):
                yield sid, Saved(version, data)

    def faults(self) -> str:
        """Return what SQLite's own check finds wrong with the file, or nothing."""
        with self._connection() as connection:
            found = connection.execute("PRAGMA integrity_check(3)").fetchall()
        lines = "; ".join(line for (line,) in found)
        return "" if lines == "ok" else f"{self._path} is damaged: {lines}"

    def checkpoint(self) -> None:
        """Move what was written lately from the log of writes into the file itself."""
        with self._connection() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _write(self, statement: str, *values: str | int | bytes) -> int:
        """Run one statement and return how many rows it has written."""
        with self._connection() as connection:
            try:
                return connection.execute(statement, values).rowcount
            except sqlite3.OperationalError as error:
                code = getattr(error, "sqlite_errorcode", 0)
                if code & _PRIMARY != sqlite3.SQLITE_READONLY:
                    raise
            # Opened while the disk was read-only it stays so: perhaps a new one does not.
            del self._local.connection
            connection.close()
            fresh = self._local.connection = self._connected()
            return fresh.execute(statement, values).rowcount

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Lend this thread's connection."""
        with self._faults_named():
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = self._connected()
            yield connection

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=5, isolation_level=None)
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    @contextmanager
    def _faults_named(self) -> Iterator[None]:
        """Turn a fault of the disk or the file into StoreUnavailable."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreUnavailable(f"{self._path}: {error}") from error
