"""The database: one engine per process, and one transaction per request.

A POST is a single transaction, from reading its session to its last write, so either all of its
changes are saved or none are. SQLite has one writer at a time, and a POST becomes the writer when
it begins. In PostgreSQL a POST locks its rows with ``SELECT … FOR UPDATE`` in a fixed order: first
the player's session, then the class. All other requests read a single snapshot of the database and
write nothing.
"""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from time import monotonic
from typing import Any, Final, Self

import flask
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from web.db import engines

FILE: Final = "cardgames.db"
"""The name of the SQLite file in the data directory."""

EXTENSION: Final = "database"
"""The key of the :class:`Database` in the app's extensions."""

Unavailable = engines.Unavailable
DATABASE_ERRORS: Final = engines.FAULTS

_READS: Final = ("GET", "HEAD", "OPTIONS")  # methods of read-only requests

CLOCK_HOLDS: Final = 10.0
"""Interval in seconds between two reads of the PostgreSQL server's clock."""

CHECK_SECONDS: Final = 1.0
"""Minimum number of seconds between two writes of :meth:`Database.check`."""


class Transaction:
    """A connection on which a transaction has begun, and its ORM session, if one is needed.

    A move at a table needs only the connection. With an ORM session, a move in JSON would take 8%
    longer, and a move and its page 5%.
    """

    def __init__(self, database: "Database", *, writes: bool) -> None:
        """Connect to a database and begin the transaction.

        Raises:
            Unavailable: If the database cannot be read, or cannot be written in time.
        """
        if writes and database.has_full_log:
            database.scrub()
        self.writes = writes
        self.connection = database.begin(writes=writes)
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """The ORM session. Its queries and changes are part of the transaction."""
        if self._session is None:
            self._session = Session(self.connection, expire_on_commit=False)
        return self._session

    def commit(self) -> None:
        """Commit all changes."""
        if self._session:
            self._session.flush()
        self.connection.commit()

    def close(self) -> None:
        """Roll back uncommitted changes and release all locks.

        Objects of the ORM session keep their loaded values.
        """
        if self._session:
            self._session.close()
        self.connection.close()


class Database:
    """An app's database."""

    def __init__(self, url: str) -> None:
        """Prepare to connect to a database.

        Args:
            url: The database URL, ``sqlite:///FILE`` or ``postgresql+psycopg://…``.
        """
        self.is_sqlite = url.startswith("sqlite")
        system = engines.SQLite(url) if self.is_sqlite else engines.PostgreSQL(url)
        self.engine = system.engine
        self.begin = system.begin
        """Function that returns a connection on which a transaction has begun."""

        self._ahead, self._read_at = 0.0, float("-inf")
        self.has_full_log = False
        """Whether SQLite's write-ahead log contains deleted data that should be erased."""

        self._checked_at = float("-inf")

    def __enter__(self) -> Self:
        """Yield the database, and close it at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def session(self, *, writes: bool) -> Iterator[Session]:
        """Yield an ORM session outside of a request, and commit its changes at the end."""
        with closing(Transaction(self, writes=writes)) as transaction:
            yield transaction.session
            transaction.commit()

    def now(self) -> float:
        """Return the time in seconds since 1970.

        With PostgreSQL, this is the time of the server's clock.

        The clocks of machines that share a class may differ. The server's clock is read every ten
        seconds, and this machine's monotonic clock measures the time since then.
        """
        if self.is_sqlite:
            return time.time()
        if monotonic() - self._read_at > CLOCK_HOLDS:
            with self.begin(writes=False) as connection:
                seconds = connection.scalar(text("SELECT extract(epoch FROM clock_timestamp())"))
            self._read_at = monotonic()
            self._ahead = float(seconds or 0) - self._read_at
        return monotonic() + self._ahead

    def check(self) -> None:
        """Raise :exc:`Unavailable` unless the database can be read and written.

        The check writes at most once per second, because anyone may request it.
        """
        with self.begin(writes=False) as connection:
            connection.execute(select(1))
        if monotonic() > self._checked_at + CHECK_SECONDS:
            with self.begin(writes=True) as connection:
                connection.execute(text("UPDATE alembic_version SET version_num = version_num"))
                connection.commit()
            self._checked_at = monotonic()

    def size(self) -> int:
        """Return the size of the database in bytes."""
        query = (
            "SELECT (page_count - freelist_count) * page_size "
            "FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()"
        )
        with self.begin(writes=False) as connection:
            size = connection.scalar(
                text(query if self.is_sqlite else "SELECT pg_database_size(current_database())")
            )
        return int(size or 0)

    def is_full(self, limit: int) -> bool:
        """Return whether the database has reached a maximum size in bytes.

        0 means that there is no maximum.
        """
        return bool(limit) and self.size() >= limit

    def faults(self) -> str:
        """Return the problems that SQLite's integrity check finds, or an empty string."""
        if not self.is_sqlite:
            return ""
        with self.begin(writes=False) as connection:
            lines = "; ".join(connection.scalars(text("PRAGMA integrity_check(3)")))
        return "" if lines == "ok" else f"{self.engine.url.database} is damaged: {lines}"

    def scrub(self) -> None:
        """Empty SQLite's write-ahead log, so that the log contains no deleted data.

        In the database file itself, SQLite overwrites deleted data. The log is emptied when no
        process is reading it and this process begins its next write.
        """
        if not self.is_sqlite:
            return
        with self.engine.connect() as connection:
            # No transaction has begun on this connection.
            raw: Any = connection.connection.dbapi_connection
            busy, *_ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        self.has_full_log = bool(busy)


def init_app(app: flask.Flask, url: str) -> None:
    """Prepare an app's database."""
    app.extensions[EXTENSION] = Database(url)
    app.teardown_appcontext(rollback)


def database(app: flask.Flask | None = None) -> Database:
    """Return the database of an app, by default of the current app."""
    found: Database = (app or flask.current_app).extensions[EXTENSION]
    return found


def transaction() -> Transaction:
    """Return the transaction of the current request or command."""
    found: Transaction | None = flask.g.get("db")
    if found is None:
        found = flask.g.db = Transaction(database(), writes=may_write())
    return found


def session() -> Session:
    """Return the ORM session of the current transaction."""
    return transaction().session


def execute(statement: Any, values: Any = None, /, **named: Any) -> Any:
    """Return the result of a SQLAlchemy Core statement in the current transaction.

    Args:
        statement: The statement to execute.
        values: Parameters, keyed by name, or a list of such parameters to insert several rows.
        **named: Parameters, keyed by name.
    """
    return transaction().connection.execute(statement, named if values is None else values)


def may_write() -> bool:
    """Return whether the current request or command may write."""
    if "reads" in flask.g:
        return False
    return not flask.has_request_context() or flask.request.method not in _READS


def commit() -> None:
    """Commit the request's changes.

    Deleted data is erased from the database file if this was requested.
    """
    if found := flask.g.pop("db", None):
        with closing(found):
            found.commit()
    if flask.g.pop("scrubs", False):
        database().scrub()


def scrub_after_commit() -> None:
    """Erase deleted data from the database file after the commit of the request."""
    flask.g.scrubs = True


def rollback(_: BaseException | None = None) -> None:
    """Roll back the request's changes and release its locks."""
    if found := flask.g.pop("db", None):
        found.close()


def read_only() -> None:
    """Roll back uncommitted changes and make the request read-only from now on."""
    rollback()
    flask.g.reads = True


@contextmanager
def write_transaction() -> Iterator[None]:
    """Write within a ``with`` block in a read-only request, and commit at the end of the block.

    GET requests use this block to record the presence of students and to renew sessions. In a POST,
    the block is part of the request's own transaction.

    Objects that the request has already loaded keep their values, so that a page is rendered from
    one state of the database. Otherwise a page could combine old content with a new version, and
    the browser would never request the new content.
    """
    if transaction().writes:
        yield
        return
    rollback()  # Later queries begin a new transaction, and find the changes.
    try:
        with closing(Transaction(database(), writes=True)) as flask.g.db:
            yield
            flask.g.db.commit()
    finally:
        flask.g.pop("db", None)


def now() -> float:
    """Return the time, in seconds since 1970."""
    return database().now()
