"""What is refused at a table: in one sentence, and nothing changes. No 500 for anybody."""

import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.table import Table
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
    uploaded,
)

games = pytest.mark.parametrize("slug", GAMES)


def refused(answer: TestResponse, status: int, before: dict[str, Any]) -> str:
    """Check that a move was refused with the table as it stood, and return the sentence."""
    assert answer.status_code == status
    error: str = answer.get_json()["error"]
    assert error
    assert "\n" not in error
    assert answer.get_json() == {**before, "error": error}
    return error


@pytest.mark.parametrize(
    "step", ["0", "2", "-1", "1.0", "+1", " 1", "one", "", "9" * 1000, "\N{ARABIC-INDIC DIGIT ONE}"]
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


def test_lines_that_are_no_card_are_left_out_of_a_bingo_deck_and_shown(client: FlaskClient) -> None:
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


def test_a_refusal_calls_a_field_as_the_page_does(client: FlaskClient) -> None:
    form = {"move": "deal", "step": "0", "mode": "L", "speed": "X"}
    english = client.post("/bingo", data=form, headers=JSON).get_json()["error"]
    assert english.startswith("That is not a choice for What a call covers: ")
    page = client.post("/bingo", data=form, headers={"Accept-Language": "de"}).text
    assert "Das steht für „Was ein Aufruf bedeckt“ nicht zur Wahl" in page
