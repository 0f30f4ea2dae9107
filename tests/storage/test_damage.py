"""What lies in Redis may be anything: a row that is not right is its player's loss, not a 500."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient

from app import create_app
from tests.support.machines import Redis
from web.settings import Settings
from web.storage.protocol import NewRound, Result
from web.storage.redis import RedisStore

pytestmark = pytest.mark.xdist_group("redis")

JSON = {"Accept": "application/json"}
TABLE = "/simple-21"
ANN = "a" * 32
DEAL = "f" * 16


@pytest.fixture
def store(redis: Redis) -> Iterator[RedisStore]:
    store = RedisStore(redis.url)
    store.redis.flushall()
    yield store
    store.redis.flushall()


@pytest.fixture
def site(redis: Redis, store: RedisStore, tmp_path: Path) -> flask.Flask:
    assert store.count() == 0
    return create_app(Settings(data_dir=tmp_path, session_store=redis.url))


def as_text(store: RedisStore, key: str) -> None:
    store.redis.delete(key)
    store.redis.set(key, "a text")


def as_list(store: RedisStore, key: str) -> None:
    store.redis.delete(key)
    store.redis.rpush(key, "a", "list")


def fields(**values: bytes) -> Callable[[RedisStore, str], None]:
    def change(store: RedisStore, key: str) -> None:
        store.redis.hset(key, mapping=values)

    return change


def without(*names: str) -> Callable[[RedisStore, str], None]:
    def change(store: RedisStore, key: str) -> None:
        store.redis.hdel(key, *names)

    return change


DAMAGE = {
    "a text": as_text,
    "a list": as_list,
    "no version": without("version"),
    "no bytes": without("data"),
    "a version that is no number": fields(version=b"x"),
    "an empty version": fields(version=b""),
    "a negative version": fields(version=b"-1"),
    "a version with a point": fields(version=b"1.5"),
    "bytes that are no session": fields(data=b"\xc1\x00"),
    "rounds that are none": fields(**{"last:simple-21": b"x", "log:simple-21:0": b"\xff"}),
    "old rounds that are none": fields(**{"newest:simple-21": b"x", "rounds:simple-21:0": b"\xff"}),
}


def sid_of(client: FlaskClient) -> str:
    cookie = client.get_cookie("cardgames")
    assert cookie
    return cookie.value.partition(".")[0]


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_whose_row_is_damaged_plays_on(
    site: flask.Flask, store: RedisStore, damage: Callable[[RedisStore, str], None]
) -> None:
    client = site.test_client()
    for step in range(2):
        client.post(TABLE, data={"move": "new", "step": str(step)})
    damage(store, f"cardgames:{sid_of(client)}")
    for path in (TABLE, "/", f"{TABLE}/history", f"{TABLE}/history.json", "/deals"):
        assert client.get(path).status_code == 200, path
    for _ in range(3):
        table = client.get(TABLE, headers=JSON).get_json()
        names = [move["name"] for move in table["moves"]]
        form = {"move": next(n for n in ("stay", "deal") if n in names), "step": table["step"]}
        answer = client.post(TABLE, data=form, headers=JSON)
        assert answer.status_code == 200
    assert client.get(TABLE, headers=JSON).get_json()["step"] >= 3
    assert client.get(f"{TABLE}/history").status_code == 200


def test_a_player_of_a_damaged_row_is_told(site: flask.Flask, store: RedisStore) -> None:
    client = site.test_client()
    client.post(TABLE, data={"move": "new", "step": "0"})
    as_text(store, f"cardgames:{sid_of(client)}")
    assert "could not be read" in client.get(TABLE).text


def test_two_saves_over_a_damaged_row_are_one(store: RedisStore) -> None:
    as_text(store, f"cardgames:{ANN}")
    assert store.load(ANN) == (0, b"")
    assert store.save(ANN, 0, b"first", [NewRound("war", b"round")])
    assert not store.save(ANN, 0, b"second")
    assert store.load(ANN) == (1, b"first")
    assert [one.data for one in store.rounds(ANN, "war")] == [b"round"]


@pytest.mark.parametrize("damage", [as_text, as_list, without("data"), fields(data=b"\xff")])
def test_a_damaged_deal_is_none(
    site: flask.Flask, store: RedisStore, damage: Callable[[RedisStore, str], None]
) -> None:
    client = site.test_client()
    made = client.post("/deals", data={"table": "simple-21", "kind": "counted"}, headers=JSON)
    address = made.get_json()["address"]
    damage(store, f"cardgames-deal:{made.get_json()['deal']}")
    assert client.get(address).status_code == 404
    assert client.get(f"{address}/results", headers=JSON).status_code == 404
    assert client.post(address, data={"move": "deal", "step": "0"}).status_code == 404
    assert client.get("/deals").status_code == 200


@pytest.mark.parametrize(
    "entry",
    [
        {b"of:ann": b"no place"},
        {b"of:ann": b"x:result"},
        {b"of:\xff\xfe": b"7:result"},
        {b"something": b"else"},
    ],
)
def test_a_damaged_result_is_left_out(store: RedisStore, entry: dict[bytes, bytes]) -> None:
    store.keep_deal(DEAL, b"deal")
    store.redis.hset(f"cardgames-deal:{DEAL}", mapping=entry)
    store.add_result(Result(DEAL, "ben", b"his"))
    assert store.results(DEAL) == (Result(DEAL, "ben", b"his"),)
    as_list(store, f"cardgames-deal:{DEAL}")
    store.add_result(Result(DEAL, "cleo", b"hers"))
    assert store.results(DEAL) == ()


def test_what_others_keep_in_the_same_redis_does_not_matter(store: RedisStore) -> None:
    store.redis.set("cardgames:", "x")
    store.redis.set(b"cardgames:\xff", "x")
    store.redis.hset("cardgames-keys", mapping={b"\xff": b"x", b"abc": b""})
    store.redis.hset("cardgames-deal-bytes", mapping={b"today": b"many", b"\xff": b"7"})
    store.save(ANN, 0, b"1")
    assert dict(store.iter_sessions())[ANN] == (1, b"1")
    assert store.keys() == frozenset()
    store._limit = 10**12
    assert store.keep_deal(DEAL, b"deal")


def test_random_damage_is_never_a_500(site: flask.Flask, store: RedisStore, rng: Any) -> None:
    """Any field of a played session is cut, overwritten or taken away, and the player goes on."""
    client = site.test_client()
    for round_ in range(60):
        table = client.get(TABLE, headers=JSON).get_json()
        names = [move["name"] for move in table["moves"]]
        form = {"move": next(n for n in ("stay", "deal", "new") if n in names)}
        form["step"] = str(table["step"])
        answer = client.post(TABLE, data=form, headers=JSON)
        assert answer.status_code == 200, (round_, answer.text)
        assert client.get(f"{TABLE}/history.csv").status_code == 200
        key = f"cardgames:{sid_of(client)}"
        field = rng.choice(sorted(store.redis.hkeys(key)))
        value = store.redis.hget(key, field)
        match rng.randrange(3):
            case 0:
                store.redis.hdel(key, field)
            case 1:
                store.redis.hset(key, field, bytes(value[: rng.randrange(len(value) + 1)]))
            case _:
                store.redis.hset(key, field, rng.randbytes(len(value)))


@pytest.fixture(params=range(4))
def rng(request: pytest.FixtureRequest) -> Any:
    import random  # noqa: PLC0415

    return random.Random(request.param)
