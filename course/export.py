"""``python -m course.export`` exports self-contained hand-outs of a sheet."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from course.grading.sheets import Sheet
from course.grading.usage import UsageError, argument_parser, run_command
from course.handouts.files import Texts, given, more_handouts, solution, starter, write

DESCRIPTION: Final = """\
Writes a sheet's files into a folder, where they run alone: the solution, or starter stubs, with
the files that the course gives.
"""


def parser() -> argparse.ArgumentParser:
    """Parse the command's arguments."""
    arguments = argument_parser("export", DESCRIPTION)
    arguments.add_argument(
        "folder", type=Path, help="where to write; existing files are left alone"
    )
    arguments.add_argument("--stubs", action="store_true", help="starter stubs, not the solution")
    return arguments


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Return 0, or 2 after an error message."""
    return run_command(parser(), arguments, _export, "so there is nothing to export")


def _export(sheet: Sheet, asked: argparse.Namespace) -> int:
    try:
        written = write(_files(sheet, stubs=asked.stubs), asked.folder)
    except OSError as error:
        raise UsageError(f"{error}") from None
    more = "" if asked.stubs else " They are the solution; --stubs writes what students begin with."
    sys.stdout.write(f"Wrote {written} files to {asked.folder}.{more}\n")
    return 0


def _files(sheet: Sheet, *, stubs: bool) -> Texts:
    files = starter(sheet) if stubs else solution(sheet)
    return files | given(sheet) | more_handouts(sheet)


if __name__ == "__main__":
    sys.exit(main())
