"""Bingo: the program, by the rounds of the sample output."""
# Blanks at the end of a grid's row are part of the format.

import re
from pathlib import Path

from tests.sheets.bingo.support import (
    ASKS_AGAIN,
    ASKS_FILE,
    ASKS_MODE,
    ASKS_SPEED,
    BANNER,
    GOODBYE,
    GRID_A,
    GRID_B,
    calls,
)
from tests.support.sheets import (
    DECKS,
    Transcript,
    arranged,
    either_way,
    in_terminal,
    mostly_by_file,
    piped,
)

LINE_ROUND = calls((GRID_A, GRID_B), "KS KC AH JH 6C 5H", speed=False, winners="A")


def from_the_decks(how: str) -> tuple[list[str], Path]:
    """The command that plays from the folder of the deck files, with sorted shuffles."""
    return arranged("bingo", "bingo", how, "card.getRank() + card.getSuit()"), DECKS


SORTED = (
    """\
[ 2C ][ 2H ][ 3C ][ 3H ][ 4C ]
[ 4H ][ 5C ][ 5H ][ 6C ][ 6H ]
[ 7C ][ 7H ] [ ]  [ 8H ][ 9C ]
[ 9H ][ AC ][ AH ][ JC ][ JH ]
[ KC ][ KH ][ QC ][ QH ][ TC ]
""",
    """\
[ 2D ][ 2S ][ 3D ][ 3S ][ 4D ]
[ 4S ][ 5D ][ 5S ][ 6D ][ 6S ]
[ 7D ][ 7S ] [ ]  [ 8S ][ 9D ]
[ 9S ][ AD ][ AS ][ JD ][ JS ]
[ KD ][ KS ][ QD ][ QS ][ TD ]
""",
)
"""What a deck sorted by its codes deals."""

WHOLE_GAME = Transcript(
    f"{BANNER}Creating bingo deck...\n"
    f"{ASKS_FILE}«nowhere.txt»\nProblem with filename provided. Creating bingo deck...\n"
    f"{ASKS_FILE}«»\nProblem with filename provided. Creating bingo deck...\n"
    f"{ASKS_FILE}«bingoDeck.txt»\n"
    "Creating calling deck...\n"
    f"{ASKS_FILE}«.»\nProblem with filename provided. Creating calling deck...\n"
    f"{ASKS_FILE}«invalid1.txt»\nDeck created from invalid1.txt is not valid\n"
    f"{ASKS_FILE}«callingDeck_line_Awins.txt»\n"
    f"{ASKS_MODE}« L»\n{ASKS_MODE}«»\n{ASKS_MODE}«q»\n{ASKS_MODE}«1»\n{ASKS_MODE}«line»\n"
    f"{ASKS_SPEED}«»\n{ASKS_SPEED}«maybe»\n{ASKS_SPEED}«nah»\n"
    f"\nRound 1 beginning...\n{LINE_ROUND}Round 1: Player A won!\n"
    f"{ASKS_AGAIN}«»\n{ASKS_AGAIN}«what?»\n{ASKS_AGAIN}« y»\n{ASKS_AGAIN}«yes»\n"
    f"{ASKS_MODE}«Lines»\n{ASKS_SPEED}«yup»\n"
    "\nRound 2 beginning...\n"
    + calls(SORTED, "2C 2D 2H 2S 3C 3D 3H 3S 4C", speed=True, winners="AB")
    + f"Round 2: Tie!\n{ASKS_AGAIN}«Y»\n"
    f"{ASKS_MODE}«l»\n{ASKS_SPEED}«n»\n"
    "\nRound 3 beginning...\n"
    + calls(SORTED, "2C 2D 2H 2S 3C 3D 3H 3S 4C", speed=False, winners="A")
    + f"Round 3: Player A won!\n{ASKS_AGAIN}«n»\n{GOODBYE}"
)


@either_way
def test_a_whole_game_with_piped_input(how: str) -> None:
    """S4-42, S4-48, S4-53, S4-54, S4-55, S4-56, S4-60, S4-61, S4-62, A4-13, A4-18.

    A4-24: wrong files, wrong answers, and three rounds; whole shuffled decks in between.
    """
    printed = piped(*from_the_decks(how), WHOLE_GAME.stdin)
    assert re.sub(r"Not a card, and .*\n", "", printed) == WHOLE_GAME.piped


@mostly_by_file
def test_a_whole_game_in_a_terminal(how: str) -> None:
    """S4-42, S4-48, S4-53, S4-54, S4-55, S4-56, S4-60, S4-61, S4-62: as it is seen."""
    screen = in_terminal(*from_the_decks(how), WHOLE_GAME.answers)
    assert re.sub(r"Not a card, and .*\n", "", screen) == WHOLE_GAME.shown
