"""Transcripts: the game so far as the sheets' programs print it, byte for byte."""

import io
import random
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import flask
import pytest
from cardgames.transcript import TRANSCRIPTS
from flask.testing import FlaskClient
from web.store import Round

from cardgames.cards import FULL_DECK, shuffled
from cardgames.game import Phase
from tests.test_book import Playing

ROOT = Path(__file__).parent.parent
DECKS = Path(__file__).parent / "decks"

TWO_ROUNDS = """\
=======================
Welcome to CARD GAME 21
=======================
Name of file that should be used to populate the deck of cards: \

Dealing cards to player and dealer...
Player's hand:[ KS ][ QS ], value = 20
Dealer's hand:[ JH ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> Player's hand:[ KS ][ QS ], value = 20
Dealer's hand:[ JH ][ AH ], value = 11
Dealer must take a card...
Player's hand:[ KS ][ QS ], value = 20
Dealer's hand:[ JH ][ AH ][ QH ], value = 21
Dealer has a natural 21! Dealer wins round 1!

Would you like to play another round (Y/N)? >> \

Dealing cards to player and dealer...
Player's hand:[ 6D ][ TS ], value = 16
Dealer's hand:[ 5H ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> Player's hand:[ 6D ][ TS ][ TH ], value = 26
Dealer's hand:[ 5H ][ xx ]
Player went bust. Dealer wins round 2!

Would you like to play another round (Y/N)? >> \

Thank you for playing. Goodbye...
"""
"""The first two rounds of the sheet's deck, stay and hit: written by hand from B1 of the spec."""

BINGO_BEGINNING = """\
******************************
Welcome to Playing Card Bingo!
******************************
Creating bingo deck...
Please enter filename to initialize deck: Creating calling deck...
Please enter filename to initialize deck: \
Please select playing mode for this round: (L)ine, (C)orners, (F)ull > \
Play speed round (i.e. compare card ranks only) (Y/N)? \

Round 1 beginning...
Player A:
[ KS ][ AH ][ 6C ][ 5H ][ KC ]
[ TD ][ 7H ][ 9C ][ 8S ][ 4C ]
[ 2D ][ AC ] [ ]  [ 4S ][ 4D ]
[ 5D ][ 3D ][ TC ][ 8C ][ JC ]
[ 9H ][ 5C ][ 7C ][ 5S ][ JS ]

Player B:
"""
"""The beginning of the sample round: A's grid is the sheet's picture (G1)."""


def played(client: FlaskClient, table: str, *forms: dict[str, Any]) -> str:
    for step, form in enumerate(forms):
        assert client.post(table, data={**form, "step": str(step)}).status_code == 303
    response = client.get(f"{table}/transcript")
    assert response.mimetype == "text/plain"
    assert "attachment" in response.headers["Content-Disposition"]
    return response.text


def test_simple_21_over_http(client: FlaskClient, shuffled_deck: str) -> None:
    text = played(
        client,
        "/simple-21",
        {"move": "deal", "deck": shuffled_deck},
        {"move": "stay"},
        {"move": "deal"},
        {"move": "hit"},
    )
    assert text == TWO_ROUNDS


def test_an_open_round_ends_at_its_question(client: FlaskClient, shuffled_deck: str) -> None:
    """The hidden card, AH, is nowhere in it, nor is any card that was not dealt."""
    text = played(client, "/simple-21", {"move": "deal", "deck": shuffled_deck})
    beginning, question, _ = TWO_ROUNDS.partition("STAY (S/s)? >> ")
    assert text == beginning + question
    assert "AH" not in text


def test_bingo_over_http(client: FlaskClient) -> None:
    """The sheet's line round: A wins with the 6th call, and the centre is never shown."""
    decks = {
        field: (io.BytesIO((DECKS / name).read_bytes()), name)
        for field, name in [
            ("bingo_deck", "bingoDeck.txt"),
            ("calling_deck", "callingDeck_line_Awins.txt"),
        ]
    }
    deal = {"move": "deal", "mode": "L", "speed": "N", **decks}
    text = played(client, "/bingo", deal, {"move": "call", "calls": "all"})
    assert text.startswith(BINGO_BEGINNING)
    assert "------------------------\nNow calling [ KS ]\nPlayer A:\n [ ]  [ AH ]" in text
    # KS KC AH JH 6C 5H: the top row KS AH 6C 5H KC is down at the sixth call.
    assert text.count("Now calling") == 6
    assert " [ ]   [ ]   [ ]   [ ]   [ ]  \n" in text
    assert text.count("            BINGO!            \n") == 1
    assert text.endswith(
        "Round 1: Player A won!\nPlay another round (Y/N)? Thank you for playing. Goodbye.\n"
    )
    assert "[ 4H ]" not in text  # A's centre


@pytest.mark.parametrize("path", ["/war/transcript", "/blackjack/transcript", "/x/transcript"])
def test_other_tables_have_none(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_before_the_first_deal_there_is_only_the_greeting(client: FlaskClient) -> None:
    assert played(client, "/simple-21").endswith("deck of cards: ")
    assert "transcript" not in client.get("/simple-21").text
    assert played(client, "/bingo").endswith("initialize deck: ")


@pytest.mark.parametrize("seed", range(12))
def test_a_students_diff_is_empty(tmp_path: Path, seed: int) -> None:
    """The sheet's program, given the table's deck and answers, prints the table's transcript.

    As far as the deck goes without a shuffle: nine rounds at most.
    """
    rng = random.Random(seed)
    deck = shuffled(FULL_DECK, rng)
    (tmp_path / "deck.txt").write_text("\n".join(deck))
    table, answers = Playing("simple-21"), ["deck.txt"]
    phase = table.game.phase
    while len(table.state.deck) > 24 or phase(table.state) is not Phase.ROUND_OVER:
        if phase(table.state) is Phase.PLAYING:
            move = rng.choice(["hit", "stay"])
            answers.append({"hit": "h", "stay": "s"}[move])
            table.move(move)
        elif phase(table.state) is Phase.ROUND_OVER:
            answers.append("y")
            table.move("deal")
        else:
            table.move("deal", deck="\n".join(deck))
    program = subprocess.run(
        [sys.executable, "-m", "cardgames.assignments.simple21.assignment2"],
        input="\n".join([*answers, "n", ""]),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert program.stderr == ""
    assert program.stdout == TRANSCRIPTS["simple-21"](table.records())


LAST = {"simple-21": {}, "bingo": {"mode": "F", "speed": "Y"}}
"""What a deal needs at the tables that have a transcript."""


@pytest.mark.parametrize("slug", TRANSCRIPTS)
def test_it_goes_back_fifty_rounds_before_the_one_on_the_table(
    slug: str, client: FlaskClient
) -> None:
    step = 0

    def move(**form: str) -> None:
        nonlocal step
        assert client.post(f"/{slug}", data={**form, "step": str(step)}).status_code == 303
        step += 1

    finish = {"move": "stay"} if slug == "simple-21" else {"move": "call", "calls": "all"}
    for _ in range(60):
        move(move="deal", **LAST[slug])
        move(**finish)
    over = client.get(f"/{slug}/transcript").text
    move(move="deal", **LAST[slug])
    playing = client.get(f"/{slug}/transcript").text
    for text, first, last in ((over, 10, 60), (playing, 11, 60)):
        numbers = [int(number) for number in re.findall(r"[Rr]ound (\d+)(?:!| with|:)", text)]
        assert numbers == list(range(first, last + 1))
    assert "oodbye" in over
    assert "oodbye" not in playing
    move(move="new")
    assert client.get(f"/{slug}/transcript").text.count("\n") < 8
    move(move="deal", **LAST[slug])
    move(**finish)
    assert len(re.findall(r"another round \(Y/N\)", client.get(f"/{slug}/transcript").text)) == 1


def test_a_round_that_cannot_be_read_ends_it_there(client: FlaskClient, app: flask.Flask) -> None:
    """Nothing older is shown, and nobody gets an error page."""
    for step in range(6):
        move = "stay" if step % 2 else "deal"
        client.post("/simple-21", data={"move": move, "step": str(step)})
    interface: Any = app.session_interface
    with client.session_transaction() as session:
        kept = interface.store.rounds(session.sid, "simple-21")
        assert [one.number for one in kept] == [3, 2, 1]
        session.beside.append(Round("simple-21", 2, b"nonsense"))
        assert interface.commit(session)
    text = client.get("/simple-21/transcript").text
    assert "round 3" in text
    assert "round 2" not in text
    assert "round 1" not in text


def test_a_refill_is_announced_where_it_happens() -> None:
    """B1: after the question, before the table; the hands stay."""
    table = Playing("simple-21", random.Random(3).randbytes)
    for number in range(120):
        playing = table.game.phase(table.state) is Phase.PLAYING
        table.move(("hit" if number % 3 else "stay") if playing else "deal")
    text = TRANSCRIPTS["simple-21"](table.records())
    parts = text.split("Repopulating deck with cards...\n")
    assert len(parts) > 3
    for before, after in pairwise(parts):
        assert before.endswith(("(S/s)? >> ", "take a card...\n", "player and dealer...\n"))
        assert after.startswith("Player's hand:")
