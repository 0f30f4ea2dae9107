"""The store in one SQLite file, from the standard library: the default for one machine."""

import random
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from web.storage.protocol import (
    LIFETIME,
    MAX_RESULTS,
    MAX_ROUNDS,
    Result,
    Round,
    SideWrite,
    StoreUnavailable,
    VersionedBlob,
)

_WAITS_WITHIN: Final = 2.0
"""How many seconds a player waits for another program that holds the file."""

_DAY: Final = 86_400
_PAGE: Final = 2048
"""SQLite's page size: a session is 0.4 to 4 KB, and pages of 4 KB would stand half empty."""

_PRIMARY: Final = 0xFF
"""Which part of an error's code says of what kind it is."""

_PROBE: Final = "probe"
"""The id under which :meth:`Store.check_write` writes; no signed cookie can hold it."""

_PURGE_ONE_IN: Final = 50
"""A save in this many also purges expired sessions."""

_PURGE_BITE: Final = 50
"""How many expired sessions are purged at a time: so few that no player waits for it, though each
may have a thousand rounds, and one for each save, so that they go as fast as new ones can come."""

_PURGE_DEALS: Final = 20
"""The same of deals, which may have a thousand results each."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS session (
    id TEXT PRIMARY KEY, version INTEGER NOT NULL, expires INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS session_expires ON session (expires);

-- A small number stands for a session's table in the key of each of its rounds.
CREATE TABLE IF NOT EXISTS history (
    key INTEGER PRIMARY KEY, session TEXT NOT NULL, game TEXT NOT NULL, UNIQUE (session, game)
);
CREATE TABLE IF NOT EXISTS round (
    history INTEGER NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (history, number)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS deal (
    id TEXT PRIMARY KEY, expires INTEGER NOT NULL, data BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS deal_expires ON deal (expires);
CREATE TABLE IF NOT EXISTS result (
    deal TEXT NOT NULL, number INTEGER NOT NULL, player TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (deal, number), UNIQUE (deal, player)
) WITHOUT ROWID;

-- Triggers leave nothing over, whoever deletes: a version of this program that knows of sessions
-- alone may be put back, and purge them.
CREATE TRIGGER IF NOT EXISTS session_rounds AFTER DELETE ON session BEGIN
    DELETE FROM round WHERE history IN (SELECT key FROM history WHERE session = old.id);
    DELETE FROM history WHERE session = old.id;
END;
CREATE TRIGGER IF NOT EXISTS deal_results AFTER DELETE ON deal BEGIN
    DELETE FROM result WHERE deal = old.id;
END;
"""


class SQLiteStore:
    """Sessions in one SQLite file, shared by all workers of one machine.

    WAL lets readers and the writer work side by side. ``synchronous=NORMAL`` keeps every answered
    move when the server is killed; only a crash of the whole machine can lose the last ones.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, making it and its tables where needed.

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
            connection.executescript(_SCHEMA)

    def _make(self) -> None:
        """Make the file for the owner alone; SQLite gives its companions the same rights."""
        try:
            self._path.touch(mode=0o600)
        except OSError as error:
            raise StoreUnavailable(f"{self._path}: {error.strerror}.") from None

    def load(self, sid: str) -> VersionedBlob | None:
        """Return a session that has not expired."""
        with self._connection() as connection:
            row = connection.execute(
                "SELECT version, data FROM session WHERE id = ? AND expires > ?",
                (sid, int(time.time())),
            ).fetchone()
        return row and VersionedBlob(*row)

    def save(
        self, sid: str, version: int, data: bytes, side_writes: Sequence[SideWrite] = ()
    ) -> bool:
        """Compare and set, in one statement that SQLite runs alone, or with others in a whole."""
        expires = _expiry()
        values: tuple[str | int | bytes, ...]
        if version:
            # Never sooner than it was: a clock that was set back must not end a session.
            statement = (
                "UPDATE session SET version = version + 1, expires = max(expires, ?), data = ? "
                "WHERE id = ? AND version = ?"
            )
            values = (expires, data, sid, version)
        else:
            statement = "INSERT OR IGNORE INTO session VALUES (?, 1, ?, ?)"
            values = (sid, expires, data)

        def whole(connection: sqlite3.Connection) -> int:
            with _transaction(connection):
                saved = connection.execute(statement, values).rowcount
                if saved:
                    _write_beside(connection, sid, side_writes)
                return saved

        written = bool(self._written(whole) if side_writes else self._write(statement, *values))
        if written and random.random() < 1 / _PURGE_ONE_IN:
            with suppress(StoreUnavailable):  # the move is saved: its player must hear no other
                self.purge()
        return written

    def renew(self, sid: str) -> None:
        """Let a session live as long as after a move."""
        statement = "UPDATE session SET expires = max(expires, ?) WHERE id = ?"
        self._write(statement, _expiry(), sid)

    def delete(self, sid: str) -> None:
        """Forget a session; a trigger takes its rounds."""
        self._write("DELETE FROM session WHERE id = ?", sid)

    def rounds(self, sid: str, game: str) -> tuple[Round, ...]:
        """Return the rounds kept of a session's table, the newest first."""
        return self._rounds(sid, game, 1, sys.maxsize)

    def round(self, sid: str, game: str, number: int) -> Round | None:
        """Return one round, if it is kept."""
        return next(iter(self._rounds(sid, game, number, number)), None)

    def keep_deal(self, deal: str, data: bytes) -> bool:
        """Keep a deal, in the place of one that has expired if need be."""
        now = int(time.time())

        def whole(connection: sqlite3.Connection) -> int:
            with _transaction(connection):
                connection.execute("DELETE FROM deal WHERE id = ? AND expires <= ?", (deal, now))
                statement = "INSERT OR IGNORE INTO deal VALUES (?, ?, ?)"
                return connection.execute(statement, (deal, now + LIFETIME, data)).rowcount

        return self._written(whole) == 1

    def deal(self, deal: str) -> bytes | None:
        """Return what was kept of a deal that has not expired."""
        statement = "SELECT data FROM deal WHERE id = ? AND expires > ?"
        with self._connection() as connection:
            row = connection.execute(statement, (deal, int(time.time()))).fetchone()
        data: bytes | None = row and row[0]
        return data

    def results(self, deal: str) -> tuple[Result, ...]:
        """Return the results of a deal, in the order they came."""
        statement = (
            "SELECT result.deal, player, result.data FROM deal JOIN result ON result.deal = id "
            "WHERE id = ? AND expires > ? ORDER BY number"
        )
        with self._connection() as connection:
            found = connection.execute(statement, (deal, int(time.time()))).fetchall()
        return tuple(Result(*row) for row in found)

    def purge(self) -> int:
        """Delete one bite of expired sessions and deals and return how many."""
        now = int(time.time())
        sessions = self._write(
            "DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires <= ? LIMIT ?)",
            now,
            _PURGE_BITE,
        )
        deals = self._write(
            "DELETE FROM deal WHERE id IN (SELECT id FROM deal WHERE expires <= ? LIMIT ?)",
            now,
            _PURGE_DEALS,
        )
        return sessions + deals

    def check_read(self) -> None:
        """Read the table once."""
        with self._connection() as connection:
            connection.execute("SELECT 1 FROM session LIMIT 1").fetchone()

    def check_write(self) -> None:
        """Write a row that expires at once."""
        self._write("REPLACE INTO session VALUES (?, 1, 0, x'')", _PROBE)

    def count(self) -> int:
        """Return how many sessions there are."""
        with self._connection() as connection:
            statement = "SELECT count(*) FROM session WHERE expires > ?"
            found: int = connection.execute(statement, (int(time.time()),)).fetchone()[0]
            return found

    def iter_sessions(self) -> Iterator[tuple[str, VersionedBlob]]:
        """Return every session that has not expired, by its id."""
        with self._connection() as connection:
            statement = "SELECT id, version, data FROM session WHERE expires > ?"
            for sid, version, data in connection.execute(statement, (int(time.time()),)):
                yield sid, VersionedBlob(version, data)

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

    def _rounds(self, sid: str, game: str, first: int, last: int) -> tuple[Round, ...]:
        statement = (
            "SELECT game, number, round.data FROM session JOIN history ON session = id "
            "JOIN round ON history = key "
            "WHERE id = ? AND expires > ? AND game = ? AND number BETWEEN ? AND ? "
            "ORDER BY number DESC"
        )
        with self._connection() as connection:
            values = (sid, int(time.time()), game, first, last)
            found = connection.execute(statement, values).fetchall()
        return tuple(Round(*row) for row in found)

    def _write(self, statement: str, *values: str | int | bytes) -> int:
        """Run one statement and return how many rows it has written."""
        return self._written(lambda connection: connection.execute(statement, values).rowcount)

    def _written(self, work: Callable[[sqlite3.Connection], int]) -> int:
        """Write with this thread's connection and return how many rows that were."""
        with self._connection() as connection:
            try:
                return work(connection)
            except sqlite3.OperationalError as error:
                code = getattr(error, "sqlite_errorcode", 0)
                if code & _PRIMARY != sqlite3.SQLITE_READONLY:
                    raise
            # Opened while the disk was read-only it stays so: perhaps a new one does not.
            del self._local.connection
            connection.close()
            fresh = self._local.connection = self._connected()
            return work(fresh)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Lend this thread's connection."""
        with self._faults_named():
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = self._connected()
            yield connection

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_WAITS_WITHIN, isolation_level=None)
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    @contextmanager
    def _faults_named(self) -> Iterator[None]:
        """Turn a fault of the disk or the file into StoreUnavailable."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # The latter where SQLite's sentence quotes what is damaged, and that is no text.
            raise StoreUnavailable(f"{self._path}: {error}") from error


def _expiry() -> int:
    """Return when a session expires that is written now.

    Rounded up to a day: the index over expiry changes once a day, not with every move.
    """
    return (int(time.time()) + LIFETIME) // _DAY * _DAY + _DAY


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Make what is written inside one whole, or nothing of it if something fails."""
    with connection:  # commits, or takes back
        connection.execute("BEGIN IMMEDIATE")
        yield


def _write_beside(
    connection: sqlite3.Connection, sid: str, side_writes: Sequence[SideWrite]
) -> None:
    for one in side_writes:
        match one:
            case Round():
                _keep_round(connection, sid, one)
            case Result():
                _keep_result(connection, one)


def _keep_round(connection: sqlite3.Connection, sid: str, finished: Round) -> None:
    where = (sid, finished.game)
    connection.execute("INSERT OR IGNORE INTO history (session, game) VALUES (?, ?)", where)
    statement = "SELECT key FROM history WHERE session = ? AND game = ?"
    (key,) = connection.execute(statement, where).fetchone()
    row = (key, finished.number, finished.data)
    connection.execute("REPLACE INTO round VALUES (?, ?, ?)", row)
    connection.execute(
        "DELETE FROM round WHERE history = ? AND number <= "
        "(SELECT max(number) FROM round WHERE history = ?) - ?",
        (key, key, MAX_ROUNDS),
    )


def _keep_result(connection: sqlite3.Connection, result: Result) -> None:
    """Write the next result of a deal, unless its player has one already."""
    connection.execute(
        "INSERT OR IGNORE INTO result SELECT id, came + 1, ?, ? FROM (SELECT id, "
        "(SELECT ifnull(max(number), 0) FROM result WHERE deal = id) AS came "
        "FROM deal WHERE id = ? AND expires > ?) WHERE came < ?",
        (result.player, result.data, result.deal, int(time.time()), MAX_RESULTS),
    )
