"""The tables over HTTP: moves, refusals, both representations. No 500 for anybody."""

import io
import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.cards import Card
from cardgames.table import Table
from cardgames.view import public_fields
from tests.support.games import CONTRACT_VIEWS
from tests.support.site import (
    DECK,
    JSON,
    TABLE,
    deal_fields,
    look,
    names_of,
    pictures,
    play,
    send,
    stacked,
    texts,
)

games = pytest.mark.parametrize("slug", GAMES)


def uploaded(text: str, name: str = "deck.txt") -> tuple[io.BytesIO, str]:
    return io.BytesIO(text.encode()), name


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


def test_a_browser_is_redirected_to_the_table(client: FlaskClient) -> None:
    response = send(client, {"move": "deal"}, headers={})
    assert (response.status_code, response.headers["Location"]) == (303, TABLE)
    assert client.get(TABLE).status_code == 200


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


def test_the_page_shows_the_same_table(client: FlaskClient) -> None:
    play(client, TABLE, "deal", deck=DECK)
    page = client.get(TABLE).text
    shown = ["jack of hearts", "face-down card", "king of spades", "queen of spades"]
    assert pictures(page) == shown
    assert "Round 1" in page
    assert "Hit or stay?" in page
    assert re.findall(r'name="move" value="(\w+)"', page) == ["hit", "stay", "new"]


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
    """After ten turns only the last one is told: the cards before it lie face down again."""
    view = play(client, "/war", "deal", players="2")["view"]
    symbols = dict(zip("SHCD", "♠♡♣♢", strict=True))
    while view["phase"] == "playing":
        view = play(client, "/war", "turn", turns="10")["view"]
        shown = {
            card[0].replace("T", "10") + symbols[card[1]] for row in view["battle"] for card in row
        }
        told = set(re.findall(r"(?:10|[2-9AJQK])[♠♡♣♢]", " ".join(view["messages"])))
        assert told == shown


# ---- Refusals: one sentence, and nothing changes -------------------------------------------


def refused(answer: TestResponse, status: int, before: dict[str, Any]) -> str:
    """Check that a move was refused with the table as it stood, and return the sentence."""
    assert answer.status_code == status
    error: str = answer.get_json()["error"]
    assert error
    assert "\n" not in error
    assert answer.get_json() == {**before, "error": error}
    return error


@pytest.mark.parametrize(
    "step", ["0", "2", "-1", "1.0", "+1", " 1", "one", "", "9" * 5000, "\N{ARABIC-INDIC DIGIT ONE}"]
)
def test_a_stale_page_is_refused(client: FlaskClient, step: str) -> None:
    before = play(client, TABLE, "deal")
    said = refused(send(client, {"move": "hit", "step": step}), 409, before)
    assert said == "That page was out of date. This is the table as it stands now."
    assert look(client) == before


def test_a_double_click_on_deal_costs_one_point(client: FlaskClient) -> None:
    """At Blackjack dealing gives the round up. Both clicks carry the same step."""
    play(client, "/blackjack", "deal")
    form = {"move": "deal", "step": "1"}
    answers = [send(client, form, "/blackjack") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 409]
    for answer in answers:
        view = answer.get_json()["view"]
        assert (view["tally"]["dealer"], view["round"]) == (1, 2)


def test_a_missing_step_is_stale(client: FlaskClient) -> None:
    assert client.post(TABLE, data={"move": "deal"}, headers=JSON).status_code == 409


@pytest.mark.parametrize(
    "form",
    [
        {"step": "1"},
        {"move": ""},
        {"move": "fold"},
        {"move": "deal"},
        {"move": "hit", "deck": ""},
        {"move": "hit", "bet": "100"},
        {"move": "hit\n<b>"},
        {"move": "apply"},
        {"move": "stay", "view": ""},
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


@games
def test_after_a_move_that_is_none_every_table_is_as_it_was(client: FlaskClient, slug: str) -> None:
    before = play(client, f"/{slug}", "deal")
    for form in ({"move": "fold"}, {"move": names_of(before)[0], "wrong": ""}):
        refused(send(client, form, f"/{slug}"), 422, before)
    assert look(client, f"/{slug}") == before


@pytest.mark.parametrize(
    ("deck", "faults"),
    [
        ("KS", ["line 2 is missing"]),
        ("KS\r\nks\r\n", ["line 2 is the card of line 1 again", "line 3 is missing"]),
        ("K\n1S\nKX\nKSS\nKS\n", ["line 1 has 1 character", "line 2 has the rank '1'", "line 3"]),
        ("\n" * 100, ["line 1 is empty", "line 2 is empty", "line 3 is empty"]),
        ("\x00\xff" * 40, ["line 1 has 80 characters"]),
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


def test_the_sheets_invalid_file_is_refused_by_name_and_the_text_typed_is_kept(
    client: FlaskClient,
) -> None:
    """S0-33: 51 good lines are not a deck. On the page nothing that was typed is lost."""
    form = {"move": "deal", "deck": uploaded("KS\r\nQQ\r\n", "invalid<1>.txt")}
    page = send(client, form, headers={})
    assert page.status_code == 422
    assert "Cannot populate deck: invalid data in invalid&lt;1&gt;.txt" in page.text
    assert "line 2 has the suit &#39;Q&#39;" in page.text
    page = send(client, {"move": "deal", "deck": "KS\nKS"}, headers={})
    assert "KS\nKS</textarea>" in page.text


def test_lines_that_are_no_card_are_left_out_of_a_bingo_deck_and_told(client: FlaskClient) -> None:
    """S4-39: its sheet reads decks so; what is left must still be 52 different cards."""
    fields = {"mode": "L", "speed": "N"}
    deck = f"my deck\n{stacked('KS QS')}\n??"
    view = play(client, "/bingo", "deal", bingo_deck=deck, **fields)["view"]
    assert "2 lines are no cards and were left out: 1, 54" in view["messages"][0]
    assert view["messages"][0] in client.get("/bingo").text
    play(client, "/bingo", "new")
    form = {"move": "deal", "calling_deck": uploaded("KS\nQS", "mine.txt"), **fields}
    assert (
        send(client, form, "/bingo")
        .get_json()["error"]
        .startswith("Deck created from mine.txt is not valid")
    )


def test_a_pasted_deck_is_not_shown_again_beside_a_hidden_card(client: FlaskClient) -> None:
    """At Blackjack a deck may be sent mid-round; echoed, it would name the hole card."""
    play(client, "/blackjack", "deal", deck=DECK)
    page = send(client, {"move": "deal", "deck": f"{DECK}\nKS"}, "/blackjack", headers={})
    assert page.status_code == 422
    assert "line 53 is the card of line 1 again" in page.text
    assert re.findall(r"\b[A2-9TJQK][CDHS]\b", re.sub(r"cards/\w\w\.svg", "", page.text)) == []


def test_a_file_where_a_text_belongs_is_refused(client: FlaskClient) -> None:
    form = {"step": uploaded("0", "step.txt"), "move": "deal"}
    assert client.post(TABLE, data=form, headers=JSON).status_code in (409, 422)
    form = {"move": uploaded("deal", "move.txt"), "step": "0"}
    assert client.post(TABLE, data=form, headers=JSON).status_code == 422


@pytest.mark.parametrize("field", ["names", "move", "\ud800"])
@pytest.mark.parametrize("accept", ["application/json", "text/html"])
def test_half_a_character_is_no_text(client: FlaskClient, field: str, accept: str) -> None:
    """JSON can carry what no page could say again."""
    sent = {"move": "deal", "step": 0, "players": "2", field: "\ud800"}
    answer = client.post("/war", json=sent, headers={"Accept": accept})
    assert answer.status_code == 400


def test_a_fault_of_ours_is_a_500_page_that_says_nothing_of_its_insides(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_table: object) -> None:
        raise RuntimeError("the hole card is the queen of clubs")

    monkeypatch.setattr(Table, "shown", broken)
    response = client.get(TABLE)
    assert response.status_code == 500
    assert "queen" not in response.text
    assert "Traceback" not in response.text


# ---- What is refused -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slug", "field", "sent", "fault"),
    [
        ("war", "names", "Ann,Ann", "Two players have the same name."),
        ("war", "deck", "KS KS", "line 2 is the card of line 1 again"),
        ("simple-21", "deck", "KS", "card"),
        ("bingo", "calling_deck", "KS", "card"),
    ],
)
def test_what_is_wrong_with_a_field_stands_beside_it(
    client: FlaskClient, slug: str, field: str, sent: str, fault: str
) -> None:
    """The sentence at the top leads there, and the field names it as its description."""
    form = {"move": "deal", "step": "0", **deal_fields(slug), field: sent.replace(" ", "\n")}
    answer = client.post(f"/{slug}", data=form)
    assert answer.status_code == 422
    assert f'href="#field-{field}"' in answer.text
    (tag,) = re.findall(rf'<(?:input|fieldset|textarea)[^>]* id="field-{field}"[^>]*>', answer.text)
    assert f'aria-describedby="fault-{field}"' in tag
    (beside,) = texts(answer.text, rf'<div class="fault" id="fault-{field}">(.*?)</div>')
    assert fault in beside
    assert answer.text.index(tag) < answer.text.index(f'id="fault-{field}"')


def test_an_error_leads_back_to_its_table(client: FlaskClient) -> None:
    for path in ("/blackjack/nowhere", "/blackjack/history/99"):
        page = client.get(path)
        assert page.status_code == 404
        assert 'href="/blackjack">Back to Blackjack<' in page.text
    assert "Back to Blackjack" not in client.get("/nowhere").text
