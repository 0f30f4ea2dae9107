"""Past one Redis: a cluster of three, with replicas, and a Redis that sentinels watch."""

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from redis.connection import SSLConnection

from app import create_app
from tests.support.clusters import Cluster, sentinels, wait_for
from tests.support.machines import class_plays
from tests.support.serving import Server
from tests.support.stores import end_of, keep, new, war
from web.deals.storage import deal_data, keep_deal
from web.settings import BadSetting, Settings
from web.storage import open_store
from web.storage.redis import RedisStore
from web.storage.redis_client import RedisClient
from web.storage.rounds import rounds_of
from web.storage.store import LIFETIME, StoreUnavailable

KEY = "the same key on both machines and long enough"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster"), replicas=False) as cluster:
        yield cluster


@pytest.fixture
def store(running: Cluster) -> RedisStore:
    for node in running.nodes:
        node.client.flushall()
    return RedisStore(running.address)


def sid(number: int) -> str:
    return f"{number:032x}"


# ---- Addresses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "redis+cluster://",
        "redis+cluster://a:port",
        "redis+cluster://a,,b",
        "redis+cluster://a:1/7",
        "redis+cluster://a:1?unknown=x",
        "redis+sentinel://a:1,b:2",
        "redis+sentinel://a:1/service/x",
        "redis+sentinel:///service",
    ],
)
def test_an_address_that_makes_no_sense_is_named(tmp_path: Path, address: str) -> None:
    settings = Settings.from_environment({"SESSION_STORE": address})
    with pytest.raises(StoreUnavailable, match="SESSION_STORE"):
        open_store(tmp_path, settings.session_store)


@pytest.mark.parametrize(("scheme", "tls"), [("redis", False), ("rediss", True)])
def test_a_scheme_says_whether_there_is_tls(scheme: str, tls: bool) -> None:
    for address in (f"{scheme}://a", f"{scheme}+sentinel://a/service"):
        connection = RedisClient(address).redis.connection_pool.connection_class
        assert issubclass(connection, SSLConnection) is tls


def test_other_schemes_are_refused() -> None:
    for address in ("redis+other://a", "http+cluster://a", "rediss+sentinels://a"):
        with pytest.raises(BadSetting, match="SESSION_STORE"):
            Settings.from_environment({"SESSION_STORE": address})


@pytest.mark.parametrize(
    "address",
    [
        "rediss+cluster://user:p%40ss@one:7000,two:7001",
        "redis+sentinel://:secret@one:26379,two/service/3?sentinel_password=other",
        "redis+cluster://[::1]:7000,[::1]:7001/0",
    ],
)
def test_a_site_starts_while_all_of_them_are_away(tmp_path: Path, address: str) -> None:
    """They come back, and it goes on; until then it says so, and no password."""
    address = address.replace("one", "127.0.0.1").replace("two", "127.0.0.1")
    client = create_app(Settings(data_dir=tmp_path, session_store=address)).test_client()
    assert client.get("/simple-21/rules").status_code == 200
    for _ in range(2):
        answer = client.post("/simple-21", data={"move": "deal", "step": "0"})
        assert answer.status_code == 503
        assert "secret" not in answer.text


# ---- The store on a cluster --------------------------------------------------------------------


def test_players_and_deals_are_spread_over_the_servers(running: Cluster, store: RedisStore) -> None:
    for number in range(60):
        assert keep(store, sid(number), [new(1, b"r%d" % number)])
        assert keep_deal(store, f"{number:016x}", b"d%d" % number, 10**6)
    held = [node.client.dbsize() for node in running.nodes]
    assert sum(held) == 120 + 2  # how many bytes of deals there are, and the format's number
    assert min(held) > 10
    for number in range(60):
        assert rounds_of(store, sid(number), "war") == (war(1, b"r%d" % number),)
        assert deal_data(store, f"{number:016x}") == b"d%d" % number
    assert len([*store.places("session/")]) == 60


def test_a_cluster_keeps_what_one_redis_keeps(running: Cluster, store: RedisStore) -> None:
    assert store.write("a", {"x": b"1", "y": b"1"}, {"x": 0}, expires=end_of(store))
    assert not store.write("a", {"x": b"2"}, {"x": 0})
    seen = store.read("a", "x")["x"].revision
    assert store.write("a", {"x": b"2", "y": None}, {"x": seen})
    assert not store.write("a", {"x": b"3"}, {"x": seen})
    assert {key: row.data for key, row in store.scan("a").rows.items()} == {"x": b"2"}
    ttl = running.primary_of("cardgames1:a").client.ttl("cardgames1:a")
    assert LIFETIME - 5 <= ttl <= LIFETIME
    store.check_read()
    store.check_write()
    assert store.purge() == 0
    assert store.size() > 3_000_000
    assert store.faults() == ""
    store.forget("a")
    assert list(store.places()) == []


def test_who_has_hardly_begun_gives_way_on_a_cluster_too(store: RedisStore) -> None:
    for number in range(30):
        assert store.write(sid(number), {"x": b""}, {}, expires=end_of(store, 3_600))
    store.limit = 1  # full, whatever Redis takes just now
    before = len([*store.places()])
    for number in range(100, 110):
        assert store.write(sid(number), {"x": b""}, {}, expires=end_of(store, 3_600))
    assert len([*store.places()]) <= before


def test_the_settings_of_every_server_are_looked_at(running: Cluster, store: RedisStore) -> None:
    last = running.nodes[2].client
    last.config_set("appendonly", "no")
    last.config_set("maxmemory-policy", "allkeys-lru")
    try:
        assert "appendonly yes" in store.faults()
        assert "noeviction" in store.faults()
    finally:
        last.config_set("appendonly", "yes")
        last.config_set("maxmemory-policy", "noeviction")


def test_a_frozen_server_keeps_its_own_players_waiting_and_no_others(
    running: Cluster, store: RedisStore
) -> None:
    for number in range(30):
        assert store.write(sid(number), {"x": b"%d" % number}, {}, expires=end_of(store))
    frozen = running.primary_of(f"cardgames1:{sid(0)}")
    owners = {n: running.primary_of(f"cardgames1:{sid(n)}") for n in range(30)}
    frozen.freeze()
    try:
        with pytest.raises(StoreUnavailable, match="Timeout"):
            store.read(sid(0), "x")
        store.check_read()
        assert len(store._infos("memory")) == 2
        for number, owner in owners.items():
            if owner is frozen:
                with pytest.raises(StoreUnavailable, match="nobody waits"):
                    store.read(sid(number), "x")
            else:
                assert store.read(sid(number), "x")["x"].data == b"%d" % number
                assert store.write(sid(number), {"x": b"on"}, {})
    finally:
        frozen.thaw()
    wait_for("the frozen one", lambda: answers(store, sid(0)))
    for number in range(30):
        wait_for("the cluster is whole", lambda n=number: answers(store, sid(n)))  # type: ignore[misc]


def answers(store: RedisStore, key: str) -> bool:
    try:
        return bool(store.scan(key).rows)
    except StoreUnavailable:
        return False


# ---- A primary is killed while a class plays ---------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["a cluster", "sentinels"])
def test_a_killed_primary_costs_no_move_that_was_replicated(tmp_path: Path, kind: str) -> None:
    """Redis answers before its replica has the write: what may be lost is younger than that."""
    killed: list[float] = []
    with ExitStack() as running:
        if kind == "sentinels":
            address, (victim, _) = running.enter_context(sentinels(tmp_path / "redis"))
        else:
            cluster = running.enter_context(Cluster(tmp_path / "cluster"))
            address, victim = cluster.address, cluster.nodes[0]

        def kill() -> None:
            time.sleep(2)
            killed.append(time.monotonic())
            victim.stop(signal.SIGKILL)

        ports = []
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            site = Server(tmp_path / name, SESSION_STORE=address, SECRET_KEY=KEY, WORKERS="1")
            ports.append(running.enter_context(site).port)
        tallies = [class_plays(ports, 400, kill, students=18), class_plays(ports, 200)]
    for tally in tallies:
        assert (tally.wrong, tally.doubled) == ([], 0)
        assert [at for at in tally.lost_at if at < killed[0] - 1.0] == []


def test_a_replica_that_was_promoted_knows_no_script_and_plays_on(tmp_path: Path) -> None:
    with sentinels(tmp_path) as (address, (first, second)):
        store = RedisStore(address)
        assert store.write(sid(1), {"x": b"1"}, {}, expires=end_of(store))
        assert first.client.execute_command("WAIT", 1, 5_000) == 1
        first.stop(signal.SIGKILL)
        wait_for("the replica", lambda: second.client.info("replication")["role"] == "master")
        second.client.script_flush()
        wait_for("the store", lambda: answers(store, sid(1)))
        seen = store.read(sid(1), "x")["x"]
        assert store.write(sid(1), {"x": b"2"}, {"x": seen.revision})
        assert store.read(sid(1), "x")["x"].data == b"2"
