"""The tables over HTTP: moves, rejections, both representations, and never a 500."""

import random
import re
from collections.abc import Mapping
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.cards import Card, CardGameError
from cardgames.game import public_fields
from cardgames.table import Table
from tests.support.answers import deck_fields
from tests.support.games import CONTRACT_VIEWS
from tests.support.pages import page_of, texts
from tests.support.records import as_sent
from tests.support.site import (
    DECK,
    JSON,
    TABLE,
    deal_fields,
    look,
    made_deal,
    names_of,
    pictures,
    play,
    seat_at,
    send,
    stacked,
    uploaded,
)
from web.tables import views

games = pytest.mark.parametrize("slug", GAMES)


# ---- A visitor -----------------------------------------------------------------------------


def test_lobby_continues_the_last_game(client: FlaskClient) -> None:
    """The tables are sorted by the time of the last move, and shown with their cards."""
    assert texts(client.get("/").text, "#continue") == ["Pick a card game"]
    for slug in ("blackjack", "war", "simple-21", "blackjack"):
        play(client, f"/{slug}", "deal", **deal_fields(slug))
        assert texts(client.get("/").text, "#continue")[0].startswith(GAMES[slug].info.title)
    play(client, TABLE, "new")
    play(client, TABLE, "deal", deck=DECK)
    page = client.get("/").text
    assert "20 against a jack. It is your move." in page
    assert re.findall(r"/cards/(\w\w)\.svg", page) == ["KS", "QS", "JH"]


def test_the_lobby_has_score_streak_and_best(client: FlaskClient) -> None:
    """Standing on 20 against 19 wins four times.

    Standing on 8 against 20 is a mistake, and loses.
    """
    assert "standing" not in client.get("/").text
    client.post("/coach", data={"table": "blackjack", "mode": "before"})
    won, lost = stacked("TC 9D TD TH"), stacked("5C TH 3C TD")
    for deck in (won, won, won, lost, won):
        play(client, "/blackjack", "deal", deck=deck)
        play(client, "/blackjack", "stay")
    page = client.get("/").text
    figures = dict(re.findall(r"<div><dt>(.*?)</dt><dd>(.*?)</dd></div>", page))
    assert figures == {
        "won at tables with decisions": "4 of 5",
        "best plays": "80%",
        "wins in a row": "1",
        "longest run": "3",
    }
    assert "4–1 <span" in page  # noqa: RUF001 - the dash between scores


@games
def test_rules_page_has_an_anchor_for_each_rule(client: FlaskClient, slug: str) -> None:
    page, anchors = client.get(f"/{slug}/rules").text, [r.anchor for r in GAMES[slug].info.rules]
    assert re.findall(r'<div id="([a-z0-9-]+)"', page) == anchors
    assert [rule["anchor"] for rule in look(client, f"/{slug}/rules")["rules"]] == anchors


@games
def test_a_served_table_is_the_pure_one_move_by_move(
    client: FlaskClient, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With equal salts, the site and the table have equal results, for legal and rejected moves."""
    rng, salt, table, step = random.Random(slug), ["0" * 32], Table(GAMES[slug]), 0
    monkeypatch.setattr(views, "random_salt", lambda: salt[0])
    for number in range(40):
        salt[0] = f"{number:032x}"
        name = rng.choice([*(move.name for move in table.moves()), "deal", "fold"])
        sent: Mapping[str, str] = {}
        if name in {move.name for move in table.moves()}:
            sent = deck_fields(table, name, rng, own_decks=rng.random() < 0.5)
        answer = send(client, {**sent, "move": name, "step": str(step)}, f"/{slug}")
        try:
            table, _ = table.play(name, sent, lambda: salt[0])
        except CardGameError:
            assert answer.status_code == 422
        else:
            step += 1
            assert (answer.status_code, answer.get_json()["step"]) == (200, step)
        assert answer.get_json()["view"] == as_sent(table)
        assert seat_at(client, f"/{slug}").table == table or not step


def test_the_json_of_the_contract(client: FlaskClient) -> None:
    """The sheet's deck begins with KS JH QS AH: player, dealer, player, dealer face down (S0-7)."""
    assert play(client, TABLE, "deal", deck=DECK) == {
        "game": "simple-21",
        "title": "Simple 21",
        "step": 1,
        "view": {
            "phase": "playing",
            "round": 1,
            "player": {"cards": ["KS", "QS"], "total": 20},
            "dealer": {"cards": ["JH", None], "total": None},
            "deck": 48,
            "discards": 0,
            "winner": None,
            "tally": {"player": 0, "dealer": 0, "tie": 0},
            "messages": ["Dealing cards to player and dealer..."],
            "stacked": True,
        },
        "moves": [
            {"name": "hit", "label": "Hit", "fields": {}},
            {"name": "stay", "label": "Stay", "fields": {}},
            {"name": "new", "label": "Start over", "fields": {}},
        ],
    }


@games
def test_game_page_shows_its_view(client: FlaskClient, slug: str) -> None:
    """A game without a template is shown field by field."""
    table = play(client, f"/{slug}", "deal")
    page = client.get(f"/{slug}").text
    plain = {
        **dict.fromkeys(("simple-21", "blackjack", "one-deck"), "The dealer shows the "),
        "war": "No card has been shown yet.",
        "bingo": "Two new grids are dealt.",
    }
    for message in [plain[slug]] if slug in plain else table["view"]["messages"]:
        assert message in page
    for name in names_of(table):
        assert f'value="{name}"' in page
    shown = set(re.findall(r"cards/(\w\w)\.svg", page))
    codes = set(re.findall(r"'([2-9TJQKA][CDHS])'", str(table["view"])))
    assert shown <= codes
    assert all(f'"{Card(code).full_name}"' in page for code in codes)


@pytest.mark.parametrize(
    "deck",
    [
        uploaded(DECK),
        [uploaded("", ""), uploaded(DECK)],  # the first uploaded file that has a name
    ],
)
def test_an_uploaded_file_is_played(client: FlaskClient, deck: Any) -> None:
    answer = send(client, {"move": "deal", "deck": deck}).get_json()
    assert answer["view"]["player"]["cards"] == ["KS", "QS"]


@games
def test_new_keeps_counting_steps_and_clears_the_table(client: FlaskClient, slug: str) -> None:
    before = look(client, f"/{slug}")
    table = play(client, f"/{slug}", "deal", "new")
    assert table == {**before, "step": 2}


def test_next_deal_begins_with_the_last_choices(client: FlaskClient) -> None:
    play(client, "/bingo", "deal", mode="F", speed="Y")
    play(client, "/bingo", "call", calls="all")
    page = client.get("/bingo").text
    assert re.findall(r'name="(?:mode|speed)" value="(\w)"[^>]* checked', page) == ["F", "Y"]


@games
def test_the_views_have_the_names_of_the_contract_and_no_others(
    client: FlaskClient, slug: str
) -> None:
    game = GAMES[slug]
    own = {*public_fields(type(game.empty)), *["round"] * game.info.numbered}
    frame = ["phase", "winner", "tally", "messages", "stacked"]
    for view in (look(client, f"/{slug}")["view"], play(client, f"/{slug}", "deal")["view"]):
        assert set(view) == {*CONTRACT_VIEWS.get(slug, own), *frame}
        for grid in view.get("grids", []):
            assert set(grid) == {"player", "cards", "covered"}


# ---- Rejected in one sentence, without a change --------------------------------------------------


def refused(answer: TestResponse, status: int, before: dict[str, Any]) -> str:
    """Check that a move was rejected and changed nothing; return the message."""
    assert answer.status_code == status
    error: str = answer.get_json()["error"]
    assert error
    assert "\n" not in error
    assert answer.get_json() == {**before, "error": error}
    return error


@pytest.mark.parametrize("step", ["0", "2", "1.0", "+1", "", "\N{ARABIC-INDIC DIGIT ONE}"])
def test_a_stale_page_is_refused(client: FlaskClient, step: str) -> None:
    before = play(client, TABLE, "deal")
    said = refused(send(client, {"move": "hit", "step": step}), 409, before)
    assert said == "That page was out of date. This is the table now."
    assert look(client) == before


@pytest.mark.parametrize(
    "form",
    [
        *({"step": "1"}, {"move": "fold"}, {"move": "deal"}, {"move": "hit", "deck": ""}),
        *({"move": "hit", "bet": "100"}, {"move": "hit\n<b>"}),
    ],
)
def test_an_illegal_move_is_refused_in_both_representations(
    client: FlaskClient, form: dict[str, str]
) -> None:
    before = play(client, TABLE, "deal")
    refused(send(client, form), 422, before)
    page = send(client, form, headers={})
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert "face-down card" in pictures(page.text)
    assert "<b>" not in page.text
    assert look(client) == before


@pytest.mark.parametrize(
    ("deck", "faults"),
    [
        ("KS", ["line 2 is missing"]),
        ("KS\r\nks\r\n", ["line 2 repeats the card of line 1", "line 3 is missing"]),
        ("K\n1S\nKX\nKSS\nKS\n", ["line 1 has 1 character", "line 2 has the rank '1'", "line 3"]),
        ("\x00\xff" * 40, ["line 1 has an invisible character, u+0000"]),
    ],
)
def test_a_bad_deck_is_refused_line_by_line(
    client: FlaskClient, deck: str, faults: list[str]
) -> None:
    response = send(client, {"move": "deal", "deck": deck})
    error = refused(response, 422, look(client))
    assert error.startswith("Cannot populate deck: invalid data in the text: line ")
    assert len(re.findall(r"\bline \d+ (?:is|has)", error)) <= 3
    for fault in faults:
        assert fault in error
    assert "Set-Cookie" not in response.headers


@pytest.mark.parametrize("field", ["names", "move", "\ud800"])
@pytest.mark.parametrize("accept", ["application/json", "text/html"])
def test_half_a_character_is_no_text(client: FlaskClient, field: str, accept: str) -> None:
    """JSON can contain values that no page could send back."""
    sent = {"move": "deal", "step": 0, "players": "2", field: "\ud800"}
    answer = client.post("/war", json=sent, headers={"Accept": accept})
    assert answer.status_code == 400


def test_server_error_is_a_500_page_without_details(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_table: object) -> None:
        raise RuntimeError("the hole card is the queen of clubs")

    monkeypatch.setattr(Table, "shown", broken)
    response = client.get(TABLE)
    assert response.status_code == 500
    assert "queen" not in response.text
    assert "Traceback" not in response.text


# ---- Rejected ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slug", "field", "sent", "fault"),
    [
        ("war", "names", "Ann,Ann", "Two players have the same name."),
        ("war", "deck", "KS KS", "line 2 repeats the card of line 1"),
        ("simple-21", "deck", "KS", "card"),
        ("bingo", "calling_deck", "KS", "card"),
    ],
)
def test_field_errors_stand_beside_their_fields(
    client: FlaskClient, slug: str, field: str, sent: str, fault: str
) -> None:
    """The message at the top links to the field. The field's description is the message."""
    form = {"move": "deal", "step": "0", **deal_fields(slug), field: sent.replace(" ", "\n")}
    answer = client.post(f"/{slug}", data=form)
    assert answer.status_code == 422
    page = page_of(answer.text)
    assert page.select(f'a[href="#field-{field}"]')
    (place,) = page.select(f"#field-{field}")
    assert place["aria-describedby"] == f"fault-{field}"
    (beside,) = place.find_all_next(id=f"fault-{field}")
    assert fault in beside.get_text()


def test_a_refusal_calls_a_field_as_the_page_does(client: FlaskClient) -> None:
    form = {"move": "deal", "step": "0", "mode": "L", "speed": "X"}
    english = client.post("/bingo", data=form, headers=JSON).get_json()["error"]
    assert english.startswith("Cards covered by a call must be one of ")
    page = client.post("/bingo", data=form, headers={"Accept-Language": "de"}).text
    assert "Das steht für „Bedeckte Karten pro Aufruf“ nicht zur Wahl" in page


def test_verdict_has_the_winning_streak(client: FlaskClient) -> None:
    win, loss = stacked("TC 9S TD 8S"), stacked("TC TS 7D 8S")
    shown = []
    for deck in (win, win, win, loss, loss, win, win):
        play(client, "/blackjack", "deal", deck=deck)
        play(client, "/blackjack", "stay")
        shown += texts(client.get("/blackjack").text, ".verdict .streak") or [""]
    assert shown == [
        "",
        "2 in a row, best 2",
        "3 in a row, best 3",
        "That ends your run of 3.",
        "",
        "",
        "2 in a row, best 3",
    ]


def test_verdict_has_the_best_plays_in_a_row_with_the_coach(client: FlaskClient) -> None:
    client.post("/coach", data={"table": "blackjack", "mode": "after"})
    shown = []
    for move in ("stay", "stay", "hit", "stay"):  # on 20, when standing is the best play
        play(client, "/blackjack", "deal", deck=stacked("TC 9S TD 8S 5H"))
        play(client, "/blackjack", move)
        shown += texts(client.get("/blackjack").text, ".verdict .streak") or [""]
    assert shown[:2] == ["", "2 best plays in a row"]
    assert shown[2:] == ["That ends your run of 2.", ""]


@games
def test_no_part_of_a_table_is_empty(client: FlaskClient, slug: str) -> None:
    """An earlier version had an empty element, a white bar, on the page of a Bingo deal link."""
    for address in (made_deal(client, slug), f"/{slug}"):
        page = page_of(client.get(address).text)
        for element in page.select(".choices, .setup, .panel, .said, .play"):
            assert element.get_text(strip=True) or element.select("input, button"), element


def test_war_draws_no_chart_before_its_first_turn(client: FlaskClient) -> None:
    play(client, "/war", "deal", players="2")
    assert "Cards in each hand" not in client.get("/war").text
    play(client, "/war", "turn", turns="10")
    assert "Cards in each hand" in client.get("/war").text


def test_cards_are_not_translated_by_a_browser(client: FlaskClient) -> None:
    play(client, "/bingo", "deal", mode="L", speed="N")
    play(client, "/blackjack", "deal")
    bingo, blackjack = (page_of(client.get(slug).text) for slug in ("/bingo", "/blackjack"))
    for chip in bingo.select(".felt .chip"):
        assert chip.find_parent(translate="no"), chip
    for card in blackjack.select(".hand .card"):
        assert card.find_parent(translate="no"), card
