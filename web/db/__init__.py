"""The database: one engine for a process, and one transaction for each request.

A POST is one transaction, from the session that it reads to what it has written: all of that is
kept, or nothing is. What it has read stays as it is meanwhile. SQLite has one writer at a time, and
a POST becomes that writer when it begins; in PostgreSQL it locks the rows that it is about with
``SELECT … FOR UPDATE``, the player's session first and then the class. So a view loads, decides and
writes, once. All other requests read one moment of the database and write nothing.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final, Self

import flask
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from web.db import engines

FILE: Final = "cardgames.db"
"""The name of SQLite's file in the data directory."""

EXTENSION: Final = "database"
"""The app's extension that is its :class:`Database`."""

Unavailable = engines.Unavailable
FAULTS: Final = engines.FAULTS

CLOCK_HOLDS: Final = 10.0
"""Number of seconds after which the clock of PostgreSQL's server is read again."""

CHECK_SECONDS: Final = 1.0
"""Minimum number of seconds between two writes of :meth:`Database.check`."""


class Database:
    """An app's database: makes the sessions of its requests."""

    def __init__(self, url: str) -> None:
        """Prepare to connect to a database.

        Args:
            url: its address: ``sqlite:///FILE`` or ``postgresql+psycopg://…``.
        """
        is_sqlite = url.startswith("sqlite")
        self.engine = engines.sqlite_engine(url) if is_sqlite else engines.postgresql_engine(url)
        self.is_sqlite = is_sqlite
        # One moment for a reader's whole request; SQLite has no other way in WAL mode.
        moment = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        self._reader = self.engine.execution_options(writes=False, **({} if is_sqlite else moment))
        self._ahead, self._read_at = 0.0, float("-inf")
        self._has_full_log = False
        self._checked_at = float("-inf")

    def __enter__(self) -> Self:
        """Return the database, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close all connections."""
        self.engine.dispose()

    def session(self, *, writes: bool) -> Session:
        """Return a session, whose transaction begins with its first query."""
        if writes and self._has_full_log:
            self.scrub()
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

    def check(self) -> None:
        """Return if the database can be read and written; raise :exc:`Unavailable` otherwise.

        Writes at most once per second, because anyone may request it.
        """
        with self._reader.connect() as connection:
            connection.execute(select(1))
        if monotonic() > self._checked_at + CHECK_SECONDS:
            with self.engine.begin() as connection:
                connection.execute(text("UPDATE alembic_version SET version_num = version_num"))
            self._checked_at = monotonic()

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

    def is_full(self, limit: int) -> bool:
        """Say whether it takes as many bytes as it may; 0 stands for any number."""
        return bool(limit) and self.size() >= limit

    def faults(self) -> str:
        """Return what SQLite's own check finds wrong with its file; nothing if it is sound."""
        if not self.is_sqlite:
            return ""
        with self._reader.connect() as connection:
            lines = "; ".join(connection.scalars(text("PRAGMA integrity_check(3)")))
        return "" if lines == "ok" else f"{self.engine.url.database} is damaged: {lines}"

    def scrub(self) -> None:
        """Empty SQLite's log of writes, so that what was deleted is in it no more.

        In the file SQLite overwrites what is deleted. While somebody reads, the log stays, but only
        until this process begins to write again.
        """
        if not self.is_sqlite:
            return
        with self._reader.connect() as connection:
            raw: Any = connection.connection.dbapi_connection  # no transaction has begun on it
            busy, *_ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        self._has_full_log = bool(busy)


def init_app(app: flask.Flask, url: str) -> None:
    """Give an app its database."""
    app.extensions[EXTENSION] = Database(url)
    app.teardown_appcontext(_close)


def database(app: flask.Flask | None = None) -> Database:
    """Return the database of an app: by default of the one that is answering."""
    found: Database = (app or flask.current_app).extensions[EXTENSION]
    return found


def session() -> Session:
    """Return the session of the request, or of the command, that is at work."""
    found: Session | None = flask.g.get("db")
    if found is None:
        found = flask.g.db = database().session(writes=may_write())
    return found


def execute(statement: Any, values: Any = None, /, **named: Any) -> Any:
    """Return what comes of a statement of Core, in the transaction of the request.

    Args:
        statement: the statement.
        values: what its parameters are, by their names; of an insert a list for several rows.
        **named: the same.
    """
    return session().connection().execute(statement, named if values is None else values)


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


def _close(_: BaseException | None) -> None:
    if found := flask.g.pop("db", None):
        found.close()
