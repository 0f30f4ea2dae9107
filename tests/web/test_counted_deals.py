"""A counted deal counts for its player, whatever others do, and its seed is its maker's alone."""

from typing import Any

import flask
import pytest
from flask.testing import FlaskClient

from tests.support.site import (
    JSON,
    add_results,
    any_store_of,
    id_of,
    look,
    made_deal,
    play,
    results_at,
    session_of,
)
from web.deals import storage as deal_storage
from web.deals.deal import PlayerResult
from web.deals.storage import MAX_RESULTS
from web.storage.rounds import MAX_ROUNDS, NewRound
from web.storage.store import StoreUnavailable

pytestmark = pytest.mark.xdist_group("redis")


def make(client: FlaskClient, kind: str, seed: str = "", table: str = "blackjack") -> str:
    return made_deal(client, table, kind=kind, seed=seed)


def finish(client: FlaskClient, address: str) -> dict[str, Any]:
    """Play a deal to its end: deal, then stand."""
    table = look(client, address)
    while table["moves"]:
        move = table["moves"][-1]
        most = {name: [*options][-1] for name, options in move["fields"].items() if options}
        table = play(client, address, move["name"], **most)
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


# ---- Counting ----------------------------------------------------------------------------------


def fill(site: flask.Flask, address: str) -> None:
    """Let a thousand others have finished a deal."""
    others = (f"{number:032x}" for number in range(MAX_RESULTS))
    add_results(site, address, dict.fromkeys(others, PlayerResult("dealer", "stay", 2)))
    assert len(results_at(site, address)) == MAX_RESULTS


def test_a_round_counts_however_many_others_came_first(site: flask.Flask) -> None:
    player = site.test_client()
    address = make(player, "counted")
    fill(site, address)
    finish(player, address)
    assert numbers(player) == [(1, id_of(address))]
    told = look(player, f"{address}/results")
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
    table = look(player, address)
    assert table["moves"] == []
    form = {"move": "deal", "step": table["step"]}
    assert player.post(address, data=form, headers=JSON).status_code == 422
    assert len(numbers(player)) == 1


def test_counted_and_own_rounds_are_numbered_as_they_come(site: flask.Flask) -> None:
    player = site.test_client()
    deals = [make(player, kind) for kind in ("counted", "practice", "counted")]
    expected = []
    for place, address in enumerate(deals):
        play(player, "/blackjack", "deal", "stay")
        expected.append("")
        finish(player, address)
        if place != 1:
            expected.append(id_of(address))
    assert numbers(player) == [*enumerate(expected, 1)][::-1]


def test_a_round_that_left_the_history_is_counted_without_a_number(site: flask.Flask) -> None:
    player = site.test_client()
    address = make(player, "counted")
    finish(player, address)
    later = [NewRound("blackjack", b"later")] * MAX_ROUNDS
    with session_of(player) as session:
        session.side_writes += later
    assert look(player, f"{address}/results")["round"] is None
    assert player.get(address).status_code == 200


def test_the_page_says_that_results_prove_nothing_about_who_played(site: flask.Flask) -> None:
    player = site.test_client()
    address = make(player, "counted")
    finish(player, address)
    for language, words in (("en", "not who played"), ("de", "nicht, wer gespielt hat")):
        headers = {"Accept-Language": language}
        for page in (address, "/deals"):
            assert words in player.get(page, headers=headers).text


# ---- Between the player's session and the deal -------------------------------------------------


def test_a_result_that_did_not_reach_the_deal_does_when_somebody_looks(
    site: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a crash between the two, or while the deal's server is away."""
    player, other = site.test_client(), site.test_client()
    address = make(player, "counted")

    def away(*_: object) -> None:
        raise StoreUnavailable("the deal's server is away")

    with monkeypatch.context() as patch:
        patch.setattr(deal_storage, "add_result", away)
        assert finish(player, address)["moves"] == []
        assert len(numbers(player)) == 1
        assert look(other, f"{address}/results")["finished"] == 0
    assert look(other, f"{address}/results")["finished"] == 1
    told = look(player, f"{address}/results")
    assert (told["finished"], told["round"]) == (1, 1)
    for _ in range(3):
        assert player.get(address).status_code == 200
    assert look(other, f"{address}/results")["finished"] == 1


def test_a_session_that_is_not_saved_leaves_no_result(
    site: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = site.test_client()
    address = make(player, "counted")
    player.post(address, data={"move": "deal", "step": "0"})
    table = look(player, address)
    store = any_store_of(site)

    def full(*_args: object) -> bool:
        raise StoreUnavailable("no space left")

    if table["moves"]:
        with monkeypatch.context() as patch:
            patch.setattr(store, "write", full)
            form = {"move": table["moves"][-1]["name"], "step": "1"}
            assert player.post(address, data=form).status_code == 503
        assert results_at(site, address) == {}
    finish(player, address)
    assert len(results_at(site, address)) == 1


@pytest.mark.parametrize("table", ["simple-21", "one-deck", "war", "bingo"])
def test_deals_of_every_game_are_counted_once(site: flask.Flask, table: str) -> None:
    player = site.test_client()
    address = make(player, "counted", table=table)
    finish(player, address)
    assert numbers(player, table) == [(1, id_of(address))]
    assert player.get(address).status_code == 200
