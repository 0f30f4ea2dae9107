"""The store in one SQLite file, from the standard library: the default for one machine."""

import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from web.storage.protocol import (
    DEALS_SHARE,
    ESTABLISHED,
    LIFETIME,
    MAX_RESULTS,
    MAX_ROUNDS,
    ROW_OVERHEAD,
    NewRound,
    Result,
    Round,
    StoreFull,
    StoreUnavailable,
    VersionedBlob,
)
from web.storage.sqlite_file import SQLiteFile, transaction
from web.storage.sqlite_schema import SCHEMA

_DAY: Final = 86_400

_PROBE: Final = "probe"
"""The id under which :meth:`Store.check_write` writes; no signed cookie can hold it."""

_PURGED_FOR_ONE: Final = 2
"""For each new session or deal so many expired ones of both kinds go, so they cannot pile up."""

_PURGE_BITE: Final = 50
"""So many go at a time when the command purges: no player waits for it for long."""

_SAVE: Final = (
    "UPDATE session SET version = version + 1, data = ?1 "
    "WHERE id = ?3 AND version = ?4 AND expires >= ?2"
)
"""Leaves the time alone, and its index with it, which would be a page more to write. A session that
ends later than it would now, since the clock was set back, must not end sooner."""

_SAVE_AND_RENEW: Final = (
    "UPDATE session SET version = version + 1, data = ?1, expires = ?2 "
    "WHERE id = ?3 AND version = ?4 AND expires < ?2"
)
"""The same for the first move of a day."""

_HAS_EXPIRED: Final = (
    "SELECT EXISTS (SELECT 1 FROM session WHERE expires <= ?) "
    "OR EXISTS (SELECT 1 FROM deal WHERE expires <= ?)"
)
_DROP_EXPIRED: Final = (
    "DELETE FROM session WHERE rowid IN (SELECT rowid FROM session WHERE expires <= ? LIMIT ?)"
)
_DROP_EXPIRED_DEALS: Final = (
    "DELETE FROM deal WHERE id IN (SELECT id FROM deal WHERE expires <= ? LIMIT ?)"
)
_DROP_NEW: Final = (
    "DELETE FROM session WHERE rowid IN (SELECT rowid FROM session "  # noqa: S608 - a number
    f"WHERE version < {ESTABLISHED} ORDER BY expires, rowid LIMIT ?)"
)


class SQLiteStore:
    """Sessions in one SQLite file, shared by all workers of one machine."""

    def __init__(self, path: Path, limit: int = 0) -> None:
        """Open the file, making it and its tables where needed.

        Args:
            path: where it lies.
            limit: how many bytes it may take before it counts as full; 0 for any number.

        Raises:
            StoreUnavailable: the file cannot be used, or its disk cannot share it.
        """
        self._path = path
        self._limit = limit
        self._file = SQLiteFile(path, SCHEMA)

    # ---- Sessions ----------------------------------------------------------------------------

    def load(self, sid: str) -> VersionedBlob | None:
        """Return a session that has not expired."""
        with self._file.reading() as connection:
            row = connection.execute(
                "SELECT version, data FROM session WHERE id = ? AND expires > ?",
                (sid, int(time.time())),
            ).fetchone()
        return row and VersionedBlob(*row)

    def save(self, sid: str, version: int, data: bytes, finished: Sequence[NewRound] = ()) -> bool:
        """Compare and set, in one statement that SQLite runs alone, or with others in a whole."""
        expires = _expiry()
        if not version:
            return self._begin(sid, expires, data, finished)
        values = (data, expires, sid, version)

        def save(connection: sqlite3.Connection) -> bool:
            statements = (_SAVE, _SAVE_AND_RENEW)
            return any(connection.execute(each, values).rowcount for each in statements)

        if not finished:
            return self._file.write(save)

        def whole(connection: sqlite3.Connection) -> bool:
            with transaction(connection):
                saved = save(connection)
                if saved:
                    _keep_rounds(connection, sid, finished)
                return saved

        return self._file.write(whole)

    def renew(self, sid: str) -> None:
        """Let a session live as long as after a move."""
        statement = "UPDATE session SET expires = max(expires, ?) WHERE id = ?"
        self._file.execute(statement, _expiry(), sid)

    def delete(self, sid: str) -> None:
        """Forget a session; a trigger takes its rounds."""
        self._file.execute("DELETE FROM session WHERE id = ?", sid)

    def count(self) -> int:
        """Return how many sessions there are."""
        with self._file.reading() as connection:
            statement = "SELECT count(*) FROM session WHERE expires > ?"
            found: int = connection.execute(statement, (int(time.time()),)).fetchone()[0]
            return found

    def iter_sessions(self) -> Iterator[tuple[str, VersionedBlob]]:
        """Return every session that has not expired, by its id."""
        with self._file.reading() as connection:
            statement = "SELECT id, version, data FROM session WHERE expires > ?"
            for sid, version, data in connection.execute(statement, (int(time.time()),)):
                yield sid, VersionedBlob(version, data)

    def _begin(self, sid: str, expires: int, data: bytes, finished: Sequence[NewRound]) -> bool:
        """Save a new session, if there is room for one."""

        def whole(connection: sqlite3.Connection) -> bool:
            with transaction(connection):
                self._make_room(connection)
                statement = "INSERT OR IGNORE INTO session VALUES (?, 1, ?, ?)"
                saved = bool(connection.execute(statement, (sid, expires, data)).rowcount)
                if saved:
                    _keep_rounds(connection, sid, finished)
                return saved

        saved = self._file.write(whole)
        self._purge_for_one()
        return saved

    def _make_room(self, connection: sqlite3.Connection) -> None:
        """Drop expired sessions if the store is full, or else the new ones that were left longest.

        Raises:
            StoreFull: there are none.
        """
        if not self._limit or _size(connection) < self._limit:
            return
        expired = (int(time.time()), _PURGED_FOR_ONE)
        if connection.execute(_DROP_EXPIRED, expired).rowcount:
            return
        if not connection.execute(_DROP_NEW, (_PURGED_FOR_ONE,)).rowcount:
            raise StoreFull

    # ---- Finished rounds ---------------------------------------------------------------------

    def rounds(self, sid: str, game: str) -> tuple[Round, ...]:
        """Return the rounds kept of a session's table, the newest first."""
        return self._rounds(sid, game, 1, sys.maxsize)

    def round(self, sid: str, game: str, number: int) -> Round | None:
        """Return one round, if it is kept."""
        return next(iter(self._rounds(sid, game, number, number)), None)

    def amend_rounds(self, sid: str, changes: Sequence[tuple[Round, bytes]]) -> None:
        """Give rounds other bytes, but for those that are not as they were read."""
        statement = (
            "UPDATE round SET data = ? WHERE data = ? AND number = ? AND "
            "history = (SELECT key FROM history WHERE session = ? AND game = ?)"
        )
        rows = [(data, old.data, old.number, sid, old.game) for old, data in changes]

        def whole(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                connection.executemany(statement, rows)

        self._file.write(whole)

    def _rounds(self, sid: str, game: str, first: int, last: int) -> tuple[Round, ...]:
        statement = (
            "SELECT game, number, round.data FROM session JOIN history ON session = id "
            "JOIN round ON history = key "
            "WHERE id = ? AND expires > ? AND game = ? AND number BETWEEN ? AND ? "
            "ORDER BY number DESC"
        )
        with self._file.reading() as connection:
            values = (sid, int(time.time()), game, first, last)
            found = connection.execute(statement, values).fetchall()
        return tuple(Round(*row) for row in found)

    # ---- Deals -------------------------------------------------------------------------------

    def keep_deal(self, deal: str, data: bytes, *, established: bool = True) -> bool:
        """Keep a deal, in the place of one that has expired if need be."""
        now = int(time.time())
        size = len(data) + ROW_OVERHEAD

        def whole(connection: sqlite3.Connection) -> bool:
            with transaction(connection):
                if not self._has_room_for(connection, size, share=1 if established else 2):
                    raise StoreFull
                connection.execute("DELETE FROM deal WHERE id = ? AND expires <= ?", (deal, now))
                statement = "INSERT OR IGNORE INTO deal VALUES (?, ?, ?)"
                row = (deal, now + LIFETIME, data)
                kept = bool(connection.execute(statement, row).rowcount)
                _count_deal_bytes(connection, size)
                return kept

        kept = self._file.write(whole)
        self._purge_for_one()
        return kept

    def deal(self, deal: str) -> bytes | None:
        """Return what was kept of a deal that has not expired."""
        statement = "SELECT data FROM deal WHERE id = ? AND expires > ?"
        with self._file.reading() as connection:
            row = connection.execute(statement, (deal, int(time.time()))).fetchone()
        data: bytes | None = row and row[0]
        return data

    def add_result(self, result: Result) -> None:
        """Keep the next result of a deal, unless its player has one already."""
        size = len(result.data) + ROW_OVERHEAD
        statement = (
            "INSERT OR IGNORE INTO result SELECT id, came + 1, ?, ? FROM (SELECT id, "
            "(SELECT ifnull(max(number), 0) FROM result WHERE deal = id) AS came "
            "FROM deal WHERE id = ? AND expires > ?) WHERE came < ?"
        )
        values = (result.player, result.data, result.deal, int(time.time()), MAX_RESULTS)

        def whole(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                has_room = self._has_room_for(connection, size)
                if has_room and connection.execute(statement, values).rowcount:
                    _count_deal_bytes(connection, size)

        self._file.write(whole)

    def results(self, deal: str) -> tuple[Result, ...]:
        """Return the results of a deal, in the order they came."""
        statement = (
            "SELECT result.deal, player, result.data FROM deal JOIN result ON result.deal = id "
            "WHERE id = ? AND expires > ? ORDER BY number"
        )
        with self._file.reading() as connection:
            found = connection.execute(statement, (deal, int(time.time()))).fetchall()
        return tuple(Result(*row) for row in found)

    def _has_room_for(self, connection: sqlite3.Connection, size: int, share: int = 1) -> bool:
        """Say whether deals may take so many bytes more, of one part in ``share`` of theirs."""
        if not self._limit:
            return True
        statement = "SELECT ifnull(sum(bytes), 0) FROM deal_bytes WHERE day > ?"
        taken: int = connection.execute(statement, (_today() - LIFETIME // _DAY,)).fetchone()[0]
        return taken + size <= self._limit // DEALS_SHARE // share

    # ---- The store itself --------------------------------------------------------------------

    def note_key(self, fingerprint: str) -> None:
        """Remember that a signing key is in use."""
        now = int(time.time())

        def whole(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                connection.execute("DELETE FROM signing_key WHERE seen < ?", (now - LIFETIME,))
                connection.execute("REPLACE INTO signing_key VALUES (?, ?)", (fingerprint, now))

        self._file.write(whole)

    def keys(self) -> frozenset[str]:
        """Return the fingerprints of the signing keys used in the last two weeks."""
        statement = "SELECT fingerprint FROM signing_key WHERE seen >= ?"
        with self._file.reading() as connection:
            found = connection.execute(statement, (int(time.time()) - LIFETIME,)).fetchall()
        return frozenset(fingerprint for (fingerprint,) in found)

    def purge(self) -> int:
        """Delete one bite of expired sessions and deals and return how many."""
        return self._purge(_PURGE_BITE)

    def check_read(self) -> None:
        """Read the table once, in the file that was opened."""
        self._file.check()
        with self._file.reading() as connection:
            connection.execute("SELECT 1 FROM session LIMIT 1").fetchone()

    def check_write(self) -> None:
        """Write a row that expires at once."""
        self._file.execute("REPLACE INTO session VALUES (?, 1, 0, x'')", _PROBE)

    def size(self) -> int:
        """Return how many bytes of the file are in use."""
        with self._file.reading() as connection:
            return _size(connection)

    def faults(self) -> str:
        """Return what SQLite's own check finds wrong with the file, or nothing."""
        with self._file.reading() as connection:
            found = connection.execute("PRAGMA integrity_check(3)").fetchall()
        lines = "; ".join(line for (line,) in found)
        return "" if lines == "ok" else f"{self._path} is damaged: {lines}"

    def close(self) -> None:
        """Close this thread's connection."""
        self._file.close()

    def checkpoint(self) -> None:
        """Move what was written lately from the log of writes into the file itself."""
        with self._file.reading() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _purge(self, most: int) -> int:
        """Delete so many expired sessions, and so many deals, and return how many there were."""
        now = int(time.time())
        with self._file.reading() as connection:
            if not connection.execute(_HAS_EXPIRED, (now, now)).fetchone()[0]:
                return 0
        return sum(
            self._file.execute(statement, now, most)
            for statement in (_DROP_EXPIRED, _DROP_EXPIRED_DEALS)
        )

    def _purge_for_one(self) -> None:
        """Make a new row's room at the cost of expired ones."""
        with suppress(StoreUnavailable):  # the move is saved: its player must hear no other
            self._purge(_PURGED_FOR_ONE)


def _today() -> int:
    return int(time.time()) // _DAY


def _expiry() -> int:
    """Return when a session expires that is written now.

    Rounded up to a day: the index over expiry changes once a day, not with every move.
    """
    return (int(time.time()) + LIFETIME) // _DAY * _DAY + _DAY


def _size(connection: sqlite3.Connection) -> int:
    """Return how many bytes of a file are in use: freed pages are used again."""
    pages, free, page = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    size: int = (pages - free) * page
    return size


def _count_deal_bytes(connection: sqlite3.Connection, size: int) -> None:
    today = _today()
    connection.execute("DELETE FROM deal_bytes WHERE day <= ?", (today - LIFETIME // _DAY,))
    connection.execute(
        "INSERT INTO deal_bytes VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = bytes + ?",
        (today, size, size),
    )


_NEWEST: Final = (
    "SELECT key, (SELECT max(number) FROM round WHERE history = key) FROM history "
    "WHERE session = ? AND game = ?"
)


def _keep_rounds(connection: sqlite3.Connection, sid: str, finished: Sequence[NewRound]) -> None:
    """Put rounds behind the newest of their tables; beyond so many the oldest go."""
    for one in finished:
        where = (sid, one.game)
        found = connection.execute(_NEWEST, where).fetchone()
        if found is None:
            connection.execute("INSERT INTO history (session, game) VALUES (?, ?)", where)
            found = connection.execute(_NEWEST, where).fetchone()
        key, newest = found
        number = (newest or 0) + 1
        connection.execute("INSERT INTO round VALUES (?, ?, ?)", (key, number, one.data))
        if number > MAX_ROUNDS:
            gone = (key, number - MAX_ROUNDS)
            connection.execute("DELETE FROM round WHERE history = ? AND number <= ?", gone)
