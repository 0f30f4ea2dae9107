"""A sheet's files that run alone in an empty folder: the solution, and what the course gives."""

from importlib.resources import files
from pathlib import Path
from typing import Final

from course.grading.sheets import SOLUTIONS, Sheet
from course.handouts.stubs import stub

TEMPLATES: Final = files("course.handouts").joinpath("templates")
"""The mini-project's testing templates, as text: a class is pasted into each before it runs."""

STARTERS: Final = files("course.handouts").joinpath("starters")
"""Starters that were written by hand, where the sheet gives more than names."""

Texts = dict[str, str]
"""Texts of files by their names."""


def solution(sheet: Sheet) -> Texts:
    """Return our solution of a sheet; each file says itself all that the sheet does not give."""
    names = sheet.solution_files
    return {name: (sheet.solution / name).read_text(encoding="utf-8") for name in names}


def starter(sheet: Sheet) -> Texts:
    """Return what a student begins with: the sheet's classes and methods, to be filled in."""
    texts = {}
    for name, text in solution(sheet).items():
        by_hand = STARTERS.joinpath(f"{name.removesuffix('.py')}.txt")
        written = by_hand.read_text(encoding="utf-8") if by_hand.is_file() else ""
        texts[name] = written or stub(text, sheet.interfaces.get(name, {}))
    return texts


def given(sheet: Sheet) -> Texts:
    """Return what the course gives with a sheet."""
    return {Path(name).name: (SOLUTIONS / name).read_text(encoding="utf-8") for name in sheet.given}


def templates(sheet: Sheet) -> Texts:
    """Return the testing templates of a sheet, if it has any."""
    if sheet.slug != "blackjack":
        return {}
    return {
        f"templates/{path.name.removesuffix('.txt')}.py": path.read_text(encoding="utf-8")
        for path in sorted(TEMPLATES.iterdir(), key=lambda path: path.name)
    }
