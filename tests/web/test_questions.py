"""The optional questions at One-deck and War."""

from collections.abc import Mapping
from typing import Any

import pytest
from flask.testing import FlaskClient

from cardgames.cards import FULL_DECK
from tests.support.pages import only, page_of, texts, values
from tests.support.site import JSON, play, stacked

COUNTS_TEN = "TJQK"


def cards_left(client: FlaskClient) -> Mapping[str, Any]:
    """Return the table of One-deck as its player sees it."""
    view: Mapping[str, Any] = client.get("/one-deck", headers=JSON).get_json()["view"]
    return view


def play_until_asked(client: FlaskClient) -> set[str]:
    """Stand until the question appears, and return the cards that were seen."""
    seen: set[str] = set()
    view = play(client, "/one-deck", "deal", deck="\n".join(map(str, FULL_DECK)))["view"]
    for _ in range(60):
        seen |= {card for who in ("player", "dealer") for card in view[who]["cards"] if card}
        if view["deck"] <= 20:
            asks = page_of(client.get("/one-deck").text).select("form.count")
            assert bool(asks) == (view["deck"] <= 10)
            if asks:
                return seen
        move = "stay" if view["phase"] == "playing" else "deal"
        view = play(client, "/one-deck", move)["view"]
    raise AssertionError


def answer_count(client: FlaskClient, tens: int) -> str:
    """Answer the question, and return the page."""
    form = values(client.get("/one-deck").text, "form.count input[type=hidden]", "value")
    sent = {"step": form[0], "tens": str(tens)}
    return client.post("/one-deck/count", data=sent, follow_redirects=True).text


@pytest.mark.parametrize(("error", "told"), [(0, "Right."), (1, "You said {said}.")])
def test_count_is_compared_with_the_unseen_cards(
    client: FlaskClient, error: int, told: str
) -> None:
    unseen = {str(card) for card in FULL_DECK} - play_until_asked(client)
    tens = sum(card[0] in COUNTS_TEN for card in unseen)
    before = cards_left(client)
    notice = " ".join(texts(answer_count(client, tens + error), ".notice"))
    assert f"{told.format(said=tens + error)} {tens} of the {len(unseen)} cards" in notice
    assert cards_left(client) == before


def test_count_is_asked_once_per_deck(client: FlaskClient) -> None:
    play_until_asked(client)
    play(client, "/one-deck", "stay" if cards_left(client)["phase"] == "playing" else "deal")
    assert not page_of(client.get("/one-deck").text).select("form.count")
    old = client.post("/one-deck/count", data={"step": "1", "tens": "3"})
    assert old.status_code == 409
    play(client, "/one-deck", "new")
    play_until_asked(client)


def test_count_is_not_asked_at_other_tables(client: FlaskClient) -> None:
    play(client, "/blackjack", "deal", deck=stacked("TC 9S TD 8S"))
    assert client.post("/blackjack/count", data={"step": "1", "tens": "3"}).status_code == 409


def war_deck(first: str) -> str:
    """Return a deck whose first turn is a war that the given player wins."""
    own, other = ("KS", "2S") if first == "you" else ("2S", "KS")
    return stacked(f"9C 9D {own} {other} 3C 4C")


def guess(client: FlaskClient, seat: int) -> int:
    """Guess who takes the next war, and return the status of the response."""
    step = client.get("/war", headers=JSON).get_json()["step"]
    return client.post("/war/guess", data={"step": step, "seat": seat}).status_code


@pytest.mark.parametrize(("seat", "told"), [(0, "You guessed right."), (1, "You guessed wrong.")])
def test_guess_is_compared_with_next_war(client: FlaskClient, seat: int, told: str) -> None:
    play(client, "/war", "deal", deck=war_deck("you"))
    assert guess(client, seat) == 303
    pressed = only(client.get("/war").text, "#guess [aria-pressed=true]")
    assert pressed.get_text(strip=True) == ("You", "Mona")[seat]
    play(client, "/war", "turn", turns="1")
    page = client.get("/war").text
    assert texts(page, ".guessed") == [told]
    assert not page_of(page).select("#guess [aria-pressed=true]")


def test_guess_waits_for_a_war(client: FlaskClient) -> None:
    play(client, "/war", "deal", deck=stacked("KC 9D KD 9C"))
    guess(client, 1)
    play(client, "/war", "turn", turns="1")
    page = client.get("/war").text
    assert not texts(page, ".guessed")
    assert only(page, "#guess [aria-pressed=true]").get_text(strip=True) == "Mona"


def test_guess_is_forgotten_with_its_game(client: FlaskClient) -> None:
    play(client, "/war", "deal", deck=war_deck("other"))
    guess(client, 1)
    play(client, "/war", "new")
    play(client, "/war", "deal", deck=war_deck("other"))
    play(client, "/war", "turn", turns="1")
    assert not texts(client.get("/war").text, ".guessed")


def test_guess_of_an_old_page_or_an_empty_seat_is_refused(client: FlaskClient) -> None:
    assert guess(client, 0) == 409
    play(client, "/war", "deal", deck=war_deck("you"))
    assert guess(client, 5) == 400
    assert client.post("/war/guess", data={"step": "0", "seat": "0"}).status_code == 409


def test_guess_changes_neither_table_nor_json(client: FlaskClient) -> None:
    play(client, "/war", "deal", deck=war_deck("you"))
    before = client.get("/war", headers=JSON).get_json()
    guess(client, 0)
    assert client.get("/war", headers=JSON).get_json() == before
