"""``python -m cardgames``: what can be run in a terminal, a line each."""

import sys
from pathlib import Path
from typing import Final, TextIO

from cardgames import GAMES

SHEETS: Final = "cardgames.assignments"

PROGRAMS: Final = {
    f"{SHEETS}.simple21.assignment2": f"{GAMES['simple-21'].info.title}, with a deck file",
    f"{SHEETS}.blackjack.blackjack": f"{GAMES['blackjack'].info.title}, with the keys D, H and S",
    f"{SHEETS}.one_deck.proj09": f"{GAMES['one-deck'].info.title}, until the deck is empty",
    f"{SHEETS}.war.war": f"{GAMES['war'].info.title}: one game aloud, and then many",
    f"{SHEETS}.bingo.bingo": f"{GAMES['bingo'].info.title}, with two deck files",
    f"{SHEETS}.blackjack.simplegui": "Any CodeSkulptor program: PROGRAM.py [PICTURE.svg]",
    "cardgames.grade": "Grade a student's files against a sheet (--help)",
    "cardgames.check": "Look over a file before it is handed in (--help)",
    "cardgames.export": "Write a sheet's files, or decks for a class (--help)",
    "cardgames.lab": "The lab: thousands of games at once (--help says how)",
    "cardgames.verify": "Check an exported history: its records and its seals",
    "cardgames.chart": "A strategy or a program as a chart, and its exact worth",
    "cardgames.tournament": "Programs and strategies on the same deals, with places",
    "cardgames.play": "Play at the site's tables with a program of your own",
}
"""Every program, by its module, and what it is. The sheets' folder may be deleted."""


def list_programs(folder: Path, out: TextIO) -> None:
    """Write a line for each program that is there, below the folder that holds ``cardgames``."""
    there = [name for name in PROGRAMS if (folder / f"{name.replace('.', '/')}.py").is_file()]
    width = max(map(len, there))
    out.writelines(f"python -m {name:{width}}  {PROGRAMS[name]}\n" for name in there)


if __name__ == "__main__":
    list_programs(Path(__file__).parent.parent, sys.stdout)
