"""The tables over HTTP: moves, refusals, both representations. No 500 for anybody."""

import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.cards import Card
from cardgames.view import public_fields
from tests.support.games import CONTRACT_VIEWS
from tests.support.site import (
    DECK,
    JSON,
    TABLE,
    deal_fields,
    look,
    names_of,
    play,
    send,
    stacked,
    texts,
    uploaded,
)

games = pytest.mark.parametrize("slug", GAMES)


# ---- A visitor -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", *(f"/{slug}" for slug in GAMES)])
def test_looking_sets_no_cookie(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert "Set-Cookie" not in response.headers


def test_lobby_links_every_table(client: FlaskClient) -> None:
    page = client.get("/").text
    for game in GAMES.values():
        assert f'href="/{game.info.slug}"' in page
        assert game.info.title in page
    assert [entry["game"] for entry in look(client, "/")["tables"]] == list(GAMES)


@games
def test_lobby_tells_where_you_left_each_table(client: FlaskClient, slug: str) -> None:
    assert "Your move" not in client.get("/").text
    phase = play(client, f"/{slug}", "deal")["view"]["phase"]
    entries = {entry["game"]: entry for entry in look(client, "/")["tables"]}
    assert (entries[slug]["phase"], entries[slug]["step"]) == (phase, 1)
    assert {one["phase"] for name, one in entries.items() if name != slug} == {"ready"}
    page = client.get("/").text
    (on,) = texts(page, r'<section class="felt continue"[^>]*>(.*?)</section>')
    assert GAMES[slug].info.title in on
    assert (", round 1" in on) == GAMES[slug].info.numbered
    assert f'href="/{slug}"' in on
    assert ("is your move." in on) == (phase == "playing")
    assert page.count('<span class="open">Your move') == (phase == "playing")


def test_the_lobby_goes_on_where_one_played_last(client: FlaskClient) -> None:
    """By the order of play, not of the tables; and with the cards that one has seen."""
    on = r'<h2 id="continue">(.*?)</h2>'
    assert texts(client.get("/").text, on) == ["Pick a card game"]
    for slug in ("blackjack", "war", "simple-21", "blackjack"):
        play(client, f"/{slug}", "deal", **deal_fields(slug))
        assert texts(client.get("/").text, on)[0].startswith(GAMES[slug].info.title)
    play(client, TABLE, "new")
    play(client, TABLE, "deal", deck=DECK)
    page = client.get("/").text
    assert "20 against a jack. It is your move." in page
    assert re.findall(r"/cards/(\w\w)\.svg", page) == ["KS", "QS", "JH"]


def test_the_lobby_has_score_streak_and_best(client: FlaskClient) -> None:
    """Standing on 20 against 19 wins four times; standing on 8 against 20 loses, a mistake."""
    assert "standing" not in client.get("/").text
    client.post("/coach", data={"table": "blackjack", "mode": "before"})
    won, lost = stacked("TC 9D TD TH"), stacked("5C TH 3C TD")
    for deck in (won, won, won, lost, won):
        play(client, "/blackjack", "deal", deck=deck)
        play(client, "/blackjack", "stay")
    page = client.get("/").text
    figures = dict(re.findall(r"<div><dt>(.*?)</dt><dd>(.*?)</dd></div>", page))
    assert figures == {
        "won of 5": "4",
        "best plays": "80%",
        "won in a row": "1",
        "longest run": "3",
    }
    assert "4–1 <span" in page  # noqa: RUF001 - the sign between scores


@games
def test_the_rules_are_the_same_for_everybody(client: FlaskClient, slug: str) -> None:
    """So the cards of their examples tell nothing of a table."""
    before = client.get(f"/{slug}/rules").data
    play(client, f"/{slug}", "deal")
    assert client.get(f"/{slug}/rules").data == before


@games
def test_rules_page_has_an_anchor_for_each_rule(client: FlaskClient, slug: str) -> None:
    page, anchors = client.get(f"/{slug}/rules").text, [r.anchor for r in GAMES[slug].info.rules]
    assert re.findall(r'<div id="([a-z0-9-]+)"', page) == anchors
    assert [rule["anchor"] for rule in look(client, f"/{slug}/rules")["rules"]] == anchors


# ---- One move ------------------------------------------------------------------------------


def test_the_json_of_the_contract(client: FlaskClient) -> None:
    """The sheet's deck begins KS JH QS AH: player, dealer, player, dealer face down (S0-7)."""
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


def test_the_result_comes_with_its_arithmetic_and_its_rule(client: FlaskClient) -> None:
    """KS QS is 20; JH AH is 11, so the dealer takes QH: 21 (S0-13, S0-15)."""
    play(client, TABLE, "deal", deck=DECK)
    play(client, TABLE, "stay")
    page = client.get(TABLE).text
    assert "You 20, dealer 21: the dealer wins" in page
    assert f'href="{TABLE}/rules#winner"' in page
    assert "The dealer takes the queen of hearts: 21." in page


@games
def test_a_games_own_page_or_the_plain_one_says_what_its_view_does(
    client: FlaskClient, slug: str
) -> None:
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
        [uploaded("", ""), uploaded(DECK)],  # of several files the first with a name
    ],
)
def test_an_uploaded_file_is_played(client: FlaskClient, deck: Any) -> None:
    answer = send(client, {"move": "deal", "deck": deck}).get_json()
    assert answer["view"]["player"]["cards"] == ["KS", "QS"]


def test_an_empty_file_is_absent(client: FlaskClient) -> None:
    assert not send(client, {"move": "deal", "deck": uploaded("", "")}).get_json()["view"][
        "stacked"
    ]


def test_a_browsers_form_sends_text_and_an_empty_file_together(client: FlaskClient) -> None:
    parts = [
        'Content-Disposition: form-data; name="step"\r\n\r\n0',
        'Content-Disposition: form-data; name="move"\r\n\r\ndeal',
        'Content-Disposition: form-data; name="deck"; filename=""\r\n\r\n',
        f'Content-Disposition: form-data; name="deck"\r\n\r\n{DECK}',
    ]
    body = "".join(f"--x\r\n{part}\r\n" for part in parts) + "--x--\r\n"
    kind = "multipart/form-data; boundary=x"
    response = client.post(TABLE, data=body.encode(), headers=JSON, content_type=kind)
    assert response.get_json()["view"]["player"]["cards"] == ["KS", "QS"]


def test_a_json_body_is_a_form_too(client: FlaskClient) -> None:
    response = client.post(TABLE, json={"move": "deal", "step": 0, "deck": None}, headers=JSON)
    assert (response.status_code, response.get_json()["step"]) == (200, 1)


@games
def test_new_keeps_counting_steps_and_clears_the_table(client: FlaskClient, slug: str) -> None:
    before = look(client, f"/{slug}")
    table = play(client, f"/{slug}", "deal", "new")
    assert table == {**before, "step": 2}


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


def test_war_names_no_card_that_is_back_in_a_hand(client: FlaskClient) -> None:
    """After ten turns only the last one is shown: the cards before it lie face down again."""
    view = play(client, "/war", "deal", players="2")["view"]
    symbols = dict(zip("SHCD", "♠♡♣♢", strict=True))
    while view["phase"] == "playing":
        view = play(client, "/war", "turn", turns="10")["view"]
        shown = {
            card[0].replace("T", "10") + symbols[card[1]] for row in view["battle"] for card in row
        }
        data = set(re.findall(r"(?:10|[2-9AJQK])[♠♡♣♢]", " ".join(view["messages"])))
        assert data == shown
