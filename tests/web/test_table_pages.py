"""A table's texts without a script: a deck's end, an abandoned round, the owners of the grids."""

import random
import re
from dataclasses import replace
from typing import Final

import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from tests.support.pages import values
from tests.support.site import finish, look, names_of, play, put, seat_at, stacked, steps
from web.tables.advice import MODES
from web.tables.seat import ADVISED_GAMES


def test_the_end_of_one_deck_is_a_scoreboard(client: FlaskClient) -> None:
    """A round needs at least four cards, so there are at most thirteen rounds (S2-35)."""
    for _ in range(30):
        moves = names_of(look(client, "/one-deck"))
        if moves == ["new"]:
            break
        play(client, "/one-deck", "stay" if "stay" in moves else "deal")
    page, tally = client.get("/one-deck").text, look(client, "/one-deck")["view"]["tally"]
    assert "Deck finished" in page
    marks = re.findall(r'<li class="(won|lost|tied)">', page)
    assert (marks.count("won"), marks.count("lost")) == (tally["player"], tally["dealer"])
    assert f'<b class="n">{tally["player"]}</b>' in page
    assert "deal" in names_of(play(client, "/one-deck", "new"))


def test_blackjack_round_is_given_up_after_a_question(client: FlaskClient) -> None:
    play(client, "/blackjack", "deal", deck=stacked("TC 8S 6D 9S AH"))
    page = client.get("/blackjack").text
    (asked,) = re.findall(r'(?s)<details class="confirm concede">.*?</details>', page)
    assert "Yes, lose the round and deal again" in asked
    assert 'value="deal"' in asked
    assert page.count("Yes, lose the round and deal again") == 1
    assert page.index('id="more"') < page.index(asked)  # next to "Start over", not next to "Stand"
    after = play(client, "/blackjack", "deal", deck="")
    assert (after["view"]["round"], after["view"]["tally"]["dealer"]) == (2, 1)


def test_bingo_labels_the_players_grid(client: FlaskClient) -> None:
    play(client, "/bingo", "deal")
    page = client.get("/bingo").text
    assert re.findall(r'class="grid yours[^"]*"\s+aria-labelledby="grid-(\w)"', page) == ["A"]


# ---- References to elements ----------------------------------------------------------------------

REFERENCES: Final = ("aria-describedby", "aria-labelledby", "aria-controls", "for", "form")
"""The attributes that name other elements of the page by their IDs."""


def find_missing_ids(page: str) -> set[str]:
    """Return the IDs that elements of a page name, but that no element has."""
    named = (ids for name in REFERENCES for ids in values(page, f"[{name}]", name))
    linked = (link[1:] for link in values(page, "a[href^='#']", "href"))
    return {*" ".join((*named, *linked)).split()} - {*values(page, "[id]", "id")}


@pytest.mark.parametrize("slug", GAMES)
def test_references_of_a_page_exist(client: FlaskClient, slug: str) -> None:
    rng = random.Random(1)
    for mode in MODES if slug in ADVISED_GAMES else ("",):
        client.post("/coach", data={"table": slug, "mode": mode})
        for _ in steps(client, f"/{slug}", rng, option=-1):
            assert find_missing_ids(client.get(f"/{slug}").text) == set()


def leave_cards(client: FlaskClient, cards: int) -> None:
    """Move all but some cards of One-deck's deck to the discards."""
    table = seat_at(client, "/one-deck").table
    deck, discards = table.state.deck, table.state.discards
    state = replace(table.state, deck=deck[:cards], discards=discards + deck[cards:])
    put(client, "/one-deck", replace(table, state=state))


def test_references_exist_when_cards_run_out_at_the_deal(client: FlaskClient) -> None:
    finish(client, "/one-deck")
    leave_cards(client, 2)
    assert play(client, "/one-deck", "deal")["view"]["winner"] == "tie"
    assert find_missing_ids(client.get("/one-deck").text) == set()


def test_references_exist_at_the_end_of_a_deck(client: FlaskClient) -> None:
    client.post("/coach", data={"table": "one-deck", "mode": "after"})
    play(client, "/one-deck", "deal", deck=stacked("TC 9S TD 8S"))
    leave_cards(client, 0)
    assert play(client, "/one-deck", "stay")["view"]["phase"] == "game over"
    page = client.get("/one-deck").text
    assert 'id="scoreboard"' in page
    assert find_missing_ids(page) == set()


def test_link_to_a_wrong_field_leads_to_the_field(client: FlaskClient) -> None:
    for field, value in (("players", "7"), ("names", "Ann,Ann")):
        form = {"move": "deal", "step": "0", "players": "2", field: value}
        page = client.post("/war", data=form)
        assert page.status_code == 422
        assert values(page.text, ".notice.bad a", "href") == [f"#field-{field}"]
        assert find_missing_ids(page.text) == set()
