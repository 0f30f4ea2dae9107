"""Transcripts: the game so far as the terminal of the sheets' programs shows it, byte for byte."""

import random
from itertools import pairwise, product
from pathlib import Path

import pytest

from cardgames import GAMES
from cardgames.deck_file import File
from cardgames.records.record import Record
from cardgames.records.transcript import playing_card_bingo, simple_21
from cardgames.table import Phase, Table
from course.grading.sheets import SHEETS
from course.handouts.transcripts import transcript, typing
from tests.support.play import own_deck, play, play_rounds, salts

ROOT = Path(__file__).parent.parent.parent
DECKS = ROOT / "tests" / "decks"


def deck(name: str) -> File:
    return File(name, (DECKS / name).read_bytes())


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
