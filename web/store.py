"""Where sessions are kept: one small interface, and the embedded SQLite file behind it.

Whoever saves says which version it has read. A save of any other version is refused, so of two
simultaneous moves one is always told to look again; nothing is ever overwritten unseen.
"""

import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, Protocol

LIFETIME: Final = 14 * 86_400
"""How long a session lives after its last move, in seconds."""

_DAY: Final = 86_400
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
        with self._connection() as connection:
            mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            if mode != "wal":
                raise StoreUnavailable(
                    f"The disk of {path} cannot keep a shared database (journal mode {mode}, not "
                    "wal). Set DATA_DIR to a local disk."
                )
            connection.execute(
                "CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, version INTEGER NOT "
                "NULL, expires INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID"
            )
            connection.execute("CREATE INDEX IF NOT EXISTS session_expires ON session (expires)")

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
        with self._connection() as connection:
            if version:
                statement = (
                    "UPDATE session SET version = version + 1, expires = ?, data = ? "
                    "WHERE id = ? AND version = ?"
                )
                cursor = connection.execute(statement, (expires, data, sid, version))
            else:
                statement = "INSERT OR IGNORE INTO session VALUES (?, 1, ?, ?)"
                cursor = connection.execute(statement, (sid, expires, data))
            written = cursor.rowcount == 1
        if written and random.random() < 1 / _PURGE_ONE_IN:
            self.purge()
        return written

    def delete(self, sid: str) -> None:
        """Forget a session."""
        with self._connection() as connection:
            connection.execute("DELETE FROM session WHERE id = ?", (sid,))

    def purge(self) -> int:
        """Delete one bite of expired sessions and return how many."""
        with self._connection() as connection:
            return connection.execute(
                "DELETE FROM session WHERE id IN "
                "(SELECT id FROM session WHERE expires <= ? LIMIT ?)",
                (int(time.time()), _PURGE_BITE),
            ).rowcount

    def ping(self) -> None:
        """Read the table once."""
        with self._connection() as connection:
            connection.execute("SELECT 1 FROM session LIMIT 1").fetchone()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Lend this thread's connection; a fault of the disk becomes StoreUnavailable."""
        try:
            connection = getattr(self._local, "connection", None) or self._connect()
            yield connection
        except sqlite3.Error as error:
            raise StoreUnavailable(f"{self._path}: {error}") from error

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=5, isolation_level=None)
        connection.execute("PRAGMA synchronous=NORMAL")
        self._local.connection = connection
        return connection
