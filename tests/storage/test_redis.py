"""What can happen in a Redis, and what is asked of it."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from web.storage.redis import RedisStore

from app import create_app
from tests.support.machines import Redis, wait_until
from tests.support.site import JSON, TABLE, sid
from tests.support.stores import DAY, made, questions
from web.settings import Settings
from web.storage import open_store
from web.storage.store import StoreUnavailable

# ---- Redis itself ------------------------------------------------------------------------------


def test_a_place_is_one_key_whose_time_redis_counts(in_redis: RedisStore) -> None:
    made(in_redis, "session/a", x=b"1", y=b"2")
    assert [key for key in in_redis.redis.scan_iter() if b"format" not in key] == [
        b"cardgames1:session/a"
    ]
    assert 14 * DAY - 5 <= in_redis.redis.ttl("cardgames1:session/a") <= 14 * DAY
    assert in_redis.purge() == 0


def test_a_full_redis_takes_nothing(in_redis: RedisStore) -> None:
    made(in_redis, x=b"1", y=b"1")
    in_redis.redis.config_set("maxmemory", 1)
    try:
        with pytest.raises(StoreUnavailable):
            in_redis.write("a", {"y": None, "x": b"2"}, {})
        with pytest.raises(StoreUnavailable):
            in_redis.check_write()
        assert in_redis.read("a", "x")["x"].data == b"1"
    finally:
        in_redis.redis.config_set("maxmemory", 0)
    in_redis.check_write()
    assert [row.data for row in in_redis.scan("a").rows.values()] == [b"1", b"1"]


def test_a_redis_that_has_forgotten_the_scripts_is_sent_them_again(in_redis: RedisStore) -> None:
    made(in_redis, x=b"1")
    in_redis.redis.script_flush()
    assert in_redis.read("a", "x")["x"].data == b"1"


@pytest.mark.parametrize("address", ["redis://a:port", "redis://a:1?db=x"])
def test_an_address_that_makes_no_sense_is_named(tmp_path: Path, address: str) -> None:
    with pytest.raises(StoreUnavailable, match="SESSION_STORE"):
        open_store(tmp_path, address)


def test_settings_of_redis_that_would_lose_sessions_are_told(in_redis: RedisStore) -> None:
    in_redis.redis.config_set("maxmemory-policy", "allkeys-lru")
    in_redis.redis.config_set("appendonly", "no")
    try:
        assert "appendonly yes" in in_redis.faults()
        assert "appendonly yes. Redis may drop tables" in in_redis.faults()
        assert "noeviction" in in_redis.faults()
        in_redis.redis.config_set("maxmemory-policy", "volatile-ttl")
        assert "noeviction" not in in_redis.faults()
    finally:
        in_redis.redis.config_set("maxmemory-policy", "noeviction")
        in_redis.redis.config_set("appendonly", "yes")
        wait_until(lambda: not in_redis.redis.info()["aof_rewrite_in_progress"])


def test_what_another_version_has_kept_is_named_and_left_as_it_is(redis: Redis) -> None:
    store = RedisStore(redis.url)
    store.redis.flushall()
    store.redis.set("cardgames-format", 2)
    store.redis.hset("cardgames2:session/a", "x", "of tomorrow")
    try:
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match=r"format 2, .* format 1"):
                made(store, x=b"1")
        assert sorted(store.redis.keys()) == [b"cardgames-format", b"cardgames2:session/a"]
    finally:
        store.redis.flushall()
    made(store, x=b"1")


def test_a_redis_that_is_away_says_so_to_every_question(tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    store = RedisStore(Redis(tmp_path / "redis").url)  # made, never started
    for question in questions(store):
        with pytest.raises(StoreUnavailable, match="ConnectionError"):
            question()


# ---- What lies there may be anything -----------------------------------------------------------


@pytest.fixture
def site(redis: Redis, in_redis: RedisStore, tmp_path: Path) -> Iterator[flask.Flask]:
    yield create_app(Settings(data_dir=tmp_path, session_store=redis.url))
    in_redis.redis.flushall()


def as_text(store: RedisStore, key: str) -> None:
    store.redis.delete(key)
    store.redis.set(key, "a text")


def as_list(store: RedisStore, key: str) -> None:
    store.redis.delete(key)
    store.redis.rpush(key, "a", "list")


def field(name: str, value: bytes) -> Callable[[RedisStore, str], None]:
    return lambda store, key: store.redis.hset(key, name, value)


DAMAGE: dict[str, Callable[[RedisStore, str], None]] = {
    "a text": as_text,
    "a list": as_list,
    "no session": lambda store, key: store.redis.hdel(key, "tables"),
    "no bytes": field("tables", b""),
    "less than a revision": field("tables", b"abc"),
    "zeros": field("tables", bytes(7)),
    "a revision alone": field("tables", b"revised"),
    "bytes that are no session": field("tables", b"revised\xc1\x00"),
    "rounds that are none": field("round/simple-21/0000000/01", b"revised\xff"),
    "a number that is none": field("round/simple-21/x", b"revised"),
    "a row of nobody": field("\udcff".encode(errors="surrogateescape").decode("latin1"), b""),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_whose_place_is_damaged_plays_on(
    site: flask.Flask, in_redis: RedisStore, damage: str
) -> None:
    client = site.test_client()
    for step in range(2):
        client.post(TABLE, data={"move": "new", "step": str(step)})
    DAMAGE[damage](in_redis, f"cardgames1:session/{sid(client)}")
    if damage == "less than a revision":
        assert "could not be read" in client.get(TABLE).text
    for path in (TABLE, "/", f"{TABLE}/history", f"{TABLE}/history.json", "/deals"):
        assert client.get(path).status_code == 200, path
    for _ in range(3):
        assert stay_or_deal(client).status_code == 200
    assert client.get(TABLE, headers=JSON).get_json()["step"] >= 3
    assert client.get(f"{TABLE}/history").status_code == 200


def stay_or_deal(client: FlaskClient) -> Any:
    table = client.get(TABLE, headers=JSON).get_json()
    names = [move["name"] for move in table["moves"]]
    form = {"move": next(n for n in ("stay", "deal", "new") if n in names)}
    return client.post(TABLE, data={**form, "step": str(table["step"])}, headers=JSON)


@pytest.mark.parametrize("damage", [as_text, as_list, field("deal", b""), field("deal", b"\xff")])
def test_a_damaged_deal_is_none(
    site: flask.Flask, in_redis: RedisStore, damage: Callable[[RedisStore, str], None]
) -> None:
    client = site.test_client()
    made = client.post("/deals", data={"table": "simple-21"}, headers=JSON)
    address = made.get_json()["address"]
    damage(in_redis, f"cardgames1:deal/{made.get_json()['deal']}")
    assert client.get(address).status_code == 404
    assert client.get(f"{address}/results", headers=JSON).status_code == 404
    assert client.post(address, data={"move": "deal", "step": "0"}).status_code == 404


@pytest.mark.parametrize("seed", range(2))
def test_random_damage_is_never_a_500(site: flask.Flask, in_redis: RedisStore, seed: int) -> None:
    """Any row of a played session is cut, overwritten or taken away, and the player goes on."""
    client, luck = site.test_client(), random.Random(seed)
    for _ in range(60):
        assert stay_or_deal(client).status_code == 200
        assert client.get(f"{TABLE}/history.csv").status_code == 200
        key = f"cardgames1:session/{sid(client)}"
        name = luck.choice(sorted(in_redis.redis.hkeys(key)))
        value = in_redis.redis.hget(key, name)
        match luck.randrange(3):
            case 0:
                in_redis.redis.hdel(key, name)
            case 1:
                in_redis.redis.hset(key, name, value[: luck.randrange(len(value) + 1)])
            case _:
                in_redis.redis.hset(key, name, luck.randbytes(len(value)))


def test_random_damage_of_results_is_never_a_500(site: flask.Flask, in_redis: RedisStore) -> None:
    client, luck = site.test_client(), random.Random(1)
    address = client.post("/deals", data={"table": "simple-21"}, headers=JSON).get_json()["address"]
    client.post(address, data={"move": "deal", "step": "0"})
    client.post(address, data={"move": "stay", "step": "1"})
    for _ in range(40):
        assert client.get(f"{address}/results", headers=JSON).status_code in (200, 404)
        key = f"cardgames1:deal/{address.rpartition('/')[2]}"
        if names := sorted(in_redis.redis.hkeys(key)):
            value = in_redis.redis.hget(key, name := luck.choice(names))
            in_redis.redis.hset(key, name, luck.randbytes(luck.choice([3, 7, len(value)])))
