"""Past one Redis: a cluster of three, with replicas, and a Redis that sentinels watch."""

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from app import create_app
from tests.support.class_at_play import School
from tests.support.clusters import Cluster, Node, sentinels, wait_for
from tools.serving import Server
from web.settings import BadSetting, Settings
from web.storage import open_jobs, open_store
from web.storage.jobs import JobState
from web.storage.protocol import LIFETIME, NewRound, Result, Round, StoreUnavailable
from web.storage.redis import RedisStore

pytestmark = pytest.mark.xdist_group("cluster")

JSON = {"Accept": "application/json"}
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
        assert store.save(sid(number), 0, b"%d" % number, [NewRound("war", b"r%d" % number)])
        assert store.keep_deal(f"{number:016x}", b"d%d" % number)
    held = [node.client.dbsize() for node in running.nodes]
    assert sum(held) == 120 + 1  # and how many bytes of deals there are
    assert min(held) > 10
    for number in range(60):
        assert store.load(sid(number)) == (1, b"%d" % number)
        assert store.rounds(sid(number), "war") == (Round("war", 1, b"r%d" % number),)
        assert store.deal(f"{number:016x}") == b"d%d" % number
    assert store.count() == 60
    assert len(dict(store.iter_sessions())) == 60


def test_a_cluster_keeps_what_one_redis_keeps(running: Cluster, store: RedisStore) -> None:
    assert store.load(sid(1)) is None
    assert store.save(sid(1), 0, b"1")
    assert not store.save(sid(1), 0, b"again")
    assert store.save(sid(1), 1, b"2", [NewRound("war", b"one"), NewRound("bingo", b"B")])
    assert not store.save(sid(1), 1, b"late", [NewRound("war", b"never")])
    first, *_ = store.rounds(sid(1), "war")
    store.amend_rounds(sid(1), [(first, b"uno")])
    assert store.round(sid(1), "war", 1) == Round("war", 1, b"uno")
    ttl = running.primary_of(f"cardgames:{sid(1)}").client.ttl(f"cardgames:{sid(1)}")
    assert LIFETIME - 5 <= ttl <= LIFETIME
    assert store.keep_deal("d", b"deal")
    assert not store.keep_deal("d", b"other")
    for player in ("ann", "ben", "ann"):
        store.add_result(Result("d", player, player.encode()))
    assert [one.player for one in store.results("d")] == ["ann", "ben"]
    store.note_key("print")
    assert store.keys() == {"print"}
    store.check_read()
    store.check_write()
    assert store.purge() == 0
    assert store.size() > 3_000_000
    assert store.faults() == ""
    store.delete(sid(1))
    assert store.load(sid(1)) is None


def test_the_labs_jobs_lie_together_on_a_cluster(
    tmp_path: Path, running: Cluster, store: RedisStore
) -> None:
    assert store.count() == 0  # an empty cluster
    jobs = open_jobs(tmp_path, running.address)
    first, second = (jobs.add(0, work, b"%d" % work) for work in (7, 5))
    assert [job.number for job in jobs.open_jobs()] == [second.number, first.number]
    taken = jobs.take(0)
    assert taken
    assert taken.data == b"5"
    assert jobs.put(taken._replace(state=JobState.DONE), b"out")
    assert jobs.result(second.number) == b"out"
    assert jobs.cancel(first.number)
    assert jobs.open_jobs() == ()
    assert [job.number for job in jobs.latest(5)] == [second.number, first.number]


def test_new_sessions_give_way_on_a_cluster_too(running: Cluster, store: RedisStore) -> None:
    for number in range(30):
        store.save(sid(number), 0, b"new")
        node = running.primary_of(f"cardgames:{sid(number)}")
        node.client.expire(f"cardgames:{sid(number)}", LIFETIME - 3_600)
    store._limit = 1  # full, whatever Redis takes just now
    before = store.count()
    for number in range(100, 110):
        assert store.save(sid(number), 0, b"newer")
    assert store.count() <= before


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


def test_the_whole_site_plays_on_a_cluster(tmp_path: Path, running: Cluster) -> None:
    """Tables, histories, a counted deal and its results, at servers of their own each."""
    app = create_app(Settings(data_dir=tmp_path, session_store=running.address))
    maker, *others = (app.test_client() for _ in range(12))
    form = {"table": "blackjack", "kind": "counted", "seed": "week-7"}
    address = maker.post("/deals", data=form, headers=JSON).get_json()["address"]
    for player in (maker, *others):
        table = player.get(address, headers=JSON).get_json()
        while table["moves"]:
            move = table["moves"][-1]["name"]
            form = {"move": move, "step": table["step"]}
            table = player.post(address, data=form, headers=JSON).get_json()
        told = player.get(f"{address}/results", headers=JSON).get_json()
        assert told["round"] == 1
        assert player.get(address).status_code == 200
        assert len(player.get("/blackjack/history.json").get_json()["rounds"]) == 1
    assert told["finished"] == 12


def test_a_frozen_server_keeps_its_own_players_waiting_and_no_others(
    running: Cluster, store: RedisStore
) -> None:
    for number in range(30):
        store.save(sid(number), 0, b"%d" % number)
    frozen = running.primary_of(f"cardgames:{sid(0)}")
    owners = {n: running.primary_of(f"cardgames:{sid(n)}") for n in range(30)}
    frozen.freeze()
    try:
        with pytest.raises(StoreUnavailable, match="Timeout"):
            store.load(sid(0))
        store.check_read()
        assert len(store._client.infos("memory")) == 2
        for number, owner in owners.items():
            if owner is frozen:
                with pytest.raises(StoreUnavailable, match="nobody waits"):
                    store.load(sid(number))
            else:
                assert store.load(sid(number)) == (1, b"%d" % number)
                assert store.save(sid(number), 1, b"on")
    finally:
        frozen.thaw()
    wait_for("the frozen one", lambda: answers(store, sid(0)))
    for number in range(30):
        wait_for("the cluster is whole", lambda n=number: answers(store, sid(n)))  # type: ignore[misc]


def answers(store: RedisStore, key: str) -> bool:
    try:
        return store.load(key) is not None
    except StoreUnavailable:
        return False


# ---- A primary is killed while a class plays ---------------------------------------------------


def play_through(
    folder: Path, address: str, victim: Node, *, how: signal.Signals = signal.SIGKILL
) -> tuple[School, float]:
    """Let a class play on two machines while a primary is killed; return it, and when that was."""
    with ExitStack() as servers:
        ports = []
        for name in ("one", "two"):
            (folder / name).mkdir()
            server = Server(folder / name, SESSION_STORE=address, SECRET_KEY=KEY, WORKERS="1")
            ports.append(servers.enter_context(server).port)
        with School(ports, 18) as school:
            wait_for("a class at play", lambda: school.moves() > 400)
            killed = time.monotonic()
            victim.stop(how)
            before = school.moves()
            wait_for("they go on", lambda: school.moves() > before + 100)
            waiting = [one for one in school.students if one.answered]
            marks = {id(one): len(one.answered) for one in waiting}
            wait_for(
                "everybody goes on",
                lambda: all(len(one.answered) > marks[id(one)] + 3 for one in waiting),
            )
    return school, killed


def test_a_killed_primary_of_a_cluster_costs_no_move_that_was_replicated(tmp_path: Path) -> None:
    """Redis answers before its replica has the write: what may be lost is younger than that."""
    with Cluster(tmp_path / "cluster") as cluster:
        victim = cluster.nodes[0]
        school, killed = play_through(tmp_path, cluster.address, victim)
    assert school.wrong == []
    assert school.lost_before(killed - 1.0) == 0
    assert all(student.answered for student in school.students)


def test_a_killed_primary_behind_sentinels_costs_no_move_that_was_replicated(
    tmp_path: Path,
) -> None:
    with sentinels(tmp_path / "redis") as (address, (first, _)):
        school, killed = play_through(tmp_path, address, first)
    assert school.wrong == []
    assert school.lost_before(killed - 1.0) == 0
    assert all(student.answered for student in school.students)


def test_a_replica_that_was_promoted_knows_no_script_and_plays_on(tmp_path: Path) -> None:
    with sentinels(tmp_path) as (address, (first, second)):
        store = RedisStore(address)
        assert store.save(sid(1), 0, b"1", [NewRound("war", b"one")])
        assert first.client.execute_command("WAIT", 1, 5_000) == 1
        first.stop(signal.SIGKILL)
        wait_for("the replica", lambda: second.client.info("replication")["role"] == "master")
        second.client.script_flush()
        wait_for("the store", lambda: answers(store, sid(1)))
        assert store.save(sid(1), 1, b"2", [NewRound("war", b"two")])
        assert [one.data for one in store.rounds(sid(1), "war")] == [b"two", b"one"]
