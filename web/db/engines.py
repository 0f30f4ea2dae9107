"""Engines for SQLite and PostgreSQL, and the start of their transactions.

SQLite has one writer at a time. The writers of a process queue in order of arrival, and the first
of them retries every half millisecond while another process writes. For a class, SQLite's own
waiting (``busy_timeout``) was slower. In 14 alternating runs on a busy machine with two processes
and 60 students, the median of the 99th percentile of a move's latency was 136 ms with
``busy_timeout`` and 84 ms with this queue. In 11 of the runs, the 99th percentile was higher with
``busy_timeout``. With 250 students there was no difference beyond the noise.
"""

import os
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

from sqlalchemy import Connection, create_engine, event, exc
from sqlalchemy.engine import ExceptionContext

MAX_WAIT: Final = 1.0
"""Timeout, in seconds, for a request to acquire SQLite's write lock. A transaction of the site
takes less than a hundredth of a second, so only other programs hold the lock longer.
"""

MAX_SILENCE: Final = 5
"""Timeout for PostgreSQL, in seconds."""


@dataclass
class _Wait:
    """A transaction's timeout for acquiring the write lock, and whether it expired."""

    seconds: float = MAX_WAIT
    timed_out: bool = False


_wait: Final[ContextVar[_Wait | None]] = ContextVar("wait", default=None)

_PAUSE: Final = 0.0005
"""Pause, in seconds, between two attempts to acquire SQLite's write lock.

SQLite's own pauses grow to a tenth of a second, so the request that has waited longest would be
last.
"""

_OURS: Final = (exc.IntegrityError, exc.ProgrammingError, exc.DataError)
"""SQLAlchemy's errors that are caused by bugs in this program, not by faults of the database."""


class Unavailable(Exception):
    """Raised if the database currently cannot be read or written. Nothing has changed."""


class Busy(Unavailable):
    """Raised if another program has held the write lock for longer than the timeout."""


FAULTS: Final = (Unavailable, exc.TimeoutError)
"""The errors that are raised if the database does not respond, or if all connections are in use."""


@contextmanager
def max_wait(seconds: float) -> Iterator[_Wait]:
    """Shorten :data:`MAX_WAIT` for calls within a ``with`` block.

    Yields:
        An object whose ``timed_out`` is True if a transaction could not begin in time.
    """
    wait = _Wait(seconds)
    token = _wait.set(wait)
    try:
        yield wait
    finally:
        _wait.reset(token)


class FairLock:
    """A lock that threads acquire in order of arrival."""

    def __init__(self) -> None:
        """Create an unlocked lock."""
        self._guard = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._held = False

    def acquire(self, timeout: float) -> bool:
        """Return whether the lock was acquired within a timeout in seconds."""
        with self._guard:
            if not self._held:
                self._held = True
                return True
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        if turn.acquire(timeout=timeout):
            return True
        with self._guard:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return False
        return True  # The lock was acquired just as the timeout expired.

    def release(self) -> None:
        """Pass the lock to the thread that has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._held = False


class PostgreSQL:
    """A database on a PostgreSQL server."""

    def __init__(self, url: str) -> None:
        """Prepare to connect to ``postgresql+psycopg://…``."""
        options = f"-c lock_timeout={MAX_SILENCE}s -c statement_timeout={MAX_SILENCE}s"
        self.engine = create_engine(
            url,
            hide_parameters=True,  # An error message must not contain a card.
            pool_size=4,
            pool_pre_ping=True,  # replaces connections that a server restart closed
            pool_timeout=MAX_SILENCE,
            connect_args={"connect_timeout": MAX_SILENCE, "options": options},
        )
        event.listen(self.engine, "handle_error", _as_unavailable)
        # Each read-only request reads a single snapshot.
        self._reader = self.engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )

    def begin(self, *, writes: bool) -> Connection:
        """Return a connection on which a transaction has begun.

        Raises:
            Unavailable: If the server does not respond.
        """
        connection = (self.engine if writes else self._reader).connect()
        connection.begin()
        return connection


def _prepare(connection: Any, _: object) -> None:
    """Prepare a new connection to SQLite's file."""
    connection.isolation_level = None  # Without this setting, sqlite3 begins transactions itself.
    # With NORMAL, no answered move is lost if the server is killed, but the last moves can be lost
    # if the machine crashes. Deleted data must not stay in free pages.
    for pragma in ("synchronous=NORMAL", "foreign_keys=ON", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _as_unavailable(context: ExceptionContext) -> Unavailable | None:
    """Return the :exc:`Unavailable` that replaces an error of the database, or None."""
    error = context.sqlalchemy_exception
    if not isinstance(error, exc.DBAPIError) or isinstance(error, _OURS):
        return None
    if context.is_pre_ping:  # The pool replaces the connection.
        return None
    if has_error_code(error.orig, sqlite3.SQLITE_READONLY):
        context.is_disconnect = True
    where = context.engine.url.database if context.engine else "database"
    return Unavailable(f"{where}: {error.orig}")


def has_error_code(error: BaseException | None, kind: int) -> bool:
    """Return whether an SQLite error has the given primary result code."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == kind


class SQLite:
    """An SQLite database file, which has one writer at a time."""

    def __init__(self, url: str) -> None:
        """Prepare to open ``sqlite:///FILE``."""
        self.engine = create_engine(
            url,
            hide_parameters=True,  # An error message must not contain a card.
            pool_timeout=MAX_SILENCE,
            connect_args={"timeout": MAX_WAIT, "check_same_thread": False},
        )
        """Connections of the engine commit each statement. Use :meth:`begin` for a transaction."""

        event.listen(self.engine, "connect", _prepare)
        event.listen(self.engine, "checkin", self._checked_in)
        event.listen(self.engine, "handle_error", _as_unavailable)
        self._path, self._queue = Path(str(self.engine.url.database)), FairLock()
        self._identity = (0, 0)
        self._refuses_until = float("-inf")

    def begin(self, *, writes: bool) -> Connection:
        """Return a connection on which a transaction has begun.

        A writer waits until no other writer is active. A reader reads a single snapshot (WAL mode).

        Raises:
            Unavailable: If another program holds the write lock, or the file was replaced.
        """
        # A listener of the event "begin" would make SQLAlchemy call listeners at each statement. A
        # transaction with one SELECT would take 40% longer.
        connection = self.engine.connect()
        try:
            self._require_same()
            proxied: Any = connection.connection
            raw: Any = proxied.dbapi_connection  # SQLAlchemy's own method takes 20 times as long.
            if writes:
                ends = self._wait_for_turn()
                proxied.record_info["writes"] = True
                self._begin_to_write(raw, ends)
            else:
                raw.execute("BEGIN")
            connection.begin()
        except sqlite3.Error as error:
            if has_error_code(error, sqlite3.SQLITE_READONLY):
                # The connection stays read-only even if the disk becomes writable.
                connection.invalidate()
            connection.close()
            kind = Busy if has_error_code(error, sqlite3.SQLITE_BUSY) else Unavailable
            raise kind(f"{self._path}: {error}") from error
        except BaseException:
            connection.close()  # otherwise only garbage collection would return the connection
            raise
        return connection

    def _checked_in(self, raw: sqlite3.Connection | None, record: Any) -> None:
        """Release the lock when a writer's connection returns to the pool.

        ``record_info`` exists as long as the connection's slot in the pool, even if the connection
        is replaced. After a failed commit, SQLite's transaction is still open, although the pool
        considers it closed.
        """
        if raw and raw.in_transaction:
            raw.rollback()
        if record.record_info.pop("writes", False):
            self._queue.release()

    def _wait_for_turn(self) -> float:
        """Wait until no thread of this process is writing.

        Return the deadline for other processes.
        """
        now, wait = monotonic(), _wait.get() or _Wait()
        # After a timeout, the other waiting requests are rejected immediately.
        if now < self._refuses_until or not self._queue.acquire(wait.seconds):
            wait.timed_out = wait.seconds < MAX_WAIT
            raise Busy(f"{self._path} is held by another program.")
        return now + wait.seconds

    def _begin_to_write(self, raw: sqlite3.Connection, ends: float) -> None:
        """Begin the transaction once no other process writes, or raise at the deadline."""
        raw.execute("PRAGMA busy_timeout = 0")
        try:
            while not raw.in_transaction:
                try:
                    raw.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError as error:
                    if not has_error_code(error, sqlite3.SQLITE_BUSY):
                        raise
                    if monotonic() > ends:
                        self._time_out()
                        raise
                    sleep(_PAUSE)
        finally:
            raw.execute(f"PRAGMA busy_timeout = {MAX_WAIT * 1_000:.0f}")

    def _time_out(self) -> None:
        """Record that a transaction could not begin.

        If the full timeout has expired, all other waiting requests are also rejected.
        """
        wait = _wait.get() or _Wait()
        wait.timed_out = wait.seconds < MAX_WAIT
        if not wait.timed_out:
            self._refuses_until = monotonic() + MAX_WAIT

    def _require_same(self) -> None:
        """Raise unless the file at the path is still the file that was opened.

        Writes into a deleted file would be lost.
        """
        try:
            status = os.stat(self._path)  # noqa: PTH116 - called for every transaction, and twice as fast
        except OSError:
            status = None
        identity = (status.st_dev, status.st_ino) if status else None
        if self._identity == (0, 0) and identity:
            self._identity = identity
        if identity != self._identity:
            raise Unavailable(
                f"{self._path} was deleted or replaced while the site was running. Stop the site, "
                "put the right file there, and start it again."
            )
