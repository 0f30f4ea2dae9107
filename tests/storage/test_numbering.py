"""A finished round is never replaced: the store numbers them, whatever becomes of the session.

Nearly every test runs on a SQLite file and on a Redis.
"""

import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import flask
import msgspec
import pytest
from flask.testing import FlaskClient

from app import create_app
from tests.support.machines import Redis
from web.settings import Settings
from web.storage.protocol import MAX_ROUNDS, NewRound, Store
from web.storage.redis import RedisStore
from web.storage.sessions import Sessions
from web.storage.sqlite import SQLiteStore
from web.tables.stored_round import StoredRound

pytestmark = pytest.mark.xdist_group("redis")

ANN = "a" * 32
JSON = {"Accept": "application/json"}
TABLE = "/simple-21"


@pytest.fixture(params=["sqlite", "redis"])
def site(request: pytest.FixtureRequest, tmp_path: Path, redis: Redis) -> flask.Flask:
    if request.param == "sqlite":
        return create_app(Settings(data_dir=tmp_path))
    RedisStore(redis.url).redis.flushall()
    return create_app(Settings(data_dir=tmp_path, session_store=redis.url))


@pytest.fixture
def store(site: flask.Flask) -> Store:
    assert isinstance(site.session_interface, Sessions)
    return site.session_interface.store


def keep(store: Store, *rounds: tuple[str, bytes], sid: str = ANN) -> None:
    """Save a session once, with rounds beside it."""
    saved = store.load(sid)
    version = saved.version if saved else 0
    assert store.save(sid, version, b"", [NewRound(*one) for one in rounds])


def kept(store: Store, game: str = "war", sid: str = ANN) -> dict[int, bytes]:
    return {one.number: one.data for one in reversed(store.rounds(sid, game))}


# ---- The store ---------------------------------------------------------------------------------


def test_rounds_are_numbered_in_the_order_they_come_and_each_table_by_itself(store: Store) -> None:
    keep(store, ("war", b"one"))
    keep(store, ("war", b"two"), ("bingo", b"B"), ("war", b"three"))
    keep(store)
    keep(store, ("war", b"four"))
    assert kept(store) == {1: b"one", 2: b"two", 3: b"three", 4: b"four"}
    assert kept(store, "bingo") == {1: b"B"}
    assert store.round(ANN, "war", 3) == ("war", 3, b"three")
    assert store.round(ANN, "war", 5) is None


def test_numbers_go_on_when_the_oldest_rounds_are_dropped(store: Store) -> None:
    for number in range(1, MAX_ROUNDS + 36):
        keep(store, ("war", b"%d" % number))
        assert kept(store)[number] == b"%d" % number
    assert kept(store) == {number: b"%d" % number for number in range(36, MAX_ROUNDS + 36)}


def test_of_two_saves_of_one_version_one_is_numbered(store: Store) -> None:
    keep(store, ("war", b"one"))
    assert store.save(ANN, 1, b"", [NewRound("war", b"two")])
    assert not store.save(ANN, 1, b"", [NewRound("war", b"never")])
    assert kept(store) == {1: b"one", 2: b"two"}


def test_a_round_is_amended_only_as_it_was_read(store: Store) -> None:
    for number in range(1, 40):
        keep(store, ("war", b"%d" % number))
    first, second, *_ = store.rounds(ANN, "war")
    store.amend_rounds(ANN, [(first, b"new"), (second, b"too")])
    store.amend_rounds(ANN, [(first, b"late"), (second._replace(data=b"other"), b"never")])
    store.amend_rounds(ANN, [])
    store.amend_rounds("nobody", [(first, b"never")])
    found = kept(store)
    assert (found.pop(39), found.pop(38)) == (b"new", b"too")
    assert found == {number: b"%d" % number for number in range(1, 38)}
    assert store.load("nobody") is None


# ---- The session -------------------------------------------------------------------------------


def finish(client: FlaskClient, rounds: int, address: str = TABLE) -> None:
    """Finish rounds at a twenty-one table."""
    while rounds:
        table = client.get(address, headers=JSON).get_json()
        legal = [move["name"] for move in table["moves"]]
        move = next(name for name in ("stay", "deal", "new") if name in legal)
        answer = client.post(address, data={"move": move, "step": table["step"]}, headers=JSON)
        assert answer.status_code == 200
        rounds -= answer.get_json()["view"]["phase"] == "round over"


def sid_of(client: FlaskClient) -> str:
    cookie = client.get_cookie("cardgames")
    assert cookie
    return cookie.value.partition(".")[0]


def replace_session(store: Store, client: FlaskClient, data: bytes) -> None:
    """Put other bytes in the place of a session."""
    saved = store.load(sid_of(client))
    assert saved
    assert store.save(sid_of(client), saved.version, data)


def history(client: FlaskClient) -> dict[int, str]:
    """Return the records of the finished rounds by their numbers."""
    answer = client.get(f"{TABLE}/history.json")
    assert answer.status_code == 200
    return {one["number"]: one["record"] for one in answer.get_json()["rounds"]}


@pytest.mark.parametrize("data", [b"garbage", b"\x80"], ids=["unreadable", "empty"])
def test_a_session_begun_anew_goes_on_in_its_history(
    site: flask.Flask, store: Store, data: bytes
) -> None:
    client = site.test_client()
    finish(client, 3)
    before = history(client)
    replace_session(store, client, data)
    finish(client, 2)
    after = history(client)
    assert sorted(after) == [1, 2, 3, 4, 5]
    assert {number: after[number] for number in before} == before
    for number in after:
        assert client.get(f"{TABLE}/history/{number}").status_code == 303


def test_a_table_begun_anew_tells_no_hidden_card_of_the_one_before(
    site: flask.Flask, store: Store
) -> None:
    """One deck lasts over rounds: what a round leaves hidden is opened by its own table alone."""
    client = site.test_client()
    finish(client, 1, "/one-deck")
    assert not client.get("/one-deck/history.json").get_json()["rounds"][0]["opened"]
    saved = store.load(sid_of(client))
    assert saved
    rows = msgspec.msgpack.decode(saved.data, type=dict[str, msgspec.Raw])
    row = msgspec.msgpack.decode(rows["table:one-deck"])
    rows["table:one-deck"] = msgspec.Raw(msgspec.msgpack.encode([*row[:2], "no seals"]))
    replace_session(store, client, msgspec.msgpack.encode(rows))
    for _ in range(3):  # a table that opens what it has dealt, again and again
        finish(client, 1, "/one-deck")
        step = client.get("/one-deck", headers=JSON).get_json()["step"]
        client.post("/one-deck", data={"move": "new", "step": step})
    rounds = client.get("/one-deck/history.json").get_json()["rounds"]
    assert [(one["number"], one["opened"]) for one in rounds] == [
        (4, True),
        (3, True),
        (2, True),
        (1, False),
    ]
    assert "??" in rounds[-1]["record"] or "+" in rounds[-1]["record"]


# ---- What an older version has written ---------------------------------------------------------


def old_save(
    store: Store, sid: str, version: int, rounds: Sequence[tuple[str, int, bytes]] = ()
) -> None:
    """Save a session and rounds with numbers of its own, as version 66b51c4 does."""
    if isinstance(store, RedisStore):
        key = f"cardgames:{sid}"
        store.redis.hset(key, mapping={"version": version, "data": b"old"})
        for game, number, data in rounds:
            field = f"rounds:{game}:{number // 16}"
            packed = store.redis.hget(key, field)
            held = msgspec.msgpack.decode(packed) if packed else {}
            held[str(number)] = data.decode()  # Lua has one kind of text
            newest = int(store.redis.hget(key, f"newest:{game}") or 0)
            fields = {field: msgspec.msgpack.encode(held), f"newest:{game}": max(newest, number)}
            store.redis.hset(key, mapping=fields)
        return
    assert isinstance(store, SQLiteStore)
    with closing(sqlite3.connect(store._path, isolation_level=None)) as connection:
        connection.execute("REPLACE INTO session VALUES (?, ?, ?, ?)", (sid, version, 2**40, b""))
        for game, number, data in rounds:
            where = (sid, game)
            connection.execute("INSERT OR IGNORE INTO history (session, game) VALUES (?, ?)", where)
            statement = "SELECT key FROM history WHERE session = ? AND game = ?"
            (key,) = connection.execute(statement, where).fetchone()
            connection.execute("REPLACE INTO round VALUES (?, ?, ?)", (key, number, data))
            connection.execute(
                "DELETE FROM round WHERE history = ? AND number <= "
                "(SELECT max(number) FROM round WHERE history = ?) - ?",
                (key, key, MAX_ROUNDS),
            )


def test_rounds_of_an_older_version_keep_their_numbers(store: Store) -> None:
    old_save(store, ANN, 1, [("war", number, b"%d" % number) for number in range(1, 251)])
    assert kept(store) == {number: b"%d" % number for number in range(51, 251)}
    assert store.round(ANN, "war", 60) == ("war", 60, b"60")
    keep(store, ("war", b"251"))
    assert kept(store) == {number: b"%d" % number for number in range(52, 252)}


def test_an_older_version_in_between_replaces_no_round(store: Store) -> None:
    """It begins the session anew and counts from one again; its rounds come behind the others."""
    for number in range(1, 21):
        keep(store, ("war", b"%d" % number))
    saved = store.load(ANN)
    assert saved
    old_save(store, ANN, saved.version, [("war", n, b"old %d" % n) for n in range(1, 4)])
    keep(store, ("war", b"new"))
    found = kept(store)
    assert {number: found[number] for number in range(1, 21)} == {
        number: b"%d" % number for number in range(1, 21)
    }
    assert [found[number] for number in range(21, 25)] == [b"old 1", b"old 2", b"old 3", b"new"]
    saved = store.load(ANN)
    assert saved
    old_save(store, ANN, saved.version, [("war", 1, b"again")])
    assert kept(store) == {**found, 25: b"again"}


def test_a_round_that_an_older_version_numbers_long_after_is_kept_too(store: Store) -> None:
    """Its number 1 was dropped long ago, with the rounds that are two hundred older."""
    for number in range(1, MAX_ROUNDS + 100):
        keep(store, ("war", b"%d" % number))
    saved = store.load(ANN)
    assert saved
    old_save(store, ANN, saved.version, [("war", 1, b"old")])
    assert kept(store)[MAX_ROUNDS + 100] == b"old"


# ---- Fields that are not right -----------------------------------------------------------------


@pytest.fixture
def in_redis(redis: Redis) -> Iterator[RedisStore]:
    store = RedisStore(redis.url)
    store.redis.flushall()
    yield store
    store.redis.flushall()


@pytest.mark.parametrize("damage", [b"", b"\xc1", b"garbage", b"\x05", b"\xff" * 40])
def test_rounds_beside_a_damaged_field_are_kept_and_none_is_replaced(
    in_redis: RedisStore, damage: bytes
) -> None:
    for number in range(1, 41):
        keep(in_redis, ("war", b"%d" % number))
    in_redis.redis.hset(f"cardgames:{ANN}", "log:war:2", damage)  # those numbered 32 to 47
    assert kept(in_redis) == {number: b"%d" % number for number in range(1, 32)}
    keep(in_redis, ("war", b"new"))
    assert kept(in_redis) == {**{n: b"%d" % n for n in range(1, 32)}, 48: b"new"}
    assert in_redis.redis.hget(f"cardgames:{ANN}", "log:war:2") == damage


def test_numbers_go_on_behind_everything_when_the_newest_cannot_be_read(
    in_redis: RedisStore,
) -> None:
    for number in range(1, 21):
        keep(in_redis, ("war", b"%d" % number), ("one-deck", b"x"))
    in_redis.redis.hset(f"cardgames:{ANN}", "last:war", "many")
    keep(in_redis, ("war", b"new"))
    assert kept(in_redis) == {**{n: b"%d" % n for n in range(1, 21)}, 32: b"new"}
    assert len(kept(in_redis, "one-deck")) == 20


def test_stored_rounds_of_version_1_are_read() -> None:
    """Version 1 had seven fields; what is missing says that nothing more is known."""
    seven: list[Any] = [1, "0", 0, [0, False, [], b""], [b"\0" * 16], "deal stay", ""]
    stored = StoredRound.unpacked(msgspec.msgpack.encode(seven))
    assert (stored.table, stored.table_round, stored.costs) == (b"", 0, None)
    again = msgspec.msgpack.decode(stored.packed())
    assert again[:7] == seven  # and an older version finds its own fields where it looks for them


def test_random_saves_and_reads_agree_with_a_plain_list(store: Store) -> None:
    luck = random.Random(7)
    said: list[bytes] = []
    for _ in range(300):
        rounds = [("bingo", luck.randbytes(luck.randrange(40))) for _ in range(luck.randrange(4))]
        keep(store, *rounds)
        said += [data for _, data in rounds]
        newest = len(said)
        number = luck.randint(1, newest + 2)
        found = store.round(ANN, "bingo", number)
        expected = said[number - 1] if newest - MAX_ROUNDS < number <= newest else None
        assert (found and found.data) == expected
    assert kept(store, "bingo") == dict(list(enumerate(said, 1))[-MAX_ROUNDS:])
