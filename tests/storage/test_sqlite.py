"""What can happen to a SQLite file, and what is asked of it."""

import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from web.storage.sqlite import SQLiteStore

from tests.support.stores import DAY, connection_of, data, end_of, later, made, questions, rows
from web.storage import open_store, sqlite
from web.storage.store import LIFETIME, StoreUnavailable


def run(store: SQLiteStore, script: str) -> None:
    """Run a script in the file, as another program does."""
    with closing(sqlite3.connect(store.path)) as other:
        other.executescript(script)


# ---- All or nothing ----------------------------------------------------------------------------


def test_a_known_row_alone_is_one_statement(in_file: SQLiteStore) -> None:
    made(in_file, x=b"1")
    said: list[str] = []
    connection_of(in_file).set_trace_callback(said.append)
    seen = in_file.read("a", "x")["x"]
    put = {"x": b"2"}
    assert in_file.write("a", put, {"x": seen.revision}, expires=end_of(in_file, DAY))
    assert [line.split()[0] for line in said] == ["SELECT", "SELECT", "UPDATE"]


FAULTS = {
    "a row": "BEFORE INSERT ON row WHEN new.key = 'z'",
    "another row": "BEFORE UPDATE ON row",
    "a row that goes": "BEFORE DELETE ON row",
    "the place": "BEFORE UPDATE ON place",
}


@pytest.mark.parametrize("where", FAULTS)
def test_a_fault_between_the_statements_leaves_all_as_it_was(
    in_file: SQLiteStore, where: str
) -> None:
    assert in_file.write("a", {"x": b"1", "y": b"1"}, {}, expires=end_of(in_file, DAY))
    run(in_file, f"CREATE TRIGGER no {FAULTS[where]} BEGIN SELECT raise(ABORT, 'no'); END")
    put = {"x": b"2", "y": None, "z": b"2"}
    with pytest.raises(StoreUnavailable, match="no"):
        in_file.write("a", put, {}, expires=end_of(in_file))
    assert not connection_of(in_file).in_transaction
    assert data(in_file) == {"x": b"1", "y": b"1"}
    run(in_file, "DROP TRIGGER no")  # and nobody holds the file
    assert in_file.write("a", put, {}, expires=end_of(in_file))
    assert data(in_file) == {"x": b"2", "z": b"2"}


def test_a_full_disk_takes_nothing_and_is_over_when_there_is_room(in_file: SQLiteStore) -> None:
    made(in_file, x=b"1")
    connection = connection_of(in_file)
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    for place in ("a", "b"):
        with pytest.raises(StoreUnavailable, match="full"):
            made(in_file, place, x=b"2", y=os.urandom(50_000))
    assert connection_of(in_file) is connection
    assert not connection.in_transaction
    assert data(in_file) == {"x": b"1"}
    connection.execute("PRAGMA max_page_count = 1000000")
    made(in_file, "b", x=b"2")


def test_a_read_only_disk_passes_without_a_restart(
    in_file: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(in_file, x=b"1")
    connect = sqlite3.connect

    def read_only(path: Path, **options: Any) -> sqlite3.Connection:
        return connect(f"file:{path}?mode=ro", uri=True, **options)

    with monkeypatch.context() as patch:
        patch.setattr(sqlite.sqlite3, "connect", read_only)
        connection_of(in_file).close()
        del in_file._local.connection
        with pytest.raises(StoreUnavailable, match="readonly"):
            made(in_file, x=b"2")
        assert data(in_file) == {"x": b"1"}
    with pytest.raises(StoreUnavailable, match="readonly"):  # one player meets a connection of then
        made(in_file, x=b"2")
    made(in_file, x=b"2")


# ---- Room and time -----------------------------------------------------------------------------


def test_nothing_is_left_over_of_what_has_ended(
    in_file: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(120):
        made(in_file, f"session/{number}", tables=b"", round=b"")
    with later(in_file, 10 * DAY, monkeypatch):
        made(in_file, "session/7", tables=b"played on")
    with later(in_file, LIFETIME + DAY, monkeypatch):
        for number in range(10):  # with each new place two go
            made(in_file, f"new/{number}", x=b"")
            in_file.forget(f"new/{number}")
        assert [in_file.purge() for _ in range(3)] == [50, 49, 0]
        assert (rows(in_file, "place"), rows(in_file, "row")) == (1, 2)
    in_file.forget("session/7")
    assert (rows(in_file, "place"), rows(in_file, "row")) == (0, 0)


# ---- Other files -------------------------------------------------------------------------------


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.executescript("CREATE TABLE recipes (name); INSERT INTO recipes VALUES ('soup')")


def newer(path: Path) -> None:
    made(SQLiteStore(path), x=b"1")
    with closing(sqlite3.connect(path)) as other:
        other.executescript("PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.mark.parametrize(("make", "number"), [(foreign, 0), (newer, 2)])
def test_a_file_of_another_format_is_named_and_left_as_it_is(
    tmp_path: Path, make: Callable[[Path], None], number: int
) -> None:
    path = tmp_path / "store.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(StoreUnavailable, match=f"format {number}, .* format 1"):
        open_store(tmp_path, "")
    assert path.read_bytes() == before


def test_many_who_open_a_new_file_at_once_all_can(tmp_path: Path) -> None:
    for number in range(5):
        path = tmp_path / f"{number}.db"
        with ThreadPoolExecutor(8) as pool:
            stores = list(pool.map(lambda _, path=path: SQLiteStore(path), range(8)))
        made(stores[0], x=b"1")
        assert all(data(store) == {"x": b"1"} for store in stores)


def test_a_file_that_others_write_is_opened_without_a_wait(in_file: SQLiteStore) -> None:
    """A worker that is started again while a class plays."""
    with closing(sqlite3.connect(in_file.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        SQLiteStore(in_file.path).read("a", "x")
        other.execute("ROLLBACK")


def test_a_file_that_is_damaged_says_so_to_every_question(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "store.db")  # which has asked nothing so far
    store.path.write_bytes(b"an essay" * 1_000)
    for question in (*questions(store), store.purge):
        with pytest.raises(StoreUnavailable, match=r"store\.db"):
            question()


def test_a_store_that_cannot_be_opened_says_where(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="nowhere"):
        SQLiteStore(tmp_path / "nowhere" / "store.db")
    with pytest.raises(StoreUnavailable, match="SESSION_STORE"):
        open_store(tmp_path, "redis://127.0.0.1:port")


def test_a_fault_that_sqlite_tells_in_no_text_is_one_all_the_same(tmp_path: Path) -> None:
    """Its sentence about a damaged schema quotes the damage, which Python cannot decode."""
    path = tmp_path / "store.db"
    run(SQLiteStore(path), "PRAGMA wal_checkpoint(TRUNCATE)")
    whole = path.read_bytes()
    assert b"place_expires ON" in whole
    path.write_bytes(whole.replace(b"place_expires ON", b"place_expires \xbd\xff"))
    with pytest.raises(StoreUnavailable):
        SQLiteStore(path)


def test_what_is_wrong_inside_the_file_is_found(in_file: SQLiteStore) -> None:
    made(in_file, **{f"key {number}": os.urandom(500) for number in range(100)})
    in_file.close()
    run(in_file, "PRAGMA wal_checkpoint(TRUNCATE)")
    path = in_file.path
    whole = path.read_bytes()
    path.write_bytes(whole[:8_000] + os.urandom(2_000) + whole[10_000:])
    try:
        found = in_file.faults()
    except StoreUnavailable as error:
        found = str(error)
    assert str(path) in found
    assert "malformed" in found or "damaged" in found
