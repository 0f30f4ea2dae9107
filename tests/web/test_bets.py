"""A bet on how long a game of War lasts: kept beside the table, and nothing to a program."""

import re

import pytest
from flask.testing import FlaskClient

from tests.support.site import look, play


def bet(client: FlaskClient, choice: str, step: int | None = None) -> int:
    """Bet on a number of turns; return the answer's status."""
    step = look(client, "/war")["step"] if step is None else step
    return client.post("/war/bet", data={"step": step, "bet": choice}).status_code


def test_a_bet_is_made_before_the_first_card_and_judged_at_the_end(client: FlaskClient) -> None:
    """Of the four bets one is right: by the number of turns that the game took."""
    for choice in "0123":
        play(client, "/war", "deal")
        before = look(client, "/war")
        assert bet(client, choice) == 303
        assert look(client, "/war") == before  # no program hears of it
        assert client.get("/war").text.count('aria-pressed="true"') == 1
        view = play(client, "/war", "turn", turns="all")["view"]
        least = (0, 250, 450, 800, 20_001)[int(choice) :][:2]
        page = client.get("/war").text
        assert "You bet on " in page
        assert (": right!" in page) is (least[0] <= view["turn"] < least[1])
    play(client, "/war", "deal")
    assert "You bet on " not in client.get("/war").text  # another game, another bet


def test_a_bet_may_be_changed_until_the_first_card(client: FlaskClient) -> None:
    play(client, "/war", "deal")
    assert client.get("/war").text.count('name="bet"') == 4
    assert (bet(client, "0"), bet(client, "3")) == (303, 303)
    pressed = re.findall(r'value="(\d)" aria-pressed="true"', client.get("/war").text)
    assert pressed == ["3"]
    play(client, "/war", "turn")
    assert bet(client, "1") == 409
    assert "How many turns will it take?" not in client.get("/war").text


@pytest.mark.parametrize("choice", ["4", "", "-1", "250"])
def test_another_bet_than_the_four_is_refused(client: FlaskClient, choice: str) -> None:
    assert bet(client, "0") == 409  # there is no game
    play(client, "/war", "deal")
    assert bet(client, choice) == 409
    assert bet(client, "0", step=9) == 409
    play(client, "/war", "turn", turns="all")
    assert "You bet on" not in client.get("/war").text
