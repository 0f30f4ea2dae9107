"""Deal links: one deal for everyone who opens an address, and nothing of it told too early."""

import base64
import io
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from hashlib import sha256
from itertools import product
from pathlib import Path
from threading import Barrier
from typing import Any

import flask
import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from cardgames.record import parse, replayed
from flask.testing import FlaskClient
from jinja2 import ChoiceLoader, FileSystemLoader
from playwright.sync_api import Browser, Page, expect
from web.book import Kept
from web.dealt import Deal, Outcome
from web.redis_store import RedisStore
from web.sessions import Row
from web.store import LIFETIME, MOST_RESULTS, Result, Store
from werkzeug.test import TestResponse

from app import create_app
from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card, shuffled
from tests.high_card import HighCard
from tests.machines import Redis
from tests.test_hidden import HIDDEN, TWENTY_ONE, cards_named, hidden_cards
from tools.benchmarks.serving import Player, Server
from web import deals as module
from web import store as store_module
from web.settings import Settings

pytestmark = pytest.mark.xdist_group("browser")

JSON = {"Accept": "application/json"}
FIELDS: dict[str, dict[str, str]] = {
    "war": {"players": "3", "names": "Amy, Brad"},
    "bingo": {"mode": "L", "speed": "N"},
}
games = pytest.mark.parametrize("slug", GAMES)


def stacked(*codes: str) -> str:
    """A deck file that begins with these cards."""
    first = [Card(code) for code in codes]
    return "\n".join([*first, *(card for card in FULL_DECK if card not in first)])


BY_HAND = stacked("TC", "TD", "6C", "9H", "2S", "3S", "KH")
"""Simple 21: 16 against a ten; 18 and 21 follow, then a bust. The dealer has 19."""


def made(client: FlaskClient, slug: str = "simple-21", **fields: Any) -> str:
    """Make a deal and return its address."""
    form = {"table": slug, **FIELDS.get(slug, {}), **fields}
    answer = client.post("/deals", data=form, headers=JSON)
    assert answer.status_code == 200, answer.text
    address: str = answer.get_json()["address"]
    return address


def at(client: FlaskClient, address: str) -> dict[str, Any]:
    answer = client.get(address, headers=JSON)
    assert answer.status_code == 200
    table: dict[str, Any] = answer.get_json()
    return table


def play(client: FlaskClient, address: str, *moves: str) -> dict[str, Any]:
    """Play moves, each of which must be accepted."""
    table = at(client, address)
    for move in moves:
        (legal,) = (one for one in table["moves"] if one["name"] == move)
        fields = {name: list(options)[-1] for name, options in legal["fields"].items()}
        form = {"move": move, "step": str(table["step"]), **fields}
        answer = client.post(address, data=form, headers=JSON)
        assert answer.status_code == 200, answer.text
        table = answer.get_json()
    return table


def to_the_end(client: FlaskClient, address: str, rng: random.Random) -> dict[str, Any]:
    table = at(client, address)
    while table["moves"]:
        table = play(client, address, rng.choice(table["moves"])["name"])
    return table


def store_of(app: flask.Flask) -> Store:
    interface: Any = app.session_interface
    store: Store = interface.store
    return store


def told(client: FlaskClient, address: str) -> dict[str, Any]:
    results: dict[str, Any] = client.get(f"{address}/results", headers=JSON).get_json()
    return results


# ---- Making a deal -------------------------------------------------------------------------


@games
@pytest.mark.parametrize("kind", ["practice", "counted"])
def test_every_table_can_have_a_deal_of_either_kind(
    client: FlaskClient, slug: str, kind: str
) -> None:
    form = {"table": slug, "kind": kind, **FIELDS.get(slug, {})}
    answer = client.post("/deals", data=form, headers=JSON).get_json()
    assert set(answer) == {"deal", "address", "game", "kind"}
    assert re.fullmatch("[0-9a-f]{16}", answer["deal"])
    assert answer == {
        "deal": answer["deal"],
        "address": f"/deal/{answer['deal']}",
        "game": slug,
        "kind": kind,
    }
    browser = client.post("/deals", data=form)
    assert browser.status_code == 303
    assert re.fullmatch("/deal/[0-9a-f]{16}", browser.headers["Location"])
    page = client.get(browser.headers["Location"]).text
    assert ("is not kept in your history" in page) == (kind == "practice")
    assert ("it is a round in your history" in page) == (kind == "counted")
    assert browser.headers["Location"] in page  # to be sent on


def test_the_same_seed_gives_the_same_cards_and_another_address(client: FlaskClient) -> None:
    one, two = made(client, seed="week 3"), made(client, seed=" week 3 ")
    other, secret = made(client, seed="week 4"), made(client)
    assert len({one, two, other, secret}) == 4
    hands = [play(client, address, "deal")["view"]["player"] for address in (one, two)]
    assert hands[0] == hands[1]
    decks = {
        told(client, address)["record"].split(" ")[2]
        for address in (one, two, other, secret)
        if to_the_end(client, address, random.Random(1))
    }
    assert len(decks) == 3


def test_what_a_seed_stands_for_takes_the_servers_key(
    app: flask.Flask, client: FlaskClient
) -> None:
    """By RFC 2104 written out, so that nobody can try seeds without the key."""
    address = made(client, "war", seed="week 3")
    data = store_of(app).deal(address[-16:])
    assert data
    key = sha256(app.config["SECRET_KEY"].encode()).digest()
    if len(app.config["SECRET_KEY"]) <= 64:
        key = app.config["SECRET_KEY"].encode()
    inner, outer = (bytes(byte ^ pad for byte in key.ljust(64, b"\0")) for pad in (0x36, 0x5C))
    text = b"cardgames deal link 1 war week 3"
    salt = sha256(outer + sha256(inner + text).digest()).digest()[:16]
    assert msgspec.msgpack.decode(data, type=Deal).salt == salt


def test_a_form_page_for_every_table_that_writes_nothing(
    app: flask.Flask, client: FlaskClient
) -> None:
    for slug in ("", "nothing", *GAMES):
        answer = client.get(f"/deals?table={slug}")
        assert answer.status_code == 200
        assert "Set-Cookie" not in answer.headers
    assert client.get("/deals", headers=JSON).get_json() == {"deals": []}
    assert store_of(app).count() == 0
    assert 'name="mode"' in client.get("/deals?table=bingo").text
    assert 'name="names"' in client.get("/deals?table=war").text


BAD = {
    "no table": {},
    "another table": {"table": "poker"},
    "another kind": {"table": "war", "players": "2", "kind": "serious"},
    "a field too many": {"table": "blackjack", "players": "2"},
    "a move": {"table": "blackjack", "move": "deal"},
    "seven players": {"table": "war", "players": "7"},
    "no players": {"table": "war"},
    "equal names": {"table": "war", "players": "2", "names": "Amy,Amy"},
    "too many names": {"table": "war", "players": "2", "names": "A,B,C"},
    "a long name": {"table": "war", "players": "2", "names": "A" * 21},
    "no mode": {"table": "bingo", "speed": "N"},
    "another mode": {"table": "bingo", "mode": "X", "speed": "N"},
    "no speed": {"table": "bingo", "mode": "L"},
    "a short deck": {"table": "blackjack", "deck": "KS\nQH"},
    "no cards": {"table": "blackjack", "deck": "KS\n" * 52},
    "a bad calling deck": {"table": "bingo", "mode": "L", "speed": "N", "calling_deck": "9H"},
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_deal_is_refused_in_one_sentence_and_nothing_is_stored(
    app: flask.Flask, client: FlaskClient, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(store_of(app)), "keep_deal", lambda *_: pytest.fail("stored"))
    for secret in ("", "the secret seed"):
        form = {**BAD[what], "seed": secret}
        answer = client.post("/deals", data=form, headers=JSON)
        assert answer.status_code == 422
        assert set(answer.get_json()) == {"error"}
        assert "\n" not in answer.get_json()["error"]
        page = client.post("/deals", data=form)
        assert page.status_code == 422
        assert 'role="alert"' in page.text
        for sent in (answer, page):
            assert "Set-Cookie" not in sent.headers
            assert "secret seed" not in sent.text
            assert not cards_named(sent.text)
    assert store_of(app).count() == 0


def test_a_bad_deck_file_is_refused_as_at_the_tables(client: FlaskClient) -> None:
    form = {"table": "one-deck", "deck": (io.BytesIO(b"KS\nQQ"), "homework.txt")}
    error = client.post("/deals", data=form, headers=JSON).get_json()["error"]
    assert error.startswith("Cannot populate deck: invalid data in homework.txt: line 2 has")
    form = {"table": "one-deck", "seed": (io.BytesIO(b"KS"), "seed.txt")}
    answer = client.post("/deals", data=form, headers=JSON)
    assert answer.status_code == 422


def test_json_is_accepted_and_strange_texts_are_no_fault(client: FlaskClient) -> None:
    for body in ({"table": "war", "players": 2, "seed": 7}, {"table": "war", "players": "2"}):
        assert client.post("/deals", json=body, headers=JSON).status_code == 200
    for seed in ("\x00", "♠" * 9_000):
        body = {"table": "war", "players": "2", "seed": seed}
        assert client.post("/deals", json=body, headers=JSON).status_code == 200
    assert client.post("/deals", json=[], headers=JSON).status_code == 400
    half = "\ud800"  # of a character: no text
    for field, headers in product(("seed", "names"), (JSON, {})):
        bad = {"table": "war", "players": "2", field: half}
        assert client.post("/deals", json=bad, headers=headers).status_code == 400


def test_a_deal_is_small(app: flask.Flask, client: FlaskClient) -> None:
    """The largest there is: six names of twenty four-byte characters, or two decks."""
    names = ",".join(chr(0x1F600 + seat) * 20 for seat in range(6))
    deck = stacked("KS")
    largest = [
        made(client, "war", players="6", names=f"  {names}  ", deck=deck, seed="x" * 9_000),
        made(client, "bingo", bingo_deck=deck, calling_deck=deck),
    ]
    for address in largest:
        data = store_of(app).deal(address[-16:])
        assert data
        assert len(data) < 1_000


def test_a_session_makes_fifty_a_day(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(50):
        made(client)
    answer = client.post("/deals", data={"table": "simple-21"}, headers=JSON)
    assert answer.status_code == 429
    assert "today" in answer.get_json()["error"]
    assert client.post("/deals", data={"table": "simple-21"}).status_code == 429
    assert len(client.get("/deals", headers=JSON).get_json()["deals"]) == 10
    now = time.time()
    monkeypatch.setattr("web.deals.time.time", lambda: now + 86_400)
    made(client)


def test_its_maker_is_reminded_of_it(client: FlaskClient) -> None:
    addresses = [made(client, slug) for slug in GAMES]
    shown = client.get("/deals", headers=JSON).get_json()["deals"]
    assert [one["address"] for one in shown] == addresses[::-1]
    page = client.get("/deals").text
    assert all(address in page for address in addresses)


def test_another_sites_form_is_refused(client: FlaskClient) -> None:
    address = made(client)
    for path, form in (("/deals", {"table": "war"}), (address, {"move": "deal", "step": "0"})):
        for other in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
            assert client.post(path, data=form, headers={**JSON, **other}).status_code == 403
    assert at(client, address)["step"] == 0


def test_behind_a_proxy_the_address_is_whole(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, url_prefix="/cards", trusted_proxies=1)
    client = create_app(settings).test_client()
    proxy = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "school.example"}
    form = {"table": "blackjack"}
    where = client.post("/cards/deals", data=form, headers=proxy).headers["Location"]
    assert re.fullmatch("/cards/deal/[0-9a-f]{16}", where)
    answer = client.post("/cards/deals", data=form, headers={**JSON, **proxy}).get_json()
    assert answer["address"].startswith("/cards/deal/")
    page = client.get(where, headers=proxy).text
    assert f'value="https://school.example{where}"' in page
    assert f'action="{where}"' in page


# ---- The address ---------------------------------------------------------------------------


def test_an_address_that_is_none_is_404_with_a_sentence(client: FlaskClient) -> None:
    address = made(client)
    deal = address[-16:]
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
    address = made(client, "blackjack", kind="counted")
    play(client, address, "deal")
    now = time.time()
    monkeypatch.setattr(store_module.time, "time", lambda: now + LIFETIME - 60)
    assert client.post("/war", data={"move": "new", "step": "0"}).status_code == 303
    assert client.get(address).status_code == 200
    monkeypatch.setattr(store_module.time, "time", lambda: now + LIFETIME + 60)
    assert client.get("/war", headers=JSON).get_json()["step"] == 1  # the session lives on
    for answer in (
        client.get(address),
        client.get(f"{address}/results"),
        client.post(address, data={"move": "hit", "step": "1"}),
    ):
        assert answer.status_code == 404
        assert "no such deal link" in answer.text
    assert client.get("/deals").status_code == 200
    assert client.get("/deals", headers=JSON).get_json() == {"deals": []}


def test_what_cannot_be_read_is_no_deal(app: flask.Flask, client: FlaskClient) -> None:
    for number, data in enumerate((b"", b"\xc1", msgspec.msgpack.encode([1, "poker"]))):
        deal = f"{number:016x}"
        store_of(app).keep_deal(deal, data)
        assert client.get(f"/deal/{deal}").status_code == 404
    unknown = Deal(1, "poker", counted=False, seeded=False, salt=b"", choices=())
    store_of(app).keep_deal("f" * 16, msgspec.msgpack.encode(unknown))
    assert client.get(f"/deal/{'f' * 16}").status_code == 404


# ---- Playing it ----------------------------------------------------------------------------


@games
def test_the_json_has_the_shape_of_the_games_own_table(client: FlaskClient, slug: str) -> None:
    """Compared with a table where the same has been done: names and types, never values."""

    def shape(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: shape(inner) for name, inner in value.items()}
        return type(value).__name__

    address = made(client, slug)
    deal, own = at(client, address), at(client, f"/{slug}")
    assert shape(deal) == shape(own)
    assert {**deal, "moves": 0} == {**own, "moves": 0}
    assert deal["moves"] == [{"name": "deal", "label": "Deal", "fields": {}}]
    form = {"move": "deal", "step": "0", **FIELDS.get(slug, {})}
    assert client.post(f"/{slug}", data=form).status_code == 303
    deal, own = play(client, address, "deal"), at(client, f"/{slug}")
    assert shape(deal) == shape(own)
    assert deal["step"] == own["step"] == 1
    fewer = [move for move in own["moves"] if move["name"] not in ("new", "deal")]
    assert deal["moves"] == fewer
    over = to_the_end(client, address, random.Random(2))
    assert over["moves"] == []
    assert set(over) == {"game", "title", "step", "view", "moves"}
    for answer in (
        client.post(address, data={"move": "deal", "step": str(over["step"])}, headers=JSON),
        client.post(address, data={"move": "new", "step": str(over["step"])}, headers=JSON),
    ):
        assert answer.status_code == 422
        assert answer.get_json() == {**over, "error": answer.get_json()["error"]}


@games
def test_looking_writes_nothing(app: flask.Flask, slug: str) -> None:
    address = made(app.test_client(), slug)
    visitor = app.test_client()
    for path in (address, f"{address}/results"):
        for headers in ({}, JSON):
            answer = visitor.get(path, headers=headers)
            assert answer.status_code in (200, 303)
            assert "Set-Cookie" not in answer.headers
    assert store_of(app).count() == 1  # the maker's


def test_stale_and_illegal_moves_change_nothing(client: FlaskClient) -> None:
    address = made(client, "blackjack")
    table = play(client, address, "deal")
    for form, status in [
        ({"move": "hit", "step": "0"}, 409),
        ({"move": "hit"}, 409),
        ({"move": "hit", "step": "x"}, 409),
        ({"move": "deal", "step": "1"}, 422),  # no forfeit
        ({"move": "new", "step": "1"}, 422),  # no starting over
        ({"move": "turn", "step": "1", "turns": "all"}, 422),
        ({"move": "hit", "step": "1", "deck": BY_HAND}, 422),
    ]:
        answer = client.post(address, data=form, headers=JSON)
        assert answer.status_code == status
        assert answer.get_json() == {**table, "error": answer.get_json()["error"]}
    assert at(client, address) == table


def test_nobody_brings_his_own_deck(client: FlaskClient) -> None:
    for slug in ("simple-21", "war", "bingo"):
        address = made(client, slug)
        for field in ("deck", "bingo_deck", "players", "mode"):
            form = {"move": "deal", "step": "0", field: BY_HAND}
            assert client.post(address, data=form, headers=JSON).status_code == 422
        assert at(client, address)["step"] == 0


@games
def test_everyone_meets_the_same_cards_whatever_else_he_has_played(
    app: flask.Flask, slug: str
) -> None:
    address = made(app.test_client(), slug)
    ends = []
    for number in range(4):
        client = app.test_client()
        for _ in range(number):  # another past at the game's own table, and at another deal
            step = str(at(client, f"/{slug}")["step"])
            form = {"move": "deal", "step": step, **FIELDS.get(slug, {})}
            client.post(f"/{slug}", data=form)
            step = str(int(step) + 1)
            client.post(f"/{slug}", data={"move": "new", "step": step})
            to_the_end(client, made(client, slug), random.Random(number))
        ends.append(to_the_end(client, address, random.Random(5)))
    assert all(end["view"] == ends[0]["view"] for end in ends)


def test_wars_reshuffles_are_the_same_in_whatever_clicks_it_is_played(app: flask.Flask) -> None:
    address = made(app.test_client(), "war", deck=BY_HAND)
    courses = []
    for clicks in (["all"], ["100"] * 100, ["10", "1", "1", "100", "all"]):
        client = app.test_client()
        table = play(client, address, "deal")
        for turns in clicks:
            if table["moves"]:
                form = {"move": "turn", "step": str(table["step"]), "turns": turns}
                table = client.post(address, data=form, headers=JSON).get_json()
        assert table["view"]["phase"] == "game over"
        courses.append((table["view"]["turn"], table["view"]["winner"], table["view"]["battle"]))
    assert len(set(map(repr, courses))) == 1


def test_a_double_click_counts_once(app: flask.Flask, client: FlaskClient) -> None:
    address = made(client, kind="counted", deck=BY_HAND)
    play(client, address, "deal")
    form = {"move": "stay", "step": "1"}
    assert [client.post(address, data=form).status_code for _ in range(3)] == [303, 409, 409]
    assert len(store_of(app).results(address[-16:])) == 1
    assert client.get("/simple-21/history", headers=JSON).get_json()["rounds"][0]["number"] == 1
    assert len(client.get("/simple-21/history", headers=JSON).get_json()["rounds"]) == 1


# ---- Practice and counted ------------------------------------------------------------------


def rounds(app: flask.Flask, client: FlaskClient, slug: str) -> list[tuple[int, str]]:
    """The numbers and deals of the rounds in a player's history, the oldest first."""
    with client.session_transaction() as session:
        kept = store_of(app).rounds(session.sid, slug)  # type: ignore[attr-defined]
    return [(one.number, Kept.unpacked(one.data).deal) for one in reversed(kept)]


@games
def test_a_counted_deal_is_a_round_in_the_history(app: flask.Flask, slug: str) -> None:
    address = made(app.test_client(), slug, kind="counted")
    client = app.test_client()
    over = to_the_end(client, address, random.Random(7))
    assert rounds(app, client, slug) == [(1, address[-16:])]
    own = at(client, f"/{slug}")
    assert (own["step"], own["view"]["phase"]) == (0, "ready")  # the own table is as it was
    interface: Any = app.session_interface
    with client.session_transaction() as session:
        one = interface.store.round(session.sid, slug, 1)
        assert session[slug].book.rounds == 1
    record, state = Kept.unpacked(one.data).recorded(GAMES[slug])
    assert GAMES[slug].view(state).phase == over["view"]["phase"]
    assert parse(record.text) == record
    assert replayed(record)[-1] == state
    assert told(client, address)["round"] == 1
    assert client.get(f"/{slug}/history").status_code == 200


def test_it_is_numbered_among_the_rounds_of_the_own_table(app: flask.Flask) -> None:
    client, maker = app.test_client(), app.test_client()
    first, second = made(maker, kind="counted"), made(maker, kind="counted")
    practice = made(maker)

    def own_round() -> None:
        for move in ("deal", "stay"):
            step = str(at(client, "/simple-21")["step"])
            client.post("/simple-21", data={"move": move, "step": step})

    own_round()
    client.post("/simple-21", data={"move": "deal", "step": "2"})  # open while the deal is played
    before = at(client, "/simple-21")
    to_the_end(client, first, random.Random(1))
    to_the_end(client, practice, random.Random(1))
    assert at(client, "/simple-21") == before
    client.post("/simple-21", data={"move": "stay", "step": "3"})
    to_the_end(client, second, random.Random(1))
    own_round()
    ids = ["", first[-16:], "", second[-16:], ""]
    assert rounds(app, client, "simple-21") == list(enumerate(ids, start=1))
    assert told(client, practice)["round"] is None
    assert sum(at(client, "/simple-21")["view"]["tally"].values()) == 3  # the deals change no tally


def test_practice_leaves_no_trace_in_the_history(app: flask.Flask, client: FlaskClient) -> None:
    for slug in GAMES:
        to_the_end(client, made(client, slug), random.Random(3))
        assert rounds(app, client, slug) == []
        with client.session_transaction() as session:
            assert slug not in session


# ---- Nobody plays twice, and a session stays small -----------------------------------------


def rows_of(client: FlaskClient) -> list[str]:
    with client.session_transaction() as session:
        return [key for key in session if key.startswith("deal:")]


def test_a_hundred_deals_in_one_session(
    app: flask.Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_MADE", 1_000)
    rng, addresses, ends = random.Random(9), [], []
    for number in range(100):
        slug = list(GAMES)[number % len(GAMES)]
        addresses.append(made(client, slug, kind="counted"))
        ends.append(to_the_end(client, addresses[-1], rng))
        assert len(rows_of(client)) <= 10
    for address, end in zip(addresses, ends, strict=True):
        again = at(client, address)  # also where the session has let go of it
        for name in ("game", "step", "moves"):
            assert again[name] == end[name]
        for name in ("phase", "winner"):
            assert again["view"][name] == end["view"][name]
        assert client.get(address).status_code == 200
        step = str(again["step"])
        for form, status in (
            ({"move": "deal", "step": step}, 422),
            ({"move": "deal", "step": "0"}, 409),
        ):
            assert client.post(address, data=form, headers=JSON).status_code == status
        assert len(store_of(app).results(address[-16:])) == 1
    for slug in GAMES:
        assert [number for number, _ in rounds(app, client, slug)] == list(range(1, 21))
    with client.session_transaction() as session:
        saved = store_of(app).load(session.sid)  # type: ignore[attr-defined]
    assert saved
    assert len(saved.data) < 12_000


def test_who_has_ten_deals_open_finishes_one_first(client: FlaskClient) -> None:
    addresses = [made(client) for _ in range(11)]
    for address in addresses[:10]:
        play(client, address, "deal")
    for headers in ({}, JSON):
        form = {"move": "deal", "step": "0"}
        answer = client.post(addresses[10], data=form, headers=headers)
        assert answer.status_code == 422
        assert "10 other deals" in answer.text
    assert len(rows_of(client)) == 10
    assert at(client, addresses[10])["step"] == 0
    play(client, addresses[4], "stay")
    play(client, addresses[10], "deal")
    assert f"deal:{addresses[4][-16:]}" not in rows_of(client)  # the finished one made room
    assert all(at(client, address)["step"] for address in addresses)


def test_deals_that_are_gone_make_room(app: flask.Flask, client: FlaskClient) -> None:
    addresses = [made(client) for _ in range(11)]
    for address in addresses[:10]:
        play(client, address, "deal")
    store: Any = store_of(app)
    store._write("DELETE FROM deal WHERE id = ?", addresses[2][-16:])
    play(client, addresses[10], "deal")
    assert len(rows_of(client)) == 10


def test_who_comes_after_the_thousandth_result_is_told_and_never_counted(
    app: flask.Flask, client: FlaskClient
) -> None:
    address = made(client, kind="counted", deck=BY_HAND)
    data = msgspec.msgpack.encode(Outcome("dealer", "stay", 2, 0))
    many = [Result(address[-16:], f"{number:032x}", data) for number in range(MOST_RESULTS)]
    store_of(app).save("crowd", 0, b"", many)
    play(client, address, "deal", "hit", "hit", "stay")
    page = client.get(address).text
    assert "as many results as it can keep" in page
    assert told(client, address)["ends"] == {"won": 1, "tied": 0, "lost": 1000}
    assert rounds(app, client, "simple-21") == []
    assert len(store_of(app).results(address[-16:])) == MOST_RESULTS


def test_a_table_that_cannot_be_read_is_not_counted_again(
    app: flask.Flask, client: FlaskClient
) -> None:
    address = made(client, kind="counted", deck=BY_HAND)
    play(client, address, "deal", "hit", "hit", "stay")
    interface: Any = app.session_interface
    with client.session_transaction() as session:
        row = session[f"deal:{address[-16:]}"]
        session[f"deal:{address[-16:]}"] = Row(row.step, msgspec.Raw(b"\xc0"), row.book)
        assert interface.commit(session)
    table = at(client, address)
    assert table["view"]["phase"] == "ready"
    play(client, address, "deal", "stay")
    (result,) = store_of(app).results(address[-16:])
    assert msgspec.msgpack.decode(result.data, type=Outcome).winner == "player"  # the first counts
    assert len(rounds(app, client, "simple-21")) == 1


def test_results_are_anonymous_and_differ_from_deal_to_deal(
    app: flask.Flask, client: FlaskClient
) -> None:
    addresses = [made(client), made(client)]
    for address in addresses:
        to_the_end(client, address, random.Random(1))
    one, two = (store_of(app).results(address[-16:])[0] for address in addresses)
    assert one.player != two.player
    with client.session_transaction() as session:
        assert session.sid not in repr((one, two))  # type: ignore[attr-defined]


# ---- What stands there afterwards ----------------------------------------------------------


def a_class(app: flask.Flask, address: str) -> dict[str, FlaskClient]:
    """Eight stay on 16, five on 18, four on 21, and three go bust: twenty players."""
    found = {}
    for name, players, moves in (
        ("stay", 8, ("stay",)),
        ("hit", 5, ("hit", "stay")),
        ("hit hit", 4, ("hit", "hit", "stay")),
        ("bust", 3, ("hit", "hit", "hit")),
    ):
        for _ in range(players):
            found[name] = app.test_client()
            play(found[name], address, "deal", *moves)
    return found


def test_results_beside_everyone_elses(app: flask.Flask, client: FlaskClient) -> None:
    """Worked out by hand in test_onedeal.py: 19 beats 16 and 18; 21 wins at once; 31 is bust."""
    address = made(client, deck=BY_HAND)
    players = a_class(app, address)
    found = told(players["hit hit"], address)
    assert found["finished"] == 20
    assert found["ends"] == {"won": 4, "tied": 0, "lost": 16}
    assert found["yours"] == "won"
    assert found["decisions"] == [
        {
            "hand": "16 against a ten",
            "yours": "hit",
            "hit": {"players": 12, "won": 4, "tied": 0, "lost": 8},
            "stay": {"players": 8, "won": 0, "tied": 0, "lost": 8},
        },
        {
            "hand": "18 against a ten",
            "yours": "hit",
            "hit": {"players": 7, "won": 4, "tied": 0, "lost": 3},
            "stay": {"players": 5, "won": 0, "tied": 0, "lost": 5},
        },
        {
            "hand": "21 against a ten",
            "yours": "stay",
            "hit": {"players": 3, "won": 0, "tied": 0, "lost": 3},
            "stay": {"players": 4, "won": 4, "tied": 0, "lost": 0},
        },
    ]
    assert told(players["stay"], address)["decisions"][1]["yours"] is None
    assert told(players["bust"], address)["yours"] == "lost"
    page = players["hit hit"].get(address).text
    text = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    assert "20 players have finished this deal." in text
    assert "Won you 4 20% Tied 0 0% Lost 16 80%" in text
    assert "16 against a ten hit you 12 4 0 8 stay 8 0 0 8" in text
    assert "21 against a ten hit 3 0 0 3 stay you 4 4 0 0" in text
    assert "Hitting 16 against a ten was the best play." in text
    assert "Hitting 18 against a ten cost you" in text


def test_the_luck_of_the_cards_adds_up(app: flask.Flask, client: FlaskClient) -> None:
    address = made(client, deck=BY_HAND)
    for name, player in a_class(app, address).items():
        page = player.get(address).text
        figures = re.findall(r"<dd>([-+]?\d+(?:\.\d+)?)</dd>", page[page.index('id="worth"') :])
        result, expected, cost, luck = map(float, figures)
        assert result == (1 if name == "hit hit" else -1)
        assert result == pytest.approx(expected + luck - cost, abs=0.011)
        assert "loses with these cards" in page  # the best play hits 16, and stays on 18


def test_the_coach_can_be_off(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path, coach=False))
    client = app.test_client()
    address = made(client, deck=BY_HAND)
    play(client, address, "deal", "stay")
    page = client.get(address).text
    assert "best play" not in page
    assert 'id="worth"' not in page
    assert 'id="parted"' in page


def test_nothing_is_decided_at_war_and_bingo(app: flask.Flask, client: FlaskClient) -> None:
    for slug in ("war", "bingo"):
        address = made(client, slug)
        for _ in range(3):
            player = app.test_client()
            table = to_the_end(player, address, random.Random(1))
        page = player.get(address).text
        assert "There is nothing to decide in this game" in page
        assert "3 players have seen it to the end" in page
        assert 'class="spread"' not in page
        count = table["view"]["turn"] if slug == "war" else len(table["view"]["called"])
        assert f"after {count} " in page


def test_a_sixth_game_has_deal_links_as_it_is(
    app: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its round is over with the deal: there is nothing to decide and nobody's tally."""
    monkeypatch.setitem(GAMES, "high-card", HighCard())
    own = FileSystemLoader(Path(__file__).parent / "templates")
    assert app.jinja_loader
    monkeypatch.setattr(app.jinja_env, "loader", ChoiceLoader([own, app.jinja_loader]))
    maker = app.test_client()
    assert "High Card" in maker.get("/deals?table=high-card").text
    address = made(maker, "high-card", kind="counted")
    shown = []
    for _ in range(3):
        client = app.test_client()
        shown.append(play(client, address, "deal")["view"]["shown"])
        assert "finished this deal" in client.get(address).text
        assert rounds(app, client, "high-card") == [(1, address[-16:])]
    assert shown[0] == shown[1] == shown[2]
    assert told(client, address)["finished"] == 3


@games
def test_the_whole_record_and_every_card_stand_there(client: FlaskClient, slug: str) -> None:
    address = made(client, slug)
    assert "record" not in told(client, address)
    to_the_end(client, address, random.Random(6))
    record = parse(told(client, address)["record"])
    assert record.is_whole
    page = client.get(address).text
    assert record.text in page
    assert cards_named(page) == set(FULL_DECK)
    (link,) = re.findall(r'href="(/replay/[^"]*)"', page)
    assert client.get(link).status_code == 200
    for seal, text in re.findall(r"<code>([0-9a-f]{64})</code></p>\s*<p><code>([^<]*)<", page):
        assert sha256(text.encode()).hexdigest() == seal
    shuffles = len(re.findall(r"<code>[0-9a-f]{64}</code>", page))
    assert shuffles == (2 if slug == "bingo" else 1)


@games
def test_the_seal_is_shown_before_and_opened_after(client: FlaskClient, slug: str) -> None:
    address = made(client, slug)
    play(client, address, "deal")
    before = set(re.findall(r"<code>([0-9a-f]{64})</code>", client.get(address).text))
    assert before
    to_the_end(client, address, random.Random(6))
    assert set(re.findall(r"<code>([0-9a-f]{64})</code>", client.get(address).text)) == before


def test_at_war_with_a_deck_file_the_salt_of_the_reshuffles_is_sealed(client: FlaskClient) -> None:
    address = made(client, "war", deck=BY_HAND)
    table = play(client, address, "deal")
    form = {"move": "turn", "turns": "1", "step": str(table["step"])}
    client.post(address, data=form)
    (seal,) = re.findall(r"<code>([0-9a-f]{64})</code>", client.get(address).text)
    to_the_end(client, address, random.Random(1))
    page = client.get(address).text
    ((opened, salt),) = re.findall(r"<code>([0-9a-f]{64})</code></p>\s*<p><code>([^<]*)<", page)
    assert seal == opened == sha256(salt.encode()).hexdigest()


def test_the_pages_speak_german(client: FlaskClient) -> None:
    german = {"Accept-Language": "de"}
    address = made(client, deck=BY_HAND)
    assert client.get("/deals", headers=german).status_code == 200
    play(client, address, "deal", "stay")
    assert '<html lang="de"' in client.get(address, headers=german).text


# ---- What is hidden ------------------------------------------------------------------------

SEED = "a seed that nobody guesses"


def encodings(salt: bytes, seed: str) -> list[str]:
    """How a secret might stand in an answer."""
    return [
        seed,
        salt.hex(),
        salt.hex().upper(),
        base64.b64encode(salt).decode().rstrip("="),
        base64.urlsafe_b64encode(salt).decode().rstrip("="),
        sha256(seed.encode()).hexdigest()[:16],
        str(int.from_bytes(salt, "big")),
    ]


def everything(client: FlaskClient, address: str, step: int) -> Iterator[TestResponse]:
    """Every answer that a player of a deal can get without a move."""
    for path in (address, f"{address}/results", "/deals", "/", f"{address}/odds"):
        for headers in ({}, JSON):
            yield client.get(path, headers=headers)
    for form in (
        {"move": "hit", "step": str(step + 1)},
        {"move": "fold", "step": str(step)},
        {"move": "deal", "step": str(step), "deck": BY_HAND},
    ):
        for headers in ({}, JSON):
            yield client.post(address, data=form, headers=headers)


def said_by(answer: TestResponse) -> str:
    head = "\n".join(f"{name}: {value}" for name, value in answer.headers)
    return f"{answer.request.path}\n{head}\n{answer.text}"


@pytest.mark.parametrize("slug", TWENTY_ONE)
@pytest.mark.parametrize("source", ["seed", "deck", "secret"])
def test_no_answer_names_an_undealt_card_before_the_end(
    app: flask.Flask, slug: str, source: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also to the maker, and while others have finished and know every card."""
    rng, maker = random.Random(12), app.test_client()
    for _ in range(6):
        deck = "\n".join(shuffled(FULL_DECK, rng))
        fields = {"seed": {"seed": SEED}, "deck": {"deck": deck}, "secret": {}}[source]
        answer = maker.post("/deals", data={"table": slug, **fields})
        address = answer.headers["Location"]
        assert not cards_named(said_by(answer))
        data = store_of(app).deal(address[-16:])
        assert data
        salt = msgspec.msgpack.decode(data, type=Deal).salt
        for _ in range(3):
            to_the_end(app.test_client(), address, rng)
        for client in (maker, app.test_client()):
            table = at(client, address)
            while table["moves"]:
                key = f"deal:{address[-16:]}"
                with client.session_transaction() as session:
                    row = session.get(key)
                hidden: set[Any] = set(FULL_DECK)
                if row:
                    state = msgspec.msgpack.decode(row.state, type=GAMES[slug].state_type)
                    hidden = set(hidden_cards(state, GAMES[slug].rules.hole))  # type: ignore[attr-defined]
                for answer in everything(client, address, table["step"]):
                    text = said_by(answer)
                    assert not cards_named(text) & hidden
                    assert not [one for one in encodings(salt, SEED) if one in text]
                table = play(client, address, rng.choice(table["moves"])["name"])
    logged = capfd.readouterr()
    assert not cards_named(logged.out + logged.err)
    assert SEED not in logged.out + logged.err


@games
def test_no_answer_depends_on_what_is_hidden(app: flask.Flask, slug: str) -> None:
    """The same bytes, whatever lies where the player cannot look: also for another deal's cards.

    Both the table in the session and the deal in the store are dealt anew.
    """
    rng, maker, client = random.Random(14), app.test_client(), app.test_client()
    interface: Any = app.session_interface
    different = 0
    for number in range(8):
        address = made(maker, slug, seed=f"{number}")
        deal, key = address[-16:], f"deal:{address[-16:]}"
        for _ in range(number % 3):
            to_the_end(app.test_client(), address, rng)
        table = play(client, address, "deal")
        while True:
            with client.session_transaction() as session:
                row = session[key]
            state = msgspec.msgpack.decode(row.state, type=GAMES[slug].state_type)
            if not table["moves"]:
                break
            other = HIDDEN[slug](state, rng)
            different += other != state
            answers = []
            data = store_of(app).deal(deal)
            assert data
            for shown, stored in ((state, data), (other, resalted(data, rng))):
                put_deal(app, deal, stored)
                with client.session_transaction() as session:
                    packed = msgspec.Raw(msgspec.msgpack.encode(shown))
                    session[key] = msgspec.structs.replace(row, state=packed)
                    assert interface.commit(session)
                answers.append([stripped(one) for one in everything(client, address, row.step)])
            assert answers[0] == answers[1]
            put_deal(app, deal, data)
            with client.session_transaction() as session:
                session[key] = row
                assert interface.commit(session)
            table = play(client, address, rng.choice(table["moves"])["name"])
    assert different >= 6


def resalted(data: bytes, rng: random.Random) -> bytes:
    deal = msgspec.msgpack.decode(data, type=Deal)
    return msgspec.msgpack.encode(msgspec.structs.replace(deal, salt=rng.randbytes(16)))


def put_deal(app: flask.Flask, deal: str, data: bytes) -> None:
    store: Any = store_of(app)
    assert store._write("UPDATE deal SET data = ? WHERE id = ?", data, deal) == 1


def stripped(answer: TestResponse) -> tuple[Any, ...]:
    headers = [header for header in answer.headers if header[0] != "X-Request-Id"]
    return answer.status_code, headers, answer.get_data()


@games
def test_who_has_not_finished_hears_how_many_have_and_nothing_of_how(
    app: flask.Flask, slug: str
) -> None:
    """Two classes that have done differently look the same to who comes after them."""
    rng, pages = random.Random(15), []
    address = made(app.test_client(), slug)
    newcomer = app.test_client()
    play(newcomer, address, "deal")
    store: Any = store_of(app)
    for result in ("player", "dealer"):
        store._write("DELETE FROM result WHERE deal = ?", address[-16:])
        for number in range(5):
            moves = rng.choice(["stay", "hit stay", "hit*2"])
            data = msgspec.msgpack.encode(Outcome(result, moves, 2, number))
            one = Result(address[-16:], f"{rng.getrandbits(128):032x}", data)
            store.save(f"{result}{number}", 0, b"", [one])
        pages.append([stripped(answer) for answer in everything(newcomer, address, 1)])
    assert pages[0] == pages[1]
    assert told(newcomer, address)["finished"] == 5
    assert set(told(newcomer, address)) == {"deal", "address", "game", "kind", "finished"}


# ---- Served: sixty at once, two stores, and processes killed -------------------------------


@pytest.fixture(params=["sqlite", "redis"])
def environment(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param == "sqlite":
        return {}
    redis: Redis = request.getfixturevalue("redis")
    RedisStore(redis.url).redis.flushall()
    return {"SESSION_STORE": redis.url}


def undealt(deck: list[str], table: dict[str, Any]) -> set[str]:
    """The cards that nobody at this table can know; the fourth is the hole card."""
    if table["view"]["phase"] == "ready":
        return set(deck)
    down = {deck[3]} if None in table["view"]["dealer"]["cards"] else set()
    hits = len(table["view"]["player"]["cards"]) - 2
    return down | set(deck[4 + hits :])


def one_of_sixty(port: int, address: str, number: int, start: Barrier) -> dict[str, Any]:
    """Play a deal over HTTP as fast as one can; return all that was seen on the way."""
    rng = random.Random(number)
    with closing(Player(port)) as player:
        start.wait()
        seen: list[tuple[dict[str, Any], list[str]]] = []
        tables = [player.json(address)[1]]
        while True:
            table = tables[-1]
            texts = [
                str(response.headers) + text
                for response, text in (
                    player.request("GET", path, headers=headers)
                    for path in (address, f"{address}/results")
                    for headers in ({}, JSON)
                )
            ]
            seen.append((table, texts))
            if not table["moves"]:
                break
            move = rng.choice(table["moves"])["name"]
            form = {"move": move, "step": str(table["step"])}
            double = player.json(address, form), player.json(address, form)  # a double click
            assert [status for status, _ in double] == [200, 409]
            tables.append(double[0][1])
        return {"seen": seen, "results": player.json(f"{address}/results")[1]}


def test_sixty_at_once_meet_the_same_cards_and_see_none_too_early(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    deck = BY_HAND.split("\n")
    with Server(tmp_path, WORKERS="2", **environment) as server:
        assert len(server.processes()) >= 3
        with closing(Player(server.port)) as maker:
            form = {"table": "simple-21", "kind": "counted", "deck": BY_HAND}
            address = maker.json("/deals", form)[1]["address"]
            start = Barrier(60)
            with ThreadPoolExecutor(60) as pool:
                futures = [
                    pool.submit(one_of_sixty, server.port, address, number, start)
                    for number in range(60)
                ]
                played = [future.result() for future in futures]
            views: dict[Any, Any] = {}
            for one in played:
                for table, texts in one["seen"]:
                    over = not table["moves"]
                    hand = table["view"]["player"]["cards"]
                    assert hand == [deck[0], deck[2], *deck[4:]][: len(hand)]
                    view = views.setdefault((len(hand), table["step"], over), table["view"])
                    assert table["view"] == view  # equal decisions, equal tables
                    if not over:
                        hidden = undealt(deck, table)
                        assert len(hidden) > 40
                        for text in texts:
                            assert not cards_named(text) & hidden
            ends = Counter(one["results"]["yours"] for one in played)
            with closing(Player(server.port)) as last:
                for step, move in enumerate(("deal", "stay")):
                    last.json(address, {"move": move, "step": str(step)})
                final = last.json(f"{address}/results")[1]
        assert final["finished"] == 61
        assert {**ends, "lost": ends["lost"] + 1} == {
            name: count for name, count in final["ends"].items() if count
        }
        assert sum(count for count in final["ends"].values()) == 61
        assert (
            final["decisions"][0]["hit"]["players"] + final["decisions"][0]["stay"]["players"] == 61
        )
    store: Any = (
        RedisStore(environment["SESSION_STORE"])
        if environment
        else store_of(create_app(Settings(data_dir=tmp_path)))
    )
    results = store.results(address[-16:])
    assert len({result.player for result in results}) == len(results) == 61


def test_kill_nine_in_the_middle_keeps_what_was_answered(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """Every move of three players is followed by a kill of all processes."""
    address, cookies, tables = "", [""] * 3, [0] * 3
    environment = {**environment, "SECRET_KEY": "the same key, and long enough for a test"}
    plans = [["deal", "stay"], ["deal", "hit", "hit", "stay"], ["deal", "hit"]]
    finished = 0
    for turn in range(4):
        for who, plan in enumerate(plans):
            if turn >= len(plan):
                continue
            with Server(tmp_path, **environment) as server, closing(Player(server.port)) as player:
                player.cookie = cookies[who]
                if not address:
                    form = {"table": "simple-21", "kind": "counted", "deck": BY_HAND}
                    with closing(Player(server.port)) as maker:
                        address = maker.json("/deals", form)[1]["address"]
                status, table = player.json(address)
                assert (status, table["step"]) == (200, tables[who])
                form = {"move": plan[turn], "step": str(table["step"])}
                status, table = player.json(address, form)
                assert status == 200
                server.kill()
                cookies[who], tables[who] = player.cookie, table["step"]
                finished += not table["moves"]
    with Server(tmp_path, **environment) as server:
        for who, wanted in enumerate(("lost", "won", None)):
            with closing(Player(server.port)) as player:
                player.cookie = cookies[who]
                found = player.json(f"{address}/results")[1]
                assert found["finished"] == finished == 2
                assert found.get("yours") == wanted
                assert player.json(address)[1]["step"] == tables[who]
                history = player.json("/simple-21/history")[1]["rounds"]
                assert len(history) == (wanted is not None)


def test_one_player_in_eight_tabs_is_counted_once(tmp_path: Path) -> None:
    """Eight copies of the last move at the same moment, in thirty deals: one result each."""
    with Server(tmp_path) as server, ExitStack() as seats:
        tabs = [seats.enter_context(closing(Player(server.port))) for _ in range(8)]
        for number in range(30):
            form = {"table": "simple-21", "kind": "counted", "deck": BY_HAND}
            address = tabs[0].json("/deals", form)[1]["address"]
            tabs[0].json(address, {"move": "deal", "step": "0"})
            start = Barrier(8)

            def stay(tab: Player, address: str = address, start: Barrier = start) -> int:
                tab.cookie = tabs[0].cookie
                start.wait()
                return tab.json(address, {"move": "stay", "step": "1"})[0]

            with ThreadPoolExecutor(8) as pool:
                assert sorted(pool.map(stay, tabs)) == [200] + [409] * 7
            assert tabs[0].json(f"{address}/results")[1]["finished"] == 1
            history = tabs[0].json("/simple-21/history")[1]["rounds"]
            assert [one["number"] for one in history] == list(range(number + 1, 0, -1))


# ---- In a browser --------------------------------------------------------------------------


def walk(page: Page, address: str) -> Iterator[str]:
    """Make deals in the form, play them, and stop at every page on the way."""
    for slug, button in (("simple-21", "Stay"), ("war", "To the end"), ("bingo", "until BINGO!")):
        page.goto(f"{address}/deals?table={slug}")
        yield f"{slug}: the form"
        page.get_by_label("Counted").check()
        page.get_by_role("button", name="Make the link").click()
        page.wait_for_url("**/deal/*")
        yield f"{slug}: ready"
        page.get_by_text("The address, and how it works").click()
        expect(page.get_by_label("Send this address on")).to_have_value(page.url)
        page.get_by_role("button", name="Deal").click()
        page.get_by_role("button", name=button).wait_for()
        yield f"{slug}: playing"
        page.get_by_role("button", name=button).click()
        page.get_by_role("heading", name="Everyone with these cards").wait_for()
        yield f"{slug}: over"
        for summary in page.locator(".deal-over summary").all():
            summary.click()
        yield f"{slug}: all the cards"
    page.goto(f"{address}/deals?table=bingo")
    page.get_by_text("Calling deck of your own").click()
    page.locator("textarea[name=calling_deck]").fill("not a card")
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_role("alert")).to_contain_text("Cannot populate deck")
    yield "refused"
    page.goto(f"{address}/deal/{'0' * 16}")
    yield "no such deal"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Server(tmp_path_factory.mktemp("deals")) as server:
        yield f"http://127.0.0.1:{server.port}"


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 1200), ("light", 360)])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    browser: Browser,
    site: str,
    scheme: str,
    width: int,
    script: bool,  # noqa: FBT001
) -> None:
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 800}}
    context = browser.new_context(**options, java_script_enabled=script, reduced_motion="reduce")
    page = context.new_page()
    for state in walk(page, site):
        if script:
            found = Axe().run(page)
            assert found.violations_count == 0, f"{state}: {found.generate_report()}"
            assert page.evaluate("document.documentElement.scrollWidth") <= width, state
    context.close()
