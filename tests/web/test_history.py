"""The history of a table: every finished round is stored, listed, and exported for verification."""

import csv
import html
import io
import itertools
import random
import re
from dataclasses import replace
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.cards import Card
from cardgames.records.line import line, parse
from cardgames.records.replay import replay
from cardgames.records.transcript import TRANSCRIPTS
from tests.support.history import problems
from tests.support.play import by_salt
from tests.support.site import DECK, TWENTY_ONE, finish, look, pictures, play, stacked
from web.history import queries, views
from web.http.downloads import csv_download

games = pytest.mark.parametrize("slug", GAMES)


def exported(client: FlaskClient, slug: str) -> list[dict[str, Any]]:
    """Return the rounds of a history, the newest first."""
    rounds: list[dict[str, Any]] = look(client, f"/{slug}/history")["rounds"]
    return rounds


# ---- The list ------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", TWENTY_ONE)
def test_the_history_lists_cards_decisions_result_and_worth(slug: str, client: FlaskClient) -> None:
    """The sheet's deck begins with KS JH QS AH, so the player has 20."""
    play(client, f"/{slug}", "deal", deck=DECK)
    stayed = play(client, f"/{slug}", "stay")["view"]
    page = html.unescape(client.get(f"/{slug}/history").text)
    hands = (*stayed["player"]["cards"], *stayed["dealer"]["cards"])
    assert {Card(code).full_name for code in hands} <= {*pictures(page)}
    assert "on 20 against" in page  # the value of staying
    (one,) = exported(client, slug)
    assert one["result"] == stayed["winner"]
    assert [decision["chosen"] for decision in one["decisions"]] == ["stay"]
    assert one["decisions"][0]["cost"] >= 0


@games
def test_every_game_has_a_history(slug: str, client: FlaskClient) -> None:
    assert "No rounds yet." in client.get(f"/{slug}/history").text
    winner = finish(client, f"/{slug}")["view"]["winner"]
    page = client.get(f"/{slug}/history").text
    assert f">{GAMES[slug].winner_text(winner)}</a>" in page
    assert page.count('<span class="ending">') == 1
    assert [one["result"] for one in exported(client, slug)] == [winner]
    assert client.get(f"/{slug}/history.json").status_code == 404


def test_rounds_are_filtered_by_result_and_listed_in_pages(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PAGE_SIZE", 3)
    rng = random.Random(8)
    for _ in range(15):
        finish(client, "/blackjack", rng)
    rounds = exported(client, "blackjack")
    assert [one["number"] for one in rounds] == list(range(15, 0, -1))
    for winner in ("player", "dealer"):
        numbers: list[int] = []
        for page in itertools.count(1):
            text = client.get(f"/blackjack/history?result={winner}&page={page}").text
            found = [int(number) for number in re.findall(r"/blackjack/history/(\d+)", text)]
            assert len(found) <= 3
            numbers += found
            if 'rel="next"' not in text:
                break
        assert numbers == [one["number"] for one in rounds if one["result"] == winner]
    assert "/blackjack/history/" not in client.get("/blackjack/history?result=nobody").text


# ---- Downloads -----------------------------------------------------------------------------


@games
def test_an_exported_history_is_right(slug: str, client: FlaskClient) -> None:
    """The costs of decisions are correct both with and without the coach."""
    rng = random.Random(13)
    rounds = 2 if slug == "war" else 8
    for number in range(rounds):
        finish(client, f"/{slug}", rng)
        if number == rounds // 2:
            # if the table has a coach
            client.post("/coach", data={"table": slug, "mode": "before"})
    for _ in range(2):  # Computed values are cached.
        history = look(client, f"/{slug}/history")
        assert len(history["rounds"]) == rounds
        assert [*problems(history)] == []


def test_a_spreadsheet_gets_the_same_rounds_and_no_formula(client: FlaskClient) -> None:
    play(client, "/war", "deal", names="=1+1,@b")
    play(client, "/war", "turn", turns="all")
    (row,) = csv.DictReader(io.StringIO(client.get("/war/history.csv").text))
    assert row["result"] in ("'=1+1", "'@b")
    assert row["record"] == exported(client, "war")[0]["record"]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        *(("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("\r=1", "'\r'=1")),
        *((";=1+1", ";'=1+1"), ("Ann\t=1+1", "Ann\t'=1+1"), ("a; +1", "a;' +1")),
        *(("a,@x|-y", "a,'@x|'-y"), ("Ann-Marie (A=B)", "Ann-Marie (A=B)")),
    ],
)
def test_no_cell_is_a_formula_with_any_separator(app: flask.Flask, cell: str, safe: str) -> None:
    with app.test_request_context():
        text = csv_download("a.csv", [[cell]]).get_data(as_text=True)
    assert [*csv.reader(io.StringIO(text, newline=""))] == [[safe]]


# ---- One row per round -----------------------------------------------------------------------


def test_row_has_a_sign_a_colour_and_points_given_away(client: FlaskClient) -> None:
    """Standing on 8 costs most, so this decision is shown. With 19 against 19, the dealer wins."""
    for deck in ("TC 9D TD TH", "5C TH 3C TD", "TC TH 9C 9D"):
        play(client, "/blackjack", "deal", deck=stacked(deck))
        play(client, "/blackjack", "stay")
    page = client.get("/blackjack/history").text
    rows = re.findall(r'<li class="is-(\w+)">\s*<span class="sign is-\w+"[^>]*>(.)</span>', page)
    assert rows == [("lost", "−"), ("lost", "−"), ("won", "+")]
    given = re.findall(r'<span class="cost( gave)?">', page)
    assert given == ["", " gave", ""]


def test_the_history_of_all_tables(client: FlaskClient) -> None:
    assert "No rounds yet." in client.get("/history").text
    play(client, "/blackjack", "deal", deck=stacked("TC 9D TD TH"))
    play(client, "/blackjack", "stay")
    play(client, "/simple-21", "deal", "stay")
    page = client.get("/history").text
    played = ("blackjack", "simple-21")
    for slug in played:
        assert page.count(f'href="/{slug}/history/1"') == 1
    tables = {slug for slug in GAMES if f'href="/{slug}/history"' in page}
    # Tables without rounds are not listed, because they would only fill a phone's screen.
    assert tables == {*played}
    data = {one["game"]: one["finished"] for one in look(client, "/history")["tables"]}
    assert data == {slug: int(slug in played) for slug in GAMES}


# ---- Transcripts in the format of the sheet's program --------------------------------------------


tables = pytest.mark.parametrize("slug", TRANSCRIPTS)


def transcript(client: FlaskClient, slug: str) -> str:
    response = client.get(f"/{slug}/transcript")
    assert response.mimetype == "text/plain"
    assert f'filename="{slug}.txt"' in response.headers["Content-Disposition"]
    return response.text


@pytest.mark.parametrize("slug", [*(slug for slug in GAMES if slug not in TRANSCRIPTS), "nowhere"])
def test_other_tables_have_none(client: FlaskClient, slug: str) -> None:
    assert client.get(f"/{slug}/transcript").status_code == 404


@tables
def test_it_goes_back_fifty_rounds_before_the_one_on_the_table(
    slug: str, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert queries.MAX_ROUNDS == 50
    monkeypatch.setattr(queries, "MAX_ROUNDS", 5)
    for _ in range(7):
        finish(client, f"/{slug}")
    play(client, f"/{slug}", "deal")
    text = transcript(client, slug)
    numbers = [int(number) for number in re.findall(r"[Rr]ound (\d+)(?:!| with|:)", text)]
    assert numbers == [*range(3, 8)]
    play(client, f"/{slug}", "new")
    assert transcript(client, slug).count("\n") < 8


# ---- Playing it again ----------------------------------------------------------------------


@games
def test_fully_shown_record_has_its_salt_and_replays(slug: str, client: FlaskClient) -> None:
    """Check with only hashlib that the salt determines the order of the cards."""
    finish(client, f"/{slug}")
    play(client, f"/{slug}", "new")
    (one,) = exported(client, slug)
    record = parse(one["record"])
    assert one["opened"]
    for number, order in enumerate(record.shuffles, 1):
        assert order == by_salt(one["salt"], number)
    assert len(record.shuffles) == GAMES[slug].info.decks
    last = replay(record).last
    assert last.result
    assert last.result.winner == one["result"]
    short = parse(line(replace(record, salt=one["salt"], shuffles=())))
    assert replay(short).last.view() == last.view()
