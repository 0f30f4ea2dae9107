"""Making a deal link: its form, its seed, its address, its preview."""

import io
import re
import time
from hashlib import sha256
from itertools import product
from pathlib import Path

import flask
import msgspec
import pytest
import segno
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from tests.support.hidden import cards_named
from tests.support.site import (
    GERMAN,
    JSON,
    deal_fields,
    finish,
    id_of,
    look,
    made_deal,
    stacked,
    store_of,
    visitor,
)
from web.deals import storage, views
from web.deals.deal import Deal

games = pytest.mark.parametrize("slug", GAMES)


@games
@pytest.mark.parametrize("kind", ["practice", "counted"])
def test_every_table_can_have_a_deal_of_either_kind(
    client: FlaskClient, slug: str, kind: str
) -> None:
    form = {"table": slug, "kind": kind, **deal_fields(slug)}
    answer = client.post("/deals", data=form, headers=JSON).get_json()
    address = f"/deal/{answer['deal']}"
    assert answer == {"deal": answer["deal"], "address": address, "game": slug, "kind": kind}
    where = client.post("/deals", data=form).headers["Location"]
    assert re.fullmatch("/deal/[0-9a-f]{16}/link", where)
    ready, address = client.get(where).text, where.removesuffix("/link")
    assert ("first try counts" in ready) == (kind == "counted")
    page = client.get(address).text
    assert ("is not kept in your history" in page) == (kind == "practice")
    assert ("it is a round in your history" in page) == (kind == "counted")
    assert address in page  # to be sent on
    chosen = {"war": {"Players": "3 players"}, "bingo": {"Mode": "Line"}}
    for title, value in chosen.get(slug, {}).items():
        assert f"{title}: <strong>{value}</strong>" in page  # as the game calls it


# ---- Seeds ---------------------------------------------------------------------------------


def record_of(client: FlaskClient, address: str) -> str:
    """Play a deal to its end, and return the shuffle in its record."""
    finish(client, address)
    record: str = look(client, f"{address}/results")["record"]
    return record.split(" ")[2]


def test_a_practice_seed_gives_everybody_the_same_cards(app: flask.Flask) -> None:
    ann, ben = app.test_client(), app.test_client()
    addresses = [made_deal(one, seed=seed) for one, seed in ((ann, "week 3"), (ben, " week 3 "))]
    first, second = (record_of(ann, address) for address in addresses)
    assert first == second
    assert addresses[0] != addresses[1]
    assert record_of(ann, made_deal(ann, seed="week 4")) != first
    assert record_of(ann, made_deal(ann)) != first


def test_a_counted_seed_is_its_makers_alone(app: flask.Flask) -> None:
    """Not found by a practice deal, nor by a counted one of somebody else."""
    maker, other = app.test_client(), app.test_client()
    address = made_deal(maker, seed="week 7", kind="counted")
    dealt = record_of(maker, address)
    assert record_of(maker, made_deal(maker, seed="week 7", kind="counted")) == dealt
    assert record_of(maker, made_deal(maker, seed="week 8", kind="counted")) != dealt
    for client, kind in ((maker, "practice"), (other, "practice"), (other, "counted")):
        assert record_of(client, made_deal(client, seed="week 7", kind=kind)) != dealt
    open_seed, own_seed = "whoever knows the seed can find", "nobody else can find them by it"
    page = other.get(address).text
    assert own_seed in page
    assert open_seed not in page
    assert open_seed in other.get(made_deal(maker, seed="week 7")).text


def kept_deal(client: FlaskClient, address: str) -> bytes:
    data = storage.deal_data(store_of(client.application), id_of(address))
    assert data
    return data


def test_what_a_seed_stands_for_takes_the_servers_key(client: FlaskClient) -> None:
    """By RFC 2104 written out, so that nobody can try seeds without the key."""
    data = kept_deal(client, made_deal(client, "war", seed="week 3"))
    key = client.application.config["SECRET_KEY"].encode()
    if len(key) > 64:
        key = sha256(key).digest()
    inner, outer = (bytes(byte ^ pad for byte in key.ljust(64, b"\0")) for pad in (0x36, 0x5C))
    text = b"cardgames deal link 1 war week 3"
    salt = sha256(outer + sha256(inner + text).digest()).digest()[:16]
    assert msgspec.msgpack.decode(data, type=Deal).salt == salt


# ---- The form ------------------------------------------------------------------------------


def test_a_form_page_for_every_table_that_writes_nothing(client: FlaskClient) -> None:
    for slug in ("", "nothing", *GAMES):
        answer = client.get(f"/deals?table={slug}")
        assert answer.status_code == 200
        assert "Set-Cookie" not in answer.headers
        for field, one in GAMES[slug].deals.fields.items() if slug in GAMES else ():
            assert f'name="{field}"' in answer.text
            assert one.title in answer.text
    assert look(client, "/deals") == {"deals": []}
    assert list(store_of(client.application).places()) == []


BAD: dict[str, dict[str, str]] = {
    "no table": {},
    "another table": {"table": "poker"},
    "another kind": {"table": "war", "players": "2", "kind": "serious"},
    "a field too many": {"table": "blackjack", "players": "2"},
    "a move": {"table": "blackjack", "move": "deal"},
    "seven players": {"table": "war", "players": "7"},
    "no players": {"table": "war"},
    "equal names": {"table": "war", "players": "2", "names": "Amy,Amy"},
    "another mode": {"table": "bingo", "mode": "X", "speed": "N"},
    "no speed": {"table": "bingo", "mode": "L"},
    "a short deck": {"table": "blackjack", "deck": "KS\nQH"},
    "a bad calling deck": {"table": "bingo", "mode": "L", "speed": "N", "calling_deck": "9H"},
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_deal_is_refused_in_one_sentence_and_nothing_is_stored(
    client: FlaskClient, what: str
) -> None:
    form = {**BAD[what], "seed": "the secret seed"}
    answer, page = client.post("/deals", data=form, headers=JSON), client.post("/deals", data=form)
    assert answer.status_code == page.status_code == 422
    assert set(answer.get_json()) == {"error"}
    assert "\n" not in answer.get_json()["error"]
    assert 'role="alert"' in page.text
    for sent in (answer, page):
        assert "Set-Cookie" not in sent.headers
        assert "secret seed" not in sent.text
        assert not cards_named(sent.text)
    assert list(store_of(client.application).places()) == []


def test_a_bad_deck_file_is_refused_as_at_the_tables(client: FlaskClient) -> None:
    form = {"table": "one-deck", "deck": (io.BytesIO(b"KS\nQQ"), "homework.txt")}
    error = client.post("/deals", data=form, headers=JSON).get_json()["error"]
    assert error.startswith("Cannot populate deck: invalid data in homework.txt: line 2 has")
    form = {"table": "one-deck", "seed": (io.BytesIO(b"KS"), "seed.txt")}
    assert client.post("/deals", data=form, headers=JSON).status_code == 422


def test_json_is_accepted_and_strange_texts_are_no_fault(client: FlaskClient) -> None:
    war = {"table": "war", "players": 2}
    for seed in (7, "\x00", "♠" * 1_000):
        assert client.post("/deals", json={**war, "seed": seed}, headers=JSON).status_code == 200
    half = "\ud800"  # of a character: no text
    for field, headers in product(("seed", "names"), (JSON, {})):
        assert client.post("/deals", json={**war, field: half}, headers=headers).status_code == 400


def test_a_deal_is_small(client: FlaskClient) -> None:
    """The largest there is: six names of twenty four-byte characters, or two decks."""
    names = ",".join(chr(0x1F600 + seat) * 20 for seat in range(6))
    deck = stacked("KS")
    for address in (
        made_deal(client, "war", players="6", names=f"  {names}  ", deck=deck, seed="x" * 1_000),
        made_deal(client, "bingo", bingo_deck=deck, calling_deck=deck),
    ):
        assert len(kept_deal(client, address)) < 1_000


def test_a_session_makes_fifty_a_day(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(50):
        made_deal(client)
    answer = client.post("/deals", data={"table": "simple-21"}, headers=JSON)
    assert answer.status_code == 429
    assert "today" in answer.get_json()["error"]
    assert client.post("/deals", data={"table": "simple-21"}).status_code == 429
    assert len(look(client, "/deals")["deals"]) == 10
    now = time.time()
    monkeypatch.setattr(views.time, "time", lambda: now + 86_400)
    made_deal(client)


# ---- The address ---------------------------------------------------------------------------


def test_its_maker_is_reminded_of_it(client: FlaskClient) -> None:
    addresses = [made_deal(client, slug) for slug in GAMES]
    shown = look(client, "/deals")["deals"]
    assert [one["address"] for one in shown] == addresses[::-1]
    page = client.get("/deals").text
    assert all(address in page for address in addresses)


def test_behind_a_proxy_the_address_is_whole(tmp_path: Path) -> None:
    client = visitor(tmp_path, url_prefix="/cards", trusted_proxies=1)
    proxy = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "school.example"}
    form = {"table": "blackjack"}
    answer = client.post("/cards/deals", data=form, headers={**JSON, **proxy}).get_json()
    address = f"/cards/deal/{answer['deal']}"
    assert answer["address"] == address
    page = client.get(f"{address}/link", headers=proxy).text
    assert f">https://school.example{address}</textarea>" in page
    assert f'href="{address}"' in page
    table = client.get(address, headers=proxy).text
    assert f'value="https://school.example{address}"' in table
    assert f'action="{address}"' in table


def test_its_preview_speaks_the_language_of_its_maker_and_names_no_card(
    client: FlaskClient,
) -> None:
    """A chat reads it without a session and without a language."""
    address = made_deal(client, "blackjack", headers=GERMAN)
    page = client.get(address).text
    tags = dict(re.findall(r'<meta property="og:([a-z:_]+)" content="([^"]*)">', page))
    assert tags["title"] == "Blackjack: deine Karten sind gegeben"
    assert tags["locale"] == "de_DE"
    assert tags["url"] == f"http://localhost{address}"
    assert tags["image"].endswith("/previews/blackjack-de.jpg")
    with client.get(tags["image"].removeprefix("http://localhost")) as picture:
        assert (picture.status_code, picture.mimetype) == (200, "image/jpeg")
    names = "|".join(card.full_name for card in FULL_DECK)
    assert not re.search(names, " ".join(tags.values()))
    assert f'content="{tags["title"]}"' in client.get(f"{address}/link").text


def test_a_link_that_is_ready_is_whole_and_says_what_comes_next(client: FlaskClient) -> None:
    address = made_deal(client, kind="counted")
    page = client.get(f"{address}/link").text
    code = segno.make(f"http://localhost{address}", error="m", micro=False)
    for said in (
        f">http://localhost{address}</textarea>",
        code.svg_inline(border=4, dark="#000", light="#fff", svgclass="qr", omitsize=True),
        "Nobody has finished it yet.",
        f'href="{address}">Play it yourself<',
    ):
        assert said in page
    assert look(client, f"{address}/link")["address"] == address
