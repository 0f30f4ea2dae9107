"""A counted deal counts for its player, whatever others do, and its seed is its maker's alone."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import flask
import msgspec
import pytest
from flask.testing import FlaskClient

from app import create_app
from tests.support.machines import Redis
from web.deals.deal import Deal, PlayerResult
from web.settings import Settings
from web.storage.protocol import MAX_RESULTS, MAX_ROUNDS, NewRound, Result, Store, StoreUnavailable
from web.storage.redis import RedisStore

pytestmark = pytest.mark.xdist_group("redis")

JSON = {"Accept": "application/json"}


@pytest.fixture(params=["sqlite", "redis"])
def site(request: pytest.FixtureRequest, tmp_path: Path, redis: Redis) -> flask.Flask:
    if request.param == "sqlite":
        return create_app(Settings(data_dir=tmp_path))
    RedisStore(redis.url).redis.flushall()
    return create_app(Settings(data_dir=tmp_path, session_store=redis.url))


def store_of(site: flask.Flask) -> Store:
    store: Store = site.session_interface.store  # type: ignore[attr-defined]
    return store


def make(client: FlaskClient, kind: str, seed: str = "", table: str = "blackjack") -> str:
    form = {"table": table, "kind": kind, "seed": seed}
    answer = client.post("/deals", data=form, headers=JSON)
    assert answer.status_code == 200, answer.text
    address: str = answer.get_json()["address"]
    return address


def finish(client: FlaskClient, address: str) -> dict[str, Any]:
    """Play a deal to its end: deal, then stand."""
    table: dict[str, Any] = client.get(address, headers=JSON).get_json()
    while table["moves"]:
        form = {"move": table["moves"][-1]["name"], "step": table["step"]}
        answer = client.post(address, data=form, headers=JSON)
        assert answer.status_code == 200, answer.text
        table = answer.get_json()
    return table


def cards(client: FlaskClient, address: str) -> list[str]:
    """Return the cards that a player meets who stands at once: theirs, then the dealer's."""
    view = finish(client, address)["view"]
    return [*view["player"]["cards"], *view["dealer"]["cards"]]


def numbers(client: FlaskClient, table: str = "blackjack") -> list[tuple[int, str]]:
    rounds = client.get(f"/{table}/history.json").get_json()["rounds"]
    return [(one["number"], one["deal"]) for one in rounds]


# ---- Seeds -------------------------------------------------------------------------------------


def test_a_practice_seed_is_everybodys(site: flask.Flask) -> None:
    ann, ben = site.test_client(), site.test_client()
    assert cards(ann, make(ann, "practice", "week-7")) == cards(
        ben, make(ben, "practice", "week-7")
    )


def test_guessing_the_seed_of_a_counted_deal_finds_nothing(site: flask.Flask) -> None:
    """Not in a practice deal, not in a counted one of one's own; a hundred guesses at each."""
    maker, cheat = site.test_client(), site.test_client()
    dealt = cards(maker, make(maker, "counted", "week-7"))
    for kind in ("practice", "counted"):
        assert cards(cheat, make(cheat, kind, "week-7")) != dealt
    for number in range(10):
        guess = site.test_client()
        assert cards(guess, make(guess, "practice", f"week-{number}")) != dealt


def test_its_maker_gets_the_same_cards_again(site: flask.Flask) -> None:
    maker = site.test_client()
    first = make(maker, "counted", "week-7")
    second = make(maker, "counted", "week-7")
    assert first != second
    assert cards(maker, first) == cards(maker, second)
    assert cards(maker, make(maker, "counted", "week-8")) != cards(maker, first)
    assert cards(maker, make(maker, "practice", "week-7")) != cards(maker, first)


def test_the_page_says_whose_a_seed_is(site: flask.Flask) -> None:
    maker, player = site.test_client(), site.test_client()
    open_seed, own_seed = "whoever knows the seed can find", "nobody else can find them by it"
    practice, counted = make(maker, "practice", "s"), make(maker, "counted", "s")
    assert open_seed in player.get(practice).text
    assert own_seed in player.get(counted).text
    assert open_seed not in player.get(counted).text
    store = store_of(site)
    data = store.deal(counted.rpartition("/")[2])
    assert data
    old = msgspec.structs.replace(msgspec.msgpack.decode(data, type=Deal), version=1)
    store.keep_deal("f" * 16, msgspec.msgpack.encode(old))
    assert open_seed in player.get(f"/deal/{'f' * 16}").text  # made before, it was everybody's


# ---- Counting ----------------------------------------------------------------------------------


def fill(site: flask.Flask, address: str) -> None:
    """Let a thousand others have finished a deal."""
    deal = address.rpartition("/")[2]
    data = msgspec.msgpack.encode(PlayerResult("dealer", "stay", 2))
    store = store_of(site)
    for number in range(MAX_RESULTS):
        store.add_result(Result(deal, f"{number:032x}", data))
    assert len(store.results(deal)) == MAX_RESULTS


def test_a_round_counts_however_many_others_came_first(site: flask.Flask) -> None:
    player = site.test_client()
    address = make(player, "counted")
    fill(site, address)
    finish(player, address)
    assert numbers(player) == [(1, address.rpartition("/")[2])]
    told = player.get(f"{address}/results", headers=JSON).get_json()
    assert (told["round"], told["finished"]) == (1, MAX_RESULTS)
    assert sum(told["ends"].values()) == MAX_RESULTS + 1  # the player's own stands beside them
    page = player.get(address).text
    assert "It is round 1 in your history" in page
    assert "as many results as it can keep" in page


def test_nobody_plays_a_full_deal_twice(site: flask.Flask) -> None:
    """Nor after ten other deals, when their table at it has made room."""
    player = site.test_client()
    address = make(player, "counted")
    fill(site, address)
    finish(player, address)
    for _ in range(12):
        finish(player, make(player, "practice"))
    table = player.get(address, headers=JSON).get_json()
    assert table["moves"] == []
    form = {"move": "deal", "step": table["step"]}
    assert player.post(address, data=form, headers=JSON).status_code == 422
    assert len(numbers(player)) == 1


def test_counted_and_own_rounds_are_numbered_as_they_come(site: flask.Flask) -> None:
    player = site.test_client()
    deals = [make(player, kind) for kind in ("counted", "practice", "counted")]
    expected = []
    for place, address in enumerate(deals):
        step = player.get("/blackjack", headers=JSON).get_json()["step"]
        player.post("/blackjack", data={"move": "deal", "step": step})
        finish_own(player)
        expected.append("")
        finish(player, address)
        if place != 1:
            expected.append(address.rpartition("/")[2])
    assert numbers(player) == [*enumerate(expected, 1)][::-1]


def finish_own(client: FlaskClient) -> None:
    table = client.get("/blackjack", headers=JSON).get_json()
    if table["view"]["phase"] == "playing":
        form = {"move": "stay", "step": table["step"]}
        assert client.post("/blackjack", data=form).status_code == 303


def test_a_round_that_left_the_history_is_counted_without_a_number(site: flask.Flask) -> None:
    player = site.test_client()
    address = make(player, "counted")
    finish(player, address)
    store, sid = store_of(site), sid_of(player)
    saved = store.load(sid)
    assert saved
    later = [NewRound("blackjack", b"later")] * MAX_ROUNDS
    assert store.save(sid, saved.version, saved.data, later)
    assert player.get(f"{address}/results", headers=JSON).get_json()["round"] is None
    assert player.get(address).status_code == 200


def sid_of(client: FlaskClient) -> str:
    cookie = client.get_cookie("cardgames")
    assert cookie
    return cookie.value.partition(".")[0]


def test_the_page_says_that_results_prove_nothing_about_who_played(site: flask.Flask) -> None:
    player = site.test_client()
    address = make(player, "counted")
    finish(player, address)
    for language, words in (("en", "not who played"), ("de", "nicht, wer gespielt hat")):
        headers = {"Accept-Language": language}
        for page in (address, "/deals"):
            assert words in player.get(page, headers=headers).text


# ---- Between the player's session and the deal -------------------------------------------------


def test_a_result_that_did_not_reach_the_deal_does_when_its_player_looks(
    site: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a crash between the two, or while the deal's server is away."""
    player, other = site.test_client(), site.test_client()
    address = make(player, "counted")
    store = store_of(site)

    def away(_: Result) -> None:
        raise StoreUnavailable("the deal's server is away")

    with monkeypatch.context() as patch:
        patch.setattr(store, "add_result", away)
        assert finish(player, address)["moves"] == []
    assert len(numbers(player)) == 1
    assert other.get(f"{address}/results", headers=JSON).get_json()["finished"] == 0
    told = player.get(f"{address}/results", headers=JSON).get_json()
    assert (told["finished"], told["round"]) == (1, 1)
    for _ in range(3):
        assert player.get(address).status_code == 200
    assert other.get(f"{address}/results", headers=JSON).get_json()["finished"] == 1


def test_a_session_that_is_not_saved_leaves_no_result(
    site: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = site.test_client()
    address = make(player, "counted")
    player.post(address, data={"move": "deal", "step": "0"})
    table = player.get(address, headers=JSON).get_json()
    store = store_of(site)

    def full(*_args: object) -> bool:
        raise StoreUnavailable("no space left")

    if table["moves"]:
        with monkeypatch.context() as patch:
            patch.setattr(store, "save", full)
            form = {"move": table["moves"][-1]["name"], "step": "1"}
            assert player.post(address, data=form).status_code == 503
        assert store.results(address.rpartition("/")[2]) == ()
    finish(player, address)
    assert len(store.results(address.rpartition("/")[2])) == 1


def test_who_has_finished_before_the_version_changed_stays_finished(tmp_path: Path) -> None:
    """Up to 66b51c4 a result lay with its deal alone."""
    app = create_app(Settings(data_dir=tmp_path))
    player = app.test_client()
    address = make(player, "counted")
    finish(player, address)
    for _ in range(12):
        finish(player, make(player, "practice"))
    with closing(sqlite3.connect(tmp_path / "sessions.db")) as connection, connection:
        connection.execute(
            "DELETE FROM round WHERE history IN (SELECT key FROM history WHERE game = 'deals')"
        )
    assert player.get(address, headers=JSON).get_json()["moves"] == []


@pytest.mark.parametrize("table", ["simple-21", "one-deck", "war", "bingo"])
def test_deals_of_every_game_are_counted_once(site: flask.Flask, table: str) -> None:
    player = site.test_client()
    fields: Callable[[str], dict[str, str]] = {
        "war": lambda move: {"turns": "all"} if move == "turn" else {},
        "bingo": lambda move: {"calls": "all"} if move == "call" else {},
    }.get(table, lambda _: {})
    form = {"table": table, "kind": "counted", **GIVEN.get(table, {})}
    address = player.post("/deals", data=form, headers=JSON).get_json()["address"]
    state = player.get(address, headers=JSON).get_json()
    while state["moves"]:
        move = state["moves"][-1]["name"]
        sent = {"move": move, "step": state["step"], **fields(move)}
        answer = player.post(address, data=sent, headers=JSON)
        assert answer.status_code == 200, answer.text
        state = answer.get_json()
    assert numbers(player, table) == [(1, address.rpartition("/")[2])]
    assert player.get(address).status_code == 200


GIVEN = {"war": {"players": "2"}, "bingo": {"mode": "L", "speed": "N"}}
