"""Transcripts: the game so far as the terminal of the sheets' programs shows it, byte for byte."""

import random
from itertools import pairwise, product
from pathlib import Path

import pytest

from cardgames import GAMES
from cardgames.deck_file import File
from cardgames.records.record import Record
from cardgames.records.transcript import TRANSCRIPTS, playing_card_bingo, simple_21
from cardgames.table import Phase, Table
from course.grading.sheets import SHEETS
from course.handouts.transcripts import transcript, typing
from tests.support.play import Evening, own_deck, play, play_rounds, salts

ROOT = Path(__file__).parent.parent.parent
DECKS = ROOT / "tests" / "decks"

TWO_ROUNDS = """\
=======================
Welcome to CARD GAME 21
=======================
Name of file that should be used to populate the deck of cards: deck.txt

Dealing cards to player and dealer...
Player's hand:[ KS ][ QS ], value = 20
Dealer's hand:[ JH ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> s
Player's hand:[ KS ][ QS ], value = 20
Dealer's hand:[ JH ][ AH ], value = 11
Dealer must take a card...
Player's hand:[ KS ][ QS ], value = 20
Dealer's hand:[ JH ][ AH ][ QH ], value = 21
Dealer has a natural 21! Dealer wins round 1!

Would you like to play another round (Y/N)? >> y

Dealing cards to player and dealer...
Player's hand:[ 6D ][ TS ], value = 16
Dealer's hand:[ 5H ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> h
Player's hand:[ 6D ][ TS ][ TH ], value = 26
Dealer's hand:[ 5H ][ xx ]
Player went bust. Dealer wins round 2!

Would you like to play another round (Y/N)? >> n

Thank you for playing. Goodbye...
"""
"""The first two rounds of the sheet's deck, stay and hit: written by hand from B1 of the spec."""

BINGO_BEGINNING = """\
******************************
Welcome to Playing Card Bingo!
******************************
Creating bingo deck...
Please enter filename to initialize deck: bingoDeck.txt
Creating calling deck...
Please enter filename to initialize deck: callingDeck.txt
Please select playing mode for this round: (L)ine, (C)orners, (F)ull > L
Play speed round (i.e. compare card ranks only) (Y/N)? N

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


def records(evening: Evening) -> list[Record]:
    """Return the records of all rounds, the one on the table too."""
    open_round = evening.table.phase is Phase.PLAYING
    return [*evening.records, *((evening.table.record,) * open_round)]


def deck(name: str) -> File:
    return File(name, (DECKS / name).read_bytes())


def test_simple_21() -> None:
    moves = ("deal", "stay", "deal", "hit")
    played = play_rounds("simple-21", *moves, deck=deck("shuffledDeck.txt"))
    assert simple_21(records(played)) == TWO_ROUNDS


def test_an_open_round_ends_at_its_question() -> None:
    """The hidden card, AH, is nowhere in it, nor is any card that was not dealt."""
    text = simple_21(records(play_rounds("simple-21", "deal", deck=deck("shuffledDeck.txt"))))
    beginning, question, _ = TWO_ROUNDS.partition("STAY (S/s)? >> ")
    assert text == beginning + question
    assert "AH" not in text


def test_bingo() -> None:
    """The sheet's line round: A wins with the 6th call, and the centre is never shown."""
    decks = {
        "bingo_deck": deck("bingoDeck.txt"),
        "calling_deck": deck("callingDeck_line_Awins.txt"),
    }
    played = play_rounds("bingo", "deal mode=L speed=N", "call calls=all", **decks)
    text = playing_card_bingo(records(played))
    assert text.startswith(BINGO_BEGINNING)
    assert "------------------------\nNow calling [ KS ]\nPlayer A:\n [ ]  [ AH ]" in text
    # KS KC AH JH 6C 5H: the top row KS AH 6C 5H KC is down at the sixth call.
    assert text.count("Now calling") == 6
    assert " [ ]   [ ]   [ ]   [ ]   [ ]  \n" in text
    assert text.count("            BINGO!            \n") == 1
    assert text.endswith(
        "Round 1: Player A won!\nPlay another round (Y/N)? n\nThank you for playing. Goodbye.\n"
    )
    assert "[ 4H ]" not in text  # A's centre


def test_before_the_first_deal_there_is_only_the_greeting() -> None:
    assert list(TRANSCRIPTS) == ["simple-21", "bingo"]
    assert TRANSCRIPTS["simple-21"]([]).endswith("deck of cards: ")
    assert TRANSCRIPTS["bingo"]([]).endswith("initialize deck: ")


@pytest.mark.parametrize("seed", range(6))
def test_a_students_diff_is_empty(tmp_path: Path, seed: int) -> None:
    """On a terminal the sheet's program, given the table's deck and answers, shows its transcript.

    As far as the deck goes without a shuffle: nine rounds at most.
    """
    rng = random.Random(seed)
    (tmp_path / "deck.txt").write_text(own_deck(rng))
    answers, moves = ["deck.txt"], ["deal"]
    file = File("deck.txt", (tmp_path / "deck.txt").read_bytes())
    table: Table = play("simple-21", "deal", deck=file)
    while len(table.state.deck) > 24 or table.phase is Phase.PLAYING:
        if table.phase is Phase.PLAYING:
            moves.append(rng.choice(["hit", "stay"]))
            answers.append(moves[-1][0])
        else:
            moves.append("deal")
            answers.append("y")
        table = play(table, moves[-1])
    shown = transcript(SHEETS["simple-21"], tmp_path, typing(*answers, "n"))
    assert shown == simple_21(play_rounds("simple-21", *moves, deck=file).records)


@pytest.mark.parametrize(("mode", "speed"), [*product("LCF", "NY")])
def test_a_students_diff_is_empty_at_bingo(tmp_path: Path, mode: str, speed: str) -> None:
    rng = random.Random(f"{mode}{speed}")
    files = {"bingo_deck": "bingoDeck.txt", "calling_deck": "callingDeck.txt"}
    for name in files.values():
        (tmp_path / name).write_text(own_deck(rng))
    decks = {field: File(name, (tmp_path / name).read_bytes()) for field, name in files.items()}
    deal = f"deal mode={mode} speed={speed}"
    played = play_rounds("bingo", deal, "call calls=all", **decks)
    shown = transcript(SHEETS["bingo"], tmp_path, typing(*files.values(), mode, speed, "n"))
    assert shown == playing_card_bingo(played.records)


def test_a_refill_is_announced_where_it_happens() -> None:
    """B1: after the question, before the table; the hands stay."""
    table, finished, new_salt = Table(GAMES["simple-21"]), list[Record](), salts(3)
    for number in range(120):
        playing = table.phase is Phase.PLAYING
        move = ("hit" if number % 3 else "stay") if playing else "deal"
        table, ended = play_rounds(table, move, new_salt=new_salt)
        finished += ended
    parts = simple_21(finished).split("Repopulating deck with cards...\n")
    assert len(parts) > 3
    for before, after in pairwise(parts):
        assert before.endswith(("(S/s)? >> h\n", "take a card...\n", "player and dealer...\n"))
        assert after.startswith("Player's hand:")
