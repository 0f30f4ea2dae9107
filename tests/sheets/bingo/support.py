"""What the tests of the Bingo sheet share."""

import contextlib
import io
import re
from collections.abc import Callable, Sequence
from typing import Any

from tests.support.sheets import SHEETS_ROOT

FOLDER = SHEETS_ROOT / "bingo"

ASKS_FILE = "Please enter filename to initialize deck: "
ASKS_MODE = "Please select playing mode for this round: (L)ine, (C)orners, (F)ull > "
ASKS_SPEED = "Play speed round (i.e. compare card ranks only) (Y/N)? "
ASKS_AGAIN = "Play another round (Y/N)? "
GOODBYE = "Thank you for playing. Goodbye.\n"
BANNER = (
    "******************************\n"
    "Welcome to Playing Card Bingo!\n"
    "******************************\n"
)

# The grids that bingoDeck.txt deals; A's is the picture of the sheet.
GRID_A = """\
[ KS ][ AH ][ 6C ][ 5H ][ KC ]
[ TD ][ 7H ][ 9C ][ 8S ][ 4C ]
[ 2D ][ AC ] [ ]  [ 4S ][ 4D ]
[ 5D ][ 3D ][ TC ][ 8C ][ JC ]
[ 9H ][ 5C ][ 7C ][ 5S ][ JS ]
"""
GRID_B = """\
[ JH ][ QS ][ 6D ][ TS ][ TH ]
[ KD ][ 3C ][ 2C ][ 9S ][ AD ]
[ QH ][ 2H ] [ ]  [ QD ][ 3S ]
[ 6S ][ QC ][ JD ][ 6H ][ AS ]
[ 7S ][ 7D ][ 9D ][ 3H ][ 8D ]
"""
SHOUT = "            BINGO!            \n"


def code_of(card: Any) -> str:
    return card.getRank() + card.getSuit()


def shown(act: Callable[[], object]) -> str:
    """What a call prints; it must return None."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert act() is None
    return out.getvalue()


def turned(grid: str, codes: Sequence[str], *, bingo: bool) -> str:
    """The text of a grid with these cards turned down, and the line under it."""
    for code in codes:
        assert f"[ {code} ]" in grid
        grid = grid.replace(f"[ {code} ]", " [ ]  ")
    return grid + (SHOUT if bingo else "\n")


def calls(grids: tuple[str, str], called: str, *, speed: bool, winners: str) -> str:
    """A round's tables from the start to the last call, which gives the winners their BINGO!"""
    codes = called.split()
    text = ""
    for count in range(len(codes) + 1):
        if count:
            text += f"------------------------\nNow calling [ {codes[count - 1]} ]\n"
        for player, grid in zip("AB", grids, strict=True):
            fields = re.findall(r"\[ (\w\w) \]", grid)
            named = codes[:count] if not speed else [code[0] for code in codes[:count]]
            down = [one for one in fields if (one[0] if speed else one) in named]
            bingo = count == len(codes) and player in winners
            text += f"Player {player}:\n{turned(grid, down, bingo=bingo)}"
    return text
