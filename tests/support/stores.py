"""What the tests of the stores share: a few rounds, and the passing of time."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final

import pytest

from web.storage import sqlite
from web.storage.protocol import NewRound, Round, Store
from web.storage.redis import RedisStore
from web.storage.sqlite import SQLiteStore

ANN: Final = "a" * 32
BEN: Final = "b" * 32
DAY: Final = 86_400

CODE: Final = "K7QXB"
OTHER: Final = "R2WZT"
"""Two classes."""

LATER: Final = int(time.time()) + DAY
"""Until when they are kept."""


def war(number: int, data: bytes = b"") -> Round:
    """Return a round of War."""
    return Round("war", number, data or b"round %d \x00\xff" % number)


def new(number: int, data: bytes = b"", game: str = "war") -> NewRound:
    """Return a round that the store is to number."""
    return NewRound(game, data or war(number).data)


def numbers(store: Store, sid: str = ANN, game: str = "war") -> list[int]:
    """Return the numbers of the rounds that are kept."""
    return [finished.number for finished in store.rounds(sid, game)]


def rows(store: SQLiteStore, table: str) -> int:
    """Count what really lies in the file, whatever the store shows of it."""
    with closing(sqlite3.connect(store._path)) as connection:
        found: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        return found


def connection_of(store: SQLiteStore) -> sqlite3.Connection:
    """Return the connection that this thread has to a file."""
    connection: sqlite3.Connection = store._file._local.connection
    return connection


@contextmanager
def later(store: Store, seconds: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let time pass: for SQLite by our clock, for Redis by taking it off every key's time."""
    if isinstance(store, RedisStore):
        for key in list(store.redis.scan_iter()):
            left = store.redis.ttl(key)
            assert left > 0
            store.redis.pexpire(key, max(1, (left - seconds) * 1_000))
        time.sleep(0.01)
        yield
        return
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr(sqlite.time, "time", lambda: now + seconds)
        yield
