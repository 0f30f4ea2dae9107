"""No answer about a deal tells a card, or how it went, to somebody who has not finished it."""

import base64
import random
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import product

import flask
import msgspec
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.cards import FULL_DECK, shuffled
from cardgames.shuffling import Seals
from tests.support.amounts import few_or_all
from tests.support.answers import BOTH
from tests.support.hidden import HOLE, cards_named, check_names, resampled, said_by, whole
from tests.support.site import (
    BY_HAND,
    add_results,
    finish,
    id_of,
    look,
    made_deal,
    names_of,
    play,
    put,
    slot_at,
    store_of,
)
from web.deals.deal import Deal, PlayerResult
from web.deals.storage import deal_data

games = pytest.mark.parametrize("slug", GAMES)
SEED = "a seed that nobody guesses"


def everything(client: FlaskClient, address: str, step: int) -> Iterator[TestResponse]:
    """Every answer that a player of a deal can get without a move."""
    paths = (address, f"{address}/results", f"{address}/link", "/deals", "/", f"{address}/odds")
    for path, headers in product(paths, BOTH):
        yield client.get(path, headers=headers)
    forms = (
        {"move": "hit", "step": str(step + 1)},
        {"move": "fold", "step": str(step)},
        {"move": "deal", "step": str(step), "deck": BY_HAND},
    )
    for form, headers in product(forms, BOTH):
        yield client.post(address, data=form, headers=headers)


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


def kept_deal(app: flask.Flask, address: str) -> bytes:
    data = deal_data(store_of(app), id_of(address))
    assert data
    return data


@few_or_all("deals", 1, 4)
@pytest.mark.parametrize("slug", HOLE)
@pytest.mark.parametrize("source", ["seed", "deck", "secret"])
def test_no_answer_names_an_undealt_card_before_the_end(
    app: flask.Flask, slug: str, source: str, capfd: pytest.CaptureFixture[str], deals: int
) -> None:
    """Also to the maker, and while others have finished and know every card."""
    rng, maker, game = random.Random(12), app.test_client(), GAMES[slug]
    for _ in range(deals):
        deck = "\n".join(shuffled(FULL_DECK, rng))
        fields = {"seed": {"seed": SEED}, "deck": {"deck": deck}, "secret": {}}[source]
        answer = maker.post("/deals", data={"table": slug, **fields})
        address = answer.headers["Location"].removesuffix("/link")
        assert not cards_named(said_by(answer))
        salt = msgspec.msgpack.decode(kept_deal(app, address), type=Deal).salt
        for _ in range(3):
            finish(app.test_client(), address, rng)
        for client in (maker, app.test_client()):
            table = look(client, address)
            while table["moves"]:
                state = slot_at(client, address).table.state
                hidden = game.hidden(state) if state else FULL_DECK
                answers = [*everything(client, address, table["step"])]
                check_names(answers, hidden)
                for text in map(said_by, answers):
                    assert not [one for one in encodings(salt, SEED) if one in text]
                table = play(client, address, rng.choice(names_of(table)))
    logged = capfd.readouterr()
    assert not cards_named(logged.out + logged.err)
    assert SEED not in logged.out + logged.err


@few_or_all("deals", 3, 8)
@games
def test_no_answer_depends_on_what_is_hidden(app: flask.Flask, slug: str, deals: int) -> None:
    """The same bytes, whatever lies where the player cannot look: also for another deal's cards.

    Both the table in the session and the deal in the store are dealt anew.
    """
    rng, maker, client = random.Random(14), app.test_client(), app.test_client()
    different = compared = 0
    for number in range(deals):
        address = made_deal(maker, slug, seed=f"{number}")
        data = kept_deal(app, address)
        for _ in range(number % 3):
            finish(app.test_client(), address, rng)
        shown = play(client, address, "deal")
        while shown["moves"]:
            slot = slot_at(client, address)
            other = resampled(GAMES[slug], slot.table.state, rng)
            different += other != slot.table.state
            answers = []
            for state, deal in ((slot.table.state, data), (other, resalted(data, rng))):
                put_deal(app, address, deal)
                put(client, address, replace(slot.table, state=state))
                found = everything(client, address, slot.step)
                answers.append([whole(one, slot.table.seals) for one in found])
            assert answers[0] == answers[1]
            compared += 1
            put_deal(app, address, data)
            put(client, address, slot.table)
            name = rng.choice(names_of(shown))
            (asked,) = (move["fields"] for move in shown["moves"] if move["name"] == name)
            most = {field: list(options)[-1] for field, options in asked.items()}
            shown = play(client, address, name, **most)
    assert different >= 0.75 * deals or not compared
    assert compared or not GAMES[slug].round_moves


def resalted(data: bytes, rng: random.Random) -> bytes:
    deal = msgspec.msgpack.decode(data, type=Deal)
    return msgspec.msgpack.encode(msgspec.structs.replace(deal, salt=rng.randbytes(16)))


def put_deal(app: flask.Flask, address: str, data: bytes) -> None:
    assert store_of(app).write(f"deal/{id_of(address)}", {"deal": data}, {})


@pytest.mark.parametrize("slug", [slug for slug, game in GAMES.items() if game.round_moves])
def test_who_has_not_finished_hears_how_many_have_and_nothing_of_how(
    app: flask.Flask, slug: str
) -> None:
    """Two classes that have done differently look the same to who comes after them."""
    rng, pages = random.Random(15), []
    address, newcomer = made_deal(app.test_client(), slug), app.test_client()
    play(newcomer, address, "deal")
    store, place = store_of(app), f"deal/{id_of(address)}"
    for result in ("player", "dealer"):
        before = store.scan(place, "result/").rows
        assert store.write(place, {**dict.fromkeys(before), "count": None}, {})
        for _ in range(5):
            moves = rng.choice(["stay", "hit stay", "hit*2"])
            who = f"{rng.getrandbits(128):032x}"
            add_results(app, address, {who: PlayerResult(result, moves, 2)})
        pages.append([whole(answer, Seals()) for answer in everything(newcomer, address, 1)])
    assert pages[0] == pages[1]
    told = look(newcomer, f"{address}/results")
    assert told["finished"] == 5
    assert set(told) == {"deal", "address", "game", "kind", "finished"}
