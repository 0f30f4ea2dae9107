"""The tasks of the five sheets in our own words, with sample decks."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from cardgames.text import Text
from course.grading.sheets import SHEETS, Sheet
from course.handouts.decks import broken, deck_text, read_deck


class Task(NamedTuple):
    """A sheet for students."""

    slug: str
    """The slug of the sheet's game."""

    title: str
    pitch: Text
    build: Mapping[str, Text]
    """The classes that students write, keyed by file. If a sheet does not name its file, any name
    is allowed.
    """

    given: tuple[str, ...] = ()
    """The files that the course provides."""

    decks: tuple[str, ...] = ()
    """The sample decks for the sheet's program."""

    has_table: bool = False
    """Whether the site can run the sheet's table with a student's classes."""

    argument: str = ""
    """The value of the argument SHEET of the commands."""


_BROKEN: Final = ("51-cards.txt", "double.txt", "10H.txt", "byte-order-mark.txt", "blank-end.txt")


def sheet_task(sheet: Sheet) -> Task:
    """Return the task of a sheet."""
    return Task(
        sheet.slug,
        sheet.title,
        Text(sheet.pitch),
        {file: Text(text) for file, text in sheet.build.items()},
        tuple(path.name for path in sheet.given),
        (*sheet.decks, *_BROKEN) if sheet.decks else (),
        (sheet.root / "driver.py").is_file(),
        sheet.slug if sheet.is_ours else sheet.root.name,
    )


TASKS: Final = tuple(map(sheet_task, SHEETS.values()))
"""The sheets, in the order of their tables."""


def sample_decks(tasks: Iterable[Task] = TASKS) -> dict[str, str]:
    """Return deck files, keyed by name: valid files, and deliberately invalid files."""
    names = [name for task in tasks for name in task.decks if name not in _BROKEN]
    good = {name: read_deck(name.removesuffix(".txt")) for name in names}
    wrong = broken(good[names[0]]) if names else {}
    return {name: deck_text(codes) for name, codes in good.items()} | wrong
