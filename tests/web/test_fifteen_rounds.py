"""The fifteen rounds of the sheet's deck over HTTP: as a program plays them, and on a page."""

import io
import re
from collections.abc import Callable, Mapping
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient

from cardgames.deck_file import File
from tests.support.fifteen_rounds import Play, Seen, fifteen_rounds, long_evening
from tests.support.play import salts
from tests.support.site import JSON, TABLE, look


def in_json(client: FlaskClient, form: dict[str, Any]) -> Seen:
    """Play a move as a program does."""
    answer = client.post(TABLE, data=form, headers=JSON)
    assert answer.status_code == 200, answer.text
    sent = answer.get_json()
    view = sent["view"]
    legal = [move["name"] for move in sent["moves"]]
    playing = view["phase"] == "playing"
    assert legal == (["hit", "stay", "new"] if playing else ["deal", "new"])
    assert playing or view["phase"] == "round over"
    tally = view["tally"]
    return Seen(
        step=sent["step"],
        round=view["round"],
        playing=playing,
        player=view["player"]["cards"],
        player_total=view["player"]["total"],
        dealer=view["dealer"]["cards"],
        dealer_total=view["dealer"]["total"],
        deck=view["deck"],
        discards=view["discards"],
        tally=(tally["player"], tally["dealer"], tally["tie"]),
        messages=view["messages"],
        winner=view["winner"],
        stacked=view["stacked"],
    )


RANKS = {
    **dict(zip(("ace", "ten", "jack", "queen", "king"), "ATJQK", strict=True)),
    **dict(zip(("two", "three", "four", "five", "six"), "23456", strict=True)),
    **dict(zip(("seven", "eight", "nine"), "789", strict=True)),
}


def code_of(name: str) -> str | None:
    """Return the code of a picture that is called ``ace of hearts``; none for a face-down card."""
    if name == "face-down card":
        return None
    rank, _, suit = name.partition(" of ")
    return RANKS[rank] + suit[0].upper()


def on_a_page(client: FlaskClient, form: dict[str, Any]) -> Seen:
    """Play a move as a browser does, and read the page as a player does."""
    answer = client.post(TABLE, data=form)
    assert answer.status_code == 303, answer.text
    page = client.get(answer.headers["Location"]).text

    def hand(label: str) -> tuple[list[str | None], int | None]:
        section = re.search(
            rf'<section[^>]*aria-labelledby="{label}".*?</section>', page, re.DOTALL
        )
        assert section
        cards = re.findall(r'<img[^>]* alt="([^"]*)"', section[0])
        heading = re.search(r"<h2.*?</h2>", section[0], re.DOTALL)
        assert heading
        heard = re.sub(r'<span aria-hidden="true">.*?</span>', "", heading[0])
        total = re.search(r"\d+", re.sub(r"<[^>]*>", "", heard))
        return [code_of(card) for card in cards], int(total[0]) if total else None

    player, player_total = hand("you")
    dealer, dealer_total = hand("dealer")
    left = re.search(r'<div class="pile deck">.*?<b class="n">(\d+)</b>', page, re.DOTALL)
    assert left
    counts = dict(re.findall(r"<dt>([^<]*)</dt>\s*<dd>(-?\d+)</dd>", page))
    moves = re.findall(r'name="move" value="(\w+)"', page)
    playing = moves == ["hit", "stay", "new"]
    assert playing or moves == ["deal", "new"]
    assert ("Hit or stay?" if playing else "Deal again?") in page
    step = re.findall(r'name="step" value="(\d+)"', page)
    assert len(set(step)) == 1
    number = re.search(r"Round (\d+)", page)
    assert number
    return Seen(
        step=int(step[0]),
        round=int(number[1]),
        playing=playing,
        player=[card for card in player if card],
        player_total=player_total,
        dealer=dealer,
        dealer_total=dealer_total,
        deck=int(left[1]),
        discards=int(counts.get("Discards", 0)),
        tally=(int(counts["You won"]), int(counts["Dealer won"]), int(counts["Ties"])),
        messages=look(client, TABLE)["view"]["messages"],  # the page says it in other words
    )


WAYS = pytest.mark.parametrize("way", [in_json, on_a_page])


def sitting(way: Callable[[FlaskClient, dict[str, Any]], Seen], client: FlaskClient) -> Play:
    """Return what plays at the table in one of the ways."""

    def play(form: Mapping[str, str | File]) -> Seen:
        sent = {
            name: (io.BytesIO(value.content), value.name) if isinstance(value, File) else value
            for name, value in form.items()
        }
        return way(client, sent)

    return play


@WAYS
def test_fifteen_rounds_of_the_sheets_deck(way: Any, client: FlaskClient) -> None:
    fifteen_rounds(sitting(way, client))


@WAYS
@pytest.mark.parametrize("seed", range(2))
def test_a_long_evening_after_that(
    way: Any, seed: int, app: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.tables.location.random_salt", salts(seed))
    long_evening(sitting(way, app.test_client()), 100 + seed)
