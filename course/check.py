"""``python -m course.check``: for students, before they hand a file in."""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from course.grading.form import findings
from course.grading.grader import Grader, Result
from course.grading.report import Line, cause, use_utf8, write
from course.grading.runner import Limits
from course.grading.sheets import SHEETS, SOLUTIONS, Sheet
from course.grading.swap import source_of, swap_tests

DESCRIPTION: Final = """\
Looks over one file before it is handed in: are the public names the sheet's, are attributes
private, is anything imported or used that the sheet forbids, and does the file work with the
solution's other files as well as with your own? If not, it depends on something that the sheet
does not name.

Your file is run, as you, with limits of time and memory. It is not graded: course.grade does.
"""

NOTHING_TO_CHECK_WITH: Final = (
    "The sheets' own solutions (course/sheets) are not here, and nothing can be checked "
    "without them."
)

MAX_SHOWN: Final = 6
"""Maximum number of lines that show how something failed."""


def parser() -> argparse.ArgumentParser:
    """Return the command's arguments."""
    made = argparse.ArgumentParser(
        prog="python -m course.check",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("sheet", choices=[*SHEETS], help="the sheet")
    made.add_argument("file", type=Path, help="the file")
    made.add_argument("--no-mixing", action="store_true", help="read the file only, run nothing")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a file: 0 if nothing was found, 1 if something was, 2 if it cannot be checked."""
    use_utf8(sys.stdout, sys.stderr)
    asked = parser().parse_intermixed_args(arguments)
    sheet = SHEETS[asked.sheet]
    problem = _problem(sheet, asked.file)
    if problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    path = asked.file.resolve()
    lines = [*_form(sheet, path)]
    found = bool(lines)
    if not asked.no_mixing:
        mixed = [*_mixing(sheet, path)]
        found = found or any(style for style, _ in mixed)
        lines += mixed
    if not found:
        lines.append(("green", f"{path.name}: nothing was found that {sheet.title} asks otherwise"))
    try:
        write(lines, sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:  # nobody reads on, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return int(found)


def _problem(sheet: Sheet, file: Path) -> str:
    """Say why a file cannot be checked, if it cannot."""
    if not SOLUTIONS.is_dir():
        return NOTHING_TO_CHECK_WITH
    if not file.is_file():
        return f"There is no file {file}."
    if sheet.files and file.name not in sheet.files:
        return f"{file.name} is no file of {sheet.title}: it has {', '.join(sheet.files)}."
    return ""


def _form(sheet: Sheet, path: Path) -> Iterator[Line]:
    """Yield what is found by reading the file."""
    source = source_of(sheet, path)
    for finding in findings(sheet, path.name, source):
        place = f"{path.name}:{finding.line}" if finding.line else path.name
        yield "bold red", f"{place}: {finding.text}"


def _mixing(sheet: Sheet, path: Path) -> Iterator[Line]:
    """Yield what is found by running the file among the solution's."""
    for swapped in swap_tests(sheet, path, Grader(sheet, Limits())):
        if not swapped.failed:
            yield "", f"{swapped.part} works with the solution's other files"
            continue
        yield "bold red", f"{swapped.part} does not work with the solution's other files:"
        for got, results in _by_cause(swapped.failed).items():
            numbers = " ".join(result.requirement.id for result in results)
            yield "", f"  {got}"
            yield from (("", f"      {line}") for line in [*cause(results[0])][-MAX_SHOWN:])
            yield "", f"      and so fails {numbers}"


def _by_cause(failed: Iterable[Result]) -> dict[str, list[Result]]:
    """Return results by what came instead, without the place where it did."""
    causes: dict[str, list[Result]] = {}
    for result in failed:
        got = (result.outcome.got or result.outcome.problem).removeprefix("it ended with: ")
        causes.setdefault(got.partition(" in ")[0], []).append(result)
    return causes


if __name__ == "__main__":
    sys.exit(main())
