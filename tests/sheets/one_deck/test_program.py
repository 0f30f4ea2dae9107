"""One-deck Blackjack: the program, by its transcripts."""

import re
from typing import Any

import pytest

from tests.sheets.one_deck.support import ASKS_AGAIN, ASKS_HIT
from tests.support.sheets import (
    EOF,
    INTERRUPT,
    Transcript,
    arranged,
    command,
    either_way,
    in_terminal,
    mostly_by_file,
    piped,
)

DEALT_FROM_THE_END = "'Jh 6s Th 8h 9s Kc 7d 4d 5h 8c Qd 3c 2d'.find(str(card))"

GAME = Transcript(
    """\
Blackjack with one deck

Your cards: 2d Qd
Dealer's cards: 3c X
Another card (Y/y/H/h or Enter)? «»
Your cards: 2d Qd 5h, total 17
Another card (Y/y/H/h or Enter)? «no»
Your cards: 2d Qd 5h, total 17
The dealer turns over 8c.
The dealer hits.
Dealer's cards: 3c 8c 4d, total 15
The dealer hits.
Dealer's cards: 3c 8c 4d 7d, total 22
The dealer has busted.
You win the round.
Another round (Y/y or Enter)? «y»

Your cards: Kc 8h
Dealer's cards: 9s X
Another card (Y/y/H/h or Enter)? «yes»
Your cards: Kc 8h, total 18
The dealer turns over Th.
The dealer stands.
Dealer's cards: 9s Th, total 19
The dealer wins the round.
Another round (Y/y or Enter)? «yes»

Game over.
Rounds won by you: 1
Rounds won by the dealer: 1
Rounds which were draws: 0
"""
)
"""Written by hand."""


@either_way
def test_a_game_with_piped_input(how: str, tmp_path: Any) -> None:
    """S2-2, S2-6, S2-20, S2-21, S2-22, S2-23, S2-24, S2-26, S2-27, S2-28: a game by hand."""
    program = arranged("one_deck", "proj09", how, DEALT_FROM_THE_END)
    assert piped(program, tmp_path, GAME.stdin) == GAME.piped
    windows = GAME.stdin.replace("\n", "\r\n")
    assert piped(program, tmp_path, windows) == GAME.piped


@mostly_by_file
def test_a_game_in_a_terminal(how: str, tmp_path: Any) -> None:
    """S2-2, S2-6, S2-20, S2-21, S2-23: the same game at a real terminal."""
    program = arranged("one_deck", "proj09", how, DEALT_FROM_THE_END)
    assert in_terminal(program, tmp_path, GAME.answers) == GAME.shown


@mostly_by_file
def test_the_end_of_the_input_means_stop(how: str) -> None:
    """S2-16, S2-20, S2-21, S2-23: it stands, ends the game, and shows the totals."""
    printed = piped(*command("one_deck", "proj09", how), "")
    assert printed.count(f"{ASKS_HIT}\nYour cards: ") == 1
    assert printed.count(f"{ASKS_AGAIN}\n\nGame over.\n") == 1
    counts = [int(number) for number in re.findall(r": (\d+)$", printed, re.MULTILINE)]
    assert sum(counts) == 1


@pytest.mark.parametrize("key", [EOF, INTERRUPT], ids=["ctrl-d", "ctrl-c"])
def test_keys_that_end_the_game(key: str) -> None:
    """S2-16, S2-20: at a real terminal; Ctrl-D at each question, Ctrl-C once."""
    answers = [(ASKS_HIT, key), (ASKS_AGAIN, key)][: 2 if key == EOF else 1]
    shown = in_terminal(*command("one_deck", "proj09", "file"), answers)
    assert re.search(r"\n\nGame over\.\n(Rounds .*: \d\n){3}$", shown), shown
