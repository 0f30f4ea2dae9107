"""How much a store takes: a ceiling that one visitor cannot use to turn everybody else away."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from web.storage.memory import MemoryStore
from web.storage.redis import RedisStore
from web.storage.session_rows import ESTABLISHED
from web.storage.sqlite import SQLiteStore

from app import create_app
from tests.support.machines import Redis
from tests.support.site import JSON, TABLE, store_of
from tests.support.stores import DAY, end_of
from web.deals.storage import DEALS_SHARE, add_result, deal_data, keep_deal, results
from web.settings import Settings
from web.storage.store import LIFETIME, StoreFull

A_SESSION = 2_000
SOON = DAY - 60
"""So long lives the place of somebody who has hardly begun."""

Limited = MemoryStore | SQLiteStore | RedisStore


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """A Redis of this file alone: what other tests leave in theirs goes later, and is room."""
    with Redis(tmp_path_factory.mktemp("redis")) as running:
        yield running


def limit(store: Limited, more: int) -> None:
    """Let the store take a number of bytes more than now. Redis's use goes a little up and down."""
    store.limit = store.size() + more
    measure(store)


def measure(store: Limited) -> None:
    """Let Redis be asked anew how much it takes."""
    if isinstance(store, RedisStore):
        store._measured = (float("-inf"), 0, 0)


def begin(store: Limited, name: str, lives: float = SOON, size: int = A_SESSION) -> bool:
    measure(store)
    put = {"tables": os.urandom(size)}
    return store.write(name, put, {"tables": 0}, expires=end_of(store, lives))


def is_there(store: Limited, name: str) -> bool:
    return bool(store.read(name, "tables").rows)


# ---- Places ------------------------------------------------------------------------------------


def test_newcomers_take_the_place_of_those_who_have_hardly_begun(store: Limited) -> None:
    """Visitors who play one move: the store stays small, and who plays stays."""
    assert begin(store, "mine", LIFETIME)
    limit(store, 300_000)
    begun = 600
    for number in range(begun):
        assert begin(store, f"session/{number}", SOON + number / 60)
    assert store.size() < store.limit + 150_000
    assert 30 < len([*store.places("session/")]) < begun // 2
    assert is_there(store, "mine")
    assert is_there(store, f"session/{begun - 1}"), "the newest is there, of course"


def test_what_ends_soonest_goes_first(store: Limited) -> None:
    for number in range(6):
        assert begin(store, f"session/{number}", SOON - 3_600 * (number % 3))
    limit(store, -50_000)
    assert begin(store, "new")
    left = sorted(store.places("session/"))
    assert {"session/0", "session/1", "session/3", "session/4"} <= {*left}
    assert len(left) < 6


def test_what_has_ended_goes_before_anything_else(
    in_file: SQLiteStore, in_memory: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for store in (in_file, in_memory):
        assert begin(store, "ended", 100)
        assert begin(store, "hardly begun", SOON)
    monkeypatch.setattr(in_memory, "clock", lambda clock=in_memory.clock: clock() + 200)
    in_file._execute("UPDATE place SET expires = 1 WHERE name = 'ended'")
    for store in (in_file, in_memory):
        limit(store, -50_000)
        assert begin(store, "new")
        assert sorted(store.places()) == ["hardly begun", "new"]


def test_who_has_played_for_a_while_is_never_dropped(store: Limited) -> None:
    for number in range(5):
        assert begin(store, f"session/{number}", LIFETIME)
    limit(store, -50_000)
    for name in ("new", "newer"):
        with pytest.raises(StoreFull):
            begin(store, name)
        assert not is_there(store, name)
    for number in range(5):
        seen = store.read(f"session/{number}", "tables")["tables"].revision
        put = {"tables": os.urandom(A_SESSION), "round": b"a round"}
        end = end_of(store, LIFETIME)
        assert store.write(f"session/{number}", put, {"tables": seen}, expires=end)
        assert store.write(f"session/{number}", {"beside": b""}, {}, expires=end)
    assert len([*store.places()]) == 5


def test_what_waits_for_a_slow_disk_is_no_reason_to_be_full(
    in_redis: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis 7.0 counts its buffer of writes in ``used_memory``, and not against ``maxmemory``."""
    in_redis.limit = 10_000_000
    memory = {"used_memory": 12_000_000, "mem_not_counted_for_evict": 3_000_000}
    monkeypatch.setattr(in_redis, "_info", lambda _: memory)
    assert in_redis.size() == 9_000_000
    assert begin(in_redis, "a", LIFETIME)
    memory["mem_not_counted_for_evict"] = 1_000_000
    with pytest.raises(StoreFull):
        begin(in_redis, "b")


def test_redis_own_limit_counts_too(in_redis: RedisStore) -> None:
    """Redis refuses everybody when it is full; so newcomers are turned away a little before."""
    assert begin(in_redis, "mine", LIFETIME)
    # One connection more takes tens of kilobytes; of 20 MB the last twentieth is more than that.
    # Redis makes it itself: the buffer of one that is sent would be room again a moment later.
    in_redis.redis.setrange("ballast", 20_000_000, "x")
    in_redis.redis.config_set("maxmemory", int(in_redis.size() / 0.95))
    try:
        with pytest.raises(StoreFull):
            begin(in_redis, "new")
        assert in_redis.write("mine", {"tables": b"goes on"}, {}, expires=end_of(in_redis))
    finally:
        in_redis.redis.config_set("maxmemory", 0)
        in_redis.redis.delete("ballast")


# ---- Deals -------------------------------------------------------------------------------------


def deals_until_full(store: Limited, first: int, most: int) -> int:
    """Make deals of a thousand bytes until there is no room, and return how many there were."""
    for made in range(100_000):
        try:
            assert keep_deal(store, f"{first + made:016x}", b"d" * 800, most)
        except StoreFull:
            return made
    raise AssertionError("there was always room")


def test_deals_take_their_part_and_no_more(store: Limited) -> None:
    """Who has not played gets half of it, so a visitor's script leaves room for everybody else."""
    part = 100_000
    made = deals_until_full(store, 0, part // 2)
    assert made == 50
    made += deals_until_full(store, made, part)
    assert made == 100
    add_result(store, f"{0:016x}", "late", b"r" * 800, part)
    assert results(store, f"{0:016x}").came == {}
    assert deal_data(store, f"{0:016x}") == b"d" * 800
    assert begin(store, "session/1"), "there is room for players still"


def test_after_two_weeks_deals_have_their_part_again(
    in_memory: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert deals_until_full(in_memory, 0, 20_000) == 20
    now = in_memory.clock()
    monkeypatch.setattr(in_memory, "clock", lambda: now + LIFETIME - 2 * DAY)
    assert deals_until_full(in_memory, 20, 20_000) == 0
    monkeypatch.setattr(in_memory, "clock", lambda: now + LIFETIME + DAY)
    assert deals_until_full(in_memory, 20, 20_000) == 20
    assert len(in_memory.scan("deal-bytes").rows) == 1


# ---- The site ----------------------------------------------------------------------------------


def new_game(client: FlaskClient, step: int = 0) -> int:
    form = {"move": "new", "step": str(step)}
    return client.post(TABLE, data=form, headers=JSON).status_code


def test_a_full_site_says_so_and_who_plays_goes_on(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path))
    players = [app.test_client() for _ in range(3)]
    for player in players:
        for step in range(ESTABLISHED):
            assert new_game(player, step) == 200
    limit(store_of(app), -50_000)
    visitor = app.test_client()
    answer = visitor.post(TABLE, data={"move": "deal", "step": "0"})
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert "no room for another player" in answer.text
    assert "Set-Cookie" not in answer.headers
    german = {"Accept-Language": "de"}
    assert "Platz" in visitor.post(TABLE, data={"move": "deal", "step": "0"}, headers=german).text
    assert visitor.get(TABLE).status_code == 200
    for player in players:
        assert new_game(player, ESTABLISHED) == 200


def test_who_has_hardly_begun_is_kept_for_a_day_and_then_for_two_weeks(tmp_path: Path) -> None:
    now = [1e9]
    store = MemoryStore(clock=lambda: now[0])
    client = create_app(Settings(data_dir=tmp_path), store).test_client()
    assert new_game(client) == 200
    now[0] += 22 * 3_600
    assert new_game(client, 1) == 200
    now[0] += DAY
    assert client.get(TABLE, headers=JSON).get_json()["step"] == 0
    for step in range(ESTABLISHED):
        assert new_game(client, step) == 200
    now[0] += LIFETIME - 60
    assert new_game(client, ESTABLISHED) == 200
    now[0] += LIFETIME - 60
    assert client.get(TABLE, headers=JSON).get_json()["step"] == ESTABLISHED + 1
    now[0] += 2 * DAY
    assert client.get(TABLE, headers=JSON).get_json()["step"] == 0


def test_visitors_without_a_cookie_do_not_fill_the_disk(tmp_path: Path) -> None:
    """A megabyte is set; more is sent. The player who was there before keeps everything."""
    app = create_app(Settings(data_dir=tmp_path, max_store_mb=1))
    player = app.test_client()
    for step in range(ESTABLISHED + 1):
        assert new_game(player, step) == 200
    for _ in range(1_800):
        form = {"move": "deal", "step": "0"}
        assert app.test_client().post(TABLE, data=form, headers=JSON).status_code == 200
    assert store_of(app).size() <= 1_050_000
    assert (tmp_path / "store.db").stat().st_size <= 1_200_000
    assert new_game(player, ESTABLISHED + 1) == 200


def test_a_deal_that_finds_no_room_says_what_to_do(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path))
    stranger, player = app.test_client(), app.test_client()
    for step in range(ESTABLISHED):
        assert new_game(player, step) == 200
    assert app.config["DEALS_LIMIT"] == 10**9 // DEALS_SHARE
    app.config["DEALS_LIMIT"] = 1_000
    form = {"table": "blackjack"}
    assert player.post("/deals", data=form).status_code == 303
    assert player.post("/deals", data=form).status_code == 303
    answer = stranger.post("/deals", data=form)
    assert answer.status_code == 503
    assert f"{ESTABLISHED} moves" in answer.text
    assert stranger.post("/deals", data=form, headers=JSON).get_json().keys() == {"error"}
    answers = [player.post("/deals", data=form) for _ in range(4)]
    assert [answers[0].status_code, answers[-1].status_code] == [303, 503]
    answer = answers[-1]
    assert "no room for another deal link" in answer.text
