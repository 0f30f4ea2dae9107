"""Transcripts over HTTP: the game so far as a text file, as the sheet's program prints it."""

import re

import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.records.transcript import MAX_ROUNDS, TRANSCRIPTS
from tests.support.hidden import cards_named
from tests.support.site import DECK, finish, play, sid, store_of
from web.storage.rounds import amend_rounds, rounds_of

tables = pytest.mark.parametrize("slug", TRANSCRIPTS)


def transcript(client: FlaskClient, slug: str) -> str:
    response = client.get(f"/{slug}/transcript")
    assert response.mimetype == "text/plain"
    assert f'filename="{slug}.txt"' in response.headers["Content-Disposition"]
    return response.text


@tables
def test_before_the_first_deal_there_is_only_the_greeting(client: FlaskClient, slug: str) -> None:
    ends = {"simple-21": "deck of cards: ", "bingo": "initialize deck: "}
    assert transcript(client, slug).endswith(ends[slug])
    assert "transcript" not in client.get(f"/{slug}").text
    play(client, f"/{slug}", "deal")
    assert f'href="/{slug}/transcript"' in client.get(f"/{slug}").text


def test_it_tells_what_is_on_the_table_and_no_hidden_card(client: FlaskClient) -> None:
    """The sheet's deck: KS JH QS AH, with the ace of hearts face down until the player stays."""
    play(client, "/simple-21", "deal", deck=DECK)
    asked = transcript(client, "simple-21")
    assert {"KS", "QS", "JH"} <= cards_named(asked)
    assert "AH" not in cards_named(asked)
    play(client, "/simple-21", "stay")
    data = transcript(client, "simple-21")
    assert data.startswith(asked)
    assert "AH" in cards_named(data)


@pytest.mark.parametrize("slug", [*(slug for slug in GAMES if slug not in TRANSCRIPTS), "nowhere"])
def test_other_tables_have_none(client: FlaskClient, slug: str) -> None:
    assert client.get(f"/{slug}/transcript").status_code == 404


@tables
def test_it_goes_back_fifty_rounds_before_the_one_on_the_table(
    slug: str, client: FlaskClient
) -> None:
    assert MAX_ROUNDS == 50
    for _ in range(60):
        finish(client, f"/{slug}")
    over = transcript(client, slug)
    play(client, f"/{slug}", "deal")
    playing = transcript(client, slug)
    for text, first, last in ((over, 10, 60), (playing, 11, 60)):
        numbers = [int(number) for number in re.findall(r"[Rr]ound (\d+)(?:!| with|:)", text)]
        assert numbers == list(range(first, last + 1))
    assert "oodbye" in over
    assert "oodbye" not in playing
    play(client, f"/{slug}", "new")
    assert transcript(client, slug).count("\n") < 8
    finish(client, f"/{slug}")
    assert len(re.findall(r"another round \(Y/N\)", transcript(client, slug))) == 1


def test_a_round_that_cannot_be_read_ends_it_there(client: FlaskClient) -> None:
    """Nothing older is shown, and nobody gets an error page."""
    for _ in range(3):
        play(client, "/simple-21", "deal", "stay")
    store = store_of(client.application)
    kept = rounds_of(store, sid(client), "simple-21")
    assert [one.number for one in kept] == [3, 2, 1]
    amend_rounds(store, sid(client), "simple-21", {kept[1]: b"nonsense"})
    text = transcript(client, "simple-21")
    assert "round 3" in text
    assert "round 2" not in text
    assert "round 1" not in text
