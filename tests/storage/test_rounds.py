"""Finished rounds beside their session, in both stores: kept with it, and as long as it is."""

import random

import pytest

from tests.support.stores import ANN, BEN, DAY, later, new, numbers, rows, war
from web.storage.protocol import (
    LIFETIME,
    MAX_ROUNDS,
    NewRound,
    Result,
    Round,
    Store,
)
from web.storage.redis import RedisStore
from web.storage.sqlite import SQLiteStore

pytestmark = pytest.mark.xdist_group("stores")


# ---- Rounds --------------------------------------------------------------------------------


def test_a_round_is_kept_with_the_move_that_finished_it(store: Store) -> None:
    assert store.save(ANN, 0, b"1", [new(1, b"\x00\xff:\n")])
    assert store.load(ANN) == (1, b"1")
    assert store.rounds(ANN, "war") == (Round("war", 1, b"\x00\xff:\n"),)
    assert store.round(ANN, "war", 1) == Round("war", 1, b"\x00\xff:\n")
    assert store.save(ANN, 1, b"2")
    assert store.save(ANN, 2, b"3", [new(2), new(1, b"B", "bingo"), new(3)])
    assert store.rounds(ANN, "war") == (war(3), war(2), Round("war", 1, b"\x00\xff:\n"))
    assert store.rounds(ANN, "bingo") == (Round("bingo", 1, b"B"),)


def test_a_session_or_a_table_without_rounds_has_none(store: Store) -> None:
    assert store.rounds(ANN, "war") == ()
    assert store.round(ANN, "war", 1) is None
    store.save(ANN, 0, b"1", [new(1)])
    for number in (-1, 0, 2, 8, 10**6):
        assert store.round(ANN, "war", number) is None
    assert store.rounds(ANN, "bingo") == ()
    assert store.rounds("not hexadecimal", "war") == ()


@pytest.mark.parametrize("size", [0, 1, 45, 64, 65, 300, 5_000, 100_000])
def test_rounds_of_any_size_and_bytes_come_back(store: Store, size: int) -> None:
    luck = random.Random(size)
    written = [Round("one-deck", number, luck.randbytes(size)) for number in range(1, 11)]
    for version, finished in enumerate(written):
        assert store.save(ANN, version, b"", [NewRound("one-deck", finished.data)])
    assert store.rounds(ANN, "one-deck") == tuple(reversed(written))
    for finished in written:
        assert store.round(ANN, "one-deck", finished.number) == finished


def test_sessions_and_tables_are_apart(store: Store) -> None:
    for sid in (ANN, BEN, "short", "ABC" * 9):
        for game in ("war", "bingo", "simple-21"):
            version = (store.load(sid) or (0,))[0]
            data = f"{sid} {game}".encode()
            assert store.save(sid, version, b"", [NewRound(game, data)] * 2)
    for sid in (ANN, BEN, "short", "ABC" * 9):
        for game in ("war", "bingo", "simple-21"):
            data = f"{sid} {game}".encode()
            assert store.rounds(sid, game) == (Round(game, 2, data), Round(game, 1, data))
    store.delete(ANN)
    assert store.rounds(ANN, "war") == ()
    assert len(store.rounds(BEN, "war")) == 2
    assert store.count() == 3
    assert sorted(sid for sid, _ in store.iter_sessions()) == sorted([BEN, "short", "ABC" * 9])


def test_the_newest_two_hundred_rounds_are_kept(store: Store) -> None:
    store.save(ANN, 0, b"", [NewRound("bingo", b"stays")])
    for number in range(1, 451):
        assert store.save(ANN, number, b"", [new(number)])
        oldest = max(1, number - 199)
        assert store.round(ANN, "war", oldest) == war(oldest)
        assert store.round(ANN, "war", oldest - 1) is None
    assert numbers(store) == list(range(450, 250, -1))
    assert store.rounds(ANN, "war")[-1] == war(251)
    assert MAX_ROUNDS == 200
    assert store.rounds(ANN, "bingo") == (Round("bingo", 1, b"stays"),)


def test_what_is_too_old_is_really_gone(in_file: SQLiteStore, in_redis: RedisStore) -> None:
    for store in (in_file, in_redis):
        for number in range(1, 451):
            store.save(ANN, number - 1, b"", [new(number)])
    assert rows(in_file, "round") == 200
    fields = in_redis.redis.hgetall(f"cardgames:{ANN}")
    # Sixteen a field and dropped as such: so up to fifteen old ones may still lie there, unseen.
    held = sum(value.count(b"round ") for value in fields.values())
    assert 200 <= held <= 215
    assert len(fields) <= 3 + 14  # the version, the bytes, the newest number


def test_many_in_one_save_are_as_many_saves(store: Store) -> None:
    assert store.save(ANN, 0, b"", [new(number) for number in range(1, 451)])
    assert store.rounds(ANN, "war") == tuple(war(number) for number in range(450, 250, -1))


# ---- Their time ----------------------------------------------------------------------------


def test_rounds_end_with_their_session_and_not_before(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain moves, which finish no round, keep the old rounds alive."""
    store.save(ANN, 0, b"", [new(1), NewRound("bingo", b"")])
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
    monkeypatch.setattr(SQLiteStore, "_purge_for_one", lambda _: None)  # we purge, no save does
    for player in range(450):
        sid = f"{player:032x}"
        in_file.save(sid, 0, b"", [new(1), new(2), NewRound("bingo", b"")])
    with later(in_file, 10 * DAY, monkeypatch):
        in_file.save(ANN, 0, b"", [new(1)])
        in_file.save(f"{7:032x}", 1, b"played on", [])
        in_file.save(f"{8:032x}", 1, b"played on", [new(3)])
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
    in_redis.save(ANN, 0, b"", [new(1), NewRound("bingo", b"")])
    in_redis.keep_deal("d", b"")
    in_redis.add_result(Result("d", ANN, b""))
    for key in in_redis.redis.scan_iter():
        assert LIFETIME - 5 <= in_redis.redis.ttl(key) <= LIFETIME
    assert in_redis.count() == 1
    assert [sid for sid, _ in in_redis.iter_sessions()] == [ANN]
    in_redis.delete(ANN)
    assert sorted(in_redis.redis.keys()) == [b"cardgames-deal-bytes", b"cardgames-deal:d"]


def test_an_id_that_comes_back_does_not_find_the_rounds_of_another(store: Store) -> None:
    store.save(ANN, 0, b"", [new(1), new(2)])
    store.save(BEN, 0, b"", [new(1, b"Ben's")])
    store.delete(ANN)
    store.save(ANN, 0, b"")
    assert store.rounds(ANN, "war") == ()
    store.save(ANN, 1, b"", [new(1, b"new")])
    assert store.rounds(ANN, "war") == (war(1, b"new"),)
    assert store.rounds(BEN, "war") == (war(1, b"Ben's"),)
