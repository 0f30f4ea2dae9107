"""A SQLite file that several threads and processes share, and what can happen to it.

Faults of the disk and of the file come out as :class:`StoreUnavailable`. A file that was deleted or
replaced is one: SQLite would go on writing into what nobody finds any more.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeVar

from web.settings import make_private
from web.storage.breaker import Breaker
from web.storage.store import StoreUnavailable

_PAGE: Final = 2048
"""SQLite's page size: a session is 0.4 to 4 KB, and pages of 4 KB would stand half empty."""

_PRIMARY: Final = 0xFF
"""Which part of an error's code says of what kind it is."""

_WAITS: Final = 1.0
"""How long a write waits for that of another process, in seconds. Ours take less than one in a
hundred; who holds the file for longer is another program."""

T = TypeVar("T")


class SQLiteFile:
    """A file in WAL mode, with a connection for each thread.

    WAL lets readers and the writer work side by side. ``synchronous=NORMAL`` keeps every answered
    move when the server is killed; only a crash of the whole machine can lose the last ones.
    """

    def __init__(self, path: Path, schema: str, number: int = 0) -> None:
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
        self._named_faults, self._lending = _NamedFaults(path), _Lending(self)
        with self._named_faults, closing(self.connect()) as connection:
            is_empty = _is_empty(connection, path, number)
            connection.execute(f"PRAGMA page_size={_PAGE}")
            mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            if mode != "wal":
                raise StoreUnavailable(
                    f"The disk of {path} cannot keep a shared database (journal mode {mode}, not "
                    "wal). Set DATA_DIR to a local disk."
                )
            if is_empty or not number:  # else nothing is written: others may be at it
                begun = f"BEGIN IMMEDIATE; {schema} PRAGMA user_version={number}; COMMIT"
                connection.executescript(begun if number else schema)
        self._identity = _identity(path)

    def connect(self) -> sqlite3.Connection:
        """Return a new connection."""
        connection = sqlite3.connect(self.path, timeout=_WAITS, isolation_level=None)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA secure_delete=ON")
        return connection

    def reading(self) -> "_Lending":
        """Lend this thread's connection."""
        return self._lending

    def own_connection(self) -> sqlite3.Connection:
        """Return this thread's connection."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with self._named_faults:
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

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Write with this thread's connection, and return what the work returns."""
        self._writers.check()
        self.check()
        if self._has_full_log:
            self.empty_log()
        with self.reading() as connection:
            try:
                return work(connection)
            except sqlite3.OperationalError as error:
                match getattr(error, "sqlite_errorcode", 0) & _PRIMARY:
                    case sqlite3.SQLITE_BUSY:
                        self._writers.trip()
                        raise
                    case sqlite3.SQLITE_READONLY:
                        pass
                    case _:
                        raise
            # Opened while the disk was read-only it stays so: perhaps a new one does not.
            del self._local.connection
            connection.close()
            fresh = self._local.connection = self.connect()
            return work(fresh)

    def execute(self, statement: str, *values: str | float | bytes) -> int:
        """Run one statement that writes, and return how many rows it has written."""
        return self.write(lambda connection: connection.execute(statement, values).rowcount)

    def empty_log(self) -> None:
        """Empty the log of writes; while somebody reads that cannot be, but before the next write.

        What was deleted is overwritten in the file itself, but not in the log.
        """
        with self.reading() as connection:
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
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

    def _ask_to_write(self) -> None:
        with closing(self.connect()) as connection, transaction(connection):
            pass


class _NamedFaults:
    """Turns a fault of the disk or of a file into StoreUnavailable."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> object:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        # UnicodeDecodeError: SQLite's sentence quotes what is damaged, and that is no text.
        if error and isinstance(error, sqlite3.Error | UnicodeDecodeError):
            raise StoreUnavailable(f"{self._path}: {error}") from error


class _Lending(_NamedFaults):
    """Lends each thread its own connection. A class and no generator: every request comes by."""

    def __init__(self, file: SQLiteFile) -> None:
        super().__init__(file.path)
        self._file = file

    def __enter__(self) -> sqlite3.Connection:
        return self._file.own_connection()


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Make what is written inside one whole, or nothing of it if something fails."""
    with connection:  # commits, or takes back
        connection.execute("BEGIN IMMEDIATE")
        yield


def _is_empty(connection: sqlite3.Connection, path: Path, number: int) -> bool:
    """Say whether a file has no tables yet.

    Raises:
        StoreUnavailable: it is another's, or of another version of the site.
    """
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if number and tables and found != number:
        raise StoreUnavailable(
            f"{path} has format {found}, and this version of the site keeps format {number}. "
            "Nothing in it was changed: move it away, or set another DATA_DIR."
        )
    return not tables


def _identity(path: Path) -> tuple[int, int]:
    """Return which file lies at a path; no file's where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - asked before every write, and half the price
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino
