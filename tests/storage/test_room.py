"""How much a store takes: a ceiling that one visitor cannot use to turn everybody else away."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import flask
import pytest
from flask.testing import FlaskClient

from app import create_app
from tests.support.machines import Redis
from web.settings import Settings
from web.storage import sqlite
from web.storage.protocol import (
    DEALS_SHARE,
    ESTABLISHED,
    LIFETIME,
    NewRound,
    Result,
    Store,
    StoreFull,
)
from web.storage.redis import RedisStore
from web.storage.sqlite import SQLiteStore

pytestmark = pytest.mark.xdist_group("redis")

JSON = {"Accept": "application/json"}
TABLE = "/simple-21"
A_SESSION = 2_000
DAY = 86_400


class Kept:
    """A store of either kind that is full at once when it is told to be."""

    def __init__(self, store: SQLiteStore | RedisStore) -> None:
        self.store = store

    def limit(self, more: int) -> None:
        """Let the store take so many bytes more than now. Redis's use goes a little up and down."""
        self.store._limit = self.store.size() + more
        self.measure()

    def measure(self) -> None:
        """Let the store ask anew how much it takes."""
        if isinstance(self.store, RedisStore):
            self.store._measured = (float("-inf"), 0, 0)

    def leave(self) -> None:
        """Let all sessions have been left for a while."""
        self.measure()
        if isinstance(self.store, RedisStore):
            for key in self.store.redis.scan_iter("cardgames:*"):
                self.store.redis.expire(key, LIFETIME - 3_600)


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """A Redis of this file alone: what other tests leave in theirs goes later, and is room."""
    with Redis(tmp_path_factory.mktemp("redis")) as running:
        yield running


@pytest.fixture(params=["sqlite", "redis"])
def kept(request: pytest.FixtureRequest, tmp_path: Path, redis: Redis) -> Iterator[Kept]:
    if request.param == "sqlite":
        yield Kept(SQLiteStore(tmp_path / "kept.db"))
        return
    store = RedisStore(redis.url)
    store.redis.flushall()
    yield Kept(store)
    store.redis.flushall()


def sid(number: int) -> str:
    return f"{number:032x}"


def establish(store: Store, number: int) -> None:
    for version in range(ESTABLISHED):
        assert store.save(sid(number), version, b"x" * A_SESSION)


# ---- Sessions ----------------------------------------------------------------------------------


def test_new_sessions_take_the_place_of_those_that_were_hardly_played(kept: Kept) -> None:
    """Visitors who play one move: the store stays small, and who plays stays."""
    store = kept.store
    establish(store, 1)
    store.save(sid(1), ESTABLISHED, b"mine", [NewRound("war", b"round")])
    kept.limit(500_000)
    begun = 1_000
    for number in range(2, begun):
        if number % 20 == 0:
            kept.leave()
        assert store.save(sid(number), 0, os.urandom(A_SESSION))
    assert store.size() < store._limit + 200_000
    assert 30 < store.count() < begun // 2
    assert store.load(sid(1)) == (ESTABLISHED + 1, b"mine")
    assert len(store.rounds(sid(1), "war")) == 1
    assert store.load(sid(begun - 1)), "the newest is there, of course"


def test_who_has_played_for_a_while_is_never_dropped(kept: Kept) -> None:
    store = kept.store
    for number in range(1, 6):
        establish(store, number)
    kept.leave()
    kept.limit(-50_000)
    with pytest.raises(StoreFull):
        store.save(sid(6), 0, b"new")
    assert store.load(sid(6)) is None
    for number in range(1, 6):
        assert store.save(sid(number), ESTABLISHED, b"goes on", [NewRound("war", b"round")])
    assert store.count() == 5


def test_in_redis_a_session_that_is_being_played_does_not_give_way(redis: Redis) -> None:
    store = RedisStore(redis.url)
    store.redis.flushall()
    store.save(sid(1), 0, b"just begun")
    Kept(store).limit(-100_000)
    with pytest.raises(StoreFull):
        store.save(sid(2), 0, b"new")
    assert store.load(sid(1)) == (1, b"just begun")
    store.redis.set("somebody else's", "key")
    Kept(store).leave()
    for number in range(2, 40):
        Kept(store).leave()
        assert store.save(sid(number), 0, b"new")
    assert store.redis.get("somebody else's") == b"key"
    store.redis.flushall()


def test_what_waits_for_a_slow_disk_is_no_reason_to_be_full(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis 7.0 counts its buffer of writes in ``used_memory``, and not against ``maxmemory``."""
    store = RedisStore(redis.url, limit=10_000_000)
    store.redis.flushall()
    memory = {"used_memory": 12_000_000, "mem_not_counted_for_evict": 3_000_000}
    monkeypatch.setattr(store._client, "infos", lambda _: [memory])
    assert store.size() == 9_000_000
    assert store.save(sid(1), 0, b"new")
    memory["mem_not_counted_for_evict"] = 1_000_000
    Kept(store).measure()
    with pytest.raises(StoreFull):
        store.save(sid(2), 0, b"new")
    store.redis.flushall()


def test_redis_own_limit_counts_too(redis: Redis) -> None:
    """Redis refuses everybody when it is full; so newcomers are turned away a little before."""
    store = RedisStore(redis.url)
    store.redis.flushall()
    establish(store, 1)
    store.redis.config_set("maxmemory", int(store.size() / 0.95))
    Kept(store).leave()
    try:
        with pytest.raises(StoreFull):
            store.save(sid(2), 0, b"new")
        assert store.save(sid(1), ESTABLISHED, b"goes on")
    finally:
        store.redis.config_set("maxmemory", 0)


def test_without_a_limit_nobody_is_turned_away(kept: Kept) -> None:
    assert kept.store._limit == 0
    for number in range(300):
        assert kept.store.save(sid(number), 0, b"x" * A_SESSION)
    assert kept.store.count() == 300


# ---- Expired ones ------------------------------------------------------------------------------


def rows(store: SQLiteStore, table: str) -> int:
    with closing(sqlite3.connect(store._path)) as connection:
        found: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        return found


def test_expired_sessions_and_deals_go_as_fast_as_new_ones_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half as many new ones are enough to be rid of all that have expired, of whatever kind."""
    store = SQLiteStore(tmp_path / "kept.db")
    for number in range(300):
        assert store.save(sid(number), 0, b"x", [NewRound("war", b"y"), NewRound("bingo", b"z")])
        assert store.keep_deal(f"{number:016x}", b"d")
        for player in range(3):
            store.add_result(Result(f"{number:016x}", f"p{player}", b"r"))
    assert (rows(store, "deal"), rows(store, "result")) == (300, 900)
    now = time.time()
    monkeypatch.setattr(sqlite.time, "time", lambda: now + LIFETIME + 2 * DAY)
    for number in range(1_000, 1_150):
        assert store.keep_deal(f"{number:016x}", b"d")
    assert rows(store, "session") == rows(store, "round") == rows(store, "history") == 0
    assert (rows(store, "deal"), rows(store, "result")) == (150, 0)


def test_a_purge_that_fails_harms_no_new_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SQLiteStore(tmp_path / "kept.db")
    store.save(sid(1), 0, b"x")
    with closing(sqlite3.connect(store._path)) as connection:
        connection.execute(
            "CREATE TRIGGER no BEFORE DELETE ON session BEGIN SELECT raise(ABORT, 'no'); END"
        )
    now = time.time()
    monkeypatch.setattr(sqlite.time, "time", lambda: now + LIFETIME + 2 * DAY)
    assert store.save(sid(2), 0, b"y")
    assert store.load(sid(2))


# ---- Deals -------------------------------------------------------------------------------------


def deals_until_full(store: Store, first: int, *, established: bool) -> int:
    """Make deals of a thousand bytes until there is no room, and return how many there were."""
    for made in range(100_000):
        try:
            assert store.keep_deal(f"{first + made:016x}", b"d" * 800, established=established)
        except StoreFull:
            return made
    raise AssertionError("there was always room")


def test_deals_take_their_part_and_no_more(kept: Kept) -> None:
    """Who has not played gets half of it, so a visitor's script leaves room for everybody else."""
    store = kept.store
    kept.limit(-50_000)
    store._limit += 450_000
    part = store._limit // DEALS_SHARE
    made = deals_until_full(store, 0, established=False)
    assert 0.9 * part / 2 <= made * 1_000 <= part / 2
    made += deals_until_full(store, made, established=True)
    assert 0.9 * part <= made * 1_000 <= part
    store.add_result(Result(f"{0:016x}", "late", b"r" * 800))
    assert store.results(f"{0:016x}") == ()
    assert store.deal(f"{0:016x}") == b"d" * 800
    assert store.save(sid(1), 0, b"a player"), "there is room for players still"


# ---- The site ----------------------------------------------------------------------------------


def deal(client: FlaskClient, step: int = 0) -> int:
    form = {"move": "new", "step": str(step)}
    return client.post(TABLE, data=form, headers=JSON).status_code


def test_a_full_site_says_so_and_who_plays_goes_on(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path))
    players = [app.test_client() for _ in range(3)]
    for player in players:
        for step in range(ESTABLISHED):
            assert deal(player, step) == 200
    store = store_of(app)
    Kept(store).limit(-50_000)
    visitor = app.test_client()
    answer = visitor.post(TABLE, data={"move": "deal", "step": "0"})
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert "no room for another player" in answer.text
    assert "Set-Cookie" not in answer.headers
    german = visitor.post(
        TABLE, data={"move": "deal", "step": "0"}, headers={"Accept-Language": "de"}
    )
    assert "Platz" in german.text
    assert visitor.get(TABLE).status_code == 200
    for player in players:
        assert deal(player, ESTABLISHED) == 200


def store_of(app: flask.Flask) -> SQLiteStore:
    store = app.session_interface.store  # type: ignore[attr-defined]
    assert isinstance(store, SQLiteStore)
    return store


def test_visitors_without_a_cookie_do_not_fill_the_disk(tmp_path: Path) -> None:
    """A megabyte is set; two are sent. The player who was there before keeps everything."""
    app = create_app(Settings(data_dir=tmp_path, max_store_mb=1))
    player = app.test_client()
    for step in range(ESTABLISHED + 1):
        assert deal(player, step) == 200
    for _ in range(2_500):
        form = {"move": "deal", "step": "0"}
        assert app.test_client().post(TABLE, data=form, headers=JSON).status_code == 200
    assert store_of(app).size() <= 1_050_000
    assert (tmp_path / "store.db").stat().st_size <= 1_200_000
    assert deal(player, ESTABLISHED + 1) == 200


def test_a_deal_that_finds_no_room_says_what_to_do(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path))
    store = store_of(app)
    stranger, player = app.test_client(), app.test_client()
    for step in range(ESTABLISHED):
        assert deal(player, step) == 200
    store._limit = 10**9
    with closing(sqlite3.connect(store._path)) as connection, connection:
        today = int(time.time()) // DAY
        row = (today, store._limit // DEALS_SHARE // 2)
        connection.execute("INSERT INTO deal_bytes VALUES (?, ?)", row)
    form = {"table": "blackjack", "kind": "practice"}
    answer = stranger.post("/deals", data=form)
    assert answer.status_code == 503
    assert f"{ESTABLISHED} moves" in answer.text
    assert stranger.post("/deals", data=form, headers=JSON).get_json().keys() == {"error"}
    assert player.post("/deals", data=form).status_code == 303
    with closing(sqlite3.connect(store._path)) as connection, connection:
        connection.execute("UPDATE deal_bytes SET bytes = ?", (store._limit // DEALS_SHARE,))
    answer = player.post("/deals", data=form)
    assert answer.status_code == 503
    assert "no room for another deal link" in answer.text
