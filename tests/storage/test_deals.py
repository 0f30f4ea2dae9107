"""Deals that many play, and the results beside them, in both stores."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.stores import DAY, later, new, rows, war
from web.storage.protocol import (
    LIFETIME,
    MAX_RESULTS,
    Result,
    Store,
)
from web.storage.sqlite import SQLiteStore

pytestmark = pytest.mark.xdist_group("stores")


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
        mine = Result("d", player, b"1:\x00\xff %d" % place)
        again = Result("d", player, b"better")
        for result in (mine, again, Result("e", player, b""), again):
            store.add_result(result)
        expected.append(mine)
    assert store.results("d") == tuple(expected)
    assert len(store.results("e")) == 20
    assert store.deal("d") == b""


def test_a_result_beyond_the_most_or_of_no_deal_is_left_out(store: Store) -> None:
    store.keep_deal("d", b"")
    crowd = [Result("d", f"player {number}", b"%d" % number) for number in range(1_003)]
    for result in [*crowd, Result("gone", "ann", b"")]:
        store.add_result(result)
    assert MAX_RESULTS == 1_000
    assert store.results("d") == tuple(crowd[:1_000])
    for result in (Result("d", "late", b""), crowd[3]):
        store.add_result(result)
    assert store.results("d") == tuple(crowd[:1_000])
    assert store.results("gone") == ()


def test_sixty_players_finish_a_deal_at_once(store: Store) -> None:
    """Each by two requests at the same moment, as an impatient hand sends them."""
    store.keep_deal("d", b"")
    together = threading.Barrier(60)

    def finish(hand: int) -> bool:
        player = hand // 2
        together.wait(30)
        saved = store.save(f"{player:032x}", 0, b"%d" % hand, [new(1)])
        if saved:
            store.add_result(Result("d", f"player {player}", b"%d" % hand))
        return saved

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

    def finish(player: int) -> None:
        together.wait(30)
        store.add_result(Result("d", f"player {player}", b"%d" % player))

    with ThreadPoolExecutor(60) as pool:
        list(pool.map(finish, range(60)))
    results = store.results("d")
    assert sorted(results) == sorted(Result("d", f"player {n}", b"%d" % n) for n in range(60))
    assert store.results("d") == results


def test_a_deal_expires_with_its_results_and_its_id_is_free_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.keep_deal("d", b"old")
    store.add_result(Result("d", "ann", b"old"))
    with later(store, LIFETIME - 60, monkeypatch):
        assert store.deal("d") == b"old"
        # Playing it does not keep it: it ends a lifetime after it was made.
        store.add_result(Result("d", "ben", b"old"))
        assert len(store.results("d")) == 2
    with later(store, LIFETIME + 60, monkeypatch):
        assert store.deal("d") is None
        assert store.results("d") == ()
        store.add_result(Result("d", "cid", b"too late"))
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
        for player in ("ann", "ben"):
            in_file.add_result(Result(f"d{number}", player, b""))
    with later(in_file, 10 * DAY, monkeypatch):
        in_file.keep_deal("young", b"")
        in_file.add_result(Result("young", "ann", b""))
    with later(in_file, LIFETIME + 2 * DAY, monkeypatch):
        in_file.add_result(Result("d49", "late", b""))
        assert rows(in_file, "result") == 101
        purged = 0
        while bite := in_file.purge():
            purged += bite
    assert purged == 50
    assert (rows(in_file, "deal"), rows(in_file, "result")) == (1, 1)
    assert in_file.results("young") == (Result("young", "ann", b""),)
