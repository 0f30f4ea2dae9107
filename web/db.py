"""The database: one engine for a process, and one transaction for each request.

A POST is one transaction, from the session that it reads to what it has written: all of that is
kept, or nothing is. What it has read stays as it is meanwhile. SQLite has one writer at a time, and
a POST becomes that writer when it begins; in PostgreSQL it locks the rows that it is about with
``SELECT … FOR UPDATE``, the player's session first and then the class. So a view loads, decides and
writes, once. All other requests read one moment of the database and write nothing.
"""

import logging
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

import flask
from sqlalchemy import Connection, Engine, create_engine, event, exc, select, text
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.orm import Session

from web.settings import make_private

FILE: Final = "cardgames.db"
"""The name of SQLite's file in the data directory."""

EXTENSION: Final = "database"
"""The app's extension that is its :class:`Database`."""

MAX_WAIT: Final = 1.0
"""Maximum number of seconds that a request waits to be SQLite's writer. A transaction takes less
than a hundredth of one; what holds the file for longer is another program."""

MAX_SILENCE: Final = 5
"""Maximum number of seconds that a server of PostgreSQL is waited for."""

CLOCK_HOLDS: Final = 10.0
"""Number of seconds after which the clock of PostgreSQL's server is read again."""

_PAUSE: Final = 0.0005
"""Number of seconds between two attempts to be SQLite's writer. Its own pauses grow to a tenth of a
second, so that the one who has waited longest would come last."""

_OURS: Final = (exc.IntegrityError, exc.ProgrammingError, exc.DataError)
"""Errors that are mistakes of this program, and no fault of the database."""

log = logging.getLogger("cardgames.database")


class Unavailable(Exception):
    """The database cannot be read or written just now. Nothing was changed."""


FAULTS: Final = (Unavailable, exc.TimeoutError)
"""What is raised where the database does not answer, or all connections are in use."""


class Database:
    """An app's database: makes the sessions of its requests."""

    def __init__(self, url: str) -> None:
        """Prepare to connect to a database.

        Args:
            url: its address: ``sqlite:///FILE`` or ``postgresql+psycopg://…``.
        """
        is_sqlite = url.startswith("sqlite")
        self.engine = _sqlite(url) if is_sqlite else _postgresql(url)
        self.is_sqlite = is_sqlite
        # One moment for a reader's whole request; SQLite has no other way in WAL mode.
        moment = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        self._reader = self.engine.execution_options(writes=False, **({} if is_sqlite else moment))
        self._ahead, self._read_at = 0.0, float("-inf")

    def session(self, *, writes: bool) -> Session:
        """Return a session, whose transaction begins with its first query."""
        engine = self.engine if writes else self._reader
        return Session(engine, expire_on_commit=False, info={"writes": writes})

    def now(self) -> float:
        """Return the time, in seconds since 1970: that of PostgreSQL's server, where there is one.

        Machines that share a class have clocks of their own. The server's is read again every ten
        seconds and carried on by this machine's clock that no one sets.
        """
        if self.is_sqlite:
            return time.time()
        if monotonic() - self._read_at > CLOCK_HOLDS:
            with self._reader.connect() as connection:
                seconds = connection.scalar(text("SELECT extract(epoch FROM clock_timestamp())"))
            self._read_at = monotonic()
            self._ahead = float(seconds or 0) - self._read_at
        return monotonic() + self._ahead

    def check_read(self) -> None:
        """Return if the database answers; raise :exc:`Unavailable` otherwise."""
        with self._reader.connect() as connection:
            connection.execute(select(1))

    def check_write(self) -> None:
        """Return if the database takes a write; raise :exc:`Unavailable` otherwise."""
        with self.engine.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = version_num"))

    def size(self) -> int:
        """Return how many bytes the database takes."""
        query = (
            "SELECT (page_count - freelist_count) * page_size "
            "FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()"
        )
        with self._reader.connect() as connection:
            found = connection.scalar(
                text(query if self.is_sqlite else "SELECT pg_database_size(current_database())")
            )
        return int(found or 0)

    def faults(self) -> str:
        """Return what SQLite's own check finds wrong with its file; nothing if it is sound."""
        if not self.is_sqlite:
            return ""
        with self._reader.connect() as connection:
            lines = "; ".join(connection.scalars(text("PRAGMA integrity_check(3)")))
        return "" if lines == "ok" else f"{self.engine.url.database} is damaged: {lines}"

    def scrub(self) -> None:
        """Empty SQLite's log of writes, so that what was deleted is in it no more.

        In the file SQLite overwrites what is deleted. While somebody reads, the log stays until the
        next attempt.
        """
        if self.is_sqlite:
            with self._reader.connect() as connection:
                raw: Any = connection.connection.dbapi_connection
                raw.commit()  # a checkpoint is no part of a transaction
                raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")


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


def _postgresql(url: str) -> Engine:
    options = f"-c lock_timeout={MAX_SILENCE}s -c statement_timeout={MAX_SILENCE}s"
    engine = create_engine(
        url,
        hide_parameters=True,
        pool_size=4,
        pool_timeout=MAX_SILENCE,
        connect_args={"connect_timeout": MAX_SILENCE, "options": options},
    )
    event.listen(engine, "handle_error", _as_unavailable)
    return engine


def _sqlite(url: str) -> Engine:
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
    if _is(error.orig, sqlite3.SQLITE_READONLY):
        context.is_disconnect = True
    return Unavailable(str(error.orig))


def _is(error: BaseException | None, kind: int) -> bool:
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
            if _is(error, sqlite3.SQLITE_READONLY):
                connection.invalidate()  # it stays so, also when the disk is not any more
            connection.close()
            raise Unavailable(f"{self._path}: {error}") from error
        except BaseException:
            connection.close()  # else it is back in the pool when it happens to be collected
            raise

    def _begin(self, connection: Connection) -> None:
        self._require_same()
        proxied = connection.connection
        raw: Any = proxied.dbapi_connection  # SQLAlchemy's own way takes twenty times as long
        if connection.get_execution_options().get("writes", True):
            ends = self._wait_for_turn()
            _info(proxied)["writes"] = True
            self._begin_to_write(raw, ends)
        else:
            raw.execute("BEGIN")

    def checked_in(self, raw: sqlite3.Connection | None, record: Any) -> None:
        """Let the next writer begin, when a connection goes back into the pool.

        SQLite keeps a transaction open whose commit has failed, and the pool takes it for ended.
        """
        if raw and raw.in_transaction:
            raw.rollback()
        if _info(record).pop("writes", False):
            self._queue.release()

    def _wait_for_turn(self) -> float:
        """Wait until no thread of this process writes; return until when others are waited for."""
        now = monotonic()
        # Who has just waited in vain has done so for the others too: they are refused at once.
        if now < self._refuses_until or not self._queue.acquire(MAX_WAIT):
            raise Unavailable(f"{self._path} is held by another program.")
        return now + MAX_WAIT

    def _begin_to_write(self, raw: sqlite3.Connection, ends: float) -> None:
        raw.execute("PRAGMA busy_timeout = 0")
        try:
            while not self._has_begun(raw, ends):
                sleep(_PAUSE)
        finally:
            raw.execute(f"PRAGMA busy_timeout = {MAX_WAIT * 1_000:.0f}")

    def _has_begun(self, raw: sqlite3.Connection, ends: float) -> bool:
        """Try once to begin; raise SQLite's error when time is up."""
        try:
            raw.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if not _is(error, sqlite3.SQLITE_BUSY):
                raise
            if monotonic() > ends:
                self._refuses_until = monotonic() + MAX_WAIT
                raise
            return False
        return True

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


def _info(connection: Any) -> dict[str, Any]:
    """Return what lasts as long as a place in the pool, whatever becomes of its connection."""
    info: dict[str, Any] = connection.record_info
    return info


def init_app(app: flask.Flask, url: str) -> None:
    """Give an app its database."""
    app.extensions[EXTENSION] = Database(url)
    app.teardown_appcontext(_close)


def database_of(app: flask.Flask) -> Database:
    """Return the database of an app."""
    found: Database = app.extensions[EXTENSION]
    return found


def database() -> Database:
    """Return the database of the app that is answering."""
    return database_of(flask.current_app)


def session() -> Session:
    """Return the session of the request, or of the command, that is at work."""
    found: Session | None = flask.g.get("db")
    if found is None:
        found = flask.g.db = database().session(writes=may_write())
    return found


def may_write() -> bool:
    """Say whether the request, or the command, that is at work may write."""
    if not flask.has_request_context():
        return True
    return flask.request.method not in ("GET", "HEAD", "OPTIONS") and "reads" not in flask.g


def commit() -> None:
    """Keep what the request has written; what it reads from now on is another moment."""
    if "db" in flask.g:
        _end(flask.g.db)


def rollback() -> None:
    """Undo what the request has written since it began, or since the last commit."""
    if "db" in flask.g:
        flask.g.db.rollback()


def read_only() -> None:
    """Let the request read from now on, and write no more."""
    if found := flask.g.pop("db", None):
        found.close()
    flask.g.reads = True


@contextmanager
def writing() -> Iterator[Session]:
    """Lend a request that only reads a transaction to write in, which is kept at its end.

    Presence, and a session that lives on, are noted by requests that look. Within a POST it is that
    request's own transaction.
    """
    before = session()
    if before.info["writes"]:
        yield before
        before.flush()
        return
    _end(before)  # its moment is over: what is read afterwards has what is written here
    try:
        with database().session(writes=True) as flask.g.db, flask.g.db.begin():
            yield flask.g.db
    finally:
        flask.g.db = before
        before.expire_all()


def _end(session: Session) -> None:
    """Commit a session; one whose commit fails can be used again."""
    try:
        session.commit()
    except BaseException:
        session.rollback()
        raise


def now() -> float:
    """Return the time, in seconds since 1970."""
    return database().now()


def url_in(folder: Path) -> str:
    """Return the address of SQLite's file in a data directory, which is made for its owner alone.

    Raises:
        Unavailable: the file cannot be made.
    """
    path = folder.resolve() / FILE
    try:
        path.touch(mode=0o600)
    except OSError as error:
        raise Unavailable(f"{path}: {error.strerror}.") from None
    for each in folder.glob(f"{FILE}*"):  # one restored from a copy may have come with other rights
        make_private(each)
    return f"sqlite:///{path}"


def _close(_: BaseException | None) -> None:
    if found := flask.g.pop("db", None):
        found.close()
