"""Engines: how SQLAlchemy connects to SQLite's file, and to a server of PostgreSQL.

SQLite has one writer at a time. Those of a process queue in the order in which they came; beside
other processes one asks every half a millisecond.
"""

import os
import sqlite3
import threading
from collections import deque
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event, exc
from sqlalchemy.engine import ExceptionContext

MAX_WAIT: Final = 1.0
"""Maximum number of seconds that a request waits to be SQLite's writer. A transaction takes less
than a hundredth of one; what holds the file for longer is another program."""

MAX_SILENCE: Final = 5
"""Maximum number of seconds that a server of PostgreSQL is waited for."""

_PAUSE: Final = 0.0005
"""Number of seconds between two attempts to be SQLite's writer. Its own pauses grow to a tenth of a
second, so that the one who has waited longest would come last."""

_OURS: Final = (exc.IntegrityError, exc.ProgrammingError, exc.DataError)
"""Errors that are mistakes of this program, and no fault of the database."""


class Unavailable(Exception):
    """The database cannot be read or written just now. Nothing was changed."""


class Busy(Unavailable):
    """Another program has held the database for longer than a request waits."""


FAULTS: Final = (Unavailable, exc.TimeoutError)
"""What is raised where the database does not answer, or all connections are in use."""


class FairLock:
    """A lock that those who wait for it get in the order in which they came."""

    def __init__(self) -> None:
        """Make it free."""
        self._guard = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._held = False

    def acquire(self, timeout: float) -> bool:
        """Wait for the lock for some seconds at most; return whether it was got."""
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
        return True  # it came while the time was up

    def release(self) -> None:
        """Give the lock to who has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._held = False


def postgresql_engine(url: str) -> Engine:
    """Return an engine for ``postgresql+psycopg://…``."""
    options = f"-c lock_timeout={MAX_SILENCE}s -c statement_timeout={MAX_SILENCE}s"
    engine = create_engine(
        url,
        hide_parameters=True,
        pool_size=4,
        pool_pre_ping=True,  # after a restart of the server its old connections are replaced
        pool_timeout=MAX_SILENCE,
        connect_args={"connect_timeout": MAX_SILENCE, "options": options},
    )
    event.listen(engine, "handle_error", _as_unavailable)
    return engine


def sqlite_engine(url: str) -> Engine:
    """Return an engine for ``sqlite:///FILE``."""
    engine = create_engine(
        url,
        hide_parameters=True,  # no error is to name a card
        pool_timeout=MAX_SILENCE,
        connect_args={"timeout": MAX_WAIT, "check_same_thread": False},
    )
    file = _File(Path(str(engine.url.database)))
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", file.begin)
    event.listen(engine, "checkin", file.checked_in)
    event.listen(engine, "handle_error", _as_unavailable)
    return engine


def _prepare(connection: Any, _: object) -> None:
    """Prepare a new connection to SQLite's file."""
    connection.isolation_level = None  # else sqlite3 begins transactions when it likes
    # NORMAL keeps every answered move when the server is killed; a crash of the whole machine can
    # lose the last ones. What a student has asked to be forgotten must not stay in free pages.
    for pragma in ("synchronous=NORMAL", "foreign_keys=ON", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _as_unavailable(context: ExceptionContext) -> Unavailable | None:
    """Return what is raised instead of an error: for a fault of the database :exc:`Unavailable`."""
    error = context.sqlalchemy_exception
    if not isinstance(error, exc.DBAPIError) or isinstance(error, _OURS):
        return None
    if context.is_pre_ping:  # the pool replaces the connection
        return None
    if is_error_of(error.orig, sqlite3.SQLITE_READONLY):
        context.is_disconnect = True
    where = context.engine.url.database if context.engine else "database"
    return Unavailable(f"{where}: {error.orig}")


def is_error_of(error: BaseException | None, kind: int) -> bool:
    """Say whether an error of SQLite is of a kind; its code may say more in the higher bits."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == kind


class _File:
    """SQLite's file, which has one writer at a time."""

    def __init__(self, path: Path) -> None:
        self._path, self._queue = path, FairLock()
        self._identity = (0, 0)
        self._refuses_until = float("-inf")

    def begin(self, connection: Connection) -> None:
        """Begin a transaction; one that may write waits until nobody else does.

        Raises:
            Unavailable: another program holds the file, or it is not the one that was opened.
        """
        try:
            self._begin(connection)
        except sqlite3.Error as error:
            if is_error_of(error, sqlite3.SQLITE_READONLY):
                connection.invalidate()  # it stays so, also when the disk is not any more
            connection.close()
            kind = Busy if is_error_of(error, sqlite3.SQLITE_BUSY) else Unavailable
            raise kind(f"{self._path}: {error}") from error
        except BaseException:
            connection.close()  # else it is back in the pool when it happens to be collected
            raise

    def _begin(self, connection: Connection) -> None:
        self._require_same()
        proxied: Any = connection.connection
        raw: Any = proxied.dbapi_connection  # SQLAlchemy's own way takes twenty times as long
        if connection.get_execution_options().get("writes", True):
            ends = self._wait_for_turn()
            proxied.record_info["writes"] = True
            self._begin_to_write(raw, ends)
        else:
            raw.execute("BEGIN")

    def checked_in(self, raw: sqlite3.Connection | None, record: Any) -> None:
        """Let the next writer begin, when a connection goes back into the pool.

        ``record_info`` lasts as long as a place in the pool, whatever becomes of its connection.
        SQLite keeps a transaction open whose commit has failed, and the pool takes it for ended.
        """
        if raw and raw.in_transaction:
            raw.rollback()
        if record.record_info.pop("writes", False):
            self._queue.release()

    def _wait_for_turn(self) -> float:
        """Wait until no thread of this process writes; return until when others are waited for."""
        now = monotonic()
        # Who has just waited in vain has done so for the others too: they are refused at once.
        if now < self._refuses_until or not self._queue.acquire(MAX_WAIT):
            raise Busy(f"{self._path} is held by another program.")
        return now + MAX_WAIT

    def _begin_to_write(self, raw: sqlite3.Connection, ends: float) -> None:
        """Begin as soon as no other process writes; raise SQLite's error when time is up."""
        raw.execute("PRAGMA busy_timeout = 0")
        try:
            while not raw.in_transaction:
                try:
                    raw.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError as error:
                    if not is_error_of(error, sqlite3.SQLITE_BUSY):
                        raise
                    if monotonic() > ends:
                        self._refuses_until = monotonic() + MAX_WAIT
                        raise
                    sleep(_PAUSE)
        finally:
            raw.execute(f"PRAGMA busy_timeout = {MAX_WAIT * 1_000:.0f}")

    def _require_same(self) -> None:
        """Raise unless the file at the path is the one that was opened.

        What is written into a file that was deleted, nobody would find again.
        """
        try:
            found = os.stat(self._path)  # noqa: PTH116 - for every transaction, and half the price
        except OSError:
            found = None
        identity = (found.st_dev, found.st_ino) if found else None
        if self._identity == (0, 0) and identity:
            self._identity = identity
        if identity != self._identity:
            raise Unavailable(
                f"{self._path} was deleted or replaced while the site was running. Stop the site, "
                "put the right file there, and start it again."
            )
