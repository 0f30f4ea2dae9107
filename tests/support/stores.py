"""What the tests of the store share: the passing of time, and rounds beside a session."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Final

import pytest
from web.storage.memory import MemoryStore, no_pause
from web.storage.redis import RedisStore
from web.storage.rounds import NewRound, Round, rounds_of, rows_with, session_place
from web.storage.sqlite import SQLiteStore

from web.sessions import Kept, find_session, packed
from web.storage import sqlite
from web.storage.store import LIFETIME, Store

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
    """Return a round that is to be numbered."""
    return NewRound(game, data or war(number).data)


def numbers(store: Store, sid: str = ANN, game: str = "war") -> list[int]:
    """Return the numbers of the rounds that are kept."""
    return [finished.number for finished in rounds_of(store, sid, game)]


def end_of(store: Store, seconds: float = LIFETIME) -> int:
    """Return when a place ends that is to live for so long, by the store's time."""
    return int(store.read("clock").now + seconds)


def data(store: Store, place: str = "a") -> dict[str, bytes]:
    """Return the rows of a place."""
    return {key: row.data for key, row in store.scan(place).rows.items()}


def made(store: Store, place: str = "a", **rows: bytes) -> None:
    """Write rows that must be taken."""
    assert store.write(place, rows, {}, expires=end_of(store))


def questions(store: Store) -> list[Callable[[], object]]:
    """Return every question that a store is asked."""
    return [
        lambda: store.write("a", {"x": b""}, {}, expires=2**40),
        lambda: store.read("a", "x"),
        lambda: store.scan("a"),
        lambda: store.forget("a"),
        lambda: list(store.places()),
        *(store.check_read, store.check_write, store.size, store.faults),
    ]


def keep(store: Store, sid: str, finished: Sequence[NewRound] = ()) -> bool:
    """Save a session once, as it was read, with rounds beside it."""
    kept = find_session(store, sid) or Kept()
    rounds = rows_with(store, sid, kept.newest, finished)
    row = packed(kept._replace(saves=kept.saves + 1, newest=rounds.newest))
    seen = {**rounds.seen, "tables": kept.revision}
    put = {**rounds.put, "tables": row}
    return store.write(session_place(sid), put, seen, expires=end_of(store))


def overwrite(store: Store, sid: str, data: bytes) -> None:
    """Write other bytes over a session."""
    assert store.read(session_place(sid), "tables").rows
    assert store.write(session_place(sid), {"tables": data}, {})


def rows(store: SQLiteStore, table: str) -> int:
    """Count what really lies in the file, whatever the store shows of it."""
    with closing(sqlite3.connect(store.path)) as connection:
        found: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        return found


def connection_of(store: SQLiteStore) -> sqlite3.Connection:
    """Return the connection that this thread has to a file."""
    connection: sqlite3.Connection = store._local.connection
    return connection


def at_call(rows: MemoryStore, number: int, happens: Callable[[], object]) -> None:
    """Have something happen once, just before a call of the store."""
    calls = 0

    def pause(moment: str, _: str) -> None:
        nonlocal calls
        calls += moment == "before"
        if calls == number:
            rows.pause = no_pause
            happens()

    rows.pause = pause


@contextmanager
def later(store: Store, seconds: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let time pass: by the store's clock, for Redis by taking it off every key's time."""
    if isinstance(store, RedisStore):
        age(store, seconds)
        yield
        return
    with monkeypatch.context() as patch:
        if isinstance(store, MemoryStore):
            clock = store.clock
            patch.setattr(store, "clock", lambda: clock() + seconds)
        else:
            now = time.time()
            patch.setattr(sqlite.time, "time", lambda: now + seconds)
        yield


def age(store: RedisStore, seconds: int) -> None:
    """Take time off every place in Redis."""
    for key in list(store.redis.scan_iter("cardgames1:*")):
        left = store.redis.ttl(key)
        assert left > 0
        store.redis.pexpire(key, max(1, (left - seconds) * 1_000))
    time.sleep(0.01)
