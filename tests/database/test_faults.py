"""Faults of a database: one message, no lost moves, and recovery without a restart."""

import logging
import os
import re
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import flask
import pytest
from flask.testing import FlaskClient
from sqlalchemy import event, make_url, select

from app import create_app
from tests.support.http_client import Client
from tests.support.machines import PostgreSQL, wait_until
from tests.support.serving import Server
from tests.support.site import JSON, TABLE, cookie
from web import db, schema
from web.data_dir import url_in
from web.db import engines
from web.db.models import SavedSession
from web.settings import Settings


def new_game(client: FlaskClient, step: int) -> int:
    """Reset a table, and return the status of the response."""
    form = {"move": "new", "step": str(step)}
    return client.post(TABLE, data=form, headers=JSON).status_code


def step_of(client: FlaskClient) -> int:
    step: int = client.get(TABLE, headers=JSON).get_json()["step"]
    return step


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Lock a database file as another program may do. Readers work, but writers wait."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


# ---- SQLite's file -----------------------------------------------------------------------------


@contextmanager
def connections(app: flask.Flask, name: str, listener: Callable[..., object]) -> Iterator[None]:
    """In a ``with`` block, listen to a pool event for all newly opened connections."""
    engine = db.database(app).engine
    engine.dispose()
    event.listen(engine, name, listener)
    yield
    event.remove(engine, name, listener)


def test_full_disk_loses_nothing_and_recovers(in_file: flask.Flask) -> None:
    client = in_file.test_client()
    assert new_game(client, 0) == 200

    def leave_no_room(connection: sqlite3.Connection, _: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    with connections(in_file, "connect", leave_no_room):
        visitors = [in_file.test_client() for _ in range(60)]
        statuses = [new_game(visitor, 0) for visitor in visitors]
        assert 503 in statuses
        assert step_of(client) == 1
    db.database(in_file).engine.dispose()
    kept = [step_of(visitor) for visitor in visitors]
    assert kept == [int(status == 200) for status in statuses]
    assert [new_game(in_file.test_client(), 0) for _ in range(60)] == [200] * 60
    assert new_game(client, 1) == 200


def test_a_read_only_disk_passes_without_a_restart(in_file: flask.Flask, tmp_path: Path) -> None:
    """A connection opened while the disk was read-only is closed, because it stays read-only."""
    client = in_file.test_client()
    assert new_game(client, 0) == 200

    def read_only(*_: object) -> sqlite3.Connection:
        address = f"file:{tmp_path / db.FILE}?mode=ro"
        return sqlite3.connect(address, uri=True, check_same_thread=False)

    with connections(in_file, "do_connect", read_only):
        answer = client.post(TABLE, data={"move": "new", "step": "1"})
        assert answer.status_code == 503
        assert "cannot save games right now" in answer.text
        assert step_of(client) == 1
    assert new_game(client, 1) in (200, 503)  # The request may get a read-only connection.
    assert new_game(client, step_of(client)) == 200


def test_a_file_held_by_another_program_is_waited_for_once(
    in_file: flask.Flask, tmp_path: Path
) -> None:
    """Only one request waits. Other requests are rejected immediately."""
    client = in_file.test_client()
    assert new_game(client, 0) == 200
    with held(tmp_path / db.FILE):
        assert new_game(client, 1) == 503
        began = time.monotonic()
        for _ in range(10):
            answer = client.post(TABLE, data={"move": "new", "step": "1"})
            assert answer.status_code == 503
            assert answer.headers["Retry-After"]
            assert step_of(client) == 1
            assert client.get("/healthz").status_code == 503
        assert time.monotonic() - began < 10 * engines.MAX_WAIT
    wait_until(lambda: client.get("/healthz").status_code == 200)
    assert new_game(client, 1) == 200
    assert step_of(client) == 2


@pytest.mark.parametrize("what", ["deleted", "replaced"])
def test_deleted_file_is_noticed_and_not_written_to(
    in_file: flask.Flask, tmp_path: Path, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = in_file.test_client()
    assert new_game(client, 0) == 200
    path, away = tmp_path / db.FILE, tmp_path / "away.db"
    path.rename(away)
    if what == "replaced":
        shutil.copy(away, path)
    with caplog.at_level(logging.ERROR):
        assert client.get("/healthz").status_code == 503
        assert new_game(client, 1) == 503
    assert f"{path} was deleted or replaced" in caplog.text
    away.rename(path)
    assert client.get("/healthz").status_code == 200
    assert step_of(client) == 1
    assert new_game(client, 1) == 200


def test_a_damaged_file_says_so_and_names_no_card(
    in_file: flask.Flask, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    client, database = in_file.test_client(), db.database(in_file)
    for step in range(30):
        assert new_game(client, step) == 200
    database.scrub()
    database.engine.dispose()
    path = tmp_path / db.FILE
    whole = path.read_bytes()
    path.write_bytes(whole[:4_096] + os.urandom(len(whole) - 4_096))
    with caplog.at_level(logging.ERROR):
        answer = client.get(TABLE)
    assert answer.status_code == 503
    assert "malformed" not in answer.text
    assert f"{path}" in caplog.text or "malformed" in caplog.text
    try:
        found = database.faults()
    except db.Unavailable as error:
        found = str(error)
    assert "malformed" in found or "damaged" in found


def test_another_programs_file_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / db.FILE
    path.write_bytes(b"an essay " * 1_000)
    with pytest.raises(db.Unavailable, match="not a database"):
        create_app(Settings(data_dir=tmp_path))
    assert path.read_bytes() == b"an essay " * 1_000


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(db.Unavailable, match="nowhere"):
        url_in(tmp_path / "nowhere")


def test_a_restored_file_is_made_private_when_the_site_starts(tmp_path: Path) -> None:
    assert new_game(create_app(Settings(data_dir=tmp_path)).test_client(), 0) == 200
    private = [tmp_path / "secret_key", *tmp_path.glob(f"{db.FILE}*")]
    assert len(private) >= 2
    for path in private:
        path.chmod(0o644)
    assert new_game(create_app(Settings(data_dir=tmp_path)).test_client(), 0) == 200
    for path in (tmp_path / "secret_key", *tmp_path.glob(f"{db.FILE}*")):
        assert path.stat().st_mode & 0o777 == 0o600, path


def test_many_processes_can_open_a_new_file_at_once(tmp_path: Path) -> None:
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()

        def opened(_: int, folder: Path = folder) -> db.Database:
            database = db.Database(url_in(folder))
            schema.upgrade(database)
            return database

        with ThreadPoolExecutor(6) as pool:
            for database in pool.map(opened, range(6)):
                database.check()
                database.engine.dispose()


def test_a_start_waits_while_another_process_makes_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new file without a write-ahead log gets none while another program locks the file."""
    with closing(sqlite3.connect(tmp_path / db.FILE)) as other:
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(schema, "sleep", lambda _: other.rollback())
        database = db.Database(url_in(tmp_path))
        schema.upgrade(database)
        database.check()
        database.engine.dispose()


def test_a_start_waits_while_another_process_upgrades_the_file(tmp_path: Path) -> None:
    """The start waits longer than a request does, because an upgrade may take some time."""
    first = db.Database(url_in(tmp_path))
    with closing(sqlite3.connect(tmp_path / db.FILE, check_same_thread=False)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(engines.MAX_WAIT + 0.5, other.rollback)
        release.start()
        schema.upgrade(first)
        release.join()
    first.check()
    first.engine.dispose()


def test_deletion_beside_a_reader_leaves_the_log_with_the_next_write(
    in_file: flask.Flask, tmp_path: Path
) -> None:
    """While another connection reads, SQLite's write-ahead log cannot be emptied."""
    client, database = in_file.test_client(), db.database(in_file)
    log = tmp_path / f"{db.FILE}-wal"
    assert new_game(client, 0) == 200
    with database.session(writes=False) as reader:
        reader.execute(select(SavedSession.id))
        assert new_game(client, 1) == 200
        database.scrub()
        assert log.stat().st_size > 0
    seen = log.read_bytes()
    assert new_game(client, 2) == 200
    assert len(log.read_bytes()) < len(seen), "it was emptied before the move was written"
    database.scrub()
    assert log.stat().st_size == 0


# ---- PostgreSQL --------------------------------------------------------------------------------


@pytest.mark.slow
def test_restarted_database_server_is_used_again(tmp_path: Path) -> None:
    """After a crash of PostgreSQL, no answered move is lost, and the site needs no restart."""
    with PostgreSQL() as server:
        app = create_app(Settings(data_dir=tmp_path, database_url=server.new_database()))
        client = app.test_client()
        for step in range(5):
            assert new_game(client, step) == 200
        server.stop("fast")
        answer = client.post(TABLE, data={"move": "new", "step": "5"})
        assert answer.status_code == 503
        assert "cannot save games right now" in answer.text
        assert client.get("/healthz").status_code == 503
        server.start()
        wait_until(lambda: client.get("/healthz").status_code == 200)
        assert step_of(client) == 5
        assert new_game(client, 5) == 200
        db.database(app).engine.dispose()


@pytest.mark.slow
def test_restarted_server_is_answered_by_every_worker(tmp_path: Path) -> None:
    """Each worker's pool contains connections to the old server, but no request gets a 503."""
    with PostgreSQL() as server, ExitStack() as stack:
        url = server.new_database()
        site = stack.enter_context(Server(tmp_path, WORKERS="2", DATABASE_URL=url))
        players = [stack.enter_context(closing(Client(site.port))) for _ in range(24)]

        def play(step: int) -> list[int]:
            form = {"move": "new", "step": str(step)}
            return [player.json(TABLE, form)[0] for player in players]

        assert play(0) == [200] * len(players)
        workers = set(re.findall(r'"id":"(\w+)-', site.log()))
        assert len(workers) == 2
        server.stop("fast")
        server.start()
        wait_until(lambda: players[0].get("/healthz").status == 200)
        assert play(1) == [200] * len(players)


def test_missing_database_server_is_reported_at_startup(tmp_path: Path) -> None:
    url = f"postgresql+psycopg://cards@/cards?host={tmp_path}"
    with pytest.raises(db.Unavailable, match=str(tmp_path)):
        create_app(Settings(data_dir=tmp_path, database_url=url))


@pytest.mark.slow
def test_a_dump_of_a_server_brings_everything_back(tmp_path: Path) -> None:
    """The commands are those in docs/hosting.md."""
    with PostgreSQL() as server:
        url, copy = server.new_database(), server.new_database()
        app = create_app(Settings(data_dir=tmp_path, database_url=url))
        client = app.test_client()
        for step in range(5):
            assert new_game(client, step) == 200
        names = [str(make_url(address).database) for address in (url, copy)]
        where = ["--host", server.folder, "--username", "cards"]
        dump = server.folder / "dump"
        server.run("pg_dump", *where, "--format=custom", "--file", dump, names[0])
        server.run("pg_restore", *where, "--dbname", names[1], dump)
        restored = create_app(Settings(data_dir=tmp_path, database_url=copy))
        again = restored.test_client()
        again.set_cookie("cardgames", cookie(client))
        assert step_of(again) == 5
        assert new_game(again, 5) == 200
        for each in (app, restored):
            db.database(each).engine.dispose()
