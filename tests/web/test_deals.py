"""Deal links: one deal for everyone who opens an address, played once by each."""

import random
import time
from itertools import product
from typing import Any

import flask
import msgspec
import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from tests.support.site import (
    BY_HAND,
    JSON,
    deal_fields,
    finish,
    id_of,
    look,
    made_deal,
    play,
    results_at,
    rounds_of,
    send,
    store_of,
)
from web.deals.deal import Deal
from web.deals.storage import keep_deal
from web.storage import sqlite
from web.storage.store import LIFETIME

games = pytest.mark.parametrize("slug", GAMES)

# ---- The address ---------------------------------------------------------------------------


def test_an_address_that_is_none_is_404_with_a_sentence(client: FlaskClient) -> None:
    address = made_deal(client)
    deal = id_of(address)
    flipped = [
        deal[:place] + ("0" if deal[place] != "0" else "1") + deal[place + 1 :]
        for place in range(16)
    ]
    wrong = [*flipped, deal[:-1], deal + "0", deal.upper() + "A", "x", "rules", "0" * 16, "%00"]
    for other in wrong:
        for path in (f"/deal/{other}", f"/deal/{other}/results"):
            answer = client.get(path, headers=JSON)
            assert answer.status_code == 404, path
            assert "no such deal link" in answer.get_json()["error"]
            page = client.get(path)
            assert page.status_code == 404
            assert "no such deal link" in page.text
        answer = client.post(f"/deal/{other}", data={"move": "deal", "step": "0"}, headers=JSON)
        assert answer.status_code == 404
    assert client.get("/deal/").status_code == 404
    assert client.delete(address).status_code == 405


def test_a_deal_that_has_expired_is_gone_also_for_who_sits_there(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = made_deal(client, "blackjack", kind="counted")
    play(client, address, "deal")
    now = time.time()
    monkeypatch.setattr(sqlite.time, "time", lambda: now + LIFETIME - 60)
    play(client, "/war", "new")
    assert client.get(address).status_code == 200
    monkeypatch.setattr(sqlite.time, "time", lambda: now + LIFETIME + 60)
    assert look(client, "/war")["step"] == 1  # the session lives on
    for answer in (
        client.get(address),
        client.get(f"{address}/results"),
        client.post(address, data={"move": "hit", "step": "1"}),
    ):
        assert answer.status_code == 404
        assert "no such deal link" in answer.text
    assert client.get("/deals").status_code == 200
    assert look(client, "/deals") == {"deals": []}


def test_what_cannot_be_read_is_no_deal(client: FlaskClient) -> None:
    unknown = Deal("poker", counted=False, seeded=False, salt=b"", choices=())
    kept = (b"", b"\xc1", msgspec.msgpack.encode(["poker"]), msgspec.msgpack.encode(unknown))
    for number, data in enumerate(kept):
        deal = f"{number:016x}"
        assert keep_deal(store_of(client.application), deal, data, 0)
        assert client.get(f"/deal/{deal}").status_code == 404


# ---- Playing it ----------------------------------------------------------------------------


@games
def test_the_json_has_the_shape_of_the_games_own_table(client: FlaskClient, slug: str) -> None:
    """Compared with a table where the same has been done: names and types, never values."""

    def shape(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: shape(inner) for name, inner in value.items()}
        return type(value).__name__

    address = made_deal(client, slug)
    deal, own = look(client, address), look(client, f"/{slug}")
    assert shape(deal) == shape(own)
    assert {**deal, "moves": 0} == {**own, "moves": 0}
    assert deal["moves"] == [{"name": "deal", "label": "Deal", "fields": {}}]
    own = play(client, f"/{slug}", "deal", **deal_fields(slug))
    deal = play(client, address, "deal")
    assert shape(deal) == shape(own)
    assert deal["step"] == own["step"] == 1
    assert deal["moves"] == [one for one in own["moves"] if one["name"] not in ("new", "deal")]
    over = finish(client, address)
    assert over["moves"] == []
    assert set(over) == {"game", "title", "step", "view", "moves"}
    for move in ("deal", "new"):
        answer = send(client, {"move": move}, address)
        assert answer.status_code == 422
        assert answer.get_json() == {**over, "error": answer.get_json()["error"]}


@games
def test_looking_writes_nothing(app: flask.Flask, slug: str) -> None:
    address, visitor = made_deal(app.test_client(), slug), app.test_client()
    for path, headers in product((address, f"{address}/results"), ({}, JSON)):
        answer = visitor.get(path, headers=headers)
        assert answer.status_code in (200, 303)
        assert "Set-Cookie" not in answer.headers
    assert len([*store_of(app).places("session/")]) == 1  # the maker's


def test_stale_and_illegal_moves_change_nothing(client: FlaskClient) -> None:
    address = made_deal(client, "blackjack")
    table = play(client, address, "deal")
    for form, status in [
        ({"move": "hit", "step": "0"}, 409),
        ({"move": "hit", "step": "x"}, 409),
        ({"move": "deal"}, 422),  # no giving up
        ({"move": "new"}, 422),  # no starting over
        ({"move": "turn", "turns": "all"}, 422),
        ({"move": "hit", "deck": BY_HAND}, 422),
    ]:
        answer = send(client, form, address)
        assert answer.status_code == status
        assert answer.get_json() == {**table, "error": answer.get_json()["error"]}
    assert client.post(address, data={"move": "hit"}).status_code == 409
    assert look(client, address) == table


def test_nobody_brings_their_own_deck(client: FlaskClient) -> None:
    for slug in GAMES:
        address = made_deal(client, slug)
        for field in ("deck", "bingo_deck", "players", "mode"):
            assert send(client, {"move": "deal", field: BY_HAND}, address).status_code == 422
        assert look(client, address)["step"] == 0


@games
def test_everyone_meets_the_same_cards_whatever_else_they_have_played(
    app: flask.Flask, slug: str
) -> None:
    address = made_deal(app.test_client(), slug)
    ends = []
    for number in range(4):
        client = app.test_client()
        for _ in range(number):  # another past at the game's own table, and at another deal
            play(client, f"/{slug}", "deal", "new")
            finish(client, made_deal(client, slug))
        ends.append(finish(client, address, random.Random(5)))
    assert all(end["view"] == ends[0]["view"] for end in ends)


def test_a_double_click_counts_once(client: FlaskClient) -> None:
    address = made_deal(client, kind="counted", deck=BY_HAND)
    play(client, address, "deal")
    form = {"move": "stay", "step": "1"}
    assert [client.post(address, data=form).status_code for _ in range(3)] == [303, 409, 409]
    assert len(results_at(client.application, address)) == 1
    assert rounds_of(client, "simple-21") == [(1, id_of(address))]
