"""The puzzles on the site: what programs get, how answers are judged, what a session keeps."""

import html
import random
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app import create_app
from cardgames import GAMES
from cardgames.advice import Decision
from cardgames.cards import FULL_DECK, Card
from cardgames.odds import odds
from cardgames.puzzles import MARGIN, Position, Theme, margin_of, puzzles
from tests.support.languages import Reader
from tests.support.play import cards
from tests.support.site import BY_HAND, JSON, look, names_of, play, stacked, title, visitor
from web.puzzles import progress as kept
from web.puzzles.weak_spots import SET_SIZE, choose_set, common_puzzles, costly_positions
from web.settings import Settings
from web.storage.memory import MemoryStore

ADVISED = [slug for slug, game in GAMES.items() if game.advisor]
PUZZLES = "/puzzles"


def best_of(puzzle: dict[str, Any]) -> str:
    """Return the best play, by the odds of what the document says is known."""
    rules: Any = GAMES[puzzle["table"]].rules  # type: ignore[attr-defined]
    player, unseen = map(Card, puzzle["player"]), map(Card, puzzle["unseen"])
    found = odds(rules, player, Card(puzzle["upcard"]), unseen, map(Card, puzzle["discards"]))
    assert margin_of(found) >= MARGIN
    return found.best


def answer(client: FlaskClient, address: str = PUZZLES, *, right: bool) -> dict[str, Any]:
    """Answer the open puzzle, and return the document that follows."""
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
    """Return what a puzzle is whatever its suits: the table and the ranks."""
    hand = "".join(card[0] for card in puzzle["player"])
    return puzzle["table"], hand, puzzle["upcard"][0]


# ---- What a program gets -------------------------------------------------------------------


def test_a_visitor_gets_a_puzzle_that_follows_from_nothing(tmp_path: Path) -> None:
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
        assert document["moves"][:2] == [
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


def test_two_tabs_on_two_series_both_keep_their_answers(client: FlaskClient) -> None:
    post(client, "begin", 0, "/puzzles/blackjack")
    post(client, "hit", 0)
    assert client.post(PUZZLES, data={"move": "hit", "step": 0}).status_code == 409  # twice
    post(client, "stay", 1, "/puzzles/blackjack")
    assert [look(client, path)["step"] for path in (PUZZLES, "/puzzles/blackjack")] == [1, 2]


# ---- How an answer is judged ---------------------------------------------------------------


def test_an_answer_leads_to_its_reason_and_from_there_on(client: FlaskClient) -> None:
    best = best_of(look(client, PUZZLES)["puzzle"])
    done = client.post(PUZZLES, data={"move": best, "step": 0})
    assert (done.status_code, done.headers["Location"]) == (303, "/puzzles?answered")
    page = client.get("/puzzles?answered").text
    assert title(page).startswith("Right ")
    assert title(client.get(PUZZLES).text).startswith("Puzzle ")
    assert "Right." in page
    found = kept.first_puzzle().odds
    said = f"hit {found.hit.ev:+.3f} rounds, stand {found.stay.ev:+.3f} rounds."
    assert said in html.unescape(page)
    assert 'value="hit"' not in page
    assert 'href="/puzzles" autofocus' in page
    assert "Right." not in client.get(PUZZLES).text


def test_a_failed_puzzle_comes_back_in_other_suits(client: FlaskClient) -> None:
    first = look(client, PUZZLES)["puzzle"]
    answer(client, right=False)
    seen = []
    for _ in range(5):
        seen.append(look(client, PUZZLES)["puzzle"])
        answer(client, right=True)
    assert values(first) not in map(values, seen[:4])
    assert values(seen[4]) == values(first)
    assert seen[4]["player"] != first["player"]


def test_the_rating_goes_by_glickmans_formulas_and_a_puzzle_back_is_not_rated(
    client: FlaskClient,
) -> None:
    """The first right answer: against 1500 and 200 by 1500 and 350, expected one half.

    g = 1 / sqrt(1 + 3 (200 / 173.7178)^2 / pi^2) = .844, v = 4 / g^2 = 5.61, phi = 2.0148 or, with
    the volatility, 2.0156: 1 / phi'^2 = 1 / phi^2 + 1 / v gives phi' = 1.535, so 1500 + 173.7178 x
    1.535^2 x g / 2 = 1672.7.
    """
    margin = puzzles()[kept.first_puzzle()]
    assert kept.initial_rating(margin).rating == pytest.approx(1500, abs=1)
    answer(client, right=True)
    page = client.get("/puzzles?answered").text
    assert '<b class="n">1673</b> <span class="n">(+173)</span>' in page
    for turn in range(6):
        answer(client, right=turn > 0)
        page = client.get("/puzzles?answered").text
        assert ("(+" in page or "(-" in page) == (turn < 5)


def test_the_rating_keeps_within_what_is_stored() -> None:
    progress = kept.Progress()
    for position in list(puzzles())[:150]:
        series = kept.Series(position=position)
        progress = progress.with_series(kept.ALL, series)
        progress = kept.after_answer(progress, kept.ALL, position.odds.best, position.odds, 0)
    assert len(progress.rated) == kept.MAX_RATED
    assert progress.rating.rating > 1700
    posed = kept.new_puzzle(progress, random.Random(1))
    assert [*puzzles()].index(posed) not in progress.rated


def test_a_hard_puzzle_is_close_and_an_easy_one_clear() -> None:
    assert [kept.initial_rating(margin).rating for margin in (0.05, 0.2, 0.45, 2.0)] == [
        1800, 1500, 1000, 1000,
    ]  # fmt: skip


def test_starting_over_forgets_the_rating(client: FlaskClient) -> None:
    for _ in range(3):
        answer(client, right=False)
    document = post(client, "new", 3)
    assert document["step"] == 4
    page = client.get(PUZZLES).text
    assert '<b class="n">1500</b>' in page
    assert "lost by mistakes" not in page


def test_what_cannot_be_read_is_begun_anew() -> None:
    torn: Any = {kept.ROW: b"\x95\x01"}
    assert kept.load(torn) == kept.Progress()
    two_places = Position("blackjack", cards("TS 6D"), Card("TC"))
    object.__setattr__(two_places, "upcard", Card("TS"))
    session: Any = {}
    kept.save(session, kept.Progress(series={"": kept.Series(position=two_places)}))
    assert kept.load(session) == kept.Progress()


# ---- A storm -------------------------------------------------------------------------------


def test_a_storm_ends_by_the_servers_time(tmp_path: Path) -> None:
    now = [1_000_000.0]
    store = MemoryStore(clock=lambda: now[0])
    client = create_app(Settings(data_dir=tmp_path), store).test_client()
    begun = post(client, "storm", 0)
    assert "storm" not in names_of(begun)
    assert "3:00 left" in client.get(PUZZLES).text
    for right in (True, False, True):
        now[0] += 30
        answer(client, right=right)
    page = client.get(PUZZLES).text
    assert "1:30 left" in page
    assert "2 solved" in page
    assert 'value="hit"' in page  # no page between two puzzles
    assert "Right." in page
    refused = client.post(PUZZLES, data={"move": "storm", "step": 4}, headers=JSON)
    assert refused.status_code == 422
    now[0] += 90
    page = client.get(PUZZLES).text
    assert "The storm is over: 2 solved, 1 missed. Your best: 2." in page
    assert '<b class="n">1500</b>' in page  # a storm is not rated
    for after, said in enumerate((True, False)):
        answer(client, right=True)
        page = client.get("/puzzles?answered").text
        assert ("The storm is over: 2 solved" in page) == said, after
    assert "storm" in names_of(look(client, PUZZLES))


# ---- Weak spots ----------------------------------------------------------------------------


def test_the_costliest_come_first_and_alike_ones_are_one() -> None:
    """16 against a ten: .1 + .15, by two hands; 12 against a two: .2; the rest cost nothing."""
    game = GAMES["blackjack"]
    assert game.advisor
    decided = [
        Decision(9, cards("TS 6D"), Card("TC"), "stay", "hit", 0.1),
        Decision(8, cards("TS 2D"), Card("2C"), "hit", "stay", 0.2),
        Decision(7, cards("9S 7D"), Card("KD"), "stay", "hit", 0.15),
        Decision(6, cards("TS 8D"), Card("TD"), "stay", "stay", 0.0),
        Decision(5, cards("TS 9D"), Card("TD"), "deal", "stay", 0.9),  # given up: no such choice
    ]
    assert costly_positions(game, game.advisor, iter(decided)) == [
        Position("blackjack", cards("TS 6D"), Card("TC"), theme=Theme.STIFF),
        Position("blackjack", cards("TS 2D"), Card("2C"), theme=Theme.WEAK),
    ]


def test_a_set_is_the_players_own_and_then_what_others_get_wrong() -> None:
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
    page = client.get(address).text
    assert "Nothing is known yet of where you give away most" in page
    for turn in range(SET_SIZE + 2):
        puzzle = look(client, address)["puzzle"]
        assert (puzzle["table"], puzzle["discards"]) == (slug, [])
        answer(client, address, right=turn % 3 > 0)
    assert 'href="/puzzles/' + slug in client.get(f"/{slug}").text


def test_what_was_given_away_in_kept_rounds_is_posed(client: FlaskClient) -> None:
    """Simple 21: hitting 16 against a six, then staying on 17, which was right."""
    play(client, "/simple-21", "deal", deck=stacked("TC 6D 6H 9H AC"))
    play(client, "/simple-21", "hit", "stay")
    post(client, "begin", 0, "/puzzles/simple-21")
    assert (
        "One of the latest situations is from your own rounds"
        in client.get("/puzzles/simple-21").text
    )
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
    post(client, "begin", 0, "/puzzles/simple-21")
    answer(client, "/puzzles/simple-21", right=True)
    assert look(client) == before
    assert look(client, "/simple-21/history") == listed


# ---- Around it -----------------------------------------------------------------------------


def test_where_no_coach_sits_there_are_no_puzzles(client: FlaskClient) -> None:
    for slug in {*GAMES} - {*ADVISED} | {"nothing"}:
        assert client.get(f"/puzzles/{slug}").status_code == 404
    assert 'href="/puzzles"' in client.get("/").text


def test_every_text_is_translated(reader: Reader) -> None:
    for address in (PUZZLES, "/puzzles/one-deck"):
        reader.get(address)
        for step in range(30):
            document = look(reader.client, address)
            move = names_of(document)[step % 2 if document["puzzle"] else 0]
            sent = {"move": move, "step": document["step"]}
            assert reader.client.post(address, data=sent).status_code == 303
            reader.get(f"{address}?answered")
        reader.read(reader.client.post(address, data={"move": "x"}))
    post(reader.client, "storm", 30)
    reader.get(PUZZLES)
