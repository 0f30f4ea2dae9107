"""``python -m course.run`` plays the program of a sheet's solution."""

import argparse
import runpy
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from course.grading.sheets import Sheet
from course.grading.usage import UsageError, argument_parser, run_command

DESCRIPTION = "Plays the program of a sheet's own solution, in this folder."


def parser() -> argparse.ArgumentParser:
    """Parse the command's arguments."""
    return argument_parser("run", DESCRIPTION)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the program. Return 0, or 2 after an error message if there is no program."""
    return run_command(parser(), arguments, _run, "so there is nothing to play")


def _run(sheet: Sheet, _: argparse.Namespace) -> int:
    program = sheet.solution / sheet.program
    if not program.is_file():
        raise UsageError(f"{sheet.title} has no program to play.")
    sys.argv[:] = [sheet.program]
    with fresh_imports(sheet.solution):
        runpy.run_path(str(program), run_name="__main__")
    return 0


@contextmanager
def fresh_imports(folder: Path) -> Iterator[None]:
    """Import the files of a folder again, under their names without the package."""
    names = {path.stem for path in folder.glob("*.py")}
    path, before = [*sys.path], {name: sys.modules.pop(name, None) for name in names}
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path[:] = path
        for name, module in before.items():
            sys.modules.pop(name, None)
            sys.modules |= {name: module} if module else {}


if __name__ == "__main__":
    sys.exit(main())
