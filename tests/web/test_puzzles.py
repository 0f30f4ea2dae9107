"""The puzzles on the site: their JSON, the verdicts, and the data in the session."""

import html
import random
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.advice import Decision
from cardgames.cards import FULL_DECK, Card
from cardgames.odds import odds
from cardgames.puzzles import MARGIN, Position, Theme, best_margin, puzzles
from tests.support.languages import Reader
from tests.support.play import cards
from tests.support.site import BY_HAND, JSON, look, names_of, play, stacked, title, visitor
from web.http.sessions import PlayerSession
from web.puzzles import rules as kept
from web.puzzles import views
from web.puzzles.rules import MAX_DUE, DuePuzzle, Progress, first_puzzle
from web.puzzles.series import SET_SIZE, THEMES, choose_set, common_puzzles, costly_positions

ADVISED = [slug for slug, game in GAMES.items() if game.advisor]
PUZZLES = "/puzzles"


def best_of(puzzle: dict[str, Any]) -> str:
    """Return the best play according to the odds, from the known cards in the JSON."""
    rules: Any = GAMES[puzzle["table"]].rules  # type: ignore[attr-defined]
    player, unseen = map(Card, puzzle["player"]), map(Card, puzzle["unseen"])
    found = odds(rules, player, Card(puzzle["upcard"]), unseen, map(Card, puzzle["discards"]))
    assert best_margin(found) >= MARGIN
    return found.best


def answer(client: FlaskClient, address: str = PUZZLES, *, right: bool) -> dict[str, Any]:
    """Answer the open puzzle, and return the JSON of the response."""
    document = look(client, address)
    best = best_of(document["puzzle"])
    move = best if right else {"hit": "stay", "stay": "hit"}[best]
    return post(client, move, document["step"], address)


def post(client: FlaskClient, move: str, step: int, address: str = PUZZLES) -> dict[str, Any]:
    answered = client.post(address, data={"move": move, "step": step}, headers=JSON)
    assert answered.status_code == 200, answered.text
    document: dict[str, Any] = answered.get_json()
    return document


def values(puzzle: dict[str, Any]) -> tuple[str, str, str]:
    """Return a puzzle's identity without its suits: the table and the ranks."""
    hand = "".join(card[0] for card in puzzle["player"])
    return puzzle["table"], hand, puzzle["upcard"][0]


# ---- The JSON ----------------------------------------------------------------------------------


def test_visitors_puzzle_is_random(tmp_path: Path) -> None:
    first, second = visitor(tmp_path / "a"), visitor(tmp_path / "b")
    shown = first.get(PUZZLES, headers=JSON)
    assert shown.get_json() == look(second, PUZZLES) == look(first, PUZZLES)
    assert "Set-Cookie" not in shown.headers
    assert "Set-Cookie" not in first.get(PUZZLES).headers
    assert shown.headers["Cache-Control"] == "no-store"


def test_the_document_is_the_contracts(client: FlaskClient) -> None:
    document = look(client, PUZZLES)
    assert list(document) == ["step", "puzzle", "moves"]
    assert document["step"] == 0
    for _ in range(30):
        puzzle = document["puzzle"]
        assert list(puzzle) == ["table", "player", "upcard", "unseen", "discards", "theme"]
        assert puzzle["theme"] in set(Theme)
        lie = [*puzzle["player"], puzzle["upcard"], *puzzle["unseen"], *puzzle["discards"]]
        assert sorted(lie) == sorted(FULL_DECK)
        assert puzzle["unseen"] == [card for card in FULL_DECK if card in puzzle["unseen"]]
        stop = "Stay" if puzzle["table"] == "simple-21" else "Stand"
        assert document["moves"] == [
            {"name": "hit", "label": "Hit", "fields": {}},
            {"name": "stay", "label": stop, "fields": {}},
        ]
        before, best = document, best_of(puzzle)
        document = post(client, "hit", document["step"])
        assert document["step"] == before["step"] + 1
        assert document["answered"]["right"] == (best == "hit")
        found = document["answered"]["odds"]
        assert found["best"] == best
        assert list(found) == ["stay", "hit", "bust", "dealer", "best"]
        assert list(found["hit"]) == ["win", "tie", "lose", "ev"]
    assert "answered" not in look(client, PUZZLES)


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"move": "hit"}, 409),
        ({"move": "hit", "step": "1"}, 409),
        ({"move": "hit", "step": "x"}, 409),
        ({"move": "deal", "step": "0"}, 422),
        ({"move": "", "step": "0"}, 422),
        ({"move": "hit", "step": "0", "deck": ""}, 422),
    ],
)
def test_a_refused_answer_changes_nothing(
    client: FlaskClient, fields: dict[str, str], status: int
) -> None:
    before = look(client, PUZZLES)
    refused = client.post(PUZZLES, data=fields, headers=JSON)
    document = refused.get_json()
    assert (refused.status_code, "\n" in document.pop("error")) == (status, False)
    assert document == before == look(client, PUZZLES)
    assert "Set-Cookie" not in refused.headers
    page = client.post(PUZZLES, data=fields)
    assert page.status_code == status
    assert 'role="alert"' in page.text


def test_series_begins_on_request_and_only_one_is_open(client: FlaskClient) -> None:
    post(client, "hit", 0)
    assert look(client, "/puzzles/blackjack")["puzzle"] is None
    post(client, "begin", 1, "/puzzles/blackjack")
    assert look(client, "/puzzles/blackjack")["step"] == 2
    assert names_of(look(client, PUZZLES)) == ["begin"]
    for address in (PUZZLES, "/puzzles/blackjack"):  # an old tab
        assert client.post(address, data={"move": "hit", "step": 1}).status_code == 409


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_the_puzzles_of_a_theme_are_all_of_it(client: FlaskClient, theme: Theme) -> None:
    address = f"/puzzles/{theme.value}"
    post(client, "begin", 0, address)
    for turn in range(6):
        assert look(client, address)["puzzle"]["theme"] == theme
        answer(client, address, right=turn % 2 == 0)
    page = client.get(address).text
    assert f'<h2 id="coach">{theme.text}</h2>' in html.unescape(page)
    assert f'href="{address}" aria-current="page"' in page


# ---- The evaluation of an answer -----------------------------------------------------------


def test_an_answer_leads_to_its_reason_and_from_there_on(client: FlaskClient) -> None:
    best = best_of(look(client, PUZZLES)["puzzle"])
    done = client.post(PUZZLES, data={"move": best, "step": 0})
    assert (done.status_code, done.headers["Location"]) == (303, "/puzzles?answered")
    page = client.get("/puzzles?answered").text
    assert title(page).startswith("Right ")
    assert title(client.get(PUZZLES).text).startswith("Puzzle ")
    assert "Right." in page
    found = first_puzzle().odds
    hit, stay = (f"{100 * play.ev:+.1f}".replace("-", "−") for play in (found.hit, found.stay))
    assert f"hit {hit} points, stand {stay} points." in html.unescape(page)
    assert 'value="hit"' not in page
    assert 'href="/puzzles" autofocus' in page
    assert "Right." not in client.get(PUZZLES).text


# ---- Repeated wrong answers --------------------------------------------------------------------


@pytest.fixture
def days(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the day in a list, so that a test can change the day."""
    today = [1_000]
    monkeypatch.setattr(views, "_today", lambda: today[0])
    return today


def test_a_wrong_puzzle_is_due_after_one_three_and_seven_days(
    client: FlaskClient, days: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The puzzle is repeated, with other suits each time, and before any other puzzle."""
    # Without a seed, a random puzzle would repeat the ranks once in several thousand runs.
    chance = random.Random(1)
    monkeypatch.setattr("web.puzzles.views.random.SystemRandom", lambda: chance)
    wrong = look(client, PUZZLES)["puzzle"]
    answer(client, right=False)
    for wait in (1, 3, 7):
        days[0] += wait - 1
        for _ in range(3):
            assert values(look(client, PUZZLES)["puzzle"]) != values(wrong)
            answer(client, right=True)
        days[0] += 1
        assert "1 puzzle is due" in client.get(PUZZLES).text
        answer(client, right=True)  # answers the puzzle that was shown on an earlier day
        again = look(client, PUZZLES)["puzzle"]
        assert values(again) == values(wrong)
        assert again["player"] != wrong["player"]
        answer(client, right=True)
        assert 'class="due"' not in client.get(PUZZLES).text
    days[0] += 100
    for _ in range(3):
        answer(client, right=True)
        assert values(look(client, PUZZLES)["puzzle"]) != values(wrong)


def test_repeated_mistake_restarts_the_schedule() -> None:
    position, other = first_puzzle(), next(reversed(puzzles()))
    progress = Progress(position=position, due=(DuePuzzle(other, 5), DuePuzzle(position, 9, 2)))
    best = position.odds.best
    worse = {"hit": "stay", "stay": "hit"}[best]
    assert progress.after_answer(worse, 10).due == (DuePuzzle(other, 5), DuePuzzle(position, 11))
    # The answer is right for the third time.
    assert progress.after_answer(best, 10).due == (DuePuzzle(other, 5),)
    once = Progress(position=position, due=(DuePuzzle(position, 9),))
    assert once.after_answer(best, 10).due == (DuePuzzle(position, 13, 1),)


def test_due_puzzles_come_in_their_series(client: FlaskClient, days: list[int]) -> None:
    """Due puzzles are repeated among all puzzles, in their theme and at their table."""
    post(client, "begin", 0, "/puzzles/soft")
    wrong = look(client, "/puzzles/soft")["puzzle"]
    answer(client, "/puzzles/soft", right=False)
    days[0] += 1
    other = next(slug for slug in ADVISED if slug != wrong["table"])
    is_due = {
        address: "1 puzzle is due" in client.get(f"/puzzles{address}").text
        for address in ("", "/soft", "/stiff", f"/{wrong['table']}", f"/{other}")
    }
    assert [*is_due.values()] == [True, True, False, True, False]
    post(client, "begin", 2, f"/puzzles/{wrong['table']}")
    posed = look(client, f"/puzzles/{wrong['table']}")["puzzle"]
    assert values(posed) == values(wrong)


def test_lobby_says_how_many_puzzles_are_due(client: FlaskClient, days: list[int]) -> None:
    for _ in range(2):
        answer(client, right=False)
    assert "due" not in client.get("/").text
    days[0] += 1
    lobby = client.get("/").text
    assert re.search(r'href="/puzzles">2 puzzles are due</a>', lobby)


def test_practise_says_how_far_the_player_is(client: FlaskClient, days: list[int]) -> None:
    page = client.get("/practise").text
    assert re.findall("<em>([^<]*)</em>", page) == ["0 of 5 played", "No puzzles solved yet"]
    for right in (True, True, False):
        answer(client, right=right)
    days[0] += 1
    page = client.get("/practise").text
    states = ["0 of 5 played", "1 puzzle is due · Your best: 2 in a row"]
    assert re.findall("<em>([^<]*)</em>", page) == states


def test_progress_of_an_older_version_has_no_best_yet() -> None:
    older = msgspec.msgpack.encode((3, "", None, (), None, 2, ()))
    assert msgspec.msgpack.decode(older, type=Progress) == Progress(step=3, streak=2)


def test_right_answers_in_a_row_are_counted(client: FlaskClient) -> None:
    was_wrong = False
    for right, streak, best in ((True, 1, 1), (True, 2, 2), (False, 0, 2), (True, 1, 2)):
        was_wrong = was_wrong or not right
        answer(client, right=right)
        page = client.get("/puzzles?answered").text
        assert f"<dt>right in a row</dt><dd>{streak}</dd>" in page
        assert f"<dt>your best run</dt><dd>{best}</dd>" in page
        assert ("<dt>puzzles to repeat</dt>" in page) == was_wrong
    assert "<dt>puzzles to repeat</dt><dd>1</dd>" in page


def test_a_session_keeps_little() -> None:
    """A session stores only the latest of the puzzles to repeat.

    In this test, 47 cards have already been played in each position.
    """
    progress = Progress()
    listed = list(puzzles())
    for position in listed[:150]:
        progress = msgspec.structs.replace(progress, position=position)
        worse = {"hit": "stay", "stay": "hit"}[position.odds.best]
        progress = progress.after_answer(worse, 10)
    assert [one.position for one in progress.due] == listed[150 - MAX_DUE : 150]
    assert len(msgspec.msgpack.encode(progress)) < 5_000


def test_unreadable_progress_is_reset() -> None:
    torn = PlayerSession({kept.ROW: b"\x95\x01"})
    assert torn.value(kept.ROW, Progress) == Progress()
    two_places = Position("blackjack", cards("TS 6D"), Card("TC"))
    object.__setattr__(two_places, "upcard", Card("TS"))
    session = PlayerSession()
    session.keep(kept.ROW, Progress(position=two_places))
    assert session.value(kept.ROW, Progress) == Progress()


# ---- Weak spots ----------------------------------------------------------------------------


def test_the_costliest_come_first_and_alike_ones_are_one() -> None:
    """16 against a ten costs .1 + .15 in two hands, and 12 against a two costs .2.

    The other decisions cost nothing.
    """
    game = GAMES["blackjack"]
    assert game.advisor
    decided = [
        Decision(9, cards("TS 6D"), Card("TC"), "stay", "hit", 0.1),
        Decision(8, cards("TS 2D"), Card("2C"), "hit", "stay", 0.2),
        Decision(7, cards("9S 7D"), Card("KD"), "stay", "hit", 0.15),
        Decision(6, cards("TS 8D"), Card("TD"), "stay", "stay", 0.0),
        # The round was abandoned, so there was no choice.
        Decision(5, cards("TS 9D"), Card("TD"), "deal", "stay", 0.9),
    ]
    assert costly_positions(game, game.advisor, iter(decided)) == [
        Position("blackjack", cards("TS 6D"), Card("TC"), theme=Theme.STIFF),
        Position("blackjack", cards("TS 2D"), Card("2C"), theme=Theme.WEAK),
    ]


def test_set_begins_with_the_players_own_mistakes() -> None:
    common = common_puzzles("blackjack")
    own = tuple(Position("blackjack", cards("TS 6D"), card) for card in cards("2C 3C 4C"))
    few = choose_set(own, common, random.Random(1))
    assert len(few) == SET_SIZE
    assert {*own} < {*few} < {*own, *common}


@pytest.mark.parametrize("slug", ADVISED)
def test_the_weak_spots_of_a_table_are_its_own(client: FlaskClient, slug: str) -> None:
    address = f"/puzzles/{slug}"
    assert look(client, address)["puzzle"] is None
    post(client, "begin", 0, address)
    for turn in range(SET_SIZE + 2):
        puzzle = look(client, address)["puzzle"]
        assert (puzzle["table"], puzzle["discards"]) == (slug, [])
        answer(client, address, right=turn % 3 > 0)
    assert 'href="/puzzles/' + slug in client.get(f"/{slug}").text


def test_mistakes_of_stored_rounds_become_puzzles(client: FlaskClient) -> None:
    """At Simple 21, the player hits 16 against a six, and then correctly stays on 17."""
    play(client, "/simple-21", "deal", deck=stacked("TC 6D 6H 9H AC"))
    play(client, "/simple-21", "hit", "stay")
    post(client, "begin", 0, "/puzzles/simple-21")
    found = []
    for _ in range(SET_SIZE):
        found.append(values(look(client, "/puzzles/simple-21")["puzzle"]))
        answer(client, "/puzzles/simple-21", right=True)
    assert ("simple-21", "T6", "6") in found


def test_neither_tally_nor_history_counts_it(client: FlaskClient) -> None:
    play(client, "/simple-21", "deal", deck=BY_HAND)
    before, listed = look(client), look(client, "/simple-21/history")
    for _ in range(4):
        answer(client, right=False)
    post(client, "begin", 4, "/puzzles/simple-21")
    answer(client, "/puzzles/simple-21", right=True)
    assert look(client) == before
    assert look(client, "/simple-21/history") == listed


# ---- Links to the puzzles ------------------------------------------------------------------------


def test_tables_without_a_coach_have_no_puzzles(client: FlaskClient) -> None:
    for slug in {*GAMES} - {*ADVISED} | {"nothing", "own", "soft/hits-soft"}:
        assert client.get(f"/puzzles/{slug}").status_code == 404
    assert 'href="/puzzles"' in client.get("/practise").text


def test_every_text_is_translated(reader: Reader) -> None:
    for address in (PUZZLES, "/puzzles/one-deck", "/puzzles/last"):
        reader.get(address)
        for step in range(12):
            document = look(reader.client, address)
            move = names_of(document)[step % 2 if document["puzzle"] else 0]
            sent = {"move": move, "step": document["step"]}
            assert reader.client.post(address, data=sent).status_code == 303
            reader.get(f"{address}?answered")
        reader.read(reader.client.post(address, data={"move": "x"}))
