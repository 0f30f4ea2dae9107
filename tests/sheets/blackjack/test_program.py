"""The Blackjack mini-project: the program in a terminal."""

from pathlib import Path

import pytest

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

PROMPT = "Deal, Hit, Stand, Quit? >> "
GOODBYE = "\nThank you for playing. Goodbye...\n"

DEALT_FROM_THE_END = "'DT ST HT D6 H7 CK H9 S3 D4'.find(str(card))"

GAME = Transcript(
    """\

Blackjack  Score 0
Dealer
[ xx ]  [ CK ]
Player 13
[ D4 ]  [ H9 ]
Hit or stand?

Deal, Hit, Stand, Quit? >> «h»

Blackjack  Score 0
Dealer
[ xx ]  [ CK ]
Player 20
[ D4 ]  [ H9 ]  [ H7 ]
Hit or stand?

Deal, Hit, Stand, Quit? >> «Stand»

Blackjack  Score 1
Dealer 19
[ S3 ]  [ CK ]  [ D6 ]
Player 20
[ D4 ]  [ H9 ]  [ H7 ]
You win! New deal?

Deal, Hit, Stand, Quit? >> «s»

Blackjack  Score 1
Dealer 19
[ S3 ]  [ CK ]  [ D6 ]
Player 20
[ D4 ]  [ H9 ]  [ H7 ]
You win! New deal?

Deal, Hit, Stand, Quit? >> «d»

Blackjack  Score 1
Dealer
[ xx ]  [ CK ]
Player 13
[ D4 ]  [ H9 ]
Hit or stand?

Deal, Hit, Stand, Quit? >> «D»

Blackjack  Score 0
Dealer
[ xx ]  [ CK ]
Player 13
[ D4 ]  [ H9 ]
You lost the round by dealing. Hit or stand?

Deal, Hit, Stand, Quit? >> «help»

Blackjack  Score 0
Dealer
[ xx ]  [ CK ]
Player 20
[ D4 ]  [ H9 ]  [ H7 ]
You lost the round by dealing. Hit or stand?

Deal, Hit, Stand, Quit? >> «»
Press one of D, H, S, Q.
Deal, Hit, Stand, Quit? >> «x»
Press one of D, H, S, Q.
Deal, Hit, Stand, Quit? >> «h»

Blackjack  Score -1
Dealer 13
[ S3 ]  [ CK ]
Player 26
[ D4 ]  [ H9 ]  [ H7 ]  [ D6 ]
You have busted. Dealer wins. New deal?

Deal, Hit, Stand, Quit? >> «s»

Blackjack  Score -1
Dealer 13
[ S3 ]  [ CK ]
Player 26
[ D4 ]  [ H9 ]  [ H7 ]  [ D6 ]
You have busted already. New deal?

Deal, Hit, Stand, Quit? >> «q»

Thank you for playing. Goodbye...
"""
)
"""Written by hand: every deal has the same cards on top."""


@either_way
def test_a_session_with_piped_input(how: str, tmp_path: Path) -> None:
    """S1-4, S1-21, S1-25, S1-28, S1-33, S1-34, S1-35, S1-43: the first hand is dealt at once."""
    program = arranged("blackjack", "blackjack", how, DEALT_FROM_THE_END)
    assert piped(program, tmp_path, GAME.stdin) == GAME.piped


@mostly_by_file
def test_a_session_in_a_terminal(how: str, tmp_path: Path) -> None:
    """S1-25, S1-28, S1-30, S1-34, S1-43: the same keys at a real terminal."""
    program = arranged("blackjack", "blackjack", how, DEALT_FROM_THE_END)
    assert in_terminal(program, tmp_path, GAME.answers) == GAME.shown


def test_the_program_writes_the_picture_it_is_asked_for(tmp_path: Path) -> None:
    """S1-30, S1-43: anew after each key; a place that cannot be written to is no traceback."""
    arguments, folder = command("blackjack", "blackjack", "file")
    picture = tmp_path / "table.svg"
    shown = piped([*arguments, str(picture)], folder, "s\n")
    assert "New deal?" in picture.read_text()
    assert "Cannot write" not in shown
    shown = piped([*arguments, str(tmp_path / "no" / "table.svg")], folder, "q\n")
    assert f"\nCannot write to {tmp_path}/no/table.svg.\n" in shown
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.svg"]


@mostly_by_file
def test_the_end_of_the_input_ends_politely(how: str) -> None:
    """S1-25: with the goodbye and without a traceback."""
    assert piped(*command("blackjack", "blackjack", how), "").endswith(PROMPT + GOODBYE)
    assert piped(*command("blackjack", "blackjack", how), "d\nh").endswith(PROMPT + GOODBYE)


@pytest.mark.parametrize("key", [EOF, INTERRUPT], ids=["ctrl-d", "ctrl-c"])
def test_keys_that_end_the_program(key: str) -> None:
    """S1-34: at a real terminal."""
    shown = in_terminal(*command("blackjack", "blackjack", "file"), [(PROMPT, key)])
    assert shown.endswith("\nThank you for playing. Goodbye...\n")
