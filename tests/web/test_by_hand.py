"""A Bingo card that its player covers by hand. Covering changes only the page."""

import random
import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from cardgames.cards import Card
from tests.support.site import DECKS, JSON, look, play, title

CARD = "/bingo/card"


def deal(client: FlaskClient, mode: str = "L", calls: str = "line_Awins") -> None:
    """Deal a round from the decks of the sheet.

    With the default deck, the player soon has a line.
    """
    names = {"bingo_deck": "bingoDeck", "calling_deck": f"callingDeck_{calls}"}
    decks = {field: (DECKS / f"{name}.txt").read_text() for field, name in names.items()}
    play(client, "/bingo", "deal", mode=mode, speed="N", **decks)


def press(client: FlaskClient, move: str, /, *places: int, **fields: Any) -> int:
    """Send the form below the card, with some positions covered; return the status."""
    form = {"move": move, "step": look(client, "/bingo")["step"], "covered": list(places), **fields}
    return client.post(CARD, data=form).status_code


def calls_to_bingo(client: FlaskClient) -> int:
    """Call by hand until the round ends, and return the number of calls."""
    while look(client, "/bingo")["view"]["phase"] == "playing":
        assert press(client, "call") == 303
    return len(look(client, "/bingo")["view"]["called"])


def covered(page: str) -> list[int]:
    """Return the positions that a page shows as covered by hand."""
    return [int(place) for place in re.findall(r'name="covered" value="(\d+)"[^>]* checked', page)]


def test_covered_cards_are_restored_and_not_in_the_json(client: FlaskClient) -> None:
    deal(client)
    before = look(client, "/bingo")
    assert covered(client.get("/bingo").text) == []
    # The centre is free, and 99 is outside of the card.
    assert press(client, "call", 3, 7, 12, 99) == 303
    assert covered(client.get("/bingo").text) == [3, 7]
    after = look(client, "/bingo")
    assert after["step"] == before["step"] + 1
    assert after["moves"] == before["moves"]
    assert after["view"].keys() == before["view"].keys()
    assert 3 not in after["view"]["grids"][0]["covered"]  # The rules cover the called cards.


def test_wrong_claim_reports_missing_cards(client: FlaskClient) -> None:
    deal(client)
    press(client, "claim")
    page = client.get("/bingo").text
    # A line through the free centre needs four other cards.
    assert "Not yet: 4 cards are missing." in page
    assert page.count(" wanted") == 4
    press(client, "call")
    assert "Not yet" not in client.get("/bingo").text


def test_wrong_claim_names_uncalled_covered_cards(client: FlaskClient) -> None:
    deal(client)
    press(client, "call")
    view = look(client, "/bingo")["view"]
    down, names = view["grids"][0]["covered"], view["grids"][0]["cards"]
    wrong = [place for place in range(25) if place not in down][:2]
    press(client, "claim", *down)
    assert "not called" not in client.get("/bingo").text
    press(client, "claim", *down, wrong[0])
    page = client.get("/bingo").text
    name = Card(names[wrong[0]]).full_name
    assert f"The {name} was not called. Tap the card again to uncover it." in page
    press(client, "claim", *wrong)
    assert f"Not called: {name}, " in client.get("/bingo").text


def test_won_round_looks_open_until_claimed(client: FlaskClient) -> None:
    deal(client)
    calls = calls_to_bingo(client)
    # A JSON client sees the BINGO! immediately.
    assert look(client, "/bingo")["view"]["winner"] == "A"
    page = client.get("/bingo").text
    assert title(page).startswith(f"Your move: {calls} cards called")
    for word in ("verdict", "winning", "You have a line", 'name="move" value="deal"'):
        assert word not in page
    assert press(client, "claim") == 303
    page = client.get("/bingo").text
    assert title(page).startswith(f"BINGO! You have a line after {calls} calls")
    assert "but did not say so" not in page


def test_next_call_shows_the_missed_bingo(client: FlaskClient) -> None:
    deal(client)
    calls_to_bingo(client)
    step = look(client, "/bingo")["step"]
    assert press(client, "call") == 303
    assert look(client, "/bingo")["step"] == step
    page = client.get("/bingo").text
    assert "but did not say so" in page
    assert "BINGO! You have a line" in page


def test_the_other_card_says_so_at_once(client: FlaskClient) -> None:
    deal(client, "C", "corners_Bwins")
    calls = calls_to_bingo(client)
    page = client.get("/bingo").text
    assert title(page).startswith(f"BINGO! Rosa has all four corners after {calls} calls")


def test_another_round_has_nothing_covered(client: FlaskClient) -> None:
    deal(client)
    press(client, "call", 3)
    play(client, "/bingo", "new")
    play(client, "/bingo", "deal")
    assert covered(client.get("/bingo").text) == []


def test_a_card_may_be_covered_automatically(client: FlaskClient) -> None:
    client.post("/settings", data={"cover": "auto", "to": "/bingo"})
    deal(client)
    page = client.get("/bingo").text
    assert 'name="covered"' not in page
    assert "Until BINGO!" in page


@pytest.mark.parametrize(
    "form",
    [{"step": "9"}, {"move": "deal"}, {"move": ""}, {"step": ""}],
    ids=["an old page", "another move", "no move", "no step"],
)
def test_unknown_values_are_rejected(client: FlaskClient, form: dict[str, str]) -> None:
    deal(client)
    before = look(client, "/bingo")
    assert press(client, "call", **form) == 409
    assert look(client, "/bingo") == before


def test_without_a_round_nothing_is_called(client: FlaskClient) -> None:
    assert client.post(CARD, data={"move": "call", "step": "0"}).status_code == 409
    deal(client)
    play(client, "/bingo", "call", calls="all")
    assert press(client, "call") == 422


def test_any_number_of_covered_cards_is_accepted(client: FlaskClient) -> None:
    deal(client)
    rng = random.Random(4)
    for text in (",".join(str(rng.randrange(99)) for _ in range(300)), "²,٣,-1,1e3", ",,,"):
        assert press(client, "claim", covered=text) == 303
        assert client.get("/bingo", headers=JSON).status_code == 200
