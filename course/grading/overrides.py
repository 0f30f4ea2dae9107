"""An instructor's overrides: points that replace the grader's points, and the reason.

Overrides are saved in a CSV file with a header. ``*`` means every student::

    student,requirement,points,reason
    ada,S1-9,1,"'Bank takes it' says that the dealer wins"
    *,S0-22,1,not taught this term
"""

import csv
from math import isfinite
from pathlib import Path
from typing import Final, NamedTuple

from course.grading.grader import Report
from course.grading.rubric import MAX_POINTS
from course.grading.sheets import Sheet
from course.grading.usage import UsageError

COLUMNS: Final = ["student", "requirement", "points", "reason"]
EVERYBODY: Final = "*"

MAX_LINES: Final = 10_000
"""Maximum number of lines in an overrides file."""


class Override(NamedTuple):
    """An instructor's decisions."""

    student: str
    requirement: str
    points: float
    reason: str


def read_overrides(path: Path, sheet: Sheet) -> tuple[Override, ...]:
    """Read the overrides for a sheet from a file.

    Raises:
        UsageError: If the file is missing, or one of its lines is malformed.
    """
    try:
        # Spreadsheet programs write a byte-order mark at the start of a file.
        with path.open(encoding="utf-8-sig", newline="") as file:
            heading, *rows = [row for row in csv.reader(file) if any(map(str.strip, row))] or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"Cannot read the overrides {path}: {error}") from None
    if [cell.strip().lower() for cell in heading] != COLUMNS:
        raise UsageError(f"{path} must begin with the line {','.join(COLUMNS)}")
    if len(rows) > MAX_LINES:
        raise UsageError(f"{path} has more than {MAX_LINES:,} lines")
    known = {requirement.id for requirement in sheet.gradable}
    return tuple(_parsed(row, known, f"{path}, line {at}") for at, row in enumerate(rows, start=2))


def _parsed(row: list[str], known: set[str], place: str) -> Override:
    if len(row) != len(COLUMNS):
        raise UsageError(f"{place}: it has {len(row)} fields, and not {len(COLUMNS)}")
    student, requirement, points, reason = (cell.strip() for cell in row)
    if requirement.upper() not in known:
        raise UsageError(f"{place}: {requirement} is no graded requirement")
    try:
        number = float(points)
    except ValueError:
        number = -1
    if not (isfinite(number) and 0 <= number <= MAX_POINTS):
        raise UsageError(f"{place}: {points!r} are no points; they are numbers from 0 on")
    if not reason or not student:
        raise UsageError(f"{place}: it needs a student, or {EVERYBODY}, and a reason")
    return Override(student, requirement.upper(), number, reason)


def overridden(report: Report, overrides: tuple[Override, ...]) -> Report:
    """Return a report after applying an instructor's overrides.

    If several lines concern a requirement, the last line counts.
    """
    by_requirement = {
        override.requirement: override
        for override in overrides
        if override.student in (EVERYBODY, report.name)
    }
    results = tuple(
        result._replace(points=decision.points, decided=decision.reason)
        if (decision := by_requirement.get(result.requirement.id))
        else result
        for result in report.results
    )
    return report._replace(results=results)


def unknown_students(overrides: tuple[Override, ...], names: set[str]) -> list[str]:
    """Return the students in the overrides who are not in the class."""
    return sorted({override.student for override in overrides} - names - {EVERYBODY})
