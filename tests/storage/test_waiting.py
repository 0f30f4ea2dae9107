"""Nobody waits for a store that does not answer: one call does, and the others are told at once."""

import logging
import shutil
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import flask
import pytest
from web.storage.breaker import Breaker
from web.storage.redis import RedisStore
from web.storage.sqlite import SQLiteStore

from app import create_app
from tests.support.machines import Redis, wait_until
from tests.support.serving import free_port
from tests.support.site import JSON, TABLE, any_store_of
from tests.support.stores import questions
from web.settings import Settings
from web.storage import breaker
from web.storage.store import Store, StoreUnavailable

NEW = {"move": "new", "step": "0"}
PLACE = "session/ann"
AT_ONCE = "nobody waits"
"""In the sentence of a call that was refused without asking the store."""


def made(store: Store) -> bool:
    return store.write(PLACE, {"x": b"1"}, {}, expires=2**40)


# ---- The breaker -------------------------------------------------------------------------------


class Patient:
    """Something that is asked, and answers when it is well."""

    def __init__(self) -> None:
        self.well = threading.Event()
        self.asked = 0

    def ask(self) -> None:
        self.asked += 1
        if not self.well.is_set():
            raise OSError


def test_an_open_breaker_refuses_until_an_answer_comes() -> None:
    patient = Patient()
    before = Breaker("The store", patient.ask)
    before.check()
    assert patient.asked == 0
    before.trip()
    before.trip()
    with pytest.raises(StoreUnavailable, match=AT_ONCE):
        before.check()
    wait_until(lambda: patient.asked >= 2)
    assert before.is_open
    patient.well.set()
    wait_until(lambda: not before.is_open)
    before.check()
    before.trip()
    assert patient.asked >= 3 or before.is_open


def test_a_breaker_that_nobody_minds_stops_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its thread ends; the next caller waits for the store once, and trips it again."""
    monkeypatch.setattr(breaker, "_MINDED", 0.0)
    patient = Patient()
    before = Breaker("The store", patient.ask)
    before.trip()
    wait_until(lambda: not before.is_open)
    before.check()


# ---- Redis -------------------------------------------------------------------------------------


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[Redis]:
    (tmp_path / "redis").mkdir()
    with Redis(tmp_path / "redis") as running:
        yield running
        assert running.process
        running.process.send_signal(signal.SIGCONT)


def test_a_frozen_redis_is_waited_for_once(tmp_path: Path, own_redis: Redis) -> None:
    app = create_app(Settings(data_dir=tmp_path, session_store=own_redis.url))
    client = app.test_client()
    assert client.post(TABLE, data=NEW, headers=JSON).status_code == 200
    store = any_store_of(app)
    assert isinstance(store, RedisStore)
    assert own_redis.process
    own_redis.process.send_signal(signal.SIGSTOP)
    with pytest.raises(StoreUnavailable, match="Timeout"):
        store.read(PLACE, "x")
    for question in questions(store):
        with pytest.raises(StoreUnavailable, match=AT_ONCE):
            question()
    for _ in range(20):
        assert client.get(TABLE).status_code == 503
        assert client.post(TABLE, data={"move": "new", "step": "1"}).status_code == 503
        assert client.get(f"{TABLE}/rules").status_code == 200
        assert client.get("/healthz").status_code == 503
    own_redis.process.send_signal(signal.SIGCONT)
    wait_until(lambda: client.get("/readyz").status_code == 200)
    assert client.get(TABLE, headers=JSON).get_json()["step"] == 1


def test_a_redis_that_is_gone_is_asked_each_time(own_redis: Redis) -> None:
    """A refused connection costs nobody time: so it is back with the first call after it is."""
    store = RedisStore(own_redis.url)
    assert made(store)
    own_redis.stop(signal.SIGKILL)
    for _ in range(3):
        with pytest.raises(StoreUnavailable, match="ConnectionError"):
            store.read(PLACE, "x")
    with own_redis:
        # b"": not there. While its disk is busy, Redis writes its log up to two seconds late.
        assert store.read(PLACE, "x")["x"].data in (b"1", b"")


# ---- SQLite ------------------------------------------------------------------------------------


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a database file as another program may: everybody reads, nobody writes."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def test_a_file_held_by_another_program_is_waited_for_once(
    app: flask.Flask, tmp_path: Path
) -> None:
    client = app.test_client()
    assert client.post(TABLE, data=NEW, headers=JSON).status_code == 200
    store = any_store_of(app)
    with held(tmp_path / "store.db"):
        with pytest.raises(StoreUnavailable, match="locked"):
            made(store)
        with pytest.raises(StoreUnavailable, match=AT_ONCE):
            made(store)
        for _ in range(20):
            answer = client.post(TABLE, data={"move": "new", "step": "1"})
            assert answer.status_code == 503
            assert answer.headers["Retry-After"]
            assert client.get(TABLE, headers=JSON).get_json()["step"] == 1
            assert client.get("/healthz").status_code == 200
            assert client.get("/readyz").status_code == 503
    wait_until(lambda: client.get("/readyz").status_code == 200)
    answer = client.post(TABLE, data={"move": "new", "step": "1"}, headers=JSON)
    assert answer.get_json()["step"] == 2


def test_two_writers_of_the_site_wait_for_each_other(tmp_path: Path) -> None:
    """A lock that is given back soon is no reason to refuse anybody."""
    store = SQLiteStore(tmp_path / "store.db")
    began = threading.Event()

    def hold() -> None:
        with held(tmp_path / "store.db"):
            began.set()
            time.sleep(0.05)

    thread = threading.Thread(target=hold)
    thread.start()
    began.wait(120)
    assert made(store)
    thread.join()


@pytest.mark.parametrize("what", ["deleted", "replaced"])
def test_a_file_that_is_gone_is_noticed_and_nothing_goes_into_it(
    app: flask.Flask, tmp_path: Path, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = app.test_client()
    assert client.post(TABLE, data=NEW, headers=JSON).status_code == 200
    path, away = tmp_path / "store.db", tmp_path / "away.db"
    path.rename(away)
    if what == "replaced":
        shutil.copy(away, path)
    with caplog.at_level(logging.ERROR):
        assert client.get("/healthz").status_code == 503
        assert client.get("/readyz").status_code == 503
        assert client.post(TABLE, data={"move": "new", "step": "1"}).status_code == 503
    assert f"{path} was deleted or replaced" in caplog.text
    assert client.get(TABLE, headers=JSON).get_json()["step"] == 1
    away.rename(path)
    assert client.get("/healthz").status_code == 200
    answer = client.post(TABLE, data={"move": "new", "step": "1"}, headers=JSON)
    assert answer.get_json()["step"] == 2


def test_a_restored_file_is_made_private_when_the_site_starts(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path))
    app.test_client().post(TABLE, data=NEW)
    private = [tmp_path / "secret_key", *tmp_path.glob("store.db*")]
    assert len(private) >= 2
    for path in private:
        path.chmod(0o644)
    app = create_app(Settings(data_dir=tmp_path))
    app.test_client().post(TABLE, data=NEW)
    for path in (tmp_path / "secret_key", *tmp_path.glob("store.db*")):
        assert path.stat().st_mode & 0o777 == 0o600, path


def test_a_site_starts_while_its_redis_is_away(tmp_path: Path) -> None:
    url = f"redis://127.0.0.1:{free_port()}"
    client = create_app(Settings(data_dir=tmp_path, session_store=url)).test_client()
    assert client.get("/healthz").status_code == 503
    assert client.get(TABLE).status_code == 200  # a visitor without a cookie has nothing there
    assert client.post(TABLE, data=NEW).status_code == 503
