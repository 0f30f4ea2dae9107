"""Deliberate mistakes for a sheet, each with the requirement that must fail.

A mistake is an edit of the sheet's solution.

::

    [[mistake]]
    loses = "S0-56"          # the requirement that the grader finds lost, and no other
    shown = "S0-56"          # the one that the table shows, if the sheet has a driver
    file = "simple21.py"
    find = "< DEALER_STANDS"  # occurs exactly once
    replace = "< 16"
    line = "while"           # part of the line that the table blames; by default the new text
"""

import tomllib
from pathlib import Path
from typing import Final, NamedTuple

from course.grading.sheets import Sheet, SheetError

FILE: Final = "mistakes.toml"


class Mistake(NamedTuple):
    """A deliberate mistake: an edit to the solution, and the requirement that fails."""

    file: str
    find: str
    replace: str
    loses: str = ""
    shown: str = ""
    line: str = ""

    @property
    def name(self) -> str:
        """The name of the mistake in a report."""
        return f"the mistake of {self.loses or self.shown} in {self.file}"

    def blames(self, line: str) -> bool:
        """Return whether the table may blame a line of the file for the mistake."""
        wanted = self.line or self.replace
        return bool(line.strip()) and (wanted in line or line.strip() in wanted)

    def write(self, sheet: Sheet, folder: Path) -> Path:
        """Write the solution with the mistake into a folder, and return the folder."""
        write_solution(sheet, folder)
        path = folder / self.file
        text = path.read_text(encoding="utf-8").replace(self.find, self.replace)
        path.write_text(text, encoding="utf-8")
        return folder


def write_solution(sheet: Sheet, folder: Path) -> Path:
    """Write the solution's files into a folder, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in sheet.solution_files:
        (folder / name).write_bytes((sheet.solution / name).read_bytes())
    return folder


def read_mistakes(sheet: Sheet) -> tuple[Mistake, ...]:
    """Return the deliberate mistakes of a sheet.

    Raises:
        SheetError: If a mistake is malformed, or does not fit the solution.
    """
    path = sheet.root / FILE
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        mistakes = tuple(Mistake(**fields) for fields in data.get("mistake", ()))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, TypeError) as error:
        problem = f"{error}".replace("Mistake.__new__()", "a mistake")
        raise SheetError(f"{path} cannot be read: {problem}.") from None
    known = {requirement.id for requirement in sheet.gradable}
    for mistake in mistakes:
        if not all(isinstance(field, str) for field in mistake):
            raise SheetError(f"{path}: what a mistake has are texts in quotes.")
        numbers = {mistake.loses, mistake.shown} - {""}
        if not numbers or numbers - known:
            wrong = f"{' '.join(numbers - known)}, which is no" if numbers else "no"
            raise SheetError(f"{path}: a mistake in {mistake.file} loses {wrong} requirement.")
        if mistake.file not in sheet.solution_files:
            raise SheetError(f"{path}: {mistake.file} is no file of the solution.")
        text = (sheet.solution / mistake.file).read_text(encoding="utf-8")
        if (count := text.count(mistake.find)) != 1:
            raise SheetError(
                f"{path}: what {mistake.name} replaces stands there {count} times, and not once."
            )
    return mistakes
