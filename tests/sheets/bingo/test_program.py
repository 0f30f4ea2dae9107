"""Bingo: the program, by the rounds of the sample output."""
# Blanks at the end of a grid's row are part of the format.
# ruff: noqa: W291

import re
import sys
from pathlib import Path

import pytest

from tests.sheets.bingo.support import (
    ASKS_AGAIN,
    ASKS_FILE,
    ASKS_MODE,
    ASKS_SPEED,
    BANNER,
    FOLDER,
    GOODBYE,
    GRID_A,
    GRID_B,
    SHOUT,
    calls,
)
from tests.support.sheets import (
    DECKS,
    ROOT,
    Transcript,
    command,
    either_way,
    in_terminal,
    mostly_by_file,
    piped,
)


def opening(calling: str) -> str:
    return (
        f"{BANNER}Creating bingo deck...\n{ASKS_FILE}«bingoDeck.txt»\n"
        f"Creating calling deck...\n{ASKS_FILE}«{calling}»\n"
    )


LINE_ROUND = calls((GRID_A, GRID_B), "KS KC AH JH 6C 5H", speed=False, winners="A")
SAMPLES = {
    "line": Transcript(
        opening("callingDeck_line_Awins.txt")
        + f"{ASKS_MODE}«L»\n{ASKS_SPEED}«N»\n\nRound 1 beginning...\n{LINE_ROUND}"
        + f"Round 1: Player A won!\n{ASKS_AGAIN}«N»\n{GOODBYE}"
    ),
    "corners": Transcript(
        opening("callingDeck_corners_Bwins.txt")
        + f"{ASKS_MODE}«c»\n{ASKS_SPEED}«No»\n\nRound 1 beginning...\n"
        + calls((GRID_A, GRID_B), "JH TH 7S 8D", speed=False, winners="B")
        + f"Round 1: Player B won!\n{ASKS_AGAIN}«no»\n{GOODBYE}"
    ),
    "full": Transcript(
        opening("callingDeck_full_rankonly_tie.txt")
        + f"{ASKS_MODE}«f»\n{ASKS_SPEED}«Y»\n\nRound 1 beginning...\n"
        + calls(
            (GRID_A, GRID_B),
            " ".join((DECKS / "callingDeck_full_rankonly_tie.txt").read_text().split()[:13]),
            speed=True,
            winners="AB",
        )
        + f"Round 1: Tie!\n{ASKS_AGAIN}«nope»\n{GOODBYE}"
    ),
}
"""Built from the two grids above by putting ``[ ]`` in the place of what was called, and from the
spec: when each of the rounds ends, and for whom."""


def test_the_expected_text_is_the_samples() -> None:
    """S4-34, S4-44, S4-57: some of its lines written out, so that its construction is checked."""
    assert LINE_ROUND.endswith(
        """\
------------------------
Now calling [ 5H ]
Player A:
 [ ]   [ ]   [ ]   [ ]   [ ]  
[ TD ][ 7H ][ 9C ][ 8S ][ 4C ]
[ 2D ][ AC ] [ ]  [ 4S ][ 4D ]
[ 5D ][ 3D ][ TC ][ 8C ][ JC ]
[ 9H ][ 5C ][ 7C ][ 5S ][ JS ]
            BINGO!            
Player B:
 [ ]  [ QS ][ 6D ][ TS ][ TH ]
[ KD ][ 3C ][ 2C ][ 9S ][ AD ]
[ QH ][ 2H ] [ ]  [ QD ][ 3S ]
[ 6S ][ QC ][ JD ][ 6H ][ AS ]
[ 7S ][ 7D ][ 9D ][ 3H ][ 8D ]

"""
    )
    full = SAMPLES["full"].shown
    blank = " [ ]   [ ]   [ ]   [ ]   [ ]  \n"
    assert full.count("Now calling") == 13
    assert full.count("Now calling [ 8S ]\nPlayer A:\n" + blank * 5 + SHOUT) == 1
    assert full.count("Player B:\n" + blank * 5 + SHOUT + "Round 1: Tie!\n") == 1
    assert full.count("BINGO!") == 2


def from_the_decks(how: str) -> tuple[list[str], Path]:
    """The command that plays from the folder of the deck files, with sorted shuffles."""
    arguments = [str(FOLDER), str(FOLDER / "bingo.py"), str(ROOT)]
    run = BY_FILE if how == "file" else BY_MODULE
    return [sys.executable, "-W", "error", "-c", ARRANGED + run, *arguments], DECKS


ARRANGED = """
import random, runpy, sys
random.shuffle = lambda cards: cards.sort(key=lambda card: card.getRank() + card.getSuit())
"""
BY_FILE = "sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[2], run_name='__main__')"
BY_MODULE = (
    "sys.path.insert(0, sys.argv[3]);"
    "runpy.run_module('course.sheets.bingo.bingo', run_name='__main__')"
)


@mostly_by_file
@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_the_samples_with_piped_input(sample: Transcript, how: str) -> None:
    """S4-38, S4-43, S4-44, S4-52, S4-54, S4-55, S4-56, S4-57, S4-58, S4-62, A4-25, A4-37, A4-38.

    All of it, byte for byte, in mode L, C and F.
    """
    arguments, _ = command("bingo", "bingo", how)
    if how == "file":
        arguments[-1] = str(FOLDER / arguments[-1])
        assert piped(arguments, DECKS, sample.stdin) == sample.piped
    else:
        assert piped(arguments, DECKS, sample.stdin, PYTHONPATH=str(ROOT)) == sample.piped


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_the_samples_in_a_terminal(sample: Transcript) -> None:
    """S4-44, S4-52, S4-54, S4-55, S4-56, S4-57, S4-58, S4-62, A4-38: as a player sees it."""
    program = [sys.executable, str(FOLDER / "bingo.py")]
    assert in_terminal(program, DECKS, sample.answers) == sample.shown


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
