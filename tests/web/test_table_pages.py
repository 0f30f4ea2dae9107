"""A table's texts without a script: a deck's end, an abandoned round, the owners of the grids."""

import re

from flask.testing import FlaskClient

from tests.support.site import look, names_of, play, stacked


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
