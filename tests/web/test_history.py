"""The history of a table: every finished round is kept, listed, and exported to be checked."""

import html
import io
import itertools
import json
import random
import re
from csv import DictReader
from itertools import chain
from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient

from cardgames import GAMES, verify
from cardgames.cards import FULL_DECK, Card
from tests.support.site import (
    DECK,
    TWENTY_ONE,
    finish,
    look,
    made_deal,
    pictures,
    play,
    stacked,
    store_of,
    visitor,
)
from web.storage.rounds import MAX_ROUNDS

games = pytest.mark.parametrize("slug", GAMES)


def exported(client: FlaskClient, slug: str) -> list[dict[str, Any]]:
    """Return the rounds of a history, the newest first."""
    rounds: list[dict[str, Any]] = look(client, f"/{slug}/history.json")["rounds"]
    return rounds


def said_by_the_checker(data: dict[str, Any], folder: Path) -> tuple[int, str]:
    """Return the exit code and what ``cardgames.verify`` says of an exported history."""
    file, out = folder / "history.json", io.StringIO()
    file.write_text(json.dumps(data))
    return verify.main([str(file)], out), out.getvalue()


# ---- What is listed ------------------------------------------------------------------------


@pytest.mark.parametrize("slug", TWENTY_ONE)
def test_the_history_lists_cards_decisions_result_and_worth(slug: str, client: FlaskClient) -> None:
    """With the sheet's deck: KS JH QS AH, then 20 against 21 or more by each table's own rules."""
    play(client, f"/{slug}", "deal", deck=DECK)
    stayed = play(client, f"/{slug}", "stay")["view"]
    page = html.unescape(client.get(f"/{slug}/history").text)
    hands = (*stayed["player"]["cards"], *stayed["dealer"]["cards"])
    assert {Card(code).full_name for code in hands} <= {*pictures(page)}
    assert "on 20 against" in page  # what staying was worth
    (one,) = exported(client, slug)
    assert one["result"] == stayed["winner"]
    assert [decision["chosen"] for decision in one["decisions"]] == ["stay"]
    assert one["decisions"][0]["cost"] >= 0


@games
def test_every_game_has_a_history(slug: str, client: FlaskClient) -> None:
    assert "No round is finished yet" in client.get(f"/{slug}/history").text
    winner = finish(client, f"/{slug}")["view"]["winner"]
    page = client.get(f"/{slug}/history").text
    assert f">{GAMES[slug].winner_text(winner)}</a>" in page
    assert page.count('<span class="ending">') == 1
    assert [one["result"] for one in exported(client, slug)] == [winner]
    assert look(client, f"/{slug}/history") == look(client, f"/{slug}/history.json")


def test_a_coach_that_is_off_is_off_in_the_history_too(tmp_path: Path) -> None:
    client = visitor(tmp_path, coach=False)
    play(client, "/blackjack", "deal", "stay")
    assert exported(client, "blackjack")[0]["decisions"] == []
    address = client.get("/blackjack/history/1").headers["Location"]
    for path in ("/blackjack/history", address):
        page = client.get(path).text
        assert "best play" not in page
        assert "against" not in page.split("<main", 1)[1]


def test_rounds_are_filtered_by_result_and_listed_in_pages(client: FlaskClient) -> None:
    rng = random.Random(8)
    for _ in range(45):
        finish(client, "/blackjack", rng)
    rounds = exported(client, "blackjack")
    assert [one["number"] for one in rounds] == list(range(45, 0, -1))
    for winner in ("player", "dealer"):
        numbers: list[int] = []
        for page in itertools.count(1):
            text = client.get(f"/blackjack/history?result={winner}&page={page}").text
            found = [int(number) for number in re.findall(r"/blackjack/history/(\d+)", text)]
            assert len(found) <= 20
            numbers += found
            if 'rel="next"' not in text:
                break
        assert numbers == [one["number"] for one in rounds if one["result"] == winner]
    assert "/blackjack/history/" not in client.get("/blackjack/history?result=nobody").text


def test_the_last_200_rounds_are_kept(client: FlaskClient) -> None:
    assert MAX_ROUNDS == 200
    play(client, "/high-card", *["deal"] * 205)
    numbers = [one["number"] for one in exported(client, "high-card")]
    assert numbers == list(range(205, 5, -1))
    assert client.get("/high-card/history/5").status_code == 404
    assert client.get("/high-card/history/6").status_code == 303


def test_a_round_that_is_given_up_is_kept_as_lost(client: FlaskClient) -> None:
    play(client, "/blackjack", "deal", "deal")
    (one,) = exported(client, "blackjack")
    assert (one["number"], one["result"]) == (1, "dealer")
    assert one["record"].endswith(" deal forfeit result=dealer")
    last = look(client, client.get("/blackjack/history/1").headers["Location"] + "?step=2")
    assert last["view"]["winner"] == "dealer"


def test_a_game_broken_off_is_no_finished_round(client: FlaskClient) -> None:
    play(client, "/simple-21", "deal", "new")
    assert exported(client, "simple-21") == []
    assert client.get("/simple-21/history/1").status_code == 404


def test_somebody_else_sees_nothing_of_it(app: flask.Flask, client: FlaskClient) -> None:
    play(client, "/blackjack", "deal", "stay")
    other = app.test_client()
    assert exported(other, "blackjack") == []
    answer = other.get("/blackjack/history")
    assert "No round is finished yet" in answer.text
    assert "Set-Cookie" not in answer.headers
    assert other.get("/blackjack/history/1").status_code == 404
    assert len([*store_of(app).places("session/")]) == 1


@pytest.mark.parametrize("names", ["tie,player", "dealer,player", "A,B"])
def test_a_player_of_war_is_called_by_their_name(client: FlaskClient, names: str) -> None:
    play(client, "/war", "deal", names=names)
    view = play(client, "/war", "turn", turns="all")["view"]
    page = client.get("/war/history").text
    assert f'<span class="ending">{view["winner"]} won after {view["turn"]:,} turns</span>' in page
    assert "You won" not in page
    assert "A tie" not in page


def _one_sided_deck(*, won: bool) -> str:
    """Return a deck that gives one of two players the 26 highest cards, and so the game."""
    ranked = sorted(map(str, FULL_DECK), key=lambda code: "AKQJT98765432".index(code[0]))
    first, second = (ranked[:26], ranked[26:]) if won else (ranked[26:], ranked[:26])
    return "\n".join(chain.from_iterable(zip(first, second, strict=True)))


@pytest.mark.parametrize(
    ("language", "names", "endings"),
    [
        ("en", "", ("You won after {} turns", "Player 2 won after {} turns")),
        ("en", "Amy,Brad", ("Amy won after {} turns", "Brad won after {} turns")),
        ("de", "", ("Du hast nach {} Zügen gewonnen", "Spieler 2 hat nach {} Zügen gewonnen")),
    ],
)
def test_games_of_war_are_won_and_lost_by_the_first_player(
    client: FlaskClient, language: str, names: str, endings: tuple[str, str]
) -> None:
    headers = {"Accept-Language": language}
    for won, ending in zip((True, False), endings, strict=True):
        play(client, "/war", "deal", deck=_one_sided_deck(won=won), names=names)
        turns = play(client, "/war", "turn", turns="all")["view"]["turn"]
        page = html.unescape(client.get("/war/history", headers=headers).text)
        row = page.partition('<ol class="history">')[2].partition("</li>")[0]
        assert f'<li class="is-{"won" if won else "lost"}">' in row
        assert f'<span class="ending">{ending.format(turns)}</span>' in row
        assert ("+" if won else "−") in row  # noqa: RUF001 - the sign of a lost round
    every = client.get("/history", headers=headers).text
    assert "<b>1–1</b>" in every.partition("/war/history")[2].partition("</a>")[0]  # noqa: RUF001
    lobby = client.get("/", headers=headers).text
    assert "1–1 " in lobby.partition('class="seat" href="/war"')[2].partition("</a>")[0]  # noqa: RUF001


# ---- Files to take home --------------------------------------------------------------------


@games
def test_an_exported_history_passes_the_checker(
    slug: str, client: FlaskClient, tmp_path: Path
) -> None:
    rng = random.Random(13)
    rounds = 3 if slug == "war" else 14
    for _ in range(rounds):
        finish(client, f"/{slug}", rng)
    code, said = said_by_the_checker(look(client, f"/{slug}/history.json"), tmp_path)
    assert code == 0, said
    assert f"{rounds} rounds" in said


def test_a_counted_deal_between_two_rounds_is_no_fault(client: FlaskClient, tmp_path: Path) -> None:
    """It stands in the history with cards of its own, and the rounds around it go on."""
    play(client, "/one-deck", "deal", deck=DECK)
    play(client, "/one-deck", "stay")
    play(client, made_deal(client, "one-deck", kind="counted"), "deal", "stay")
    finish(client, "/one-deck")
    code, said = said_by_the_checker(look(client, "/one-deck/history.json"), tmp_path)
    assert code == 0, said
    assert [bool(one["deal"]) for one in exported(client, "one-deck")] == [False, True, False]


@pytest.mark.parametrize(("name", "other"), [("chosen", "hit"), ("best", "bet"), ("cost", 0.25)])
def test_a_decision_that_was_changed_is_noticed(
    client: FlaskClient, tmp_path: Path, name: str, other: object
) -> None:
    play(client, "/blackjack", "deal", deck=DECK)
    play(client, "/blackjack", "stay")
    data = look(client, "/blackjack/history.json")
    data["rounds"][0]["decisions"][0][name] = other
    code, said = said_by_the_checker(data, tmp_path)
    assert code == 1
    assert "Round 1: " in said


def test_decisions_are_exported_without_a_coach_too(tmp_path: Path) -> None:
    client = visitor(tmp_path, coach=False)
    play(client, "/blackjack", "deal", deck=DECK)
    play(client, "/blackjack", "stay")
    play(client, "/bingo", "deal")
    calls = len(play(client, "/bingo", "call", calls="all")["view"]["called"])
    for slug, decisions in (("blackjack", "stay"), ("bingo", f"call:calls=1*{calls}")):
        (row,) = DictReader(io.StringIO(client.get(f"/{slug}/history.csv").text))
        assert row["decisions"] == decisions


def test_a_spreadsheet_gets_the_same_rounds_and_no_formula(client: FlaskClient) -> None:
    play(client, "/war", "deal", names="=1+1,@b")
    play(client, "/war", "turn", turns="all")
    (row,) = DictReader(io.StringIO(client.get("/war/history.csv").text))
    assert row["result"] in ("'=1+1", "'@b")
    assert row["record"] == exported(client, "war")[0]["record"]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())


# ---- A row a round -------------------------------------------------------------------------


def test_a_row_has_a_sign_a_colour_and_what_was_given_away(client: FlaskClient) -> None:
    """Standing on 8 is dearest, so it is shown; 19 against the dealer's 19 goes to the dealer."""
    for deck in ("TC 9D TD TH", "5C TH 3C TD", "TC TH 9C 9D"):
        play(client, "/blackjack", "deal", deck=stacked(deck))
        play(client, "/blackjack", "stay")
    page = client.get("/blackjack/history").text
    rows = re.findall(r'<li class="is-(\w+)">\s*<span class="sign is-\w+"[^>]*>(.)</span>', page)
    assert rows == [("lost", "−"), ("lost", "−"), ("won", "+")]  # noqa: RUF001 - a minus
    given = re.findall(r'<span class="cost( gave)?">', page)
    assert given == ["", " gave", ""]


def test_the_history_of_all_tables(client: FlaskClient) -> None:
    assert "No round is finished yet." in client.get("/history").text
    play(client, "/blackjack", "deal", deck=stacked("TC 9D TD TH"))
    play(client, "/blackjack", "stay")
    play(client, "/simple-21", "deal", "stay")
    page = client.get("/history").text
    played = ("blackjack", "simple-21")
    for slug in played:
        assert page.count(f'href="/{slug}/history/1"') == 1
    tables = {slug for slug in GAMES if f'href="/{slug}/history"' in page}
    assert tables == {*played}  # the others would only fill a phone
    assert "1 round, <b>1–0</b>" in page  # noqa: RUF001 - the sign between scores
    data = {one["game"]: one["finished"] for one in look(client, "/history")["tables"]}
    assert data == {slug: int(slug in played) for slug in GAMES}
