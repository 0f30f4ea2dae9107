"""Transcripts: the game so far in the exact format of the sheets' terminal programs."""

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from cardgames import GAMES
from cardgames.deck_file import File
from cardgames.records.record import Record
from cardgames.records.transcript import playing_card_bingo, simple_21
from cardgames.table import Phase, Table
from course.grading.sheets import SHEETS
from tests.support.play import own_deck, play, play_rounds, salts
from tests.support.sheets import Luck, WebTable
from tests.support.transcripts import transcript, typing

ROOT = Path(__file__).parent.parent.parent
DECKS = ROOT / "tests" / "decks"


def deck(name: str) -> File:
    return File(name, (DECKS / name).read_bytes())


@pytest.mark.parametrize("seed", range(6))
def test_a_students_diff_is_empty(tmp_path: Path, seed: int) -> None:
    """The transcript is the same as the output of the sheet's program on a terminal.

    The program gets the same deck and the same answers as the table.

    The transcript ends before the first shuffle, or after nine rounds.
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


def record_of(site: WebTable) -> Record:
    """Return the record of the table's round, including the orders of both decks."""
    record, state = site.record, site.state
    own = record.actions[0]["bingo_deck"]
    return replace(record, shuffles=() if own else (state.bingo_deck, state.calling_deck))


@pytest.mark.parametrize("seed", range(6))
def test_a_students_diff_is_empty_at_bingo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """S4-34, S4-44, S4-56, S4-57, S4-58, S4-62: eight rounds with the same decks and shuffles."""
    player, site = random.Random(seed), WebTable("bingo", Luck(seed))
    shuffles = Luck(seed, lambda card: card.getRank() + card.getSuit())
    monkeypatch.setattr(random, "shuffle", shuffles.shuffle)
    answers, own = ["bingoDeck.txt", "callingDeck.txt"], {}
    for field, name in zip(("bingo_deck", "calling_deck"), answers, strict=True):
        file = own_deck(player)
        (tmp_path / name).write_text(file)
        own[field] = File(name, file.encode())
    records = []
    for _ in range(8):
        kind = {"mode": player.choice("LCF"), "speed": player.choice("YN")}
        site.play("deal", **kind, **own)
        own = {}
        while site.result is None:
            site.play("call", calls=player.choice(["1", "5", "all"]))
        records.append(record_of(site))
        answers += [kind["mode"], kind["speed"], "y"]
    shown = transcript(SHEETS["bingo"], tmp_path, typing(*answers[:-1], "n"))
    assert shown == playing_card_bingo(records)


def test_refill_is_announced_at_its_place() -> None:
    """B1: the message is after the question and before the table, and the hands do not change."""
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
