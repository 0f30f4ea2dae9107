"""``python -m course``: lists the commands and the sheets' programs, one a line."""

import sys
from pathlib import Path
from typing import Final, TextIO

PROGRAMS: Final = {
    "course.grade": "Grade a student's files against a sheet (--help)",
    "course.check": "Look over a file before it is handed in (--help)",
    "course.export": "Write a sheet's files, or decks for a class (--help)",
    "course.sheets.simple21.solution.assignment2": "Simple 21, with a deck file",
    "course.sheets.blackjack.solution.blackjack": "Blackjack, with the keys D, H and S",
    "course.sheets.one_deck.solution.proj09": "One-deck Blackjack, until the deck is empty",
    "course.sheets.war.solution.war": "War: one game printed, and then many",
    "course.sheets.bingo.solution.bingo": "Playing-card Bingo, with two deck files",
    "course.sheets.blackjack.solution.simplegui": "A CodeSkulptor program: FILE.py [PICTURE.svg]",
}
"""Each program, by its module, and what it does. The folder of the sheets may be deleted."""


def list_programs(folder: Path, out: TextIO) -> None:
    """Write a line for each program that exists below the folder that holds ``course``."""
    present = [name for name in PROGRAMS if (folder / f"{name.replace('.', '/')}.py").is_file()]
    width = max(map(len, present))
    out.writelines(f"python -m {name:{width}}  {PROGRAMS[name]}\n" for name in present)


if __name__ == "__main__":
    list_programs(Path(__file__).parent.parent, sys.stdout)
