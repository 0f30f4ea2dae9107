"""Deal links: one deal for everyone who opens a URL. Each player plays the deal once."""

import random
import re

import flask
import pytest
import segno
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from tests.support.classroom import Watch
from tests.support.hidden import cards_named
from tests.support.site import (
    BY_HAND,
    JSON,
    TWENTY_ONE,
    deal_fields,
    finish,
    id_of,
    kept_deal,
    look,
    made_deal,
    play,
    rows_kept,
    send,
)

games = pytest.mark.parametrize("slug", GAMES)

# ---- The address ---------------------------------------------------------------------------


def test_unknown_address_is_404_with_a_sentence(client: FlaskClient) -> None:
    deal = id_of(made_deal(client))
    flipped = deal[:-1] + ("0" if deal[-1] != "0" else "1")
    for other in (flipped, deal[:-1], deal + "0", "x", "rules", "0" * 16, "%00"):
        for path in (f"/deal/{other}", f"/deal/{other}/results"):
            answer = client.get(path, headers=JSON)
            assert answer.status_code == 404, path
            assert "This deal link does not exist" in answer.get_json()["error"]
            assert "This deal link does not exist" in client.get(path).text
        answer = client.post(f"/deal/{other}", data={"move": "deal", "step": "0"}, headers=JSON)
        assert answer.status_code == 404


# ---- Playing it ----------------------------------------------------------------------------


def test_stale_and_illegal_moves_change_nothing(client: FlaskClient) -> None:
    address = made_deal(client, "blackjack")
    table = play(client, address, "deal")
    for form, status in [
        ({"move": "hit", "step": "0"}, 409),
        ({"move": "hit", "step": "x"}, 409),
        ({"move": "deal"}, 422),  # The table has no move to abandon the round.
        ({"move": "new"}, 422),  # The table has no reset move.
        ({"move": "hit", "deck": BY_HAND}, 422),
    ]:
        answer = send(client, form, address)
        assert answer.status_code == status
        assert answer.get_json() == {**table, "error": answer.get_json()["error"]}
    assert client.post(address, data={"move": "hit"}).status_code == 409
    assert look(client, address) == table


@games
def test_everyone_gets_the_same_cards(app: flask.Flask, slug: str) -> None:
    address = made_deal(app.test_client(), slug)
    ends = []
    for earlier in (0, 2):
        client = app.test_client()
        # different earlier rounds at the game's own table and at another deal
        for _ in range(earlier):
            play(client, f"/{slug}", "deal", "new")
            finish(client, made_deal(client, slug))
        ends.append(finish(client, address, random.Random(5)))
    assert all(end["view"] == ends[0]["view"] for end in ends)


# ---- Creating a deal link -----------------------------------------------------------------------


@games
def test_every_table_can_have_a_deal(client: FlaskClient, slug: str) -> None:
    form = {"table": slug, **deal_fields(slug)}
    answer = client.post("/deals", data=form, headers=JSON).get_json()
    address = f"/deal/{answer['deal']}"
    assert answer == {"deal": answer["deal"], "address": address, "game": slug}
    where = client.post("/deals", data=form).headers["Location"]
    assert re.fullmatch("/deal/[0-9a-f]{16}/link", where)
    ready, address = client.get(where).text, where.removesuffix("/link")
    assert "the first try counts" in ready
    page = client.get(address).text
    assert address in page  # for sharing


# ---- Salts -----------------------------------------------------------------------------------


def test_every_deal_has_a_salt_of_its_own(client: FlaskClient) -> None:
    salts = {kept_deal(client.application, made_deal(client)).salt for _ in range(20)}
    assert len(salts) == 20
    assert {len(salt) for salt in salts} == {16}


def test_cards_of_a_deal_follow_from_its_salt(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.deals.views.random_salt", lambda: "00112233445566778899aabbccddeeff")
    first, second = made_deal(client), made_deal(client)
    assert first != second
    cards = [play(client, address, "deal")["view"]["player"] for address in (first, second)]
    assert cards[0] == cards[1]


# ---- The form ------------------------------------------------------------------------------


BAD: dict[str, dict[str, str]] = {
    "no table": {},
    "another table": {"table": "poker"},
    "a field too many": {"table": "blackjack", "players": "2"},
    "a seed": {"table": "blackjack", "seed": "week 7"},
    "a move": {"table": "blackjack", "move": "deal"},
    "no players": {"table": "war"},
    "equal names": {"table": "war", "players": "2", "names": "Amy,Amy"},
    "a short deck": {"table": "blackjack", "deck": "KS\nQH"},
    "a bad calling deck": {"table": "bingo", "mode": "L", "speed": "N", "calling_deck": "9H"},
}


@pytest.mark.parametrize("what", BAD)
def test_invalid_deal_is_rejected_and_not_stored(client: FlaskClient, what: str) -> None:
    deck = "\n".join(["KS", *FULL_DECK])
    form = {"deck": deck, **BAD[what]}
    answer, page = client.post("/deals", data=form, headers=JSON), client.post("/deals", data=form)
    assert answer.status_code == page.status_code == 422
    assert set(answer.get_json()) == {"error"}
    assert "\n" not in answer.get_json()["error"]
    assert 'role="alert"' in page.text
    for sent in (answer, page):
        assert "Set-Cookie" not in sent.headers
        assert len(cards_named(sent.text)) < 2
    assert rows_kept(client.application) == 0


def test_a_session_makes_fifty_a_day(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch)  # so that no day ends during the test
    for _ in range(50):
        made_deal(client)
    answer = client.post("/deals", data={"table": "simple-21"}, headers=JSON)
    assert answer.status_code == 429
    assert "today" in answer.get_json()["error"]
    shown = look(client, "/deals")["deals"]
    assert len(shown) == 10
    assert shown[0]["address"] in client.get("/deals").text
    watch.now += 86_400
    made_deal(client)


# ---- The address ---------------------------------------------------------------------------


def test_finished_link_is_complete_and_names_the_next_step(client: FlaskClient) -> None:
    address = made_deal(client)
    page = client.get(f"{address}/link").text
    code = segno.make(f"http://localhost{address}", error="m", micro=False)
    for said in (
        f">http://localhost{address}</textarea>",
        code.svg_inline(border=4, dark="#000", light="#fff", svgclass="qr", omitsize=True),
        "No player has finished this deal yet.",
        f'href="{address}">Play it yourself<',
        'href="mailto:?subject=',
    ):
        assert said in page
    assert look(client, f"{address}/link")["address"] == address


# ---- Again ---------------------------------------------------------------------------------


def again(client: FlaskClient, address: str) -> str:
    """Continue from a finished deal, and return the URL of the next deal."""
    answer = client.post(f"{address}/again")
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


@pytest.mark.parametrize("slug", TWENTY_ONE)
def test_again_deals_the_same_new_cards_to_everyone(app: flask.Flask, slug: str) -> None:
    first, second = app.test_client(), app.test_client()
    address = made_deal(first, slug)
    for client in (first, second):
        finish(client, address)
        assert f'action="{address}/again"' in client.get(address).text
    following = again(first, address)
    assert again(second, address) == following != address
    assert again(second, address) == following
    dealt = [play(client, following, "deal")["view"] for client in (first, second)]
    assert dealt[0] == dealt[1]
    before, after = kept_deal(app, address), kept_deal(app, following)
    assert (after.game, after.choices) == (before.game, before.choices)
    assert after.salt != before.salt


def test_again_needs_a_finished_deal_at_a_table_with_decisions(app: flask.Flask) -> None:
    maker = app.test_client()
    address, war = made_deal(maker), made_deal(maker, "war")
    play(maker, address, "deal")
    finish(maker, war)
    for deal in (address, war):
        answer = maker.post(f"{deal}/again", headers=JSON)
        assert answer.status_code == 422
        assert "after you have finished" in answer.get_json()["error"]
        assert "/again" not in maker.get(deal).text


def test_again_does_not_deal_a_deck_file_twice(app: flask.Flask) -> None:
    maker = app.test_client()
    address = made_deal(maker, deck=BY_HAND)
    finish(maker, address)
    following = again(maker, address)
    assert kept_deal(app, following).choices == ()


def test_again_leaves_half_of_the_room_to_established_players(app: flask.Flask) -> None:
    maker = app.test_client()
    address = made_deal(maker)
    finish(maker, address)
    app.config["DEALS_LIMIT"] = 300
    answer = maker.post(f"{address}/again", headers=JSON)
    assert answer.status_code == 503
    assert "Play a little" in answer.get_json()["error"]
