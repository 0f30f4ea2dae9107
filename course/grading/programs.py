"""Which of a student's files is the program that a sheet asks for, and its text."""

import re
from pathlib import Path
from runpy import run_path
from typing import Final

from course.grading.sheets import Sheet

CLASS: Final = re.compile(r"^class\s+(\w+)", re.MULTILINE)
IMPORTED: Final = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)
FRAME: Final = re.compile(r"(?<!def )\bcreate_frame\b")


def source_of(sheet: Sheet, path: Path) -> str:
    """Return the text of a file; as Python 3 where programs may be Python 2."""
    source = path.read_text(encoding="utf-8", errors="replace")
    if not sheet.python2:
        return source
    try:
        return str(run_path(str(sheet.python2))["as_python3"](source))
    except SyntaxError:
        return source


def program_in(sheet: Sheet, folder: Path) -> Path | None:
    """Return the one program of a sheet that names no file, or the file that a sheet names.

    Of several it is the one that uses what the course gives (makes the frame), then the one that
    has most of the sheet's classes, then the one with our own program's name.
    """
    if sheet.files:
        named = folder / (sheet.program or sheet.files[0])
        return named if named.is_file() else None
    return max(candidates(sheet, folder), key=lambda file: worth(sheet, file), default=None)


def candidates(sheet: Sheet, folder: Path) -> list[Path]:
    """Return the files that may be the program: those in Python that the course does not give."""
    given = {path.name for path in sheet.given}
    return [file for file in sorted(folder.glob("*.py")) if file.name not in given]


def worth(sheet: Sheet, file: Path) -> tuple[bool, int, bool]:
    """Return how much there is of a sheet's program in a file."""
    classes = len(classes_in(file) & {*sheet.classes.get("", {})})
    return uses_given(sheet, file), classes, file.name == sheet.program


def uses_given(sheet: Sheet, file: Path) -> bool:
    """Say whether a file uses what the course gives, or makes a frame with anything else."""
    text = text_of(file)
    modules = {path.stem for path in sheet.given}
    return bool({*IMPORTED.findall(text)} & modules or FRAME.search(text))


def classes_in(file: Path, depth: int = 3) -> set[str]:
    """Return the classes that a file defines, or has of others beside it."""
    text = text_of(file)
    found = {*CLASS.findall(text)}
    for name in IMPORTED.findall(text) if depth else ():
        beside = file.with_name(f"{name}.py")
        if beside.is_file() and beside != file:
            found |= classes_in(beside, depth - 1)
    return found


def text_of(file: Path) -> str:
    """Return the text of a file, whatever is in it."""
    return file.read_text(encoding="utf-8", errors="replace")
