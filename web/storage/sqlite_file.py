"""A SQLite file that several threads and processes share, and what can happen to it.

Faults of the disk and of the file come out as :class:`StoreUnavailable`. A file that was deleted or
replaced is one: SQLite would go on writing into what nobody finds any more.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from web.settings import make_private
from web.storage.breaker import Breaker
from web.storage.store import StoreUnavailable

_PRIMARY: Final = 0xFF
"""Which part of an error's code says of what kind it is."""

_TIMEOUT: Final = 1.0
"""How long a write waits for that of another process, in seconds. Ours take less than one in a
hundred; what holds the file for longer is another program."""

_FAULTS: Final = (sqlite3.Error, UnicodeDecodeError)
"""What sqlite3 raises: the latter where its sentence quotes what is damaged, which is no text."""


class SQLiteFile:
    """A file in WAL mode, with a connection for each thread.

    WAL lets readers and the writer work side by side. ``synchronous=NORMAL`` keeps every answered
    move when the server is killed; only a crash of the whole machine can lose the last ones.
    """

    def __init__(self, path: Path, schema: str, number: int) -> None:
        """Open the file, making it and its tables where needed.

        Args:
            path: where it lies.
            schema: the statements that make its tables.
            number: the format's; a file with tables of any other is left as it is.

        Raises:
            StoreUnavailable: the file cannot be used, or its disk cannot share it (network
                drives do not keep SQLite's write-ahead log safe).
        """
        self.path = path
        self._local = threading.local()
        self._has_full_log = False
        self._writers = Breaker(f"{path} is held by another program, which", self._ask_to_write)
        self._make_private()
        # Closed again at once: workers are forked from a process that has checked the settings,
        # and SQLite's locks do not survive a fork. A connection that was open then would leave the
        # workers' own without any, and the next program to look would delete their log of writes.
        try:
            with closing(self.connect()) as connection:
                self._prepare(connection, schema, number)
        except _FAULTS as error:
            raise self._fault(error) from error
        self._identity = _identity(path)

    def connect(self) -> sqlite3.Connection:
        """Return a new connection."""
        connection = sqlite3.connect(self.path, timeout=_TIMEOUT, isolation_level=None)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA secure_delete=ON")
        return connection

    def connection(self) -> sqlite3.Connection:
        """Return this thread's connection."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self.connect()
        return connection

    def close(self) -> None:
        """Close this thread's connection; the next question opens another."""
        connection = self._local.__dict__.pop("connection", None)
        if connection:
            connection.close()

    def check(self) -> None:
        """Return if it is still the same file that lies at its path.

        Raises:
            StoreUnavailable: what is written now, nobody would find again.
        """
        if _identity(self.path) != self._identity:
            raise StoreUnavailable(
                f"{self.path} was deleted or replaced while the site was running. Stop the site, "
                "put the right file there, and start it again."
            )

    def read(self, statement: str, *values: str | float) -> list[Any]:
        """Return what a statement finds, with this thread's connection."""
        try:
            return self.connection().execute(statement, values).fetchall()
        except _FAULTS as error:
            raise self._fault(error) from error

    def execute(self, statement: str, *values: str | float | bytes) -> int:
        """Run one statement that writes, and return how many rows it has written."""
        self._writers.check()
        self.check()
        if self._has_full_log:
            self.empty_log()
        try:
            try:
                return self.connection().execute(statement, values).rowcount
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & _PRIMARY != sqlite3.SQLITE_READONLY:
                    raise
                self.close()  # a new one can write if the disk is not read-only any more
                return self.connection().execute(statement, values).rowcount
        except _FAULTS as error:
            raise self._fault(error) from error

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write whatever the block executes, or nothing when it raises."""
        self.execute("BEGIN IMMEDIATE")
        try:
            with self.connection() as connection:
                yield connection
        except _FAULTS as error:
            raise self._fault(error) from error

    def empty_log(self) -> None:
        """Empty the log of writes; while somebody reads that cannot be, but before the next write.

        What was deleted is overwritten in the file itself, but not in the log.
        """
        ((busy, *_),) = self.read("PRAGMA wal_checkpoint(TRUNCATE)")
        self._has_full_log = bool(busy)

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

    def _prepare(self, connection: sqlite3.Connection, schema: str, number: int) -> None:
        """Make the tables of a file that has none.

        Raises:
            StoreUnavailable: it is another's, or of another version of the site.
        """
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if tables and found != number:
            raise StoreUnavailable(
                f"{self.path} has format {found}, and this version of the site keeps format "
                f"{number}. Nothing in it was changed: move it away, or set another DATA_DIR."
            )
        mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
        if mode != "wal":
            raise StoreUnavailable(
                f"The disk of {self.path} cannot keep a shared database (journal mode {mode}, not "
                "wal). Set DATA_DIR to a local disk."
            )
        if not tables:  # else nothing is written: others may be at it
            begun = f"BEGIN IMMEDIATE; {schema} PRAGMA user_version={number}; COMMIT"
            connection.executescript(begun)

    def _fault(self, error: Exception) -> StoreUnavailable:
        match getattr(error, "sqlite_errorcode", 0) & _PRIMARY:
            case sqlite3.SQLITE_BUSY:
                self._writers.trip()
            case sqlite3.SQLITE_READONLY:
                self.close()  # it stays so, also when the disk is not any more
        return StoreUnavailable(f"{self.path}: {error}")

    def _ask_to_write(self) -> None:
        with closing(self.connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")


def _identity(path: Path) -> tuple[int, int]:
    """Return which file lies at a path; no file's where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - asked before every write, and half the price
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino
