"""The coach over HTTP: the odds of an open decision, and the values of past decisions."""

import re

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from cardgames import GAMES
from tests.support.pages import page_of
from tests.support.site import JSON, TABLE, look, play, stacked

ADVISED = [slug for slug, game in GAMES.items() if game.advisor]
SIXTEEN = stacked("TS QC 6D")
"""At Simple 21, the player has 16 against a queen."""


def turn_on(client: FlaskClient, table: str = "simple-21", mode: str = "before") -> TestResponse:
    return client.post("/coach", data={"table": table, "mode": mode})


def test_the_json_of_the_contract(client: FlaskClient) -> None:
    """The expected values are in numbers.md (TS 6D against QC at Simple 21)."""
    play(client, TABLE, "deal", deck=SIXTEEN)
    answer = look(client, f"{TABLE}/odds")
    assert list(answer) == ["stay", "hit", "bust", "dealer", "best"]
    assert list(answer["stay"]) == ["win", "tie", "lose", "ev"]
    assert list(answer["dealer"]) == ["17", "18", "19", "20", "21", "bust", "out"]
    assert answer["stay"]["ev"] == pytest.approx(-0.54443916, abs=5e-9)
    assert answer["hit"]["ev"] == pytest.approx(-0.50815725, abs=5e-9)
    assert answer["bust"] == pytest.approx(29 / 49)
    assert answer["best"] == "hit"
    # A browser is redirected to the table, where the coach shows the odds.
    page = client.get(f"{TABLE}/odds")
    assert (page.status_code, page.headers["Location"]) == (303, TABLE)


def test_the_best_play_has_the_longest_bar(client: FlaskClient) -> None:
    """With this hand, hitting wins less often than staying, and ties more often.

    A tie counts half.
    """
    play(client, TABLE, "deal", deck=SIXTEEN)
    turn_on(client)
    odds = look(client, f"{TABLE}/odds")
    assert odds["hit"]["win"] < odds["stay"]["win"]
    page = client.get(TABLE).text
    assert "Chance to win, a tie counts half:" in page
    bars = dict(re.findall(r'<rect class="(win|second)" width="([0-9.]+)"', page))
    assert float(bars["win"]) == pytest.approx(50 * (1 + odds["hit"]["ev"]), abs=0.05)
    assert float(bars["second"]) == pytest.approx(50 * (1 + odds["stay"]["ev"]), abs=0.05)


@pytest.mark.parametrize("slug", ADVISED)
def test_no_open_decision_is_a_422(client: FlaskClient, slug: str) -> None:
    path = f"/{slug}/odds"
    response = client.get(path, headers=JSON)
    assert (response.status_code, list(response.get_json())) == (422, ["error"])
    play(client, f"/{slug}", "deal", "stay")
    assert client.get(path, headers=JSON).status_code == 422


@pytest.mark.parametrize("slug", [*(slug for slug in GAMES if slug not in ADVISED), "nowhere"])
def test_other_tables_have_no_odds_and_no_coach(client: FlaskClient, slug: str) -> None:
    assert client.get(f"/{slug}/odds").status_code == 404
    assert turn_on(client, slug).status_code == 404
    assert "Ask the coach: what are my chances?" not in client.get(f"/{slug}").text


def test_it_is_off_until_asked_and_remembered(client: FlaskClient) -> None:
    play(client, TABLE, "deal")
    page = client.get(TABLE).text
    assert "Ask the coach: what are my chances?" in page
    assert "best play" not in page
    response = turn_on(client)
    assert (response.status_code, response.headers["Location"]) == (303, TABLE)
    page = client.get(TABLE).text
    assert re.search(r"The best play is to (hit|stay)\.", page)
    assert page.count("<script src=") == page.count(
        "<script"
    )  # the site's own counters, which only increase
    play(client, "/one-deck", "deal")
    assert "The best play is" in client.get("/one-deck").text
    turn_on(client, mode="off")
    assert "The best play is" not in client.get("/one-deck").text


def test_value_of_a_move_is_shown_only_afterwards(client: FlaskClient) -> None:
    turn_on(client, mode="after")
    play(client, TABLE, "deal", deck=SIXTEEN)
    assert "The best play is" not in client.get(TABLE).text
    play(client, TABLE, "stay")
    page = client.get(TABLE).text
    mistake = "Staying on 16 against a queen was a mistake: −3.6 points."
    assert page.count(mistake) == 2
    assert f"Round 1: {mistake}" in page  # among the costliest mistakes of the session
    assert "Rounds with the coach" in page


def test_helpful_cards_are_shown_by_rank_alone(client: FlaskClient) -> None:
    """With 16 at Simple 21, a card of 6 or higher busts.

    There are four of each card from ace to 5, all unseen.
    """
    turn_on(client)
    play(client, TABLE, "deal", deck=SIXTEEN)
    page = client.get(TABLE).text
    (helps,) = page_of(page).find_all(string=re.compile("Cards that would leave you better off"))
    for rank in ("aces", "twos", "threes", "fours", "fives"):
        assert f"4 {rank}" in helps
    assert "sixes" not in helps
    assert "of the 49 you have not seen" in helps
    assert set(re.findall(r"\b[A2-9TJQK][CDHS]\b", page)) <= {"TS", "6D", "QC"}
