"""After a loss, one click opens the same round with another decision."""

import re
from typing import Final

import flask
import pytest
from flask.testing import FlaskClient

from tests.support.pages import texts
from tests.support.site import BY_HAND, GERMAN, made_deal, play, send, stacked

BUST: Final = stacked("TC TD 6C 9H KS 3S KH")
"""At Blackjack, the player has 16 against a nine, and the hole card is a ten. Hitting causes a
bust, and the dealer has 19.
"""

LOW: Final = stacked("TC TD 2C 9H 5S 4S KH")
"""The player has 12 against a nine. A hit makes 17, which also loses. Another hit makes 21, which
wins.
"""


def asked(client: FlaskClient, address: str = "/blackjack") -> list[tuple[str, str]]:
    """Return a page's question after a loss, and the page to which the question links."""
    found = re.findall(r'href="([^"]*)">(What if I had [a-z]+\?)', client.get(address).text)
    return [(text, where.replace("&amp;", "&")) for where, text in found]


def test_bust_player_can_ask_about_standing(client: FlaskClient) -> None:
    play(client, "/blackjack", "deal", deck=BUST)
    assert asked(client) == []
    play(client, "/blackjack", "hit")
    ((text, where),) = asked(client)
    assert text == "What if I had stood?"
    page = client.get(where, follow_redirects=True).text
    assert "You 16, dealer 19" in page
    assert "The round as it was played" in page
    assert "Und wenn ich gehalten hätte?" in client.get("/blackjack", headers=GERMAN).text
    play(client, "/blackjack", "deal", deck=BUST)
    assert asked(client) == []


def test_standing_player_can_ask_about_a_hit(client: FlaskClient) -> None:
    play(client, "/blackjack", "deal", deck=LOW)
    play(client, "/blackjack", "stay")
    ((text, where),) = asked(client)
    assert text == "What if I had hit?"
    page = client.get(where, follow_redirects=True).text
    assert texts(page, "a.button.choice") == ["Hit", "Stand"]


def test_with_the_coach_it_is_the_costliest_mistake(client: FlaskClient) -> None:
    """Standing on 17 against a nine costs nothing. The mistake was to hit a 17 before that."""
    client.post("/coach", data={"table": "blackjack", "mode": "after"})
    deck = stacked("TC TD 7C 9H AS 3S KH")
    play(client, "/blackjack", "deal", deck=deck)
    play(client, "/blackjack", "hit", "stay")  # The player has 18, and the dealer has 19.
    ((text, where),) = asked(client)
    assert (text, "step=1&move=stay" in where) == ("What if I had stood?", True)


def test_no_question_after_a_win_or_with_cards_in_play(client: FlaskClient) -> None:
    play(client, "/blackjack", "deal", deck=LOW)
    play(client, "/blackjack", "hit", "hit", "stay")
    assert asked(client) == []
    play(client, "/simple-21", "deal", deck=BY_HAND)
    play(client, "/simple-21", "stay")  # The round was lost, and the deck is still in use.
    assert asked(client, "/simple-21") == []
    assert client.get("/simple-21/what-if?step=1&move=hit").status_code == 404


@pytest.mark.parametrize(
    "query", ["", "step=0&move=hit", "step=9&move=hit", "step=1&move=deal", "step=x&move=%00"]
)
def test_question_about_another_decision_is_404(client: FlaskClient, query: str) -> None:
    play(client, "/blackjack", "deal", deck=BUST)
    # This rule also applies while the round is open.
    assert client.get(f"/blackjack/what-if?{query}").status_code == 404
    play(client, "/blackjack", "hit")
    assert client.get(f"/blackjack/what-if?{query}").status_code == 404


def test_a_deal_link_asks_too_and_its_round_is_not_the_tables(app: flask.Flask) -> None:
    client = app.test_client()
    play(client, "/blackjack", "deal", deck=BUST)
    play(client, "/blackjack", "hit")
    address = made_deal(client, "blackjack", deck=LOW)
    play(client, address, "deal", "stay")
    ((text, where),) = asked(client, address)
    assert text == "What if I had hit?"
    assert client.get(where).status_code == 200
    ((_, where),) = asked(client)
    assert "You 16, dealer 19" in client.get(where, follow_redirects=True).text


def test_a_round_given_up_asks_nothing(client: FlaskClient) -> None:
    play(client, "/blackjack", "deal", deck=LOW)
    answer = send(client, {"move": "deal", "deck": LOW}, "/blackjack")
    assert answer.status_code == 200
    assert asked(client) == []
