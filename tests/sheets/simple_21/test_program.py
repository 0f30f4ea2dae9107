"""Simple 21: the program, by its transcripts."""

import pytest

from tests.sheets.simple_21.support import ASKS_FILE, FOLDER
from tests.support.sheets import (
    DECKS,
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

ASKS_HIT = "Would you like to HIT (H/h) or STAY (S/s)? >> "
ASKS_AGAIN = "Would you like to play another round (Y/N)? >> "
BANNER = "=======================\nWelcome to CARD GAME 21\n=======================\n"
GOODBYE = "\nThank you for playing. Goodbye...\n"

WHOLE_GAME = Transcript(
    """\
=======================
Welcome to CARD GAME 21
=======================
Name of file that should be used to populate the deck of cards: «fileDoesn'tExist»
Cannot read from fileDoesn'tExist.
Name of file that should be used to populate the deck of cards: «shuffledDeck.txt»

Dealing cards to player and dealer...
Player's hand:[ KS ][ QS ], value = 20
Dealer's hand:[ JH ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «s»
Player's hand:[ KS ][ QS ], value = 20
Dealer's hand:[ JH ][ AH ], value = 11
Dealer must take a card...
Player's hand:[ KS ][ QS ], value = 20
Dealer's hand:[ JH ][ AH ][ QH ], value = 21
Dealer has a natural 21! Dealer wins round 1!

Would you like to play another round (Y/N)? >> «y»

Dealing cards to player and dealer...
Player's hand:[ 6D ][ TS ], value = 16
Dealer's hand:[ 5H ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 6D ][ TS ][ TH ], value = 26
Dealer's hand:[ 5H ][ xx ]
Player went bust. Dealer wins round 2!

Would you like to play another round (Y/N)? >> «Y»

Dealing cards to player and dealer...
Player's hand:[ 6C ][ KD ], value = 16
Dealer's hand:[ TD ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «stay»
Player's hand:[ 6C ][ KD ], value = 16
Dealer's hand:[ TD ][ 7H ], value = 17
Dealer wins round 3!

Would you like to play another round (Y/N)? >> «yes»

Dealing cards to player and dealer...
Player's hand:[ 3C ][ 2C ], value = 5
Dealer's hand:[ 9C ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «H»
Player's hand:[ 3C ][ 2C ][ 9S ], value = 14
Dealer's hand:[ 9C ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «hit»
Player's hand:[ 3C ][ 2C ][ 9S ][ 4C ], value = 18
Dealer's hand:[ 9C ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «S»
Player's hand:[ 3C ][ 2C ][ 9S ][ 4C ], value = 18
Dealer's hand:[ 9C ][ 8S ], value = 17
Player wins round 4!

Would you like to play another round (Y/N)? >> «yoyo»

Dealing cards to player and dealer...
Player's hand:[ AD ][ QD ], value = 11
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «HIT»
Player's hand:[ AD ][ QD ][ JD ], value = 21
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «y»
Player wins round 5 with a NATURAL 21!

Would you like to play another round (Y/N)? >> «y»

Dealing cards to player and dealer...
Player's hand:[ 2H ][ 8H ], value = 10
Dealer's hand:[ 4H ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 2H ][ 8H ][ 4D ], value = 14
Dealer's hand:[ 4H ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «»
Player's hand:[ 2H ][ 8H ][ 4D ], value = 14
Dealer's hand:[ 4H ][ 4S ], value = 8
Dealer must take a card...
Player's hand:[ 2H ][ 8H ][ 4D ], value = 14
Dealer's hand:[ 4H ][ 4S ][ 3S ], value = 11
Dealer must take a card...
Player's hand:[ 2H ][ 8H ][ 4D ], value = 14
Dealer's hand:[ 4H ][ 4S ][ 3S ][ 5D ], value = 16
Dealer must take a card...
Player's hand:[ 2H ][ 8H ][ 4D ], value = 14
Dealer's hand:[ 4H ][ 4S ][ 3S ][ 5D ][ 6S ], value = 22
Dealer went bust. Player wins round 6!

Would you like to play another round (Y/N)? >> «maybe»
Invalid entry.  Would you like to play another round (Y/N)? >> «y»

Dealing cards to player and dealer...
Player's hand:[ 3D ][ TC ], value = 13
Dealer's hand:[ QC ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 3D ][ TC ][ 5C ], value = 18
Dealer's hand:[ QC ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «anything but H or h»
Player's hand:[ 3D ][ TC ][ 5C ], value = 18
Dealer's hand:[ QC ][ 8C ], value = 18
Tie! No one wins round 7!

Would you like to play another round (Y/N)? >> «y»

Dealing cards to player and dealer...
Player's hand:[ 6H ][ AS ], value = 7
Dealer's hand:[ JC ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> « h»
Player's hand:[ 6H ][ AS ], value = 7
Dealer's hand:[ JC ][ 9H ], value = 19
Dealer wins round 8!

Would you like to play another round (Y/N)? >> «»
Invalid entry.  Would you like to play another round (Y/N)? >> « y»
Invalid entry.  Would you like to play another round (Y/N)? >> «Y»

Dealing cards to player and dealer...
Player's hand:[ 7S ][ 7C ], value = 14
Dealer's hand:[ 7D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «hit»
Player's hand:[ 7S ][ 7C ][ 5S ], value = 19
Dealer's hand:[ 7D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «x»
Player's hand:[ 7S ][ 7C ][ 5S ], value = 19
Dealer's hand:[ 7D ][ 9D ], value = 16
Dealer must take a card...
Player's hand:[ 7S ][ 7C ][ 5S ], value = 19
Dealer's hand:[ 7D ][ 9D ][ 3H ], value = 19
Tie! No one wins round 9!

Would you like to play another round (Y/N)? >> «y»

Dealing cards to player and dealer...
Player's hand:[ JS ][ 2S ], value = 12
Dealer's hand:[ 8D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Repopulating deck with cards...
Player's hand:[ JS ][ 2S ][ QS ], value = 22
Dealer's hand:[ 8D ][ xx ]
Player went bust. Dealer wins round 10!

Would you like to play another round (Y/N)? >> «yup»

Dealing cards to player and dealer...
Player's hand:[ 2C ][ 2H ], value = 4
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 2C ][ 2H ][ 3D ], value = 7
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ], value = 10
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ][ 3S ], value = 13
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ][ 3S ][ 4C ], value = 17
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «s»
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ][ 3S ][ 4C ], value = 17
Dealer's hand:[ 2D ][ 3C ], value = 5
Dealer must take a card...
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ][ 3S ][ 4C ], value = 17
Dealer's hand:[ 2D ][ 3C ][ 4D ], value = 9
Dealer must take a card...
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ][ 3S ][ 4C ], value = 17
Dealer's hand:[ 2D ][ 3C ][ 4D ][ 4H ], value = 13
Dealer must take a card...
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ][ 3S ][ 4C ], value = 17
Dealer's hand:[ 2D ][ 3C ][ 4D ][ 4H ][ 4S ], value = 17
Tie! No one wins round 11!

Would you like to play another round (Y/N)? >> «no»

Thank you for playing. Goodbye...
"""
)
"""Written by hand from the spec and shuffledDeck.txt; the discards come back with QS on top, and
then in the order of their codes (ranks 2 to 9, A, J, K, Q, T)."""

QS_FIRST = "(card.getRank() + card.getSuit() != 'QS', card.getRank() + card.getSuit())"


@either_way
def test_a_whole_game_with_piped_input(how: str) -> None:
    """S0-8, S0-10, S0-65, S0-66, S0-67, S0-68, S0-69, S0-70, S0-71, S0-72, S0-73, S0-74: all of it.

    S0-7, S0-12, S0-13, S0-14, S0-15, S0-31, S0-54, S0-57, S0-58, S0-61, S0-63, S0-80 too.
    """
    program = arranged("simple21", "assignment2", how, QS_FIRST)
    assert piped(program, DECKS, WHOLE_GAME.stdin) == WHOLE_GAME.piped


@mostly_by_file
def test_a_whole_game_in_a_terminal(how: str) -> None:
    """S0-65, S0-66, S0-67, S0-68, S0-69, S0-70, S0-71, S0-72, S0-73, S0-74: as a player sees it."""
    program = arranged("simple21", "assignment2", how, QS_FIRST)
    assert in_terminal(program, DECKS, WHOLE_GAME.answers) == WHOLE_GAME.shown


def test_an_invalid_deck_ends_the_game() -> None:
    """S0-33, S0-64, S0-73, S0-79: with the exception's text, and goodbye."""
    arguments, _ = command("simple21", "assignment2", "file")
    printed = piped([arguments[0], str(FOLDER / "assignment2.py")], DECKS, "invalid1.txt\n")
    refusal = "Cannot populate deck: invalid data in invalid1.txt\n"
    assert printed == f"{BANNER}{ASKS_FILE}{refusal}{GOODBYE}"


@mostly_by_file
@pytest.mark.parametrize("lines", [0, 1, 2])
def test_the_end_of_the_input_ends_politely(how: str, lines: int) -> None:
    """S0-73: at each of the three prompts, with the goodbye and without a traceback."""
    stdin = "".join([f"{DECKS / 'shuffledDeck.txt'}\n", "h\n" * 2][:lines])
    printed = piped(*command("simple21", "assignment2", how), stdin)
    assert printed.startswith(BANNER + ASKS_FILE)
    last = (ASKS_FILE, ASKS_HIT, ASKS_AGAIN)[lines]
    assert printed.endswith(f"{last}\nThank you for playing. Goodbye...\n")


@pytest.mark.parametrize("key", [EOF, INTERRUPT], ids=["ctrl-d", "ctrl-c"])
def test_keys_that_end_the_game(key: str) -> None:
    """S0-73: at a real terminal, at each of the three prompts."""
    run = command("simple21", "assignment2", "file")
    answers = [(ASKS_FILE, str(DECKS / "shuffledDeck.txt")), (ASKS_HIT, "s"), (ASKS_AGAIN, "")]
    for count in range(3):
        typed = [*answers[:count], (answers[count][0], key)]
        assert in_terminal(*run, typed).endswith("\nThank you for playing. Goodbye...\n")
