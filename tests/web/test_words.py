"""A search for text on pages that is not from a translation catalogue.

Every page is read in the invented language (``tests/support/languages.py``).
"""

import random

import pytest
from werkzeug import exceptions

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from tests.support.languages import Reader
from tests.support.site import deal_fields, finish, stacked, steps
from web.http import responses


@pytest.mark.parametrize("slug", ["simple-21", "blackjack", "one-deck"])
def test_a_twenty_one_table_is_said_in_every_state(reader: Reader, slug: str) -> None:
    path = f"/{slug}"
    reader.get(path)
    reader.play(path, "stay", 422)
    for deck in (
        *("AS\nAS\nXX\nAX\n\nABC", "\n".join(FULL_DECK[1:]), "\n".join((*FULL_DECK, "AC"))),
        "\ufeff" + "\n".join(FULL_DECK),
    ):
        reader.play(path, "deal", 422, deck=deck)
    reader.play(path, "deal", 422, wrong="x")
    reader.play(path, "deal", 409, step="77")
    rng = random.Random(slug)
    for coached, rounds in (("off", 2), ("before", 6)):
        reader.client.post("/coach", data={"table": slug, "mode": coached})
        for number in range(rounds):
            phase = reader.play(path, "deal", **({"deck": ""} if number == 0 else {}))
            if slug == "blackjack" and number == 1:
                phase = reader.play(path, "deal")
            while phase == "playing":
                phase = reader.play(path, rng.choice(["hit", "stay"]))
            if phase == "game over":
                break
        reader.play(path, "new")
    reader.play(path, "deal", deck=stacked("TS 9D 8S 7D"))
    reader.play(path, "stay")


def test_war_is_said_in_every_state(reader: Reader) -> None:
    reader.get("/war")
    for names in ("Ann, Zoë, Ann", "Ann, Ann", "Ann,,Zoë", "A" * 21, "Ann\x01"):
        reader.play("/war", "deal", 422, players="2", names=names)
    reader.play("/war", "deal", 422)
    reader.play("/war", "deal", 422, players="9")
    for players, names in (("2", "Ann, Zoë"), ("4", ""), ("6", "Ann")):
        reader.play("/war", "deal", players=players, names=names)
        for turns in ("1", "1", "1", "10", "100", "1", "all"):
            if reader.play("/war", "turn", turns=turns) == "game over":
                break


@pytest.mark.parametrize(("mode", "speed"), ["LN", "CY", "FN"])
def test_bingo_is_said_in_every_state(reader: Reader, mode: str, speed: str) -> None:
    reader.get("/bingo")
    reader.play("/bingo", "deal", 422, mode="wrong", speed="N")
    reader.play("/bingo", "deal", 422, mode=mode, speed=speed, calling_deck="AS\nAS")
    deck = f"{stacked('KS')}\n??\n11"
    for number in range(3):
        decks = {"bingo_deck": deck, "calling_deck": f"{deck}\n33"} if number == 0 else {}
        phase = reader.play("/bingo", "deal", mode=mode, speed=speed, **decks)
        for calls in ("1", "1", "5", "all"):
            if phase == "playing":
                phase = reader.play("/bingo", "call", calls=calls)


@pytest.mark.parametrize("slug", GAMES)
def test_a_deal_is_said_in_every_state(reader: Reader, slug: str) -> None:
    reader.get(f"/deals?table={slug}")
    named = {"names": "Ann"} if slug == "war" else {}
    made = {"table": slug, **deal_fields(slug), **named}
    for wrong in ({"table": "wrong"}, {"deck": "AS"}, {"wrong": "x"}):
        response = reader.client.post("/deals", data=made | wrong)
        assert response.status_code == 422
        reader.read(response, str(wrong))
    where = reader.client.post("/deals", data=made).headers["Location"]
    reader.get(where)
    where = where.removesuffix("/link")
    for other in (reader, Reader(reader.client.application)):
        other.get(where)
        other.play(where, "fold", 422)
        for _ in steps(other.client, where, random.Random(slug), option=-1):
            other.get(where)
        other.play(where, "deal", 422)
        other.get("/deals")
    reader.follow(slug)
    reader.get(f"{where[:-1]}x", 404)


def test_every_linked_page_is_translated(reader: Reader) -> None:
    for slug in GAMES:
        finish(reader.client, f"/{slug}", **({"names": "Ann"} if slug == "war" else {}))
        reader.get(f"/{slug}")
    reader.get("/lab")
    reader.follow()
    pages = ("/settings", "/deals", "/war/history", "/replay/", "/war/rules")
    for page in (*pages, "/bingo/rules", "/blackjack", "/lab", "/sheets"):
        assert any(link.startswith(page) for link in reader.read_so_far), page


@pytest.mark.parametrize("slug", GAMES)
def test_every_game_is_said(reader: Reader, slug: str) -> None:
    """Each game plays one round, with its own template or the general template."""
    path = f"/{slug}"
    reader.get(path)
    for _ in steps(reader.client, path, random.Random(slug), option=-1):
        reader.get(path)
    reader.play(path, "fold", 422)


def test_lost_game_is_shown(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    reader.play("/war", "deal", players="2")
    monkeypatch.setattr(type(GAMES["war"]), "state_type", int)
    assert 'role="status"' in reader.get("/war")


ERRORS = (400, 403, 404, 405, 408, 413, 414, 422, 431, 500, 503)


@pytest.mark.parametrize("status", ERRORS)
def test_an_error_is_said(reader: Reader, status: int) -> None:
    kind = exceptions.default_exceptions[status]
    with reader.client.application.test_request_context(
        headers={"Cookie": "cardgames-language=de"}
    ):
        response = responses._error(kind())
    assert response.status_code == status
    reader.read(response, str(status))
