"""``python -m course`` lists the commands and the sheets' programs, one per line."""

import sys
from collections.abc import Iterator
from typing import Final, TextIO

from course.grading.sheets import SHEETS

COMMANDS: Final = {
    "course.grade": "Grade a student's files against a sheet (--help)",
    "course.export": "Write a sheet's files (--help)",
    "course.sheet": "Make a sheet of your own, and check it (--help)",
}
"""The command ``python -m course`` lists the commands and the sheets' programs."""


def programs() -> Iterator[tuple[str, str]]:
    """Yield each command and program with its description.

    The folder of the sheets may be missing.
    """
    yield from COMMANDS.items()
    for sheet in SHEETS.values():
        yield f"course.run {sheet.slug}", f"Play the solution of {sheet.title}"


def list_programs(out: TextIO) -> None:
    """Print one line per program."""
    lines = dict(programs())
    width = max(map(len, lines))
    out.writelines(f"python -m {name:{width}}  {summary}\n" for name, summary in lines.items())


if __name__ == "__main__":
    list_programs(sys.stdout)
