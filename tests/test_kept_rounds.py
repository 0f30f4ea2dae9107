"""What is kept beside a session: its finished rounds, and the results of deals that many play.

Both stores must do the same, so nearly every test here runs on a SQLite file and on a Redis.
"""

import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from web.redis_store import RedisStore
from web.sessions import Session, Sessions, current, rerun_on_conflict
from web.store import (
    KEPT_ROUNDS,
    LIFETIME,
    MOST_RESULTS,
    Result,
    Round,
    SQLiteStore,
    Store,
    StoreUnavailable,
)

from tests.machines import Redis
from web import store as store_module

pytestmark = pytest.mark.xdist_group("kept rounds")

ANN, BEN = "a" * 32, "b" * 32
DAY = 86_400


@pytest.fixture
def in_file(tmp_path: Path) -> SQLiteStore:
    return SQLiteStore(tmp_path / "kept.db")


@pytest.fixture
def in_redis(redis: Redis) -> RedisStore:
    store = RedisStore(redis.url)
    store.redis.flushall()
    return store


@pytest.fixture(params=["in_file", "in_redis"])
def store(request: pytest.FixtureRequest) -> Store:
    chosen: Store = request.getfixturevalue(request.param)
    return chosen


def war(number: int, data: bytes = b"") -> Round:
    return Round("war", number, data or b"round %d \x00\xff" % number)


def numbers(store: Store, sid: str = ANN, game: str = "war") -> list[int]:
    return [finished.number for finished in store.rounds(sid, game)]


def rows(store: SQLiteStore, table: str) -> int:
    """Count what really lies in the file, whatever the store shows of it."""
    with closing(sqlite3.connect(store._path)) as connection:
        found: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        return found


@contextmanager
def later(store: Store, seconds: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let time pass: for SQLite by our clock, for Redis by taking it off every key's time."""
    if isinstance(store, RedisStore):
        for key in list(store.redis.scan_iter()):
            left = store.redis.ttl(key)
            assert left > 0
            store.redis.pexpire(key, max(1, (left - seconds) * 1_000))
        time.sleep(0.01)
        yield
        return
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr(store_module.time, "time", lambda: now + seconds)
        yield


# ---- Rounds --------------------------------------------------------------------------------


def test_a_round_is_kept_with_the_move_that_finished_it(store: Store) -> None:
    assert store.save(ANN, 0, b"1", [war(1, b"\x00\xff:\n")])
    assert store.load(ANN) == (1, b"1")
    assert store.rounds(ANN, "war") == (Round("war", 1, b"\x00\xff:\n"),)
    assert store.round(ANN, "war", 1) == Round("war", 1, b"\x00\xff:\n")
    assert store.save(ANN, 1, b"2")
    assert store.save(ANN, 2, b"3", [war(2), Round("bingo", 1, b"B"), war(3)])
    assert store.rounds(ANN, "war") == (war(3), war(2), Round("war", 1, b"\x00\xff:\n"))
    assert store.rounds(ANN, "bingo") == (Round("bingo", 1, b"B"),)


def test_a_session_or_a_table_without_rounds_has_none(store: Store) -> None:
    assert store.rounds(ANN, "war") == ()
    assert store.round(ANN, "war", 1) is None
    store.save(ANN, 0, b"1", [war(1)])
    for number in (-1, 0, 2, 8, 10**6):
        assert store.round(ANN, "war", number) is None
    assert store.rounds(ANN, "bingo") == ()
    assert store.rounds("not hexadecimal", "war") == ()


@pytest.mark.parametrize("size", [0, 1, 45, 64, 65, 300, 5_000, 100_000])
def test_rounds_of_any_size_and_bytes_come_back(store: Store, size: int) -> None:
    luck = random.Random(size)
    written = [Round("one-deck", number, luck.randbytes(size)) for number in range(1, 11)]
    for version, finished in enumerate(written):
        assert store.save(ANN, version, b"", [finished])
    assert store.rounds(ANN, "one-deck") == tuple(reversed(written))
    for finished in written:
        assert store.round(ANN, "one-deck", finished.number) == finished


def test_sessions_and_tables_are_apart(store: Store) -> None:
    for sid in (ANN, BEN, "short", "ABC" * 9):
        for game in ("war", "bingo", "simple-21"):
            version = (store.load(sid) or (0,))[0]
            data = f"{sid} {game}".encode()
            assert store.save(sid, version, b"", [Round(game, 1, data), Round(game, 2, data)])
    for sid in (ANN, BEN, "short", "ABC" * 9):
        for game in ("war", "bingo", "simple-21"):
            data = f"{sid} {game}".encode()
            assert store.rounds(sid, game) == (Round(game, 2, data), Round(game, 1, data))
    store.delete(ANN)
    assert store.rounds(ANN, "war") == ()
    assert len(store.rounds(BEN, "war")) == 2
    assert store.count() == 3
    assert sorted(sid for sid, _ in store.each()) == sorted([BEN, "short", "ABC" * 9])


def test_the_newest_two_hundred_rounds_are_kept(store: Store) -> None:
    store.save(ANN, 0, b"", [Round("bingo", 1, b"stays")])
    for number in range(1, 451):
        assert store.save(ANN, number, b"", [war(number)])
        oldest = max(1, number - 199)
        assert store.round(ANN, "war", oldest) == war(oldest)
        assert store.round(ANN, "war", oldest - 1) is None
    assert numbers(store) == list(range(450, 250, -1))
    assert store.rounds(ANN, "war")[-1] == war(251)
    assert KEPT_ROUNDS == 200
    assert store.rounds(ANN, "bingo") == (Round("bingo", 1, b"stays"),)


def test_what_is_too_old_is_really_gone(in_file: SQLiteStore, in_redis: RedisStore) -> None:
    for store in (in_file, in_redis):
        for number in range(1, 451):
            store.save(ANN, number - 1, b"", [war(number)])
        store.save(ANN, 450, b"", [war(3), war(250)])  # and does not come back
    assert rows(in_file, "round") == 200
    fields = in_redis.redis.hgetall(f"cardgames:{ANN}")
    # Sixteen a field and dropped as such: so up to fifteen old ones may still lie there, unseen.
    held = sum(value.count(b"round ") for value in fields.values())
    assert 200 <= held <= 215
    assert len(fields) <= 3 + 14


@pytest.mark.parametrize("leap", [1, 2, 15, 16, 17, 168, 169, 170, 199, 200, 201, 215, 216, 1_000])
def test_numbers_that_leap_drop_by_number_not_by_count(store: Store, leap: int) -> None:
    known: set[int] = set()
    written = list(accumulate([*[1] * 30, leap, 1, leap, 1, 1]))
    for version, number in enumerate(written):
        assert store.save(ANN, version, b"", [war(number)])
        known = {old for old in {*known, number} if old > number - 200}
        assert numbers(store) == sorted(known, reverse=True)
    for number in known:
        assert store.round(ANN, "war", number) == war(number)
    if isinstance(store, RedisStore):
        fields = store.redis.hkeys(f"cardgames:{ANN}")
        packed = {int(field[11:]) for field in fields if field.startswith(b"rounds:war:")}
        newest = max(known)
        places = {number // 16 for number in written}
        # A field stays as long as there is a number in it that is not too old.
        assert packed == {place for place in places if place * 16 + 15 > newest - 200}


def test_a_round_may_be_written_again(store: Store) -> None:
    """A seal that is opened later is written into the round that it stands in."""
    for number in range(1, 251):
        store.save(ANN, number - 1, b"", [war(number)])
    opened = [war(251), war(60, b"opened"), war(249, b"opened too"), war(51, b"too old now")]
    assert store.save(ANN, 250, b"", opened)
    assert numbers(store) == list(range(251, 51, -1))
    assert store.round(ANN, "war", 60) == war(60, b"opened")
    assert store.round(ANN, "war", 249) == war(249, b"opened too")
    assert store.round(ANN, "war", 248) == war(248)
    assert store.save(ANN, 251, b"", [war(3, b"long gone"), war(251, b"once"), war(251, b"twice")])
    assert store.round(ANN, "war", 3) is None
    assert store.round(ANN, "war", 251) == war(251, b"twice")
    assert numbers(store) == list(range(251, 51, -1))


def test_many_in_one_save_are_as_many_saves(store: Store) -> None:
    assert store.save(ANN, 0, b"", [war(number) for number in range(1, 451)])
    assert store.rounds(ANN, "war") == tuple(war(number) for number in range(450, 250, -1))


# ---- All or nothing ------------------------------------------------------------------------


def test_who_is_overtaken_leaves_no_round(store: Store) -> None:
    store.keep_deal("d", b"")
    assert store.save(ANN, 0, b"1", [war(1, b"first")])
    late = [war(1, b"late"), war(2, b"late"), Result("d", ANN, b"late")]
    assert not store.save(ANN, 0, b"late", late)
    assert not store.save(ANN, 7, b"late", late)
    assert not store.save(BEN, 1, b"never there", late)
    assert store.load(ANN) == (1, b"1")
    assert store.rounds(ANN, "war") == (war(1, b"first"),)
    assert store.rounds(BEN, "war") == ()
    assert store.results("d") == ()


def test_of_simultaneous_saves_the_round_of_one_is_written(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        for version in range(40):

            def save(who: int, version: int = version) -> bool:
                data = b"%d by %d" % (version, who)
                return store.save(ANN, version, data, [war(version + 1, data)])

            written = list(pool.map(save, range(8)))
            assert sum(written) == 1
            saved = store.load(ANN)
            assert saved
            assert saved.data == b"%d by %d" % (version, written.index(True))
            assert store.rounds(ANN, "war")[0] == war(version + 1, saved.data)
    assert numbers(store) == list(range(40, 0, -1))


FAULTS = {
    "round": "BEFORE INSERT ON round WHEN new.number = 6",
    "pruning": "BEFORE DELETE ON round",
    "result": "BEFORE INSERT ON result",
    "history": "BEFORE INSERT ON history",
}


@pytest.mark.parametrize("place", FAULTS)
def test_a_fault_between_the_statements_leaves_all_as_it_was(
    in_file: SQLiteStore, place: str
) -> None:
    in_file.keep_deal("d", b"")
    in_file.save(ANN, 0, b"1", [war(number) for number in range(1, 6)])
    beside = [war(5, b"again"), war(6), war(300), Round("bingo", 1, b""), Result("d", ANN, b"")]
    with closing(sqlite3.connect(in_file._path)) as other, other:
        other.execute(f"CREATE TRIGGER fault {FAULTS[place]} BEGIN SELECT RAISE(ABORT, 'no'); END")
    with pytest.raises(StoreUnavailable, match="no"):
        in_file.save(ANN, 1, b"2", beside)
    with pytest.raises(StoreUnavailable, match="no"):
        in_file.save(BEN, 0, b"new", [*beside, war(6), war(207)])
    assert not in_file._local.connection.in_transaction
    assert in_file.load(ANN) == (1, b"1")
    assert in_file.load(BEN) is None
    assert in_file.rounds(ANN, "war") == tuple(war(number) for number in range(5, 0, -1))
    assert (rows(in_file, "history"), rows(in_file, "result")) == (1, 0)
    with closing(sqlite3.connect(in_file._path)) as other, other:
        other.execute("DROP TRIGGER fault")  # and nobody holds the file
    assert in_file.save(ANN, 1, b"2", beside)
    assert numbers(in_file) == [300]
    assert in_file.results("d") == (Result("d", ANN, b""),)


def test_a_fault_in_the_script_leaves_all_as_it_was(in_redis: RedisStore) -> None:
    """Redis takes nothing back, so what can fail must fail before the first write."""
    in_redis.save(ANN, 0, b"1", [war(1)])
    before = in_redis.redis.hgetall(f"cardgames:{ANN}")
    in_redis.redis.set("cardgames-deal:d", "no hash")
    in_redis.redis.hset(f"cardgames:{BEN}", mapping={"version": "1", "rounds:war:0": b"\xc1"})
    for sid, beside in ((ANN, [war(2), Result("d", ANN, b"")]), (BEN, [war(9), war(2)])):
        unharmed = in_redis.redis.hgetall(f"cardgames:{sid}")
        with pytest.raises(StoreUnavailable):
            in_redis.save(sid, 1, b"2", beside)
        assert in_redis.redis.hgetall(f"cardgames:{sid}") == unharmed
    assert in_redis.redis.get("cardgames-deal:d") == b"no hash"
    assert in_redis.redis.hgetall(f"cardgames:{ANN}") == before
    with pytest.raises(StoreUnavailable):
        in_redis.keep_deal("d", b"")
    for broken in (in_redis.deal, in_redis.results):
        with pytest.raises(StoreUnavailable):
            broken("d")


def test_a_full_disk_takes_nothing_and_is_over_when_there_is_room(in_file: SQLiteStore) -> None:
    in_file.save(ANN, 0, b"1", [war(1)])
    connection = in_file._local.connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreUnavailable, match="full"):
        in_file.save(ANN, 1, b"2", [war(2), war(3, os.urandom(50_000))])
    with pytest.raises(StoreUnavailable, match="full"):
        in_file.keep_deal("d", os.urandom(50_000))
    assert in_file._local.connection is connection
    assert not connection.in_transaction
    assert in_file.load(ANN) == (1, b"1")
    assert in_file.rounds(ANN, "war") == (war(1),)
    connection.execute("PRAGMA max_page_count = 1000000")
    assert in_file.save(ANN, 1, b"2", [war(2)])
    assert in_file.keep_deal("d", b"")


def test_a_full_redis_takes_nothing(in_redis: RedisStore) -> None:
    in_redis.keep_deal("d", b"")
    in_redis.save(ANN, 0, b"1", [war(1)])
    in_redis.redis.config_set("maxmemory", 1)
    try:
        with pytest.raises(StoreUnavailable):
            in_redis.save(ANN, 1, b"2", [war(2), Result("d", ANN, b"")])
        with pytest.raises(StoreUnavailable):
            in_redis.keep_deal("e", b"")
    finally:
        in_redis.redis.config_set("maxmemory", 0)
    assert in_redis.load(ANN) == (1, b"1")
    assert in_redis.rounds(ANN, "war") == (war(1),)
    assert in_redis.results("d") == ()


def test_a_read_only_disk_passes_without_a_restart(
    in_file: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_file.save(ANN, 0, b"1", [war(1)])
    connect = sqlite3.connect

    def read_only(path: Path, **options: Any) -> sqlite3.Connection:
        return connect(f"file:{path}?mode=ro", uri=True, **options)

    with monkeypatch.context() as patch:
        patch.setattr(store_module.sqlite3, "connect", read_only)
        in_file._local.connection.close()
        del in_file._local.connection
        with pytest.raises(StoreUnavailable, match="readonly"):
            in_file.save(ANN, 1, b"2", [war(2)])
        with pytest.raises(StoreUnavailable, match="readonly"):
            in_file.keep_deal("d", b"")
        assert in_file.rounds(ANN, "war") == (war(1),)
    stuck = in_file._local.connection  # a read-only one, met by the next player
    assert in_file.save(ANN, 1, b"2", [war(2)])
    assert in_file._local.connection is not stuck
    assert in_file.rounds(ANN, "war") == (war(2), war(1))


def test_a_store_that_is_away_says_so_to_every_question(tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    redis = Redis(tmp_path / "redis")  # made, never started
    broken = SQLiteStore(tmp_path / "kept.db")
    broken.checkpoint()
    (tmp_path / "kept.db").write_bytes(b"an essay" * 1_000)
    away = RedisStore(redis.url)
    fresh = SQLiteStore.__new__(SQLiteStore)
    fresh._path, fresh._local = broken._path, threading.local()
    for store in (fresh, away):
        questions: list[Callable[[], object]] = [
            lambda: store.save(ANN, 0, b"", [war(1)]),  # noqa: B023
            lambda: store.rounds(ANN, "war"),  # noqa: B023
            lambda: store.round(ANN, "war", 1),  # noqa: B023
            lambda: store.keep_deal("d", b""),  # noqa: B023
            lambda: store.deal("d"),  # noqa: B023
            lambda: store.results("d"),  # noqa: B023
        ]
        for question in questions:
            with pytest.raises(StoreUnavailable):
                question()


def test_a_purge_that_fails_does_not_undo_the_move(
    in_file: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> int:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(in_file, "purge", broken)
    monkeypatch.setattr(store_module.random, "random", lambda: 0.0)
    assert in_file.save(ANN, 0, b"1", [war(1)])
    assert in_file.load(ANN) == (1, b"1")


def test_without_anything_beside_it_a_save_is_one_statement(in_file: SQLiteStore) -> None:
    in_file.save(ANN, 0, b"")
    said: list[str] = []
    in_file._local.connection.set_trace_callback(said.append)
    in_file.save(ANN, 1, b"")
    in_file.save(BEN, 0, b"")
    moves = [line for line in said if "expires <=" not in line]  # one in fifty also purges
    assert [line.split()[0] for line in moves] == ["UPDATE", "INSERT"]


# ---- Their time ----------------------------------------------------------------------------


def test_rounds_end_with_their_session_and_not_before(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain moves, which finish no round, keep the old rounds alive."""
    store.save(ANN, 0, b"", [war(1), Round("bingo", 1, b"")])
    with later(store, LIFETIME - 60, monkeypatch):
        assert numbers(store) == [1]
        assert store.save(ANN, 1, b"")
        with later(store, LIFETIME - 60, monkeypatch):
            assert numbers(store) == [1]
            assert numbers(store, game="bingo") == [1]
            with later(store, LIFETIME + 2 * DAY, monkeypatch):
                assert store.load(ANN) is None
                assert store.rounds(ANN, "war") == ()
                assert store.round(ANN, "bingo", 1) is None


def test_nothing_is_left_over_in_the_file(
    in_file: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module.random, "random", lambda: 1.0)  # we purge, no save does
    for player in range(450):
        sid = f"{player:032x}"
        in_file.save(sid, 0, b"", [war(1), war(2), Round("bingo", 1, b"")])
    with later(in_file, 10 * DAY, monkeypatch):
        in_file.save(ANN, 0, b"", [war(1)])
        in_file.save(f"{7:032x}", 1, b"played on", [])
        in_file.save(f"{8:032x}", 1, b"played on", [war(3)])
    with later(in_file, LIFETIME + 2 * DAY, monkeypatch):
        assert [in_file.purge() for _ in range(10)] == [50] * 8 + [48, 0]
        assert rows(in_file, "session") == 3
        assert rows(in_file, "history") == 1 + 2 + 2
        assert rows(in_file, "round") == 1 + 3 + 4
        assert numbers(in_file, f"{8:032x}") == [3, 2, 1]
    with later(in_file, 40 * DAY, monkeypatch):
        assert in_file.purge() == 3
    assert [rows(in_file, table) for table in ("session", "history", "round")] == [0, 0, 0]


def test_nothing_is_left_over_in_redis(in_redis: RedisStore) -> None:
    in_redis.save(ANN, 0, b"", [war(1), Round("bingo", 1, b"")])
    in_redis.keep_deal("d", b"")
    in_redis.save(ANN, 1, b"", [Result("d", ANN, b"")])
    for key in in_redis.redis.scan_iter():
        assert LIFETIME - 5 <= in_redis.redis.ttl(key) <= LIFETIME
    assert in_redis.count() == 1
    assert [sid for sid, _ in in_redis.each()] == [ANN]
    in_redis.delete(ANN)
    assert in_redis.redis.keys() == [b"cardgames-deal:d"]


def test_an_id_that_comes_back_does_not_find_the_rounds_of_another(store: Store) -> None:
    store.save(ANN, 0, b"", [war(1), war(2)])
    store.save(BEN, 0, b"", [war(7, b"Ben's")])
    store.delete(ANN)
    store.save(ANN, 0, b"")
    assert store.rounds(ANN, "war") == ()
    store.save(ANN, 1, b"", [war(1, b"new")])
    assert store.rounds(ANN, "war") == (war(1, b"new"),)
    assert store.rounds(BEN, "war") == (war(7, b"Ben's"),)


# ---- Deals and their results ---------------------------------------------------------------


def test_a_deal_is_kept_under_an_id_of_its_own(store: Store) -> None:
    assert store.deal("d") is None
    assert store.keep_deal("d", b"\x00\xff")
    assert not store.keep_deal("d", b"another")
    assert store.keep_deal("e", b"")
    assert store.deal("d") == b"\x00\xff"
    assert store.deal("e") == b""
    assert store.results("d") == store.results("nowhere") == ()
    assert store.count() == 0


def test_of_simultaneous_deals_of_one_id_one_is_kept(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        for name in "abcdefgh":
            taken = list(pool.map(lambda n: store.keep_deal(name, b"%d" % n), range(8)))  # noqa: B023
            assert sum(taken) == 1
            assert store.deal(name) == b"%d" % taken.index(True)


def test_results_stand_in_the_order_they_came_and_the_first_counts(store: Store) -> None:
    store.keep_deal("d", b"")
    store.keep_deal("e", b"")
    expected = []
    for place, player in enumerate(["zoë", "ann", "data", "of:ann", "m:1", *map(str, range(15))]):
        sid = f"{place:032x}"
        mine = Result("d", player, b"1:\x00\xff %d" % place)
        again = Result("d", player, b"better")
        assert store.save(sid, 0, b"", [mine, again, Result("e", player, b"")])
        assert store.save(sid, 1, b"moved on", [again])
        expected.append(mine)
    assert store.results("d") == tuple(expected)
    assert len(store.results("e")) == 20
    assert store.deal("d") == b""


def test_a_result_beyond_the_most_or_of_no_deal_is_left_out(store: Store) -> None:
    store.keep_deal("d", b"")
    crowd = [Result("d", f"player {number}", b"%d" % number) for number in range(1_003)]
    assert store.save(ANN, 0, b"1", crowd[:998])
    assert store.save(ANN, 1, b"2", [*crowd[998:], Result("gone", "ann", b""), war(1)])
    assert MOST_RESULTS == 1_000
    assert store.results("d") == tuple(crowd[:1_000])
    assert store.save(ANN, 2, b"3", [Result("d", "late", b""), crowd[3]])
    assert store.results("d") == tuple(crowd[:1_000])
    assert store.results("gone") == ()
    assert store.load(ANN) == (3, b"3")
    assert numbers(store) == [1]


def test_sixty_players_finish_a_deal_at_once(store: Store) -> None:
    """Each by two requests at the same moment, as an impatient hand sends them."""
    store.keep_deal("d", b"")
    together = threading.Barrier(60)

    def finish(hand: int) -> bool:
        player = hand // 2
        beside = [war(1), Result("d", f"player {player}", b"%d" % hand)]
        together.wait(30)
        return store.save(f"{player:032x}", 0, b"%d" % hand, beside)

    with ThreadPoolExecutor(60) as pool:
        written = list(pool.map(finish, range(60)))
    assert [written[hand] + written[hand + 1] for hand in range(0, 60, 2)] == [1] * 30
    results = store.results("d")
    expected = {f"player {hand // 2}": b"%d" % hand for hand in range(60) if written[hand]}
    assert len(results) == 30
    assert {result.player: result.data for result in results} == expected
    assert all(store.rounds(f"{player:032x}", "war") == (war(1),) for player in range(30))


def test_sixty_different_players_are_all_there(store: Store) -> None:
    store.keep_deal("d", b"")
    together = threading.Barrier(60)

    def finish(player: int) -> bool:
        together.wait(30)
        beside = [Result("d", f"player {player}", b"%d" % player)]
        return store.save(f"{player:032x}", 0, b"", beside)

    with ThreadPoolExecutor(60) as pool:
        assert all(pool.map(finish, range(60)))
    results = store.results("d")
    assert sorted(results) == sorted(Result("d", f"player {n}", b"%d" % n) for n in range(60))
    assert store.results("d") == results


def test_a_deal_expires_with_its_results_and_its_id_is_free_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.keep_deal("d", b"old")
    store.save(ANN, 0, b"", [Result("d", "ann", b"old")])
    with later(store, LIFETIME - 60, monkeypatch):
        assert store.deal("d") == b"old"
        # Playing it does not keep it: it ends a lifetime after it was made.
        assert store.save(ANN, 1, b"", [Result("d", "ben", b"old")])
        assert len(store.results("d")) == 2
    with later(store, LIFETIME + 60, monkeypatch):
        assert store.deal("d") is None
        assert store.results("d") == ()
        version = (store.load(ANN) or (0,))[0]
        assert store.save(ANN, version, b"", [Result("d", "cid", b"too late"), war(1)])
        assert numbers(store) == [1]
        assert store.results("d") == ()
        assert store.keep_deal("d", b"new")
        assert store.deal("d") == b"new"
        assert store.results("d") == ()
        assert not store.keep_deal("d", b"newer")


def test_expired_deals_are_purged_with_their_results(
    in_file: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        in_file.keep_deal(f"d{number}", b"")
        results = [Result(f"d{number}", player, b"") for player in ("ann", "ben")]
        in_file.save(f"{number:032x}", 0, b"", results)
    with later(in_file, 10 * DAY, monkeypatch):
        in_file.keep_deal("young", b"")
        in_file.save(ANN, 0, b"", [Result("young", "ann", b"")])
    with later(in_file, LIFETIME + 2 * DAY, monkeypatch):
        in_file.save(BEN, 0, b"", [Result("d49", "late", b"")])
        assert rows(in_file, "result") == 101
        purged = 0
        while bite := in_file.purge():
            purged += bite
    assert purged == 50 + 50
    assert (rows(in_file, "deal"), rows(in_file, "result")) == (1, 1)
    assert in_file.results("young") == (Result("young", "ann", b""),)


# ---- The version before --------------------------------------------------------------------

# What the version without rounds says to the file, to the letter.
OLD_TABLE = (
    "CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, version INTEGER NOT "
    "NULL, expires INTEGER NOT NULL, data BLOB NOT NULL)"
)
OLD_INDEX = "CREATE INDEX IF NOT EXISTS session_expires ON session (expires)"
OLD_INSERT = "INSERT OR IGNORE INTO session VALUES (?, 1, ?, ?)"
OLD_UPDATE = (
    "UPDATE session SET version = version + 1, expires = max(expires, ?), data = ? "
    "WHERE id = ? AND version = ?"
)
OLD_PURGE = "DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires <= ? LIMIT ?)"


@contextmanager
def old_program(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, timeout=5, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size=2048")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(OLD_TABLE)
        connection.execute(OLD_INDEX)
        yield connection


def test_the_file_of_the_version_before_is_taken_over(tmp_path: Path) -> None:
    soon = int(time.time()) + DAY
    with old_program(tmp_path / "sessions.db") as old:
        old.execute(OLD_INSERT, (ANN, soon, b"from before"))
    store = SQLiteStore(tmp_path / "sessions.db")
    assert store.load(ANN) == (1, b"from before")
    assert store.rounds(ANN, "war") == ()
    assert store.keep_deal("d", b"")
    assert store.save(ANN, 1, b"from now", [war(1), Result("d", ANN, b"")])
    assert numbers(store) == [1]
    assert store.faults() == ""


def test_the_version_before_can_go_on_with_the_new_file(tmp_path: Path) -> None:
    """And when it deletes a session, the rounds of which it knows nothing go too."""
    store = SQLiteStore(tmp_path / "sessions.db")
    store.save(ANN, 0, b"1", [war(1)])
    store.save(BEN, 0, b"1", [war(1)])
    with old_program(tmp_path / "sessions.db") as old:
        assert old.execute(OLD_UPDATE, (0, b"2", ANN, 1)).rowcount == 1
        assert old.execute(OLD_INSERT, ("c" * 32, 1, b"")).rowcount == 1
        assert old.execute("REPLACE INTO session VALUES (?, 1, 0, x'')", ("probe",)).rowcount == 1
        assert old.execute("UPDATE session SET expires = 1 WHERE id = ?", (BEN,)).rowcount == 1
        assert old.execute(OLD_PURGE, (int(time.time()), 200)).rowcount == 3
        assert old.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    again = SQLiteStore(tmp_path / "sessions.db")
    assert again.load(ANN) == (2, b"2")
    assert numbers(again) == [1]
    assert (rows(again, "history"), rows(again, "round")) == (1, 1)


def test_the_version_before_can_go_on_with_redis(in_redis: RedisStore) -> None:
    """It knows two fields of the hash, and renews the time of all by renewing its own."""
    in_redis.save(ANN, 0, b"1", [war(1)])
    in_redis.redis.expire(f"cardgames:{ANN}", 100)
    in_redis.redis.hset(f"cardgames:{ANN}", mapping={"version": "2", "data": b"2"})
    in_redis.redis.expire(f"cardgames:{ANN}", LIFETIME)
    assert in_redis.load(ANN) == (2, b"2")
    assert in_redis.save(ANN, 2, b"3", [war(2)])
    assert numbers(in_redis) == [2, 1]


# ---- The session of a request --------------------------------------------------------------


def kept(app: flask.Flask) -> SQLiteStore:
    assert isinstance(app.session_interface, Sessions)
    assert isinstance(app.session_interface.store, SQLiteStore)
    return app.session_interface.store


def sid_of(client: FlaskClient) -> str:
    cookie = client.get_cookie("cardgames")
    assert cookie
    return cookie.value.partition(".")[0]


@pytest.fixture
def met(app: flask.Flask) -> list[int]:
    """Add a page whose every call keeps a round; note how many each found beside its session."""
    met: list[int] = []

    @app.post("/keep")
    @rerun_on_conflict
    def keep() -> str:
        met.append(len(current().beside))
        current().beside.append(war(len(met)))
        return "kept"

    return met


def test_a_view_commits_what_it_has_put_beside_its_session(
    app: flask.Flask, client: FlaskClient, met: list[int]
) -> None:
    for _ in range(3):
        assert client.post("/keep").status_code == 200
    assert numbers(kept(app), sid_of(client)) == [3, 2, 1]
    assert met == [0, 0, 0]


def test_a_rerun_after_a_conflict_starts_with_nothing_beside(
    app: flask.Flask, client: FlaskClient, met: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post("/keep")
    store, sid = kept(app), sid_of(client)
    save, given = store.save, []

    def overtaken(*args: Any) -> bool:
        given.append(list(args[3]))
        if len(given) == 1:
            saved = store.load(sid)
            assert saved
            assert save(sid, saved.version, saved.data)
        return save(*args)

    monkeypatch.setattr(store, "save", overtaken)
    assert client.post("/keep").status_code == 200
    assert met == [0, 0, 0]
    assert given == [[war(2)], [war(3)]]
    assert numbers(store, sid) == [3, 1]


def test_a_session_is_written_for_what_is_beside_it_alone(app: flask.Flask) -> None:
    sessions = Sessions(app, kept(app))
    session = Session({}, sid=ANN)
    assert session.beside == []
    assert sessions.commit(session)
    assert kept(app).load(ANN) is None
    session.beside.append(war(1))
    assert sessions.commit(session)
    assert kept(app).rounds(ANN, "war") == (war(1),)
    session.take({})
    assert session.beside == []
