"""What both stores promise: all or nothing, one of many at once, faults by their name."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.machines import Redis, wait_until
from tests.support.stores import ANN, BEN, DAY, connection_of, new, numbers, rows, war
from web.storage import open_store, sqlite_file
from web.storage.protocol import (
    LIFETIME,
    NewRound,
    Result,
    Store,
    StoreUnavailable,
)
from web.storage.redis import RedisStore
from web.storage.sqlite import SQLiteStore

pytestmark = pytest.mark.xdist_group("stores")


# ---- A session ------------------------------------------------------------------------------


def test_a_save_of_what_was_not_read_is_refused(store: Store) -> None:
    store.check_read()
    store.check_write()
    assert store.load(ANN) is None
    assert store.save(ANN, 0, b"1")
    assert not store.save(ANN, 0, b"again")
    assert store.save(ANN, 1, b"\x00\xff")
    assert not store.save(ANN, 1, b"late")
    assert not store.save(BEN, 1, b"never there")
    assert store.load(ANN) == (2, b"\x00\xff")
    assert store.count() == 1
    assert list(store.iter_sessions()) == [(ANN, (2, b"\x00\xff"))]
    assert store.faults() == ""
    store.delete(ANN)
    assert store.load(ANN) is None


def test_redis_forgets_a_session_when_its_time_is_over(in_redis: RedisStore) -> None:
    in_redis.save(ANN, 0, b"1")
    assert LIFETIME - 5 <= in_redis.redis.ttl(f"cardgames:{ANN}") <= LIFETIME
    in_redis.redis.expire(f"cardgames:{ANN}", 100)
    in_redis.save(ANN, 1, b"2")
    assert in_redis.redis.ttl(f"cardgames:{ANN}") > LIFETIME - 5
    assert in_redis.purge() == 0


# ---- All or nothing ------------------------------------------------------------------------


def test_who_is_overtaken_leaves_no_round(store: Store) -> None:
    assert store.save(ANN, 0, b"1", [new(1, b"first")])
    late = [new(1, b"late"), new(2, b"late")]
    assert not store.save(ANN, 0, b"late", late)
    assert not store.save(ANN, 7, b"late", late)
    assert not store.save(BEN, 1, b"never there", late)
    assert store.load(ANN) == (1, b"1")
    assert store.rounds(ANN, "war") == (war(1, b"first"),)
    assert store.rounds(BEN, "war") == ()


def test_of_simultaneous_saves_the_round_of_one_is_written(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        for version in range(40):

            def save(who: int, version: int = version) -> bool:
                data = b"%d by %d" % (version, who)
                return store.save(ANN, version, data, [new(1, data)])

            written = list(pool.map(save, range(8)))
            assert sum(written) == 1
            saved = store.load(ANN)
            assert saved
            assert saved.data == b"%d by %d" % (version, written.index(True))
            assert store.rounds(ANN, "war")[0] == war(version + 1, saved.data)
    assert numbers(store) == list(range(40, 0, -1))


FAULTS = {
    "round": "BEFORE INSERT ON round WHEN new.number = 202",
    "pruning": "BEFORE DELETE ON round",
    "history": "BEFORE INSERT ON history",
}


@pytest.mark.parametrize("place", FAULTS)
def test_a_fault_between_the_statements_leaves_all_as_it_was(
    in_file: SQLiteStore, place: str
) -> None:
    in_file.save(ANN, 0, b"1", [new(number) for number in range(1, 201)])
    beside = [new(201), new(202), NewRound("bingo", b"")]
    with closing(sqlite3.connect(in_file._path)) as other, other:
        other.execute(f"CREATE TRIGGER fault {FAULTS[place]} BEGIN SELECT RAISE(ABORT, 'no'); END")
    with pytest.raises(StoreUnavailable, match="no"):
        in_file.save(ANN, 1, b"2", beside)
    with pytest.raises(StoreUnavailable, match="no"):
        in_file.save(BEN, 0, b"new", [new(number) for number in range(1, 203)] + beside)
    assert not connection_of(in_file).in_transaction
    assert in_file.load(ANN) == (1, b"1")
    assert in_file.load(BEN) is None
    assert in_file.rounds(ANN, "war") == tuple(war(number) for number in range(200, 0, -1))
    assert rows(in_file, "history") == 1
    with closing(sqlite3.connect(in_file._path)) as other, other:
        other.execute("DROP TRIGGER fault")  # and nobody holds the file
    assert in_file.save(ANN, 1, b"2", beside)
    assert numbers(in_file) == list(range(202, 2, -1))


def test_a_result_that_fails_leaves_the_deal_as_it_was(in_file: SQLiteStore) -> None:
    in_file.keep_deal("d", b"")
    with closing(sqlite3.connect(in_file._path)) as other, other:
        other.execute(
            "CREATE TRIGGER fault BEFORE INSERT ON result BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    with pytest.raises(StoreUnavailable, match="no"):
        in_file.add_result(Result("d", ANN, b""))
    assert not connection_of(in_file).in_transaction
    assert in_file.results("d") == ()


def test_a_full_disk_takes_nothing_and_is_over_when_there_is_room(in_file: SQLiteStore) -> None:
    in_file.save(ANN, 0, b"1", [new(1)])
    connection = connection_of(in_file)
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreUnavailable, match="full"):
        in_file.save(ANN, 1, b"2", [new(2), new(3, os.urandom(50_000))])
    with pytest.raises(StoreUnavailable, match="full"):
        in_file.keep_deal("d", os.urandom(50_000))
    assert connection_of(in_file) is connection
    assert not connection.in_transaction
    assert in_file.load(ANN) == (1, b"1")
    assert in_file.rounds(ANN, "war") == (war(1),)
    connection.execute("PRAGMA max_page_count = 1000000")
    assert in_file.save(ANN, 1, b"2", [new(2)])
    assert in_file.keep_deal("d", b"")


def test_a_full_redis_takes_nothing(in_redis: RedisStore) -> None:
    in_redis.keep_deal("d", b"")
    in_redis.save(ANN, 0, b"1", [new(1)])
    in_redis.redis.config_set("maxmemory", 1)
    try:
        with pytest.raises(StoreUnavailable):
            in_redis.save(ANN, 1, b"2", [new(2)])
        with pytest.raises(StoreUnavailable):
            in_redis.add_result(Result("d", ANN, b""))
        with pytest.raises(StoreUnavailable):
            in_redis.keep_deal("e", b"")
        with pytest.raises(StoreUnavailable):
            in_redis.check_write()
    finally:
        in_redis.redis.config_set("maxmemory", 0)
    in_redis.check_write()
    assert in_redis.load(ANN) == (1, b"1")
    assert in_redis.rounds(ANN, "war") == (war(1),)
    assert in_redis.results("d") == ()


def test_a_read_only_disk_passes_without_a_restart(
    in_file: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_file.save(ANN, 0, b"1", [new(1)])
    connect = sqlite3.connect

    def read_only(path: Path, **options: Any) -> sqlite3.Connection:
        return connect(f"file:{path}?mode=ro", uri=True, **options)

    with monkeypatch.context() as patch:
        patch.setattr(sqlite_file.sqlite3, "connect", read_only)
        connection_of(in_file).close()
        del in_file._file._local.connection
        with pytest.raises(StoreUnavailable, match="readonly"):
            in_file.save(ANN, 1, b"2", [new(2)])
        with pytest.raises(StoreUnavailable, match="readonly"):
            in_file.keep_deal("d", b"")
        assert in_file.rounds(ANN, "war") == (war(1),)
    stuck = connection_of(in_file)  # a read-only one, met by the next player
    assert in_file.save(ANN, 1, b"2", [new(2)])
    assert connection_of(in_file) is not stuck
    assert in_file.rounds(ANN, "war") == (war(2), war(1))


def test_a_store_that_is_away_says_so_to_every_question(tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    redis = Redis(tmp_path / "redis")  # made, never started
    broken = SQLiteStore(tmp_path / "kept.db")  # which has asked nothing so far
    (tmp_path / "kept.db").write_bytes(b"an essay" * 1_000)
    away = RedisStore(redis.url)
    for store in (broken, away):
        questions: list[Callable[[], object]] = [
            lambda: store.save(ANN, 0, b"", [new(1)]),  # noqa: B023
            lambda: store.rounds(ANN, "war"),  # noqa: B023
            lambda: store.round(ANN, "war", 1),  # noqa: B023
            lambda: store.keep_deal("d", b""),  # noqa: B023
            lambda: store.deal("d"),  # noqa: B023
            lambda: store.results("d"),  # noqa: B023
            lambda: store.add_result(Result("d", ANN, b"")),  # noqa: B023
            store.keys,
        ]
        for question in questions:
            with pytest.raises(StoreUnavailable):
                question()


def test_without_anything_beside_it_a_save_is_one_statement(in_file: SQLiteStore) -> None:
    in_file.save(ANN, 0, b"")
    said: list[str] = []
    connection_of(in_file).set_trace_callback(said.append)
    in_file.save(ANN, 1, b"")
    assert [line.split()[0] for line in said] == ["UPDATE"]


# ---- The version before --------------------------------------------------------------------

# What the version without rounds says to the file, to the letter.
OLD_TABLE = (
    "CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, version INTEGER NOT "
    "NULL, expires INTEGER NOT NULL, data BLOB NOT NULL)"
)
OLD_INDEX = "CREATE INDEX IF NOT EXISTS session_expires ON session (expires)"
OLD_INSERT = "INSERT OR IGNORE INTO session VALUES (?, 1, ?, ?)"
OLD_UPDATE = (
    "UPDATE session SET version = version + 1, expires = max(expires, ?), data = ? "
    "WHERE id = ? AND version = ?"
)
OLD_PURGE = "DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires <= ? LIMIT ?)"


@contextmanager
def old_program(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, timeout=5, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size=2048")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(OLD_TABLE)
        connection.execute(OLD_INDEX)
        yield connection


def test_the_file_of_the_version_before_is_taken_over(tmp_path: Path) -> None:
    soon = int(time.time()) + DAY
    with old_program(tmp_path / "sessions.db") as old:
        old.execute(OLD_INSERT, (ANN, soon, b"from before"))
    store = SQLiteStore(tmp_path / "sessions.db")
    assert store.load(ANN) == (1, b"from before")
    assert store.rounds(ANN, "war") == ()
    assert store.keep_deal("d", b"")
    assert store.save(ANN, 1, b"from now", [new(1)])
    assert numbers(store) == [1]
    assert store.faults() == ""


def test_the_version_before_can_go_on_with_the_new_file(tmp_path: Path) -> None:
    """And when it deletes a session, the rounds of which it knows nothing go too."""
    store = SQLiteStore(tmp_path / "sessions.db")
    store.save(ANN, 0, b"1", [new(1)])
    store.save(BEN, 0, b"1", [new(1)])
    with old_program(tmp_path / "sessions.db") as old:
        assert old.execute(OLD_UPDATE, (0, b"2", ANN, 1)).rowcount == 1
        assert old.execute(OLD_INSERT, ("c" * 32, 1, b"")).rowcount == 1
        assert old.execute("REPLACE INTO session VALUES (?, 1, 0, x'')", ("probe",)).rowcount == 1
        assert old.execute("UPDATE session SET expires = 1 WHERE id = ?", (BEN,)).rowcount == 1
        assert old.execute(OLD_PURGE, (int(time.time()), 200)).rowcount == 3
        assert old.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    again = SQLiteStore(tmp_path / "sessions.db")
    assert again.load(ANN) == (2, b"2")
    assert numbers(again) == [1]
    assert (rows(again, "history"), rows(again, "round")) == (1, 1)


def test_the_version_before_can_go_on_with_redis(in_redis: RedisStore) -> None:
    """It knows two fields of the hash, and renews the time of all by renewing its own."""
    in_redis.save(ANN, 0, b"1", [new(1)])
    in_redis.redis.expire(f"cardgames:{ANN}", 100)
    in_redis.redis.hset(f"cardgames:{ANN}", mapping={"version": "2", "data": b"2"})
    in_redis.redis.expire(f"cardgames:{ANN}", LIFETIME)
    assert in_redis.load(ANN) == (2, b"2")
    assert in_redis.save(ANN, 2, b"3", [new(2)])
    assert numbers(in_redis) == [2, 1]


# ---- Where they are -------------------------------------------------------------------------


def test_a_store_that_cannot_be_opened_says_where(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="nowhere"):
        SQLiteStore(tmp_path / "nowhere" / "sessions.db")
    with pytest.raises(StoreUnavailable, match="SESSION_STORE"):
        open_store(tmp_path, "redis://127.0.0.1:port")


def test_a_fault_that_sqlite_tells_in_no_text_is_one_all_the_same(tmp_path: Path) -> None:
    """Its sentence about a damaged schema quotes the damage, which Python cannot decode."""
    path = tmp_path / "sessions.db"
    SQLiteStore(path).checkpoint()
    whole = path.read_bytes()
    assert b"session_expires ON" in whole
    path.write_bytes(whole.replace(b"session_expires ON", b"session_expires \xbd\xff"))
    with pytest.raises(StoreUnavailable):
        SQLiteStore(path)


def test_settings_of_redis_that_would_lose_sessions_are_told(in_redis: RedisStore) -> None:
    in_redis.redis.config_set("maxmemory-policy", "allkeys-lru")
    in_redis.redis.config_set("appendonly", "no")
    try:
        assert "appendonly yes" in in_redis.faults()
        assert "noeviction" in in_redis.faults()
    finally:
        in_redis.redis.config_set("maxmemory-policy", "noeviction")
        in_redis.redis.config_set("appendonly", "yes")
        wait_until(lambda: not in_redis.redis.info()["aof_rewrite_in_progress"])
