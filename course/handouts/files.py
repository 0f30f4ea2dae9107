"""A sheet's files that run alone in an empty folder: the solution, and what the course gives."""

from pathlib import Path

from course.grading.sheets import SOLUTIONS, Sheet
from course.handouts.stubs import stub

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
        by_hand = (
            SOLUTIONS / sheet.folder / "starter" / name
        )  # where the sheet gives more than names
        written = by_hand.read_text(encoding="utf-8") if by_hand.is_file() else ""
        texts[name] = written or stub(text, sheet.interfaces.get(name, {}))
    return texts


def given(sheet: Sheet) -> Texts:
    """Return what the course gives with a sheet."""
    return {Path(name).name: (SOLUTIONS / name).read_text(encoding="utf-8") for name in sheet.given}


def more_handouts(sheet: Sheet) -> Texts:
    """Return what else a sheet hands out, such as templates to test a class with."""
    folder = SOLUTIONS / sheet.folder / "handouts"
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
