"""Finds the program that a sheet requires among the files of a student."""

import re
from pathlib import Path
from runpy import run_path
from typing import Final, NamedTuple

from course.grading.files import printable, read_text
from course.grading.sheets import Sheet

CLASS: Final = re.compile(r"^class\s+(\w+)", re.MULTILINE)
IMPORTED: Final = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)
ASKS: Final = re.compile(r"\b(?:raw_)?input\(|\bstdin\b")
FRAME: Final = re.compile(r"(?<!def )\bcreate_frame\b")


def read_source(sheet: Sheet, path: Path) -> str:
    """Return the text of a file, converted to Python 3 if the sheet allows Python 2."""
    source = read_text(path)
    if not sheet.python2:
        return source
    try:
        return str(run_path(str(sheet.python2))["as_python3"](source))
    except SyntaxError:
        return source


class Chosen(NamedTuple):
    """A student's file that is graded instead of a sheet's file, and the reason."""

    file: Path
    wanted: str
    """The name of the file in the sheet, or an empty string if the sheet does not name the file."""
    why: str

    @property
    def note(self) -> str:
        """The note about this file in a report."""
        name = printable(self.file.name)
        return f"{name} was graded{f' as {self.wanted}' if self.wanted else ''}: {self.why}."


def program_in(sheet: Sheet, folder: Path) -> Path | None:
    """Return the program among the graded files, if it is one of them."""
    if sheet.files:
        named = folder / find_main_file(sheet)
        return named if named.is_file() else None
    return max(candidates(sheet, folder), key=lambda file: worth(sheet, file), default=None)


def find_main_file(sheet: Sheet) -> str:
    """Return the program's file, or all candidates if there are several."""
    return sheet.program if sheet.program in sheet.files else sheet.files[0]


def chosen_by_name(sheet: Sheet, folder: Path, name: str) -> Chosen | None:
    """Return the file with the given name as the program, or None if it is missing."""
    file = folder / name
    why = "it was named"
    return (
        Chosen(file, find_main_file(sheet) if sheet.files else "", why) if file.is_file() else None
    )


def chosen_in(sheet: Sheet, folder: Path) -> list[Chosen]:
    """Return files that are graded under other names.

    If the sheet names no files and several files could be the program, the list contains the
    selected program.
    """
    files = candidates(sheet, folder)
    if not sheet.files:
        programs = [file for file in files if uses_given(sheet, file) or classes_in(file)]
        best = program_in(sheet, folder)
        return [Chosen(best, "", _why(sheet, best))] if best and len(programs) > 1 else []
    others = [file for file in files if file.name not in sheet.files]
    missing = [name for name in sheet.files if not (folder / name).is_file()]
    chosen = (_replacement_for(sheet, name, others) for name in missing if name != sheet.tests)
    return [program for program in chosen if program]


def _why(sheet: Sheet, file: Path) -> str:
    """Return the reason why a file was identified as the program."""
    classes = sorted(classes_in(file) & {*sheet.classes.get("", {})})
    reasons = ["it makes the frame"] * bool(FRAME.search(read_text(file)))
    reasons += [f"it has the classes {', '.join(classes)}"] * bool(classes)
    return " and ".join(reasons) or "no other is more like a program"


def _replacement_for(sheet: Sheet, name: str, others: list[Path]) -> Chosen | None:
    """Return the file that replaces a missing file.

    It is found by its name, its classes or its questions.
    """
    for file in others:
        if file.name.lower() == name.lower():
            return Chosen(file, name, "only capital letters of its name differ")
    wanted = {*sheet.classes.get(name, {})}
    if wanted:
        best = max(others, key=lambda file: len(classes_in(file, 0) & wanted), default=None)
        has = sorted(classes_in(best, 0) & wanted) if best else []
        if best and 2 * len(has) > len(wanted):
            return Chosen(best, name, f"it has the classes {', '.join(has)}")
    asking = [file for file in others if ASKS.search(read_text(file))]
    if name == sheet.program and not wanted and len(asking) == 1:
        return Chosen(asking[0], name, "it asks for what is typed")
    return None


def belong_to(program: Path) -> set[str]:
    """Return the names of a program's file and of the student's files that it imports."""
    members, waiting = set(), [program]
    while waiting:
        file = waiting.pop()
        if file.name not in members and file.is_file():
            members.add(file.name)
            waiting += [file.with_name(f"{name}.py") for name in IMPORTED.findall(read_text(file))]
    return members


def candidates(sheet: Sheet, folder: Path) -> list[Path]:
    """Return the files that may be the program.

    These are the Python files that the course does not provide.
    """
    given = {path.name for path in sheet.given}
    return [file for file in sorted(folder.glob("*.py")) if file.name not in given]


def worth(sheet: Sheet, file: Path) -> tuple[bool, bool, int, bool]:
    """Return a measure of the similarity of a file to a sheet's program."""
    classes = len(classes_in(file) & {*sheet.classes.get("", {})})
    frames = FRAME.search(read_text(file)) is not None
    return frames, uses_given(sheet, file), classes, file.name == sheet.program


def uses_given(sheet: Sheet, file: Path) -> bool:
    """Return whether a file uses a module of the course, or creates a frame."""
    text = read_text(file)
    modules = {path.stem for path in sheet.given}
    return bool({*IMPORTED.findall(text)} & modules or FRAME.search(text))


def classes_in(file: Path, depth: int = 3) -> set[str]:
    """Return the classes that a file defines or imports from the other files."""
    text = read_text(file)
    names = {*CLASS.findall(text)}
    for name in IMPORTED.findall(text) if depth else ():
        beside = file.with_name(f"{name}.py")
        if beside.is_file() and beside != file:
            names |= classes_in(beside, depth - 1)
    return names
