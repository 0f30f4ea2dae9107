"""Deals that many play, and the results beside them."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import flask
import pytest
from flask.testing import FlaskClient
from web.storage.memory import MemoryStore

from app import create_app
from tests.support.site import JSON, look, made_deal
from tests.support.stores import DAY, later
from web.deals.storage import MAX_RESULTS, add_result, deal_data, due, keep_deal, results
from web.settings import Settings
from web.storage.hints import HINT_HOLDS
from web.storage.store import LIFETIME, Store


def came(store: Store, deal: str = "d") -> dict[str, bytes]:
    return results(store, deal).came


def test_a_deal_is_kept_under_an_id_of_its_own(store: Store) -> None:
    assert deal_data(store, "d") == b""
    assert keep_deal(store, "d", b"\x00\xff", 0)
    assert not keep_deal(store, "d", b"another", 0)
    assert keep_deal(store, "e", b"e", 0)
    assert deal_data(store, "d") == b"\x00\xff"
    assert came(store) == came(store, "nowhere") == {}


def test_a_result_beyond_the_most_or_of_no_deal_is_left_out(in_memory: MemoryStore) -> None:
    keep_deal(in_memory, "d", b"deal", 0)
    for number in range(MAX_RESULTS + 3):
        for data in (b"%d" % number, b"better, and too late"):
            add_result(in_memory, "d", f"player {number}", data, 0)
    add_result(in_memory, "gone", "ann", b"", 0)
    expected = {f"player {number}": b"%d" % number for number in range(1_000)}
    assert list(came(in_memory).items()) == list(expected.items())
    assert came(in_memory, "gone") == {}


def test_sixty_players_finish_a_deal_at_once(store: Store) -> None:
    """Each by two requests at the same moment, as an impatient hand sends them."""
    keep_deal(store, "d", b"deal", 0)
    together = threading.Barrier(8)

    def finish(hand: int) -> None:
        if hand < 8:
            together.wait(120)
        add_result(store, "d", f"player {hand // 2}", b"%d" % (hand // 2), 10**6)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(finish, range(120)))
    assert came(store) == {f"player {number}": b"%d" % number for number in range(60)}
    assert not results(store, "d").due


def test_a_deal_expires_with_its_results_and_its_id_is_free_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_deal(store, "d", b"old", 0)
    with later(store, LIFETIME - DAY, monkeypatch):
        # Playing it does not keep it: it ends a lifetime after it was made.
        add_result(store, "d", "ann", b"old", 0)
        assert came(store) == {"ann": b"old"}
    with later(store, LIFETIME + DAY, monkeypatch):
        assert deal_data(store, "d") == b""
        due(store, "d").note("cid")
        add_result(store, "d", "cid", b"too late", 0)
        assert came(store) == {}
        assert keep_deal(store, "d", b"new", 0)
        assert deal_data(store, "d") == b"new"
        assert came(store) == {}


# ---- Between the player's session and the deal -------------------------------------------------


class Killed(BaseException):
    """The worker is gone."""


class Kept:
    """A site whose workers can be killed at any write."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now, self.writes, self.kill = folder, 1e9, 0, 0
        self.after = False
        self.store = MemoryStore(clock=lambda: self.now, pause=self.pause)

    def pause(self, moment: str, place: str) -> None:
        self.writes += moment == "after"
        if self.kill and self.writes == self.kill and moment == "after":
            self.kill = 0
            raise Killed

    def worker(self) -> flask.Flask:
        settings = Settings(data_dir=self.folder, secret_key="one key for every worker of the site")
        return create_app(settings, self.store)

    def same(self, client: FlaskClient) -> FlaskClient:
        """Return a player at another worker."""
        other = self.worker().test_client()
        cookie = client.get_cookie("cardgames")
        assert cookie
        other.set_cookie("cardgames", cookie.value)
        return other


@pytest.fixture
def site(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


@pytest.mark.parametrize("write", range(1, 4))
def test_a_worker_that_is_killed_at_any_write_loses_no_result(site: Kept, write: int) -> None:
    """The hint is written, then the move, then the result: the next reader finds it right."""
    maker = site.worker().test_client()
    address = made_deal(maker)
    maker.post("/simple-21", data={"move": "new", "step": "0"})  # the key is noted
    player = site.worker().test_client()
    player.post("/simple-21", data={"move": "new", "step": "0"})
    player.post(address, data={"move": "deal", "step": "0"})
    site.kill, site.writes = write, 0
    with pytest.raises(Killed):
        player.post(address, data={"move": "stay", "step": "1"})
    again = site.same(player)
    over = look(again, address)["view"]["phase"] == "round over"
    assert over == (write >= 2)
    finished = look(maker, f"{address}/results")["finished"]
    assert finished == over, "who has not played looks, and the result is there"
    assert len(look(again, "/simple-21/history")["rounds"]) == over
    if not over:
        answer = again.post(address, data={"move": "stay", "step": "1"}, headers=JSON)
        assert answer.status_code == 200
    for _ in range(2):
        assert look(maker, f"{address}/results")["finished"] == 1
        assert len(look(again, "/simple-21/history")["rounds"]) == 1
    assert not site.store.scan(f"deal/{address.rpartition('/')[2]}", "due/").rows


def test_a_hint_of_what_never_came_is_taken_away(site: Kept) -> None:
    maker = site.worker().test_client()
    address = made_deal(maker)
    deal = address.rpartition("/")[2]
    due(site.store, deal).note("somebody", lambda _: b"0" * 32)
    assert look(maker, f"{address}/results")["finished"] == 0
    assert len(results(site.store, deal).due) == 1
    site.now += HINT_HOLDS + 1
    assert look(maker, f"{address}/results")["finished"] == 0
    assert not results(site.store, deal).due


def test_a_worker_that_sleeps_until_its_hint_is_gone_writes_another_with_the_move(
    site: Kept,
) -> None:
    """Or, if it was killed then, nobody would know of the result."""
    maker, player = site.worker().test_client(), site.worker().test_client()
    address = made_deal(maker)
    player.post(address, data={"move": "deal", "step": "0"})
    slept = []

    def pause(moment: str, place: str) -> None:
        if moment == "after" and place.startswith("deal/") and not slept:
            slept.append(place)
            site.now += HINT_HOLDS + 1
            assert look(maker, f"{address}/results")["finished"] == 0
        if moment == "after" and place.startswith("session/"):
            raise Killed

    site.store.pause = pause
    with pytest.raises(Killed):
        player.post(address, data={"move": "stay", "step": "1"})
    site.store.pause = site.pause
    assert slept
    assert look(maker, f"{address}/results")["finished"] == 1
