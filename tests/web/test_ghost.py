"""Other decisions with the same cards.

At a deal link, the ghost is a friend's round, and in a practice round it is the player's own
earlier round.
"""

import re
from typing import Any, Final

import flask
import pytest
from flask.testing import FlaskClient

from tests.support.pages import only, values
from tests.support.site import BY_HAND, GERMAN, look, made_deal, play, send, stacked

ONE_MORE: Final = stacked("TC TD 2C 9H 3S 4S 2S KH")
"""At Simple 21, the player has 12 against a ten. Hits make 15, 19 and 21. The dealer has 19."""


def ghost_address(client: FlaskClient, address: str) -> str:
    """Return the URL at which a player's own earlier moves are shown."""
    page = client.get(f"{address}/link").text
    (sent,) = values(page, "*", "data-address")
    return sent.removeprefix("http://localhost")


def ghost_at(client: FlaskClient, address: str) -> dict[str, Any]:
    path, _, query = address.partition("?")
    found: dict[str, Any] = look(client, f"{path}/results?{query}")["ghost"]
    return found


def side_by_side(page: str) -> str:
    return " ".join(only(page, ".compared").get_text(" ").split())


@pytest.fixture
def sent(app: flask.Flask) -> str:
    """The link of a player who hit twice, stayed on 19 and tied."""
    friend = app.test_client()
    address = made_deal(friend, deck=ONE_MORE)
    play(friend, address, "deal", "hit", "hit", "stay")
    return ghost_address(friend, address)


def test_ghosts_decision_is_shown_only_afterwards(client: FlaskClient, sent: str) -> None:
    page = client.get(sent).text
    assert "After each of your decisions, you see your friend&#39;s decision." in page
    for move, theirs in (("deal", []), ("hit", ["Hit"]), ("hit", ["Hit"] * 2)):
        play(client, sent, move)
        found = ghost_at(client, sent)["theirs"]
        assert found == {"moves": theirs, "ended": ""}
        page = client.get(sent).text
        assert ('class="compared"' in page) == bool(theirs)
    assert side_by_side(page) == "Your friend Hit · Hit You Hit · Hit"
    play(client, sent, "hit")  # The friend stayed.
    assert ghost_at(client, sent) == {
        "yours": {"moves": ["Hit"] * 3, "ended": ""},
        "theirs": {
            "moves": ["Hit", "Hit", "Stay"],
            "ended": "",
        },  # The result would reveal the hole card.
    }
    play(client, sent, "stay")
    said = side_by_side(client.get(sent).text)
    assert said == "Your friend Hit · Hit · Stay Tie You Hit · Hit · Hit · Stay Won"


def test_earlier_stop_shows_the_rest(client: FlaskClient, sent: str) -> None:
    play(client, sent, "deal", "stay")
    assert ghost_at(client, sent)["theirs"] == {"moves": ["Hit", "Hit", "Stay"], "ended": "Tie"}
    assert "Die andere Person" in client.get(sent, headers=GERMAN).text


def test_it_stays_along_through_moves_and_refusals(client: FlaskClient, sent: str) -> None:
    page = client.get(sent).text
    assert f'action="{sent}"' in page
    answer = client.post(sent, data={"move": "deal", "step": "0"})
    assert answer.headers["Location"] == sent
    refused = send(client, {"move": "hit", "step": "0"}, sent, {})
    assert refused.status_code == 409
    assert f'action="{sent}"' in refused.text


@pytest.mark.parametrize("ghost", ["", "0" * 32, "x", "../" * 9, "%00", "a" * 500])
def test_unknown_ghost_is_left_out(app: flask.Flask, sent: str, ghost: str) -> None:
    address, client = sent.partition("?")[0], app.test_client()
    play(client, address, "deal", "stay")
    answer = client.get(f"{address}?ghost={ghost}")
    assert answer.status_code == 200
    assert 'class="compared"' not in answer.text


def test_ghost_is_another_player_with_a_finished_round(client: FlaskClient) -> None:
    address = made_deal(client, deck=BY_HAND)
    play(client, address, "deal")
    assert ghost_address(client, address) == address
    play(client, address, "stay")
    own = ghost_address(client, address)
    assert re.fullmatch(rf"{address}\?ghost=[0-9a-f]{{32}}", own)
    assert 'class="compared"' not in client.get(own).text


def test_game_without_decisions_has_no_ghost(client: FlaskClient) -> None:
    address = made_deal(client, "war")
    play(client, address, "deal")
    play(client, address, "turn", turns="all")
    assert ghost_address(client, address) == address


def test_one_plays_a_deal_again_with_ones_own_line_along(client: FlaskClient) -> None:
    """The dealer's 19 beats 16. Hits make 18 and 21.

    The table shows a stay on 16 next to the player's own decisions.
    """
    address = made_deal(client, deck=BY_HAND)
    play(client, address, "deal", "stay")
    (again,) = values(
        client.get(address).text, 'a:-soup-contains("Play these cards again")', "href"
    )
    page = client.get(again).text
    assert 'class="compared"' not in page
    hit = values(page, '.choice:-soup-contains("Hit")', "href")[0]
    page = client.get(hit).text
    assert side_by_side(page) == "The round as it was played Stay Now Hit"
    stay = values(page, '.choice:-soup-contains("Stay")', "href")[0]
    said = side_by_side(client.get(stay).text)
    assert said.startswith("The round as it was played Stay You 16, dealer 19")
    assert " Now Hit · Stay You 18, dealer 19" in said
