"""Tests a sheet's driver.

The driver must accept the solution and blame the line of each mistake.
"""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from course.browser.table import StudentTable, load_driver
from course.grading.mistakes import Mistake
from course.grading.sheets import Sheet

MAX_MOVES: Final = 40
MAX_SOUND: Final = 10
"""Maximum number of moves for the test that the solution has no differences."""

MAX_SEEDS: Final = 12
"""Maximum number of decks to play until a mistake shows up."""

MAX_AT_ONCE: Final = 50
"""Maximum number of moves per click of a button."""


def play_until_found(
    sheet: Sheet, folder: Path, seed: int, moves: int = MAX_MOVES, at_once: int = MAX_AT_ONCE
) -> tuple[StudentTable[Any], int]:
    """Make moves until there is a difference.

    Return the difference and the number of moves.
    """
    table = load_driver(sheet)(sheet, folder, seed)
    choose = random.Random(seed).choice
    moves_made = 0
    while moves_made < moves and not table.difference and not table.broken:
        names = [name for name, _ in table.moves() if name != "stop"]
        names = [name for name in names if int(name.partition("*")[2] or 1) <= at_once]
        if not names:
            break
        table.play(choose(names))
        moves_made += 1
    return table, moves_made


def find_mistake(sheet: Sheet, mistake: Mistake, folder: Path) -> StudentTable[Any]:
    """Play a program with a mistake, deck after deck, until the mistake shows up."""
    mistake.write(sheet, folder)
    for seed in range(MAX_SEEDS):
        table, _ = play_until_found(sheet, folder, seed)
        if table.difference or table.broken:
            break
    return table


def faults(sheet: Sheet, mistakes: Sequence[Mistake]) -> Iterator[str]:
    """Yield one message for each error of a sheet's table."""
    if sheet.is_solution_private and load_driver(sheet).has_reference:
        yield "The table compares with the solution, which is private: set has_reference to False."
    table, _ = play_until_found(sheet, sheet.solution, 0, MAX_SOUND)
    if table.broken or table.difference:
        yield f"The table blames the solution itself: {table.broken or table.difference}."
        return
    if not drawable(table):
        yield "The table shows nothing after a move."
    with TemporaryDirectory(prefix="table-") as scratch:
        for number, mistake in enumerate(candidate for candidate in mistakes if candidate.shown):
            folder = Path(scratch, f"{number}")
            if problem := _problem(find_mistake(sheet, mistake, folder), mistake, folder):
                yield f"At the table {mistake.name} {problem}."


def drawable(table: StudentTable[Any]) -> bool:
    """Render a table as the page does, and return whether anything was rendered."""
    return bool(table.report()["html"])


def _problem(table: StudentTable[Any], mistake: Mistake, folder: Path) -> str:
    if table.broken:
        return f"breaks the program: {table.broken}"
    if not table.difference:
        return "is not shown"
    if table.difference.rule != mistake.shown:
        return f"is shown as one of {table.difference.rule}"
    file, number = table.place or ("", 0)
    line = (folder / file).read_text(encoding="utf-8").split("\n")[number - 1] if file else ""
    if not mistake.blames(line):
        return f"is blamed on {file or 'no line'}{f', line {number}' if file else ''}"
    return ""
